"""Rows from files larger than memory, or from anything that can give blocks again and again.

    rows = lowdim.stream("part-*.parquet")

A pass reads the source from start to end; the next chunk is read while the current one is worked
on. Memory: the chunk in work, the next one, and what the threads still hold of the one before. (An
.npz file is compressed and comes as a whole.)
"""

from __future__ import annotations

import copy
import glob
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import (
    LARGEST_BLOCK_BYTES,
    Blocks,
    as_floats,
    companion_part,
    joined,
    rebatched,
    reduce_tree,
    rows_per_block,
)
from lowdim.core.progress import watch
from lowdim.core.threads import fetched_ahead, ordered_map

CHUNK_BYTES = 2**23


def stream(
    source: str | Path | Sequence[str | Path] | Callable[[], Iterable],
    columns: Sequence[str] | Sequence[int] | None = None,
    chunk_rows: int | None = None,
) -> StreamBlocks:
    """Rows of files, read a chunk at a time; give it to `fit` or `transform` in place of X.

    Parameters
    ----------
    source : path, glob pattern, list of paths, or callable
        Files ending in .npy, .npz (one 2-D array, or a SciPy sparse matrix), .csv, .tsv or
        .parquet, taken one after the other (a pattern: in sorted order). Or a callable that
        returns a fresh iterator of 2-D arrays or sparse matrices each time it is called.
    columns : list of str or int, default=None
        Which columns, by name (.csv, .tsv, .parquet) or by number; None takes all.
    chunk_rows : int, default=None
        Rows read at a time; None reads about 8 MB. A callable's blocks stay as they come.

    Returns
    -------
    rows : StreamBlocks
        With `shape`, `dtype` and `feature_names`.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> def blocks():
    ...     random = np.random.default_rng(0)
    ...     for _ in range(4):
    ...         yield random.normal(size=(250, 3))
    >>> rows = lowdim.stream(blocks)
    >>> rows.shape
    (1000, 3)
    """
    if chunk_rows is not None and (not isinstance(chunk_rows, Integral) or chunk_rows < 1):
        raise ValueError(f"chunk_rows={chunk_rows!r} must be an int, at least 1, or None.")
    if columns is not None and (isinstance(columns, str | bytes) or len(columns) == 0):
        raise ValueError(f"columns={columns!r} must be a list of names or numbers, at least 1.")
    if callable(source):
        return StreamBlocks([_Callable(source, columns)], chunk_rows)
    return StreamBlocks([_open(path, columns) for path in _paths(source)], chunk_rows)


