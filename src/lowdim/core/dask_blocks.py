"""Rows of a Dask array or DataFrame: the sums are made on the workers and added up there.

A pass is one graph: each partition gives its sums, which are added in a tree of fan-in 8, and only
the root comes back. Parameters are one task of the graph, so they travel once per worker and are
made again if a worker dies. Whatever scheduler is active runs it.

Nothing is computed before it is needed: neither by `map`, nor the lengths of the partitions of a
DataFrame, which only row numbers and companions ask for; the first sums bring them along.
"""

from __future__ import annotations

import copy
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any

import dask
import dask.array as da
import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import (
    NO_ROWS,
    NONE_LEFT,
    ArrayBlocks,
    Blocks,
    as_floats,
    chosen_rows,
    rebatched,
    reduce_tree,
    rows_where,
)
from lowdim.core.config import config_context
from lowdim.core.numeric import refuse_complex
from lowdim.core.sparse import checked_sparse
from lowdim.core.threads import single_threaded_blas

FAN_IN = 8


class DaskBlocks(Blocks):
    """Rows of a Dask array or DataFrame, partition by partition."""

    def __init__(self, X: Any, feature_names: list[str] | None = None):
        if hasattr(X, "to_dask_array"):
            feature_names = [str(name) for name in X.columns]
            X = _floats(X).to_dask_array()
        if X.ndim != 2:
            raise ValueError(f"X is a Dask array of shape {X.shape}; a 2-D one is needed.")
        if X.dtype.kind not in "biuf":
            refuse_complex(X.dtype, "X, a Dask array,")
            raise ValueError(f"X is a Dask array of dtype {X.dtype}; numbers are needed.")
        X = as_floats(with_true_indices(X))
        self._X = X.rechunk({1: -1}) if len(X.chunks[1]) > 1 else X
        self.dtype = X.dtype
        self.is_sparse = sp.issparse(X._meta)
        self.feature_names = feature_names
        self._chosen_from: tuple[DaskBlocks, Callable, tuple] | None = None  # all rows, and which

    @property
    def shape(self) -> tuple[int, int]:
        self._count_rows()
        return int(self._X.shape[0]), self.n_columns

    @property
    def n_columns(self) -> int:
        return int(self._X.shape[1])

    @property
    def known_rows(self) -> int | None:
        n = self._X.shape[0]
        return None if math.isnan(n) else int(n)

    def checked(self, check: Callable, *args: Any) -> Blocks:
        rows = self._X.map_blocks(_gone_through, check, args, dtype=self.dtype, meta=self._X._meta)
        return self._with(rows)

    def where(self, chosen: Callable, *params: Any) -> Blocks:
        unknown = ((math.nan,) * self._X.numblocks[0], self._X.chunks[1])
        kept = self._X.map_blocks(
            rows_where, chosen, params, chunks=unknown, dtype=self.dtype, meta=self._X._meta
        )
        rows = self._with(kept)
        rows._chosen_from = (self, chosen, params)
        return rows

    def _with(self, X: Any) -> DaskBlocks:
        """Other rows of the same columns, chosen from the same."""
        rows = copy.copy(self)
        rows._X = X
        return rows

    @property
    def all_rows(self) -> Blocks:
        return self._chosen_from[0] if self._chosen_from else self

    def part_of(self, companion: np.ndarray | None) -> np.ndarray | None:
        if companion is None or self._chosen_from is None:
            return companion
        rows, chosen, params = self._chosen_from
        keep = rows.map(chosen_rows, chosen, params).compute()
        return companion if keep.all() else companion[keep]

    def as_given(self) -> Blocks:
        rows = copy.copy(self)
        rows._chosen_from = None
        return rows

    def map(self, function: Callable, *params: Any, along: Sequence = ()) -> Any:
        example = self._example(function, params, along)
        shared, part = dask.delayed(params), dask.delayed(_map_partition)
        results = [
            part(block, function, shared, _no_rows_of(example), *companions)
            for block, *companions in self._parts(along)
        ]
        if not isinstance(example, tuple):
            return self._row_aligned(results, example)
        fields = [
            self._row_aligned([result[i] for result in results], field)
            for i, field in enumerate(example)
        ]
        return example._make(fields) if hasattr(example, "_make") else tuple(fields)

    def take(self, index: np.ndarray) -> Any:
        self._count_rows()
        order = np.argsort(index, kind="stable")
        rows = self._X[np.asarray(index)[order]].compute()
        return rows[np.argsort(order, kind="stable")]

    def batches(self, size: int, along: Sequence = ()) -> Iterator[tuple]:
        return rebatched((dask.compute(*part) for part in self._parts(along)), size)

    def _reduce(self, function: Callable, params: tuple, along: Sequence, combine: Callable) -> Any:
        shared = dask.delayed(params)
        part, join = dask.delayed(_reduce_partition), dask.delayed(_join)
        level = [
            part(block, function, shared, combine, *companions)
            for block, *companions in self._parts(along)
        ]
        while len(level) > 1:
            level = [
                join(level[start : start + FAN_IN], combine)
                for start in range(0, len(level), FAN_IN)
            ]
        with _large_graphs_are_meant():
            lengths, result = level[0].compute() if level else ([], None)
        if result is None:
            raise ValueError(NONE_LEFT if self._chosen_from else NO_ROWS)
        if self.known_rows is None:
            self._now_known(lengths)
        return result

    def _count_rows(self) -> None:
        if self.known_rows is None:
            self._now_known(self._X.copy().compute_chunk_sizes().chunks[0])

    def _now_known(self, lengths: Sequence) -> None:
        self._X = self._X.copy()  # the user's array stays as it is
        self._X._chunks = (tuple(map(int, lengths)), self._X.chunks[1])

    def _parts(self, along: Sequence) -> list[tuple]:
        """(block, *companions) of every partition that has rows, or may have, as tasks."""
        if any(companion is not None for companion in along):
            self._count_rows()
        blocks = self._X.to_delayed().ravel()
        if self.known_rows is None:
            return [(block, *along) for block in blocks]
        blocks = [block for block, rows in zip(blocks, self._X.chunks[0], strict=True) if rows]
        companions = (_cut(companion, self._row_chunks()) for companion in along)
        return list(zip(blocks, *companions, strict=True))

    def _row_chunks(self) -> tuple[float, ...]:
        return tuple(rows for rows in self._X.chunks[0] if rows)

    def _example(self, function: Callable, params: tuple, along: Sequence) -> Any:
        """What the function gives for one row of ones: shape and dtype of the lazy result."""
        row = np.ones((1, self.n_columns), dtype=self.dtype)
        companions = [
            None if part is None else np.ones((1, *part.shape[1:]), dtype=part.dtype)
            for part in along
        ]
        return function(sp.csr_array(row) if self.is_sparse else row, *params, *companions)

    def _row_aligned(self, results: list, example: Any) -> Any:
        return da.concatenate(
            [
                da.from_delayed(result, (rows, *example.shape[1:]), meta=example[:0])
                for result, rows in zip(results, self._row_chunks(), strict=True)
            ],
            allow_unknown_chunksizes=True,
        )


