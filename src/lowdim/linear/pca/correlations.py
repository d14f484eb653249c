"""How columns and rows go with the components.

sum x, sum x^2, sum z, sum z^2, sum x z'     in one pass; cos^2 = z_j^2 / |x - mean|^2 in another
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.core.blocks import Blocks
from lowdim.linear.factor_model import dense, filled
from lowdim.linear.missing.units import MeasuredModel, in_units


class Correlations(NamedTuple):
    """See `PCA.correlations`."""

    variables: np.ndarray  # (d, k)
    cos2: np.ndarray  # (n, k)


def correlations(
    rows: Blocks, mean: np.ndarray, components: np.ndarray, model: MeasuredModel
) -> Correlations:
    """Of all rows; what is missing counts as what the model expects in its place."""
    sums = rows.fold(_correlation_sums, mean, components, model)
    spread = np.sqrt(sums.sum_x2 - sums.sum_x**2 / sums.n)[:, None] * np.sqrt(
        sums.sum_z2 - sums.sum_z**2 / sums.n
    )
    product = sums.sum_xz - np.outer(sums.sum_x, sums.sum_z) / sums.n
    variables = np.divide(product, spread, out=np.zeros_like(product), where=spread > 0)
    return Correlations(variables, rows.map(_squared_cosines, mean, components, model))


class _CorrelationSums(NamedTuple):
    n: float
    sum_x: np.ndarray  # (d,)
    sum_x2: np.ndarray  # (d,)
    sum_z: np.ndarray  # (k,)
    sum_z2: np.ndarray  # (k,)
    sum_xz: np.ndarray  # (d, k)


def _correlation_sums(X, mean, components, model):
    D = _deviations(X, mean, model)
    Z = D @ components.T
    return _CorrelationSums(
        float(len(D)), D.sum(axis=0), (D**2).sum(axis=0), Z.sum(axis=0), (Z**2).sum(axis=0), D.T @ Z
    )


def _squared_cosines(X, mean, components, model):
    D = _deviations(X, mean, model)
    squares = (D @ components.T) ** 2
    length = (D**2).sum(axis=1, keepdims=True)
    return np.divide(squares, length, out=np.zeros_like(squares), where=length > 0)


def _deviations(X, mean, model):
    return in_units(filled(dense(X), model) - mean, model.unit)
