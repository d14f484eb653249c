"""Where the search starts: the covariance over pairs of observed entries."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.core.blocks import Blocks, add
from lowdim.linalg.observed import Columns
from lowdim.linalg.svd import deterministic_signs
from lowdim.linear.missing.model import FactorModel
from lowdim.linear.missing.pieces import pieces

LARGEST_PAIRS = 2**20  # pairs of columns whose covariance is looked at for a start
START_JITTER = 0.01  # random part of the first loadings, so that no symmetry holds the search


def first_model(
    rows: Blocks,
    columns: Columns,
    scale: np.ndarray,
    k: int,
    isotropic: bool,
    weight: np.ndarray | None,
    random: np.random.Generator,
) -> FactorModel:
    """The leading axes of the covariance over pairs of observed entries, and a little chance.

    From random loadings alone, one fit in six ends in a local optimum when 90% are missing, and the
    others take twice the passes. With many columns, only some are paired with all others, and the
    axes are extended from them (Nystroem).
    """
    d = len(scale)
    W = START_JITTER * random.normal(size=(d, k))
    if k:
        every = -(-d * d // LARGEST_PAIRS)
        pairs = rows.fold(_pair_sums, columns.mean, scale, every, along=(weight,))
        C = pairs.sum_yy / np.where(pairs.n_pairs > 0, pairs.n_pairs, 1.0)  # (d, s)
        values, axes = np.linalg.eigh(C[::every])
        values, axes = values[::-1][:k], deterministic_signs(axes.T[::-1][:k]).T
        values = np.maximum(values, max(0.01 * values[0], np.finfo(np.float64).tiny))
        W[:, : len(values)] += C @ (axes / np.sqrt(values))
    # of unit variances; what pairs say may not fit together, so some noise is left to every column
    explained = np.square(W).sum(axis=1)
    if isotropic:
        explained[:] = explained.mean()
    W *= np.sqrt(0.9 / np.maximum(explained, 0.9))[:, None]
    noise = 1.0 - np.minimum(explained, 0.9)
    return FactorModel(columns.mean, W * scale[:, None], noise * scale**2)


class PairSums(NamedTuple):
    n_pairs: np.ndarray  # (d, s)  weight of the rows that observe both of two columns
    sum_yy: np.ndarray  # (d, s)  of the products of their deviations


def _pair_sums(
    X: np.ndarray, mean: np.ndarray, scale: np.ndarray, every: int, weight: np.ndarray | None
) -> PairSums:
    """Sums over pairs of columns, the second being every so-manieth."""
    d = X.shape[1]
    size = len(range(0, d, every))
    sums = PairSums(np.zeros((d, size)), np.zeros((d, size)))
    for rows in pieces(len(X), 6 * d):
        O = ~np.isnan(X[rows])
        Y = np.where(O, (X[rows] - mean) / scale, 0.0)
        O = O.astype(np.float64)
        if weight is not None:  # half on each side: a symmetric product takes half the time
            Y *= np.sqrt(weight[rows, None])
            O *= np.sqrt(weight[rows, None])
        sums = add(sums, PairSums(O.T @ O[:, ::every], Y.T @ Y[:, ::every]))
    return sums
