"""Where mixtures start: k-means on a part of the rows that fits in memory.

    minimise over centers C     J = sum_i w_i min_j ||x_i - c_j||^2

Lloyd's algorithm from seeds that are drawn far apart (k-means++). A row of weight 2 is a row twice,
and the order of rows does not matter: a draw is a place on the line on which all rows, sorted by
their values, lie one after the other, each as long as its weight.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.core.blocks import Blocks

ROWS_FOR_START = 20_000


class Part(NamedTuple):
    """Some rows of weight above 0, in memory, sorted by their values."""

    rows: np.ndarray  # (m, d)
    weight: np.ndarray  # (m,)


class Clusters(NamedTuple):
    centers: np.ndarray  # (k, d)
    labels: np.ndarray  # (m,)  nearest center of each row
    inertia: float  # J


def part_in_memory(
    rows: Blocks,
    random: np.random.Generator,
    weight: np.ndarray | None = None,
    at_most: int = ROWS_FOR_START,
) -> Part:
    """All rows, or `at_most` of them at random; the same ones whatever holds the data."""
    n = rows.shape[0]
    index = np.arange(n)
    if n > at_most:
        index = np.sort(random.choice(n, size=at_most, replace=False))
    w = np.ones(len(index)) if weight is None else weight[index]
    X = np.asarray(rows.take(index[w > 0]), dtype=np.float64)
    order = np.lexsort(X.T[::-1])
    return Part(X[order], w[w > 0][order])


def lloyd(
    X: np.ndarray,
    k: int,
    random: np.random.Generator,
    weight: np.ndarray | None = None,
    *,
    max_iter: int = 100,
    n_init: int = 4,
) -> Clusters:
    """The best of a few runs of Lloyd's algorithm on complete rows, as `part_in_memory` sorts them.

    Parameters
    ----------
    X : ndarray of shape (m, d)
        Best centred: distances are taken from products.
    k : int
        Number of clusters. Rows with fewer than k different values leave some centers equal.
    random : Generator
    weight : ndarray of shape (m,), default=None
        How often each row counts.
    max_iter : int, default=100
        Iterations at the most of each run.
    n_init : int, default=4
        Runs, each from its own seeds.
    """
    w = np.ones(len(X)) if weight is None else weight
    runs = [_run(X, w, seeds(X, k, random, w), max_iter) for _ in range(n_init)]
    return min(runs, key=lambda run: run.inertia)


def seeds(X: np.ndarray, k: int, random: np.random.Generator, weight: np.ndarray) -> np.ndarray:
    """k rows, each drawn with probability by weight times squared distance from those before."""
    centers = np.empty((k, X.shape[1]))
    nearest = np.ones(len(X))
    for j, place in enumerate(random.random(k)):
        chance = np.cumsum(weight * nearest)
        if chance[-1] <= 0.0:  # all rows are centers already
            chance = np.cumsum(weight)
        drawn = int(np.searchsorted(chance, place * chance[-1], side="right"))
        centers[j] = X[min(drawn, len(X) - 1)]
        distance = np.square(X - centers[j]).sum(axis=1)
        nearest = distance if j == 0 else np.minimum(nearest, distance)
    return centers


def _run(X: np.ndarray, weight: np.ndarray, centers: np.ndarray, max_iter: int) -> Clusters:
    """Lloyd's algorithm from given centers, until no row changes its cluster."""
    labels = np.full(len(X), -1)
    for _ in range(max_iter):
        new = nearest_center(X, centers)
        if np.array_equal(new, labels):
            break
        labels = new
        centers = _means(X, weight, labels, centers)
    labels = nearest_center(X, centers)
    return Clusters(centers, labels, float(weight @ np.square(X - centers[labels]).sum(axis=1)))


def nearest_center(X: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """argmin ||x - c||^2 = argmin ||c||^2 / 2 - x.c for every row."""
    return np.argmin(np.square(centers).sum(axis=1) / 2 - X @ centers.T, axis=1)


def _means(
    X: np.ndarray, weight: np.ndarray, labels: np.ndarray, centers: np.ndarray
) -> np.ndarray:
    """The mean of each cluster; a center without rows goes to the row farthest from its own."""
    moved = centers.copy()
    for j in range(len(centers)):
        own = labels == j
        if own.any():
            moved[j] = weight[own] @ X[own] / weight[own].sum()
    empty = np.setdiff1d(np.arange(len(centers)), labels)
    if len(empty):
        distance = np.square(X - moved[labels]).sum(axis=1)
        moved[empty] = X[np.argsort(-distance, kind="stable")[: len(empty)]]
    return moved
