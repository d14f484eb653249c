"""What a map keeps of the data: neighbours row by row, distances pair by pair, and in figures.

Rows are judged on the encoded table. Missing values: neighbours and figures go by expected
distances (`lowdim.neighbors`, `lowdim.map_quality`), pairs by values filled by a factor model.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.spatial import cKDTree
from scipy.spatial.distance import pdist
from scipy.stats import spearmanr

import lowdim
from lowdim.linear.ppca import ProbabilisticPCA
from lowdim.selection.auto import sample_rows

NEIGHBORS = 10
MANY_ROWS = 30_000  # above, a page has fewer neighbours of each row
FEWER_NEIGHBORS = 5
JUDGED_ROWS = 1_500  # rows that figures are about, and that pairs are made of
PAIRS = 2_000  # of a Shepard plot
MOST_FACTORS = 10  # of the model that fills missing values


class Kept(NamedTuple):
    """What one map keeps.

    Attributes
    ----------
    rows : ndarray of int (m,)
        For each drawn row: how many of its k nearest rows in the data are among its k nearest in
        the map.
    share : float
        Their mean, over k.
    trustworthiness, continuity : float
        Whether neighbours in the map are neighbours in the data, and the other way round.
    distance_correlation : float
        Spearman's, of the distances of pairs.
    stress : float
        Stress-1 after the best change of scale: 0 for distances that are kept.
    distance : ndarray (p,)
        In the map, of the pairs.
    """

    rows: np.ndarray
    share: float
    trustworthiness: float
    continuity: float
    distance_correlation: float
    stress: float
    distance: np.ndarray


class Truth(NamedTuple):
    """What maps are held against.

    Attributes
    ----------
    near : ndarray of int32 (m, k)
        The nearest drawn rows of each drawn row, in the data; numbers among the drawn ones.
    X : matrix (m, d)
        The drawn rows, NaN where a value is missing.
    judged : ndarray of int
        Drawn rows that pairs are made of; numbers among the drawn ones.
    condensed : ndarray
        Distances of all their pairs, in the order of `pdist`.
    pairs : ndarray of int (p,)
        Those that are shown.
    """

    near: np.ndarray
    X: Any
    judged: np.ndarray
    condensed: np.ndarray
    pairs: np.ndarray


def truth_of(X: Any, seed: int) -> Truth:
    """Neighbours and distances in the data, of the drawn rows."""
    n = X.shape[0]
    k = min(NEIGHBORS if n <= MANY_ROWS else FEWER_NEIGHBORS, n - 1)
    near = np.asarray(lowdim.neighbors(X, k, random_state=seed).indices, dtype=np.int32)
    judged = sample_rows(n, JUDGED_ROWS, seed)
    condensed = distances(_filled(X[judged], seed))
    return Truth(near, X, judged, condensed, sample_rows(len(condensed), PAIRS, seed))


def _filled(X: Any, seed: int) -> np.ndarray:
    dense = np.asarray(X.toarray() if hasattr(X, "toarray") else X, dtype=np.float64)
    missing = np.isnan(dense)
    if not missing.any():
        return dense
    known = (~missing).any(axis=0)
    dense = dense[:, known]
    k = max(min(MOST_FACTORS, *(side - 1 for side in dense.shape)), 1)
    filled = ProbabilisticPCA(n_components=k, random_state=seed).fit(dense).impute(dense)
    return np.asarray(filled, dtype=np.float64)


def kept_by(Y: np.ndarray, truth: Truth, seed: int) -> Kept:
    """What a map with these places of the drawn rows keeps."""
    m, k = truth.near.shape
    rows = shared_neighbors(truth.near, near_in_map(Y, k))
    places = np.asarray(Y, dtype=np.float64)
    quality = lowdim.map_quality(
        truth.X, places, n_neighbors=min(k, (m - 1) // 2), sample=JUDGED_ROWS, random_state=seed
    )
    distance = distances(places[truth.judged])
    return Kept(
        rows,
        float(rows.mean()) / k,
        float(quality.trustworthiness),
        float(quality.continuity),
        rank_correlation(truth.condensed, distance),
        stress_1(truth.condensed, distance),
        distance[truth.pairs],
    )


def in_unit(A: np.ndarray) -> tuple[np.ndarray, float]:
    """Values whose largest is 1, whose squares are numbers, and the unit that they are in."""
    unit = float(np.nanmax(np.abs(A), initial=0.0)) or 1.0
    return np.asarray(A, dtype=np.float64) / unit, unit


def distances(A: np.ndarray) -> np.ndarray:
    """Of all pairs of rows, in the order of `pdist`."""
    scaled, unit = in_unit(A)
    return pdist(scaled) * unit


def near_in_map(Y: np.ndarray, k: int) -> np.ndarray:
    """The k nearest points of each point of a plane, without itself."""
    Y, _ = in_unit(Y)
    found = np.asarray(cKDTree(Y).query(Y, k + 1)[1])
    own = found == np.arange(len(Y))[:, None]
    own[~own.any(axis=1), -1] = True  # of many points in one place, itself may not be among them
    return found[~own].reshape(len(Y), k)


def shared_neighbors(near: np.ndarray, other: np.ndarray) -> np.ndarray:
    """For each row, how many neighbours two lists share."""
    both = np.sort(np.concatenate([near, other], axis=1), axis=1)
    return (both[:, 1:] == both[:, :-1]).sum(axis=1)


def rank_correlation(dissimilarity: np.ndarray, distance: np.ndarray) -> float:
    """Spearman's correlation; 0 where one of them does not vary."""
    if np.ptp(dissimilarity) == 0 or np.ptp(distance) == 0:
        return 0.0
    return float(spearmanr(dissimilarity, distance).statistic)


def stress_1(dissimilarity: np.ndarray, distance: np.ndarray) -> float:
    """sqrt(sum (b d - delta)^2 / sum delta^2) at the best b: the error of distances, as a share."""
    (delta, _), (d, _) = in_unit(dissimilarity), in_unit(distance)
    squares = float(delta @ delta) * float(d @ d)
    if squares == 0:
        return 1.0 if delta.any() else 0.0
    return float(np.sqrt(max(1.0 - float(delta @ d) ** 2 / squares, 0.0)))
