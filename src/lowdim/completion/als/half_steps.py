"""The two half-steps of ALS: all rows given the columns, all columns given the rows.

In memory both go by rows, on the matrix and on its twin by columns. From streams and Dask one pass
solves the rows of a block and adds up the normal equations of the columns.

Cost of both with N entries: O(N k^2 + (n + d) k^3), by conjugate gradients O(N k). Memory: the
entries twice and (n + d) k numbers; in a stream, d k^2 numbers beside one block.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.completion.als.objective import Objective, twin_of, weighted
from lowdim.completion.als.units import WeightedEntries, WeightedRows
from lowdim.completion.coding import Coding, encode
from lowdim.completion.uncertainty import WeightedSample, evenly_spaced
from lowdim.core.blocks import is_dask
from lowdim.linalg.entries import observed
from lowdim.linalg.ridge import Systems, row_systems, solve_rows, solve_systems
from lowdim.linalg.sparse import sparse_times, with_values


class Alternation(NamedTuple):
    """Where the alternation stands."""

    Z: np.ndarray  # (n, k [+ 1])  u, b; empty before the first half-step and for streams
    W: np.ndarray  # (d, k [+ 1])  v, c


class SolvedRows(NamedTuple):
    loss: float  # of all rows, with their penalty
    count: np.ndarray  # type: ignore[assignment]  # (d,)  weight of each column's entries
    Z: np.ndarray  # (n, q)


class InMemory:
    """Both half-steps go by rows: on the matrix, and on its twin by columns."""

    def __init__(self, entries: WeightedEntries, objective: Objective):
        self.objective = objective
        self.n_columns, self.dtype = entries.n_columns, entries.dtype
        self._entries, self.row_weight = entries, entries.by_row
        self._targets, self._weight = objective.targets(entries.X, entries.by_entry)
        columns, weight = twin_of(self._targets, self._weight, self.row_weight)
        self._columns, self._column_weight = columns, weight
        self._count = np.diff(columns.indptr).astype(np.float64)
        by_entry = entries.weight
        if by_entry is not None:
            self._count = np.bincount(entries.X.indices, by_entry, len(self._count))

    def gram_times(self, Q: np.ndarray) -> np.ndarray:
        """Y'Y Q: entries times their weight, rows weighted."""
        Q = Q.astype(self._targets.dtype)
        U = sparse_times(weighted(self._targets, self._weight), Q)
        return sparse_times(weighted(self._columns, self._column_weight), U).astype(np.float64)

    def solve_rows(self, at: Alternation) -> SolvedRows:
        solved = solve_rows(
            self._targets,
            self.objective.on_columns(at.W),
            weight=self._weight,
            method=self.objective.method,
            steps=self.objective.steps,
            start=at.Z if len(at.Z) else None,
        )
        weight = 1.0 if self.row_weight is None else self.row_weight
        return SolvedRows(float((weight * solved.loss).sum()), self._count, solved.Z)

    def solve_columns(self, solved: SolvedRows, W: np.ndarray) -> Alternation:
        new = solve_rows(
            self._columns,
            self.objective.on_rows(solved.Z, self.row_weight),
            weight=self._column_weight,
            method=self.objective.method,
            steps=self.objective.steps,
            start=W,
            with_loss=False,
        ).Z
        return Alternation(solved.Z, new)

    def sample(self, Z: np.ndarray) -> WeightedSample:
        """Some of the rows that have entries."""
        X, by_entry, by_row = self._entries
        rows = evenly_spaced(np.flatnonzero(np.diff(X.indptr)))
        if by_entry is not None:
            by_entry = with_values(X, by_entry)[rows].data
        return WeightedSample(X[rows], by_entry, None if by_row is None else by_row[rows])

    def codes(self, W: np.ndarray, coding: Coding) -> np.ndarray:
        """Exact codes of all rows."""
        return solve_rows(
            self._targets,
            coding.on._replace(offset=self.objective.on_columns(W).offset),
            weight=self._weight,
            method=coding.method,
            with_loss=False,
        ).Z


class Blockwise:
    """One pass solves the rows of each block and adds up the normal equations of the columns."""

    def __init__(self, data: WeightedRows, objective: Objective):
        self.objective = objective
        self.n_columns, self.dtype = data.n_columns, data.dtype
        self._data, self.row_weight = data, data.weight

    def gram_times(self, Q: np.ndarray) -> np.ndarray:
        return self._data.rows.fold(gram_times, Q, self.objective, along=(self._data.weight,))

    def solve_rows(self, at: Alternation) -> Sums:
        return self._data.rows.fold(statistics, at.W, self.objective, along=(self._data.weight,))

    def solve_columns(self, sums: Sums, W: np.ndarray) -> Alternation:
        new = solve_systems(
            Systems(sums.A, sums.b, sums.count),
            self.objective.penalty,
            by_count=self.objective.by_count,
            gram=None if self.objective.alpha is None else sums.gram,
            method=self.objective.exact_method,
            start=W,
        )
        return Alternation(np.empty((0, 0), W.dtype), new.astype(W.dtype))

    def sample(self, Z: np.ndarray) -> WeightedSample:
        """Some of the rows that have codes other than 0."""
        rows, weight = evenly_spaced(np.flatnonzero(np.any(Z, axis=1))), self.row_weight
        if not len(rows):  # all rows are the mean
            rows = np.arange(min(1, len(Z)))
        X = observed(self._data.rows.take(rows))
        return WeightedSample(X, None, None if weight is None else weight[rows])

    def codes(self, W: np.ndarray, coding: Coding) -> np.ndarray:
        return in_memory(self._data.rows.map(encode, coding))


class Sums(NamedTuple):
    """What the rows add up, each solved."""

    A: np.ndarray  # (d, q, q)  normal equations of the columns
    b: np.ndarray  # (d, q)
    count: np.ndarray  # type: ignore[assignment]  # (d,)
    gram: np.ndarray  # (q, q)  sum w u u' over all rows
    loss: float  # of the rows, with their penalty


def statistics(X: Any, W: np.ndarray, objective: Objective, weight: np.ndarray | None) -> Sums:
    """What one block adds up, its rows solved."""
    targets, by_entry = objective.targets(observed(X), None)
    method = objective.exact_method
    solved = solve_rows(targets, objective.on_columns(W), weight=by_entry, method=method)
    columns, by_entry = twin_of(targets, by_entry, weight)
    on = objective.on_rows(solved.Z, weight)
    systems = row_systems(columns, on, weight=by_entry)
    q = on.F.shape[1]
    return Sums(
        *systems,
        np.zeros((q, q)) if on.gram is None else on.gram,
        float((solved.loss if weight is None else weight * solved.loss).sum()),
    )


def gram_times(
    X: Any, Q: np.ndarray, objective: Objective, weight: np.ndarray | None
) -> np.ndarray:
    """What one block adds to Y'Y Q."""
    Y, _ = objective.targets(observed(X), None)
    U = Y @ Q.astype(Y.dtype)
    return Y.T @ (U if weight is None else weight[:, None] * U)


def in_memory(codes: Any) -> np.ndarray:
    """Row-aligned results as an array, computed if they are Dask's."""
    return codes.compute() if is_dask(codes) else codes