class StreamBlocks(Blocks):
    """Rows that are read again for every pass; made by `lowdim.stream`."""

    def __init__(self, sources: list[Source], chunk_rows: int | None):
        self._sources, self._chunk_rows = sources, chunk_rows
        first = sources[0]
        for source in sources[1:]:
            if source.is_sparse != first.is_sparse:
                raise ValueError(
                    f"{source.where} is {_kind(source.is_sparse)} and {first.where} is "
                    f"{_kind(first.is_sparse)}; stream files of one kind."
                )
            if source.names != first.names or source.n_columns != first.n_columns:
                raise ValueError(
                    f"{source.where} has other columns ({_listed(source)}) than {first.where} "
                    f"({_listed(first)}); stream files with the same columns, or name them with "
                    "columns=[...]."
                )
        self.feature_names = first.names
        self.is_sparse = first.is_sparse
        only_float32 = all(source.dtype == np.float32 for source in sources)
        self.dtype = np.dtype(np.float32 if only_float32 else np.float64)
        self._checks: list[Callable[[Any], None]] = []
        counts = [source.n_rows for source in sources]
        # a dict, so that `checked` copies share what a pass finds out
        self._counted = {} if None in counts else {"rows": sum(counts)}  # type: ignore[arg-type]

    @property
    def n_columns(self) -> int:
        return self._sources[0].n_columns

    @property
    def shape(self) -> tuple[int, int]:
        if self.known_rows is None:
            for _ in self._chunks():
                pass
        return self._counted["rows"], self.n_columns

    @property
    def known_rows(self) -> int | None:
        return self._counted.get("rows")

    def checked(self, check: Callable, *args: Any) -> Blocks:
        rows = copy.copy(self)
        rows._checks = [*self._checks, lambda block: check(block, *args)]
        return rows

    def map(self, function: Callable, *params: Any, along: Sequence = ()) -> Any:
        with closing(self._results(function, params, along)) as results:
            return joined(results, self.known_rows)

    def take(self, index: np.ndarray) -> Any:
        order = np.argsort(index, kind="stable")
        wanted, found, start = np.asarray(index)[order], [], 0
        with closing(self._chunks()) as chunks:
            for chunk in chunks:
                here = np.searchsorted(wanted, [start, start + chunk.shape[0]])
                found.append(chunk[wanted[slice(*here)] - start])
                start += chunk.shape[0]
                if here[1] == len(wanted):
                    break
        rows = joined(found)
        if rows.shape[0] < len(wanted):
            raise IndexError(f"There is no row {wanted[-1]}; the stream has {start} rows.")
        return rows[np.argsort(order, kind="stable")]

    def batches(self, size: int, along: Sequence = ()) -> Iterator[tuple]:
        def parts() -> Iterator[tuple]:
            start = 0
            for chunk in chunks:
                yield self._with_companions(chunk, start, along)
                start += chunk.shape[0]

        with closing(fetched_ahead(self._chunks())) as chunks:
            yield from rebatched(parts(), size)

    def _reduce(self, function: Callable, params: tuple, along: Sequence, combine: Callable) -> Any:
        return reduce_tree(self._results(function, params, along), combine)

    def _results(self, function: Callable, params: tuple, along: Sequence) -> Generator:
        def work(item: tuple) -> Any:
            block, *companions = item
            return function(block, *params, *companions)

        with closing(self._blocks(along)) as blocks:
            yield from ordered_map(work, blocks)

    def _blocks(self, along: Sequence) -> Generator[tuple, None, None]:
        """(block, *companions), cut from the chunks to fit the cache."""
        start = 0
        with (
            watch("reading rows", total=self.known_rows) as bar,
            closing(fetched_ahead(self._chunks())) as chunks,
        ):
            for chunk in chunks:
                size = rows_per_block(chunk)
                for first in range(0, chunk.shape[0], size):
                    yield self._with_companions(chunk[first : first + size], start + first, along)
                start += chunk.shape[0]
                bar.update(start)

    def _with_companions(self, block: Any, start: int, along: Sequence) -> tuple:
        rows = slice(start, start + block.shape[0])
        return (block, *(companion_part(part, rows) for part in along))

    def _chunks(self) -> Generator[Any, None, None]:
        """One pass over all sources; sees to it that every pass gives the same number of rows."""
        count, before = 0, self.known_rows
        for source in self._sources:
            size = self._chunk_rows or _default_chunk_rows(source, self.dtype)
            with closing(source.chunks(size)) as chunks:
                for chunk in chunks:
                    self._check_chunk(chunk, source, count)
                    count += chunk.shape[0]
                    if before is not None and count > before:
                        raise ValueError(_other_rows("more", before))
                    if chunk.shape[0]:
                        yield chunk.astype(self.dtype, copy=False)
        if count == 0:
            raise ValueError("The stream gave no rows (n_samples=0); at least 1 is needed.")
        if before is not None and count < before:
            raise ValueError(_other_rows(f"only {count}", before))
        self._counted["rows"] = count

    def _check_chunk(self, chunk: Any, source: Source, count: int) -> None:
        if chunk.shape[1] != self.n_columns:
            raise ValueError(
                f"{source.where} gave a block of shape {chunk.shape} after row {count}; "
                f"every block must have {self.n_columns} columns."
            )
        if sp.issparse(chunk) != self.is_sparse:
            raise ValueError(
                f"{source.where} gave a {_kind(not self.is_sparse)} block after row {count}; the "
                f"first one was {_kind(self.is_sparse)}, and all must be."
            )
        for check in self._checks:
            check(chunk)