def with_true_indices(X: Any) -> Any:
    """The same Dask array; a sparse chunk whose indices are wrong raises where it is computed."""
    return X.map_blocks(_true_chunk, dtype=X.dtype, meta=X._meta)


def _floats(frame: Any) -> Any:
    """A DataFrame in float32 if all its columns are, else in float64; also from nullable types."""
    only_float32 = all(dtype == np.float32 for dtype in frame.dtypes)
    return frame.astype(np.float32 if only_float32 else np.float64)


def _large_graphs_are_meant() -> Any:
    """No advice from distributed to scatter parameters: a scattered array dies with a worker."""
    if "distributed" not in sys.modules:
        return nullcontext()
    return dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"})


def _cut(companion: Any, row_chunks: tuple) -> Sequence:
    """The partitions' parts of a companion."""
    if companion is None:
        return [None] * len(row_chunks)
    if isinstance(companion, da.Array):
        whole = (-1,) * (companion.ndim - 1)
        return companion.rechunk((row_chunks, *whole)).to_delayed().ravel()
    return np.split(companion, np.cumsum(row_chunks)[:-1])


# ---- on the workers ------------------------------------------------------------------------------


@single_threaded_blas()
def _reduce_partition(
    block: Any, function: Callable, params: tuple, combine: Callable, *companions: Any
) -> tuple[list[int], Any]:
    """The number of rows, and their sums; None if there are none."""
    if block.shape[0] == 0:
        return [0], None
    with config_context(threads=1):  # the workers are the threads
        sums = ArrayBlocks(block)._reduce(function, params, companions, combine)
    return [block.shape[0]], sums


@single_threaded_blas()
def _map_partition(
    block: Any, function: Callable, params: tuple, nothing: Any, *companions: Any
) -> Any:
    if block.shape[0] == 0:
        return nothing
    with config_context(threads=1):
        return ArrayBlocks(block).map(function, *params, along=companions)


@single_threaded_blas()
def _true_chunk(block: Any) -> Any:
    return checked_sparse(block, "A chunk of X") if sp.issparse(block) else block


@single_threaded_blas()
def _gone_through(block: Any, check: Callable, args: tuple) -> Any:
    check(block, *args)
    return block


@single_threaded_blas()
def _join(parts: list, combine: Callable) -> tuple[list[int], Any]:
    lengths = [length for some, _ in parts for length in some]
    # the left one of two sums may be added into: never into a result that Dask still holds
    owned = (_own(sums) for _, sums in parts if sums is not None)
    return lengths, reduce_tree(owned, combine) if any(lengths) else None


def _own(part: Any) -> Any:
    if isinstance(part, tuple):
        values = map(_own, part)
        return part._make(values) if hasattr(part, "_make") else tuple(values)
    return part.copy() if isinstance(part, np.ndarray) else part


def _no_rows_of(example: Any) -> Any:
    if isinstance(example, tuple):
        return tuple(map(_no_rows_of, example))
    return example[:0]
