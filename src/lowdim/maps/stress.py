"""Stress: how far the distances of a map are from the dissimilarities that it should show.

    e_ij = w_ij (delta_ij - d_ij)^2       delta given, d distances in the map, sums over pairs i < j

    raw          sum e
    normalized   sum e / sum w d^2                          the square of stress-1
    stress-1     sqrt(sum e / sum w d^2)                    Kruskal (1964)
    stress-2     sqrt(sum e / sum w (d - mean d)^2)
    sammon       sum e / delta / sum w delta                Sammon (1969)
    strain       |Y Y' - B|^2, B = -1/2 J delta^2 J         what ClassicalMDS minimises

Cost: O(n^2 k) time, beside the dissimilarities the memory of some rows of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.core.numeric import numeric_array
from lowdim.core.threads import ordered_map, single_threaded_blas
from lowdim.core.validation import check_choice
from lowdim.linalg.checks import power_of_two
from lowdim.maps.coordinates import centre_twice, run_over_rows, squared
from lowdim.maps.square import square_matrix

KINDS = ("raw", "normalized", "stress-1", "stress-2", "sammon", "strain")
BLOCK = 2**16  # pairs that are worked on at a time


class StressSums(NamedTuple):
    """What pairs i < j add up."""

    error: float  # sum w (delta - d)^2
    d: float  # sum w d
    d2: float  # sum w d^2
    relative: float  # sum w (delta - d)^2 / delta, over pairs with delta > 0
    delta: float  # sum w delta
    weight: float  # sum w


@single_threaded_blas()
def stress(dissimilarity: Any, Y: Any, kind: str = "stress-1", weights: Any = None) -> float:
    """How far the distances between places Y are from dissimilarities.

    Parameters
    ----------
    dissimilarity : array of shape (n, n), or of the n (n - 1) / 2 pairs
        Symmetric, 0 or more; a pair that is NaN does not count. For a map of ordinal MDS give its
        disparities.
    Y : array of shape (n, k)
        The map.
    kind : {'stress-1', 'stress-2', 'raw', 'normalized', 'sammon', 'strain'}, default='stress-1'
        With e = sum w (dissimilarity - distance)^2 over all pairs: 'raw' is e; 'normalized' is e by
        the sum of w distance^2, and 'stress-1' its square root; 'stress-2' is the square root of e
        by the sum of w (distance - mean distance)^2; 'sammon' divides each term by its
        dissimilarity, and the sum by that of the dissimilarities; 'strain' is what ClassicalMDS
        minimises, the squared difference of the products of places.
    weights : array of shape (n, n), default=None
        How much each pair counts; None means 1. 'strain' has none.

    Returns
    -------
    float
        0 for a perfect map. 'raw' and 'strain' have units: those of the dissimilarities to the
        power of two and of four.

    Notes
    -----
    In 'sammon', pairs with the dissimilarity 0 count only if they lie apart: then it is infinite.

    References
    ----------
    Kruskal (1964), Multidimensional scaling by optimizing goodness of fit to a nonmetric
    hypothesis. Sammon (1969), A nonlinear mapping for data structure analysis.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> D = np.array([[0.0, 3.0, 4.0], [3.0, 0.0, 5.0], [4.0, 5.0, 0.0]])
    >>> line = np.array([[0.0], [-3.0], [2.0]])
    >>> lowdim.stress(D, line, kind="raw")
    4.0
    >>> round(lowdim.stress(D, line), 4)
    0.3244
    """
    check_choice("kind", kind, KINDS)
    D = square_matrix(dissimilarity, "dissimilarity", "stress", nan=True)
    Y = _places(Y, len(D))
    W = None if weights is None else _weights(weights, len(D))
    largest = max(float(np.nanmax(D, initial=0.0)), float(np.ptp(Y, axis=0).max(initial=0.0)))
    unit = power_of_two(largest)
    if kind == "strain":
        if W is not None or np.isnan(D).any():
            raise ValueError(
                "kind='strain' has no weights, and needs all pairs; choose 'stress-1' or 'raw'."
            )
        return _strain(D / unit, Y / unit) * unit * unit * unit * unit
    return _of_kind(kind, stress_sums(D, Y, W, unit), unit)


def stress_sums(D: np.ndarray, Y: np.ndarray, W: np.ndarray | None, unit: float) -> StressSums:
    """Sums over pairs, of float64 arrays, with D and Y in units of `unit`."""
    n, columns = len(Y), np.ascontiguousarray((Y / unit).T)
    size = max(1, BLOCK // n)

    def work(rows: slice) -> tuple[Any, ...]:
        return _sums_of_rows(D[rows], columns, None if W is None else W[rows], rows, unit)

    total = np.zeros(len(StressSums._fields))
    for part in ordered_map(work, [slice(s, min(s + size, n)) for s in range(0, n, size)]):
        total += part
    return StressSums(*(total / 2).tolist())  # each pair was seen twice


def _sums_of_rows(
    D: np.ndarray, columns: np.ndarray, W: np.ndarray | None, rows: slice, unit: float
) -> tuple[Any, ...]:
    squares = np.zeros(D.shape)
    for y in columns:
        difference = y[rows, None] - y
        squares += difference * difference
    d = np.sqrt(squares)
    weight = np.ones(D.shape) if W is None else W.copy()
    weight[np.arange(len(d)), np.arange(rows.start, rows.stop)] = 0.0
    delta = D / unit
    missing = np.isnan(delta)
    weight[missing], delta[missing] = 0.0, 0.0
    error = weight * (delta - d) ** 2
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(error > 0, error / delta, 0.0)
    return (
        error.sum(),
        np.vdot(weight, d),
        np.vdot(weight, squares),
        relative.sum(),
        np.vdot(weight, delta),
        weight.sum(),
    )


def _of_kind(kind: str, sums: StressSums, unit: float) -> float:
    if kind == "raw":
        return sums.error * unit * unit
    if kind == "sammon":
        return _ratio(sums.relative, sums.delta)
    if kind == "stress-2":
        spread = sums.d2 - sums.d**2 / sums.weight if sums.weight > 0 else 0.0
        return float(np.sqrt(_ratio(sums.error, max(spread, 0.0))))
    ratio = _ratio(sums.error, sums.d2)
    return ratio if kind == "normalized" else float(np.sqrt(ratio))


def _ratio(error: float, size: float) -> float:
    """error / size; 0 if both are, infinite if only the size is."""
    if error == 0.0:
        return 0.0
    return error / size if size > 0 else np.inf


def _strain(D: np.ndarray, Y: np.ndarray) -> float:
    B = squared(D)
    centre_twice(B)
    Y = Y - Y.mean(axis=0)

    def work(rows: slice) -> None:
        B[rows] -= Y[rows] @ Y.T

    run_over_rows(work, B.shape)
    size = max(1, BLOCK // len(B))
    parts = [float(np.vdot(b, b)) for b in (B[s : s + size] for s in range(0, len(B), size))]
    return float(np.sum(parts))


def _places(Y: Any, n: int) -> np.ndarray:
    places = numeric_array(Y, "Y", "stress").astype(np.float64)
    if places.ndim == 1:
        places = places[:, None]
    if places.ndim != 2 or len(places) != n:
        raise ValueError(
            f"Y has shape {np.shape(Y)}; a place for each of the {n} objects of the "
            "dissimilarities is needed."
        )
    if not np.isfinite(places).all():
        raise ValueError("Y has NaN or infinity; places are finite numbers.")
    return places


def _weights(weights: Any, n: int) -> np.ndarray:
    W = square_matrix(weights, "weights", "stress", zero_diagonal=False)
    if len(W) != n:
        raise ValueError(f"weights has shape {W.shape}; ({n}, {n}) is needed, one for each pair.")
    return W