def _other_rows(now: str, before: int) -> str:
    return (
        f"The stream had {before} rows before and gives {now} in this pass; every pass must give "
        "the same rows. A callable must return a fresh iterator on each call."
    )


def _default_chunk_rows(source: Source, dtype: np.dtype) -> int:
    row_bytes = max(1, source.n_columns * dtype.itemsize)
    enough_for_moments = min(2 * source.n_columns, LARGEST_BLOCK_BYTES // row_bytes)
    return max(1, CHUNK_BYTES // row_bytes, enough_for_moments)


# ---- sources: one class per kind of file ---------------------------------------------------------


class Source(ABC):
    """One file, or one callable, that can be read from start to end any number of times."""

    where: str
    n_columns: int
    n_rows: int | None = None
    names: list[str] | None = None
    dtype: np.dtype = np.dtype(np.float64)
    is_sparse = False

    @abstractmethod
    def chunks(self, size: int) -> Generator[Any, None, None]:
        """The rows, `size` at a time; a callable's blocks as they come."""


class _Callable(Source):
    def __init__(self, give: Callable[[], Iterable], columns: Sequence | None):
        self.where, self._give, self._columns = "The callable", give, columns
        self._given: Any = None
        with closing(self.chunks(0)) as chunks:
            first = next(chunks, None)
        if first is None:
            raise ValueError("The callable gave no blocks; at least 1 is needed.")
        self.n_columns, self.dtype, self.is_sparse = first.shape[1], first.dtype, sp.issparse(first)

    def chunks(self, size: int) -> Generator[Any, None, None]:
        blocks = self._give()
        if not isinstance(blocks, Iterable):
            raise TypeError(
                f"The callable returned a {type(blocks).__name__}; it must return an iterator of "
                "2-D arrays, a fresh one on each call."
            )
        if blocks is self._given and isinstance(blocks, Iterator):
            raise ValueError(
                "The callable returned the same iterator twice; it must return a fresh one on each "
                "call: the rows are read more than once."
            )
        self._given = blocks
        try:
            for block in blocks:
                yield _as_rows(block, self._columns, self.where)
        finally:
            if isinstance(blocks, Generator):
                blocks.close()


class _Npy(Source):
    def __init__(self, path: Path, columns: Sequence | None):
        self._path, self._columns, self.where = path, columns, str(path)
        first = _as_rows(self._mapped()[:1], columns, self.where)
        self.n_rows, self.n_columns, self.dtype = len(self._mapped()), first.shape[1], first.dtype

    def _mapped(self) -> np.ndarray:
        mapped = np.load(self._path, mmap_mode="r")
        if mapped.ndim != 2:
            raise ValueError(f"{self.where} holds an array of shape {mapped.shape}; 2-D is needed.")
        return mapped

    def chunks(self, size: int) -> Generator[Any, None, None]:
        for start in range(0, self.n_rows or 0, size):
            # mapped anew for each chunk and copied: pages already read do not stay with us
            yield np.array(
                _as_rows(self._mapped()[start : start + size], self._columns, self.where)
            )


class _Npz(Source):
    def __init__(self, path: Path, columns: Sequence | None):
        self._path, self._columns, self.where = path, columns, str(path)
        rows = self._load()
        self.n_rows, self.n_columns = rows.shape
        self.dtype, self.is_sparse = rows.dtype, sp.issparse(rows)

    def _load(self) -> Any:
        with np.load(self._path) as arrays:
            if "format" in arrays and "shape" in arrays:  # as scipy.sparse.save_npz writes
                return _as_rows(sp.load_npz(self._path), self._columns, self.where)
            matrices = [name for name in arrays.files if arrays[name].ndim == 2]
            if len(matrices) != 1:
                raise ValueError(
                    f"{self.where} holds {len(matrices)} 2-D arrays ({', '.join(arrays.files)}); "
                    "exactly 1 is needed. Save the one you mean as .npy."
                )
            return _as_rows(arrays[matrices[0]], self._columns, self.where)

    def chunks(self, size: int) -> Generator[Any, None, None]:
        rows = self._load()
        for start in range(0, rows.shape[0], size):
            yield rows[start : start + size]


class _Csv(Source):
    def __init__(self, path: Path, columns: Sequence | None):
        self._path, self.where = path, str(path)
        self._delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
        with self._reader(types=None) as reader:
            schema = reader.schema
        self._wanted = _wanted_columns(schema, columns, self.where)
        self.names, self.n_columns = self._wanted, len(self._wanted)
        _refuse_numbers_as_names(schema.names, self.where)
        # the first lines decide types: 3 may be followed by 3.5, so numbers are read as float64
        self._types = {
            name: "bool" if str(schema.field(name).type) == "bool" else "float64"
            for name in self._wanted
        }

    @contextmanager
    def _reader(self, types: dict | None) -> Iterator[Any]:
        csv, pa = _pyarrow("csv", self.where), _pyarrow("lib", self.where)
        try:
            with csv.open_csv(
                self._path,
                read_options=csv.ReadOptions(block_size=CHUNK_BYTES // 2),
                parse_options=csv.ParseOptions(delimiter=self._delimiter),
                convert_options=csv.ConvertOptions(
                    column_types=types, include_columns=list(types or ())
                ),
            ) as reader:
                yield reader
        except pa.ArrowInvalid as error:
            raise ValueError(
                f"{self.where} has a line that cannot be read as numbers ({error}). Take only "
                "numeric columns with columns=[...]; leave missing values empty."
            ) from None

    def chunks(self, size: int) -> Generator[Any, None, None]:
        with self._reader(self._types) as reader:
            batches = ((_arrow_rows(batch, self.dtype),) for batch in reader)
            for (rows,) in rebatched(batches, size):
                yield rows


class _Parquet(Source):
    def __init__(self, path: Path, columns: Sequence | None):
        self._path, self.where = path, str(path)
        with self._open() as file:
            schema = file.schema_arrow
            self.n_rows = file.metadata.num_rows
        self._wanted = _wanted_columns(schema, columns, self.where)
        self.names, self.n_columns = self._wanted, len(self._wanted)
        kinds = {str(schema.field(name).type) for name in self._wanted}
        self.dtype = np.dtype(np.float32 if kinds == {"float"} else np.float64)

    def _open(self) -> Any:
        return _pyarrow("parquet", self.where).ParquetFile(
            self._path,
            pre_buffer=False,
            buffer_size=2**16,  # else pyarrow keeps the file in memory
        )

    def chunks(self, size: int) -> Generator[Any, None, None]:
        with self._open() as file:
            for batch in file.iter_batches(batch_size=size, columns=self._wanted):
                yield _arrow_rows(batch.select(self._wanted), self.dtype)


_KINDS: dict[str, type[Any]] = {
    ".npy": _Npy,
    ".npz": _Npz,
    ".csv": _Csv,
    ".tsv": _Csv,
    ".parquet": _Parquet,
}


def _open(path: Path, columns: Sequence | None) -> Source:
    suffix = path.suffix.lower()
    if suffix not in _KINDS:
        raise ValueError(
            f"{path} ends in {path.suffix!r}; a stream reads files ending in {', '.join(_KINDS)}."
        )
    if not path.exists():
        raise FileNotFoundError(f"There is no file {path}.")
    return _KINDS[suffix](path, columns)


def _paths(source: str | Path | Sequence[str | Path]) -> list[Path]:
    if isinstance(source, Path):
        return [source]
    if isinstance(source, str):
        if not glob.has_magic(source):
            return [Path(source)]
        found = sorted(glob.glob(source))
        if not found:
            raise FileNotFoundError(f"No file matches {source!r}.")
        return [Path(path) for path in found]
    if not isinstance(source, Sequence) or not source:
        raise TypeError(
            f"source={source!r} is not a path, a pattern, a list of paths or a callable that "
            "returns an iterator of blocks."
        )
    return [Path(path) for path in source]


def _as_rows(block: Any, columns: Sequence | None, where: str) -> Any:
    """A block as a float32 or float64 matrix, with the wanted columns."""
    block = sp.csr_array(block) if sp.issparse(block) else np.asarray(block)
    if block.ndim != 2:
        raise ValueError(f"{where} gave a block of shape {block.shape}; blocks must be 2-D.")
    if block.dtype.kind not in "biuf":
        raise ValueError(f"{where} holds values of dtype {block.dtype}; numbers are needed.")
    if columns is not None:
        if not all(isinstance(column, Integral) for column in columns):
            raise ValueError(
                f"columns={list(columns)} must be column numbers here: {where} has no names."
            )
        d = block.shape[1]
        unknown = [column for column in columns if not 0 <= column < d]
        if unknown:
            raise ValueError(f"{where} has no column {unknown[0]}; it has columns 0 to {d - 1}.")
        block = block[:, list(columns)]
    return as_floats(block)


def _wanted_columns(schema: Any, columns: Sequence | None, where: str) -> list[str]:
    import pyarrow.types as types

    names = [name for name in schema.names if name not in _index_names(schema)]
    if columns is not None:
        unknown = [
            c for c in columns if c not in (names if isinstance(c, str) else range(len(names)))
        ]
        if unknown:
            raise ValueError(f"{where} has no column {unknown[0]!r}; it has {', '.join(names)}.")
        names = [c if isinstance(c, str) else names[c] for c in columns]
    twice = [name for name in names if list(schema.names).count(name) > 1]
    if twice:
        raise ValueError(f"{where} has two columns with the name {twice[0]!r}; rename one of them.")

    def is_number(kind: Any) -> bool:
        numeric = types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
        return numeric or types.is_boolean(kind) or types.is_null(kind)

    others = [name for name in names if not is_number(schema.field(name).type)]
    if others:
        raise ValueError(
            f"{where} has columns that are not numbers ({len(others)} of {len(names)}, first: "
            f"{others[0]!r}); name the columns to use with columns=[...]."
        )
    return names


def _index_names(schema: Any) -> set[str]:
    """Columns in which pandas keeps the index of a frame: labels of rows, not data."""
    listed = (schema.pandas_metadata or {}).get("index_columns", ())
    return {name for name in listed if isinstance(name, str)}


def _refuse_numbers_as_names(names: Sequence[str], where: str) -> None:
    def is_number(name: str) -> bool:
        try:
            float(name)
        except ValueError:
            return False
        return True

    if all(map(is_number, names)):
        raise ValueError(
            f"{where} has no line of column names: its first line is {', '.join(names[:6])}. Write "
            "names into the first line."
        )


def _arrow_rows(batch: Any, dtype: np.dtype) -> np.ndarray:
    """A batch as a matrix; nulls become NaN, and integers beyond 2^53 the nearest float."""
    rows = np.empty((batch.num_rows, batch.num_columns), dtype=dtype)
    for f, column in enumerate(batch.columns):
        rows[:, f] = column.cast(dtype.name, safe=False).to_numpy(zero_copy_only=False)
    return rows


def _pyarrow(module: str, where: str) -> Any:
    import importlib

    try:
        return importlib.import_module(f"pyarrow.{module}")
    except ImportError:
        raise ImportError(
            f'Reading {where} needs pyarrow: pip install "lowdim[io]", or stream .npy files.'
        ) from None


def _kind(is_sparse: bool) -> str:
    return "sparse" if is_sparse else "dense"


def _listed(source: Source) -> str:
    if source.names is None:
        return f"{source.n_columns} without names"
    return ", ".join(source.names[:6]) + (", ..." if len(source.names) > 6 else "")
