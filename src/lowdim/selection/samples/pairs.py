"""Distances of all pairs of rows, a block of them at a time.

    |x - y|^2 = |x|^2 + |y|^2 - 2 x'y          one product of matrices for each block

Rows must lie about zero, so that the difference keeps its digits; what is left of the distance of
two equal rows is rounding, and counts as 0. Sums are added up in the order of the rows, whatever
the number of threads. Memory: one block of distances by thread, never all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple, TypeVar

import numpy as np

from lowdim.core.threads import ordered_map

Result = TypeVar("Result")

BLOCK = 2**20  # distances
ROUNDING = 1e-13  # of squared lengths, for each column


class PairMeans(NamedTuple):
    """The mean of something over pairs of different rows, for each way p to part them in two."""

    within_real: np.ndarray  # (p,)
    between: np.ndarray  # (p,)
    within_fake: np.ndarray  # (p,)


def over_blocks(
    work: Callable[[slice, np.ndarray], Result], A: np.ndarray, B: np.ndarray
) -> Iterator[Result]:
    """work(rows, squared) in order: some rows of A, and their squared distances from all of B."""
    step = max(1, BLOCK // len(B))
    cuts = [slice(a, min(a + step, len(A))) for a in range(0, len(A), step)]
    size_of_B = np.einsum("ij,ij->i", B, B)

    def block(rows: slice) -> Result:
        return work(rows, _squared(A[rows], B, size_of_B))

    return ordered_map(block, cuts)


def _squared(A: np.ndarray, B: np.ndarray, size_of_B: np.ndarray) -> np.ndarray:
    sizes = np.einsum("ij,ij->i", A, A)[:, None] + size_of_B
    squared = sizes - 2 * (A @ B.T)
    squared[squared <= ROUNDING * A.shape[1] * sizes] = 0.0
    return squared


def pair_means(
    Z: np.ndarray, is_real: np.ndarray, of: Callable[[np.ndarray], np.ndarray]
) -> PairMeans:
    """Means over pairs of rows, which one pass gives for many ways to part the rows in two.

    Parameters
    ----------
    Z : array of shape (n, d)
        All rows, about zero.
    is_real : array of shape (n, p) of 0.0 and 1.0
        Each column is a way to part them.
    of : callable
        What the mean is of, from squared distances.
    """

    def work(rows: slice, squared: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        values = of(squared)
        values[np.arange(len(values)), np.arange(rows.start, rows.stop)] = 0.0  # not with itself
        chosen, total = is_real[rows], values.sum(axis=1)
        with_real = np.einsum("ip,ip->p", chosen, values @ is_real)
        return with_real, total @ chosen, float(total.sum())

    n, m = is_real.sum(axis=0), (1 - is_real).sum(axis=0)
    real, real_with_all, everything = np.zeros_like(n), np.zeros_like(n), 0.0
    for one, two, three in over_blocks(work, Z, Z):
        real, real_with_all, everything = real + one, real_with_all + two, everything + three
    between = real_with_all - real
    fake = everything - real_with_all - between
    return PairMeans(real / (n * (n - 1)), between / (n * m), fake / (m * (m - 1)))


def parted(n: int, m: int) -> np.ndarray:
    """The one way in which the first n rows are the real ones, (n + m, 1)."""
    return np.repeat([1.0, 0.0], [n, m])[:, None]
