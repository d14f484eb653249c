"""k-means of rows with missing values: what is missing is taken to be as in the center (k-POD).

    minimise over C, a     J = sum_i w_i sum_{f observed} (x_if - c_a(i)f)^2

A missing entry filled from the center adds nothing to the distance: so distances are taken over
observed entries, and with o = 1 where observed and x = 0 where not, they are two products:

    ||x - o c||^2 = ||x||^2 - 2 x.c + o.c^2

Given the labels, the minimiser is the mean of the observed entries of each column in each cluster,
where filling and averaging in turn would end. Neither half-step can raise J (Chi, Chi and Baraniuk,
2016, k-POD: a method for k-means clustering of missing data).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lowdim.linalg.moments import Frame

PART_VALUES = 2**17  # of the largest array that some rows at a time make


def has_missing(X: np.ndarray) -> bool:
    """Whether a block has missing entries."""
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(not np.isfinite(X.sum()) and np.isnan(X).any())


def statistics(
    X: np.ndarray, centers: np.ndarray, frame: Frame, weight: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """What a block adds up: count (k,), missing (k, d), sum_x (k, d) and its part of J."""
    k, d = centers.shape
    count, missing, sum_x, inertia = np.zeros(k), np.zeros((k, d)), np.zeros((k, d)), 0.0
    for part in _parts(X, k):
        D, observed = _filled(X[part], frame)
        squares = _squares(D, observed, centers)
        label = squares.argmin(axis=1)
        w = np.ones(len(D)) if weight is None else weight[part]
        member = (label == np.arange(k)[:, None]) * w  # (k, b)
        count += member.sum(axis=1)
        missing += member @ (1.0 - observed)
        sum_x += member @ D
        inertia += float(w @ squares[np.arange(len(D)), label])
    return count, missing, sum_x, inertia


def labels_and_squares(
    X: np.ndarray, centers: np.ndarray, frame: Frame
) -> tuple[np.ndarray, np.ndarray]:
    """The nearest center of each row over its observed entries, and the squared distance."""
    label, square = np.empty(len(X), dtype=np.int32), np.empty(len(X))
    for part in _parts(X, len(centers)):
        apart = _squares(*_filled(X[part], frame), centers)
        label[part] = apart.argmin(axis=1)
        square[part] = apart.min(axis=1)
    return label, square


def squares(X: np.ndarray, centers: np.ndarray, frame: Frame) -> np.ndarray:
    """Squared distance of every row from every center over its observed entries, (b, k)."""
    result = np.empty((len(X), len(centers)))
    for part in _parts(X, len(centers)):
        result[part] = _squares(*_filled(X[part], frame), centers)
    return result


def _filled(X: np.ndarray, frame: Frame) -> tuple[np.ndarray, np.ndarray]:
    """Deviations in float64 with 0 for missing entries, and 1 where observed."""
    observed = ~np.isnan(X)
    D = np.where(observed, frame.deviations(X), 0.0).astype(np.float64, copy=False)
    return D, observed.astype(np.float64)


def _squares(D: np.ndarray, observed: np.ndarray, centers: np.ndarray) -> np.ndarray:
    result = observed @ np.square(centers).T
    result -= 2.0 * (D @ centers.T)
    result += np.square(D).sum(axis=1)[:, None]
    return np.maximum(result, 0.0, out=result)


def _parts(X: np.ndarray, k: int) -> Iterator[slice]:
    size = max(1, PART_VALUES // max(k, X.shape[1]))
    return (slice(start, min(start + size, len(X))) for start in range(0, len(X), size))
