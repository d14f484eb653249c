"""Rows from anything that can give blocks again and again: a `Source`, such as a callable.

A pass reads the source from start to end; the next chunk is read while the current one is worked
on. Memory: the chunk in work, the next one, and what the threads still hold of the one before.
Files as sources are in `tables/streaming.py`.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import (
    LARGEST_BLOCK_BYTES,
    NONE_LEFT,
    Blocks,
    as_floats,
    chosen_rows,
    companion_part,
    joined,
    rebatched,
    reduce_tree,
    rows_per_block,
    rows_where,
)
from lowdim.core.numeric import as_array, refuse_complex
from lowdim.core.progress import watch
from lowdim.core.sparse import checked_sparse
from lowdim.core.threads import fetched_ahead, ordered_map

CHUNK_BYTES = 2**23


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

    def where(self, chosen: Callable, *params: Any) -> Blocks:
        return _ChosenStream(self, chosen, params)

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
            watch("reading rows", total=self.all_rows.known_rows) as bar,
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


class _ChosenStream(StreamBlocks):
    """The rows of a stream for which a function is True."""

    def __init__(self, rows: StreamBlocks, chosen: Callable, params: tuple):
        self.__dict__.update(rows.__dict__)
        self._rows, self._chosen, self._chosen_params = rows, chosen, params
        self._counted = {}
        self._is_given = False  # as X of another fit, which knows of no other rows

    @property
    def all_rows(self) -> Blocks:
        return self if self._is_given else self._rows

    def as_given(self) -> Blocks:
        rows = copy.copy(self)
        rows._is_given = True
        return rows

    def checked(self, check: Callable, *args: Any) -> Blocks:
        rows = copy.copy(self)
        rows._rows = self._rows.checked(check, *args)  # type: ignore[assignment]
        return rows

    def part_of(self, companion: np.ndarray | None) -> np.ndarray | None:
        if companion is None or self._is_given:
            return companion
        keep = self._rows.map(chosen_rows, self._chosen, self._chosen_params)
        return companion if keep.all() else companion[keep]

    def _chunks(self) -> Generator[Any, None, None]:
        count = 0
        with closing(self._rows._chunks()) as chunks:
            for chunk in chunks:
                chunk = rows_where(chunk, self._chosen, self._chosen_params)
                count += chunk.shape[0]
                if chunk.shape[0]:
                    yield chunk
        if count == 0:
            raise ValueError(NONE_LEFT)
        self._counted["rows"] = count


def _other_rows(now: str, before: int) -> str:
    return (
        f"The stream had {before} rows before and gives {now} in this pass; every pass must give "
        "the same rows. A callable must return a fresh iterator on each call."
    )


def _default_chunk_rows(source: Source, dtype: np.dtype) -> int:
    row_bytes = max(1, source.n_columns * dtype.itemsize)
    enough_for_moments = min(2 * source.n_columns, LARGEST_BLOCK_BYTES // row_bytes)
    return max(1, CHUNK_BYTES // row_bytes, enough_for_moments)


# ---- sources -------------------------------------------------------------------------------------


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


class CallableSource(Source):
    """A callable that returns a fresh iterator of blocks each time it is called."""

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
                yield as_rows(block, self._columns, self.where)
        finally:
            if isinstance(blocks, Generator):
                blocks.close()


def as_rows(block: Any, columns: Sequence | None, where: str) -> Any:
    """A block as a float32 or float64 matrix, with the wanted columns."""
    if sp.issparse(block):
        block = sp.csr_array(checked_sparse(block, f"A block of {_in_a_sentence(where)}"))
    else:
        block = as_array(block, f"A block of {_in_a_sentence(where)}", "a stream")
    if block.ndim != 2:
        raise ValueError(f"{where} gave a block of shape {block.shape}; blocks must be 2-D.")
    refuse_complex(block.dtype, f"A block of {_in_a_sentence(where)}")
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


def _in_a_sentence(where: str) -> str:
    return "the callable" if where == "The callable" else where


def _kind(is_sparse: bool) -> str:
    return "sparse" if is_sparse else "dense"


def _listed(source: Source) -> str:
    if source.names is None:
        return f"{source.n_columns} without names"
    return ", ".join(source.names[:6]) + (", ..." if len(source.names) > 6 else "")
