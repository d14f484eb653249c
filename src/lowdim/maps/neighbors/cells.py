"""Points in cells: each near one of some centers, none much larger than the others.

    centers    of k-means on a sample; a cell that is too large is cut again, by k-means or, where
               that does not get it apart, at the median along the line between two far rows
    nearest    of each row its own cell, then the cells of the nearest centers, among those that are
               near to the center of its own

Cost: k-means on 16 rows for each cell, and one product of all rows with all centers.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from lowdim.cluster.kmeans import KMeans
from lowdim.core.threads import shared_map
from lowdim.linalg.nearest import keep_best

ROWS_EACH = 16  # of the sample, for each center
STEPS = 4  # of k-means: centers need not be the best ones
LARGEST = 3.0  # times the mean size
AROUND = 16  # cells near its own from which a row chooses each that it looks at
TURNS = 32  # on threads, for the cells
BLOCK = 1024  # rows whose centers are found at once
MOSTLY = 0.75  # of the rows in one cell: then k-means did not get them apart


class Cells(NamedTuple):
    """Rows by cells."""

    order: np.ndarray  # (n,)  rows, cell by cell
    starts: np.ndarray  # (g + 1,)  where each cell begins in it
    centers: np.ndarray  # (g, c)

    def rows(self, cell: int) -> np.ndarray:
        """The rows of a cell, in rising order."""
        return self.order[self.starts[cell] : self.starts[cell + 1]]

    @property
    def own(self) -> np.ndarray:
        """The cell of each row, for rows in the order of the cells."""
        return np.repeat(np.arange(len(self.centers), dtype=np.int32), np.diff(self.starts))


def cells_of(Z: np.ndarray, n_cells: int, random: np.random.Generator) -> Cells:
    """Rows of an array in about so many cells."""
    parts = _parts(Z, np.arange(len(Z)), n_cells, len(Z) / n_cells, random)
    sizes = [len(part) for part in parts]
    centers = np.array([Z[part].mean(axis=0, dtype=np.float64) for part in parts], Z.dtype)
    return Cells(np.concatenate(parts), np.concatenate([[0], np.cumsum(sizes)]), centers)


def by_distance(Z: np.ndarray, own: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """All cells (n, g) in the order of their centers' distances from each row, its own first."""
    scores = Z @ centers.T - np.einsum("ij,ij->i", centers, centers) / 2
    scores[np.arange(len(Z)), own] = np.inf
    return np.argsort(-scores, axis=1, kind="stable")


def nearest_cells(Z: np.ndarray, cells: Cells, count: int) -> np.ndarray:
    """Of each row its own cell and those with the nearest centers, `count` (n, count) in all.

    Rows are in the order of the cells. More than `count` others must be there.
    """
    n, centers = len(Z), cells.centers
    offset = -np.einsum("ij,ij->i", centers, centers) / 2
    most = min(AROUND * count, len(centers) - 1)
    around = by_distance(centers, np.arange(len(centers)), centers)[:, 1 : most + 1]
    near, score = np.full((n, count - 1), -1, np.int32), np.full((n, count - 1), -np.inf, Z.dtype)

    def work(first: int) -> None:
        for cell in range(first, min(first + size, len(centers))):
            rows = np.arange(cells.starts[cell], cells.starts[cell + 1])
            others = around[cell]
            scores = Z[rows[0] : rows[-1] + 1] @ centers[others].T
            keep_best(scores, others, offset[others], rows, near, score)

    size = max(1, len(centers) // TURNS)
    shared_map(work, range(0, len(centers), size))
    return np.hstack([cells.own[:, None], near])


def order_of(label: np.ndarray, n_labels: int) -> tuple[np.ndarray, np.ndarray]:
    """The order (n,) of numbers below `n_labels`, a stable one, and where each begins."""
    if n_labels < 2**16:  # sorted by their digits
        label = label.astype(np.uint16)
    counts = np.bincount(label, minlength=n_labels)
    return np.argsort(label, kind="stable"), np.concatenate([[0], np.cumsum(counts)])


def _parts(
    Z: np.ndarray, rows: np.ndarray, n_cells: int, mean: float, random: np.random.Generator
) -> list[np.ndarray]:
    """Some rows in about so many cells, none much larger than the mean size."""
    n = len(rows)
    sample = Z[rows[random.choice(n, size=min(n, ROWS_EACH * n_cells), replace=False)]]
    seed = int(random.integers(2**31))
    start = sample[:n_cells]
    model = KMeans(n_cells, init=start, n_init=1, max_iter=STEPS, tol=0.0, random_state=seed)
    with warnings.catch_warnings():  # cells without rows, of a sample with too few different ones
        warnings.simplefilter("ignore", ConvergenceWarning)
        centers = model.fit(sample).cluster_centers_
    label = _nearest_center(Z, rows, centers.astype(Z.dtype, copy=False))
    order, starts = order_of(label, n_cells)
    found = []
    for cell in range(n_cells):
        part = rows[order[starts[cell] : starts[cell + 1]]]
        if len(part) <= LARGEST * mean:
            found.extend([part] if len(part) else [])
        elif len(part) <= MOSTLY * n:
            found.extend(_parts(Z, part, max(2, round(len(part) / mean)), mean, random))
        else:  # k-means does not get it apart
            found.extend(_halves(Z, part, int(LARGEST * mean)))
    return found


def _nearest_center(Z: np.ndarray, rows: np.ndarray, centers: np.ndarray) -> np.ndarray:
    """The number of the center nearest to each of some rows."""
    half = np.einsum("ij,ij->i", centers, centers) / 2
    label = np.empty(len(rows), np.int32)

    def work(first: int) -> None:
        some = slice(first, first + BLOCK)
        scores = Z[rows[some]] @ centers.T
        scores -= half
        label[some] = scores.argmax(axis=1)

    shared_map(work, range(0, len(rows), BLOCK))
    return label


def _halves(Z: np.ndarray, rows: np.ndarray, most: int) -> list[np.ndarray]:
    """The rows in parts of at most `most`, each cut in two as long as it is larger."""
    if not len(rows):
        return []
    if len(rows) <= most:
        return [rows]
    part = Z[rows]
    one = part[np.argmax(squares_from(part, part.mean(axis=0)))]
    other = part[np.argmax(squares_from(part, one))]
    place = np.argsort(part @ (other - one), kind="stable")
    half = len(rows) // 2
    left, right = np.sort(rows[place[:half]]), np.sort(rows[place[half:]])
    return _halves(Z, left, most) + _halves(Z, right, most)


def squares_from(X: np.ndarray, x: np.ndarray) -> np.ndarray:
    """|x_i - x|^2 of each row."""
    away = X - x
    return np.einsum("ij,ij->i", away, away)
