"""New rows of a table's numbers, drawn from a model, in which categories are levels.

A model that knows numbers alone draws any numbers for the columns of a category. The likeliest
level of such a draw would be the frequent one nearly always: of two levels with shares 0.99 and
0.01, Gaussian draws come nearer to the second once in a million times. So of such models only the
draws of numbers count, and levels follow by the chain rule,

    p(numbers) p(level of the first category | numbers) p(of the second | numbers, first) ...

with the model's own expectations of the levels' columns as probabilities. Where these lie outside
of 0 and 1 they are clipped, and levels get factors so that their mean over the rows is that of the
model's draws, which have the shares of the levels on average. A model whose class says
`draws_levels` has learned that columns hold few values: its draws are taken as they are.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import Blocks
from lowdim.core.opening import as_blocks
from lowdim.tables.codecs import CategoryCodec, FlagCodec
from lowdim.tables.encoding import Encoding

ROUNDS, CLOSE = 200, 1e-4  # of finding factors: at the most, and what is left to find
TINY = 1e-12


def drawn_matrix(
    estimator: Any, encoding: Encoding, n: int, random: np.random.Generator
) -> np.ndarray:
    """n rows from a model of a table's numbers, (n, width)."""
    drawn = estimator.sample(n, random_state=random)
    Z = drawn[0] if isinstance(drawn, tuple) else drawn  # mixtures also give the component
    Z = Z.toarray() if sp.issparse(Z) else np.asarray(Z)
    return with_levels(estimator, encoding, Z, random)


def drawn_given(
    estimator: Any,
    encoding: Encoding,
    n: int,
    random: np.random.Generator,
    known: dict[str, np.ndarray],
) -> np.ndarray:
    """The same, from a model with `draw_imputations`, given the numbers of some columns."""
    Z = np.full((n, encoding.width), np.nan)
    for column, span in zip(encoding.used, encoding.spans, strict=True):
        if column.name in known:
            Z[:, span] = known[column.name]
    (Z,) = np.asarray(estimator.draw_imputations(_named(estimator, Z), 1, random_state=random))
    return with_levels(estimator, encoding, Z, random, known)


def with_levels(
    estimator: Any,
    encoding: Encoding,
    Z: np.ndarray,
    random: np.random.Generator,
    keep: Collection[str] = (),
) -> np.ndarray:
    """Drawn rows with levels in the columns of categories and flags, except those to keep."""
    if getattr(estimator, "draws_levels", False) or not hasattr(estimator, "impute"):
        return Z
    of_levels = [
        (column.codec, span)
        for column, span in zip(encoding.used, encoding.spans, strict=True)
        if isinstance(column.codec, CategoryCodec | FlagCodec) and column.name not in keep
    ]
    Z = np.array(Z, dtype=np.float64)
    means = [codec.shares_of(Z[:, span]).mean(axis=0) for codec, span in of_levels]
    for _, span in of_levels:
        Z[:, span] = np.nan
    for (codec, span), mean in zip(of_levels, means, strict=True):
        expected = np.asarray(estimator.impute(_named(estimator, Z)))[:, span]
        share = level_probabilities(codec.shares_of(expected), mean)
        place = (share.cumsum(axis=1) <= random.random((len(Z), 1))).sum(axis=1)
        Z[:, span] = codec.at_places(np.minimum(place, share.shape[1] - 1))
    return Z


def _named(estimator: Any, Z: np.ndarray) -> Blocks:
    """Rows with the names of columns that the model knows."""
    rows = as_blocks(Z)
    names = getattr(estimator, "feature_names_in_", None)
    rows.feature_names = None if names is None else list(names)
    return rows


def level_probabilities(expected: np.ndarray, mean: np.ndarray) -> np.ndarray:
    """Probabilities of levels, (n, m), by what is expected of each, with this mean over the rows.

    p_ij = f_j max(s_ij, 0) / sum_l f_l max(s_il, 0),  with factors f for which  mean_i p_ij = t_j.
    """
    target = np.clip(mean, TINY, None)
    target /= target.sum()
    share, factor = np.clip(expected, TINY, None), np.ones(expected.shape[1])
    for _ in range(ROUNDS):
        p = share * factor
        p /= p.sum(axis=1, keepdims=True)
        found = p.mean(axis=0)
        if np.abs(found - target).max() < CLOSE:
            break
        factor *= target / np.maximum(found, TINY)
    return p
