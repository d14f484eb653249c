"""Points in cells: each near one of some centers, none much larger than the others.

    centers    of k-means on a sample; a cell that is too large is cut again, by k-means or, where
               that does not get it apart, at the median along the line between two far rows
    nearest    of each row its own cell, then the cells of the nearest centers

Cost: k-means on 16 rows for each cell, and one product of all rows with all centers.
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from lowdim.cluster.kmeans import KMeans
from lowdim.linalg.nearest import best_columns

ROWS_EACH = 16  # of the sample, for each center
STEPS = 4  # of k-means: centers need not be the best ones
LARGEST = 3.0  # times the mean size
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


def nearest_cells(Z: np.ndarray, own: np.ndarray, centers: np.ndarray, count: int) -> np.ndarray:
    """Of each row its own cell and those with the nearest centers, `count` (n, count) in all."""
    offset = -np.einsum("ij,ij->i", centers, centers) / 2
    found = best_columns(Z, centers, offset, count).column
    others = found != own[:, None]
    others[others.all(axis=1), -1] = False  # the own cell is none of the nearest: it was cut
    return np.hstack([own[:, None], found[others].reshape(len(Z), -1)])


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
        label = model.fit(sample).predict(Z[rows])
    order = np.argsort(label, kind="stable")
    starts = np.searchsorted(label[order], np.arange(n_cells + 1))
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
