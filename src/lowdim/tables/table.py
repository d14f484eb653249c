"""Rows with named columns of any kind, a chunk at a time: what every source of tables gives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

CHUNK_BYTES = 2**23  # of numbers, about this much is in work at a time,
LARGEST_CHUNK = 2**25  # up to this, if there are fewer than ENOUGH_ROWS,
LEAST_ROWS = 256  # but no fewer rows: a column costs as much time as some hundred of its values
ENOUGH_ROWS = 4096


class Table(ABC):
    """A table that can be read from start to end any number of times.

    Attributes
    ----------
    where : str
        What to call it in messages: the path of a file, 'Standard input', 'The table'.
    names : list of str
        Its columns, each name once; of a matrix their numbers, '0', '1', ...
    named : bool
        Whether columns have names of their own.
    n_rows : int or None
        None while only a pass could say.
    streamed : bool
        Whether `chunks` reads a file again each time, instead of holding the rows in memory.
    is_sparse : bool
    notes : list of str
        What was found out on opening: 'read as: ...', 'renamed: ...'.
    backend : str
        What tables made from it are: 'pandas', 'polars', 'pyarrow', 'dict' or 'array'; 'file': what
        `dtypes.default_backend` says.
    index_name : str or None
        The name under which rows are named, if rows have names beside the columns: it can be asked
        for as a column, but is not in `names`.
    path : str or None
        Of files: how `open_table` was asked for it.
    asked : dict
        Of files: what else `open_table` was given, by argument.
    spelling : dict of str to FlagText or DateText
        Of text files: how columns of flags, and of dates with times, are written.
    """

    where: str
    names: list[str]
    named: bool = True
    n_rows: int | None = None
    streamed: bool = False
    is_sparse: bool = False
    backend: str = "file"
    index_name: str | None = None
    path: str | None = None
    written_by_hand: bool = False  # text files, whose form the user can describe
    spelling: Mapping[str, Any] = MappingProxyType({})

    def __init__(self) -> None:
        self.notes: list[str] = []
        self.asked: dict[str, Any] = {}

    @abstractmethod
    def chunks(
        self, columns: Sequence[str] | None = None, size: int | None = None
    ) -> Iterator[Any]:
        """These columns (None: all) in this order, about `size` rows at a time.

        A chunk is a data frame that narwhals knows (of a file, a pyarrow.Table), or a matrix: an
        ndarray, or a csr_array where `is_sparse`. Chunks without rows are not given.
        """


def rows_at_a_time(n_columns: int) -> int:
    """Rows of a chunk."""
    row_bytes = 8 * max(n_columns, 1)
    enough = min(ENOUGH_ROWS, LARGEST_CHUNK // row_bytes)
    return max(LEAST_ROWS, enough, CHUNK_BYTES // row_bytes)
