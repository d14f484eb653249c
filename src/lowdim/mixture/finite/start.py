"""Where finite mixtures start: from the clusters of k-means.

k-means compares what each family says is comparable of its columns (`Family.features`): square
roots of counts, which category it is. Missing values stand at the mean, and many columns are
projected on fewer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.cluster.kmeans.lloyd import lloyd
from lowdim.cluster.kmeans.seeding import part_in_memory
from lowdim.core.blocks import Blocks
from lowdim.mixture.finite.em import FiniteParams, Sums, terms_of, update, weighted_sums
from lowdim.mixture.finite.parts import Part, encoded

START_PASSES = 10  # of k-means, whose last steps move little
START_SMOOTHING = 1.0  # rows added to each cluster of k-means: its few rows are not the whole truth
START_COLUMNS = 128  # of the rows that k-means sees: more are projected on half as many at random


def start(
    rows: Blocks,
    parts: tuple[Part, ...],
    average: Sums,
    k: int,
    weight: np.ndarray | None,
    random: np.random.Generator,
) -> FiniteParams:
    """The components that the clusters of k-means make."""
    X, w = part_in_memory(rows, random, weight)
    F = np.hstack([_features(X, part, w, random) for part in parts])
    labels = _by_appearance(lloyd(F, k, random, w, max_iter=START_PASSES).labels)
    resp = w[:, None] * (labels[:, None] == np.arange(k))
    counts, sums = weighted_sums([terms_of(X, part) for part in parts], resp)
    sums_of_start = Sums(float(w.sum()), resp.sum(axis=0), counts, sums, 0.0)
    return update(sums_of_start, parts, average, START_SMOOTHING)


def _by_appearance(labels: np.ndarray) -> np.ndarray:
    """The same clusters, numbered as they appear: runs of k-means that tie number them anew."""
    _, first, cluster = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[cluster]


def _features(X: Any, part: Part, weight: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """What k-means compares of a part: centred, complete, and not too many columns."""
    F = part.family.features(encoded(X, part))
    sparse = sp.issparse(F)
    if not sparse:
        F = _centred(F, weight, part.family.alike)
    if F.shape[1] > START_COLUMNS:
        F = F @ random.normal(size=(F.shape[1], START_COLUMNS // 2)) / np.sqrt(START_COLUMNS // 2)
    elif sparse:
        F = F.toarray()
    return _centred(F, weight, True) if sparse else F


def _centred(F: np.ndarray, weight: np.ndarray, alike: bool) -> np.ndarray:
    """Columns of mean 0, and of variance 1 unless they are alike; NaN become the mean."""
    observed = ~np.isnan(F)
    total = np.maximum(weight @ observed, np.finfo(np.float64).tiny)
    F = np.where(observed, F - weight @ np.where(observed, F, 0.0) / total, 0.0)
    if not alike:
        std = np.sqrt(weight @ np.square(F) / total)
        F /= np.where(std > 0, std, 1.0)
    return F
