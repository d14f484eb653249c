"""New rows of a table's numbers, drawn from a model, in which categories are levels.

A model that knows numbers alone draws any numbers for the columns of a category. The likeliest
level of such a draw would be the frequent one nearly always: of two levels with shares 0.99 and
0.01, Gaussian draws come nearer to the second once in a million times. So of such models only the
draws of numbers count, and levels follow by the chain rule,

    p(numbers) p(level of the first category | numbers) p(of the second | numbers, first) ...

with the model's own expectations of the levels' columns as probabilities. Where these lie outside
of 0 and 1 they are clipped, and levels get factors so that their mean over the rows is that of the
model's draws, which have the shares of the levels on average.

A model whose class says `draws_levels` has learned that columns hold few values, and its draws lie
near them. But networks that learned for a short time give too little to rare levels. Of columns
without missing values the shares are known: there level j of row i is  argmax_j s_ij + b_j,  with
numbers b by which the levels have their shares in rows that are drawn without a condition. (They
are the prices of the transport of rows to levels that moves the s_ij least.) What is a level
already stays.

Likewise the places of drawn numbers, where columns are normal scores: of columns without missing
values it is known how numbers are distributed, and the i-th of n drawn ones becomes the number that
so many of the table's rows lie below. What a model draws too wide, too narrow or blurred between
two counts has the right distribution then, and columns go together as the model has it.

A model whose class says `draws_bins` draws numbers anywhere within bins around those it has seen.
Where shares are not known, in columns with missing values, what lies nearest to a number that many
rows have becomes this number.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import Blocks
from lowdim.core.opening import as_blocks
from lowdim.tables.codecs import CategoryCodec, DateCodec, FlagCodec, NumberCodec
from lowdim.tables.encoding import Encoding
from lowdim.tables.ranks import ranks_of, steps_of
from lowdim.tables.scores import Scores, scores_of

ROUNDS, CLOSE = 200, 1e-4  # of finding factors: at the most, and what is left to find
TINY = 1e-12
ENOUGH, MOST = 1000, 5000  # drawn rows by which shares are known
MANY = 4  # rows that have a number in common


def drawn_matrix(
    estimator: Any, encoding: Encoding, n: int, random: np.random.Generator
) -> np.ndarray:
    """n rows from a model of a table's numbers, (n, width)."""
    Z = _sampled(estimator, n, random)
    return with_known_places(
        estimator, encoding, with_levels(estimator, encoding, Z, random), random
    )


def _sampled(estimator: Any, n: int, random: np.random.Generator) -> np.ndarray:
    drawn = estimator.sample(n, random_state=random)
    Z = drawn[0] if isinstance(drawn, tuple) else drawn  # mixtures also give the component
    return Z.toarray() if sp.issparse(Z) else np.asarray(Z)


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
    Z = with_levels(estimator, encoding, Z, random, known)
    return with_known_places(estimator, encoding, Z, random, known)


def with_levels(
    estimator: Any,
    encoding: Encoding,
    Z: np.ndarray,
    random: np.random.Generator,
    keep: Collection[str] = (),
) -> np.ndarray:
    """Drawn rows with levels in the columns of categories and flags, except those to keep."""
    columns = [
        (column, span)
        for column, span in zip(encoding.used, encoding.spans, strict=True)
        if isinstance(column.codec, CategoryCodec | FlagCodec)
        and column.name not in keep
        and not _are_levels(column.codec.shares_of(Z[:, span]))
    ]
    if getattr(estimator, "draws_levels", False):
        known = [(column.codec, span) for column, span in columns if column.n_missing == 0]
        return _with_known_shares(estimator, Z, random, known, bool(keep)) if known else Z
    if not columns or not hasattr(estimator, "impute"):
        return Z
    of_levels: list[Any] = [(column.codec, span) for column, span in columns]
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


def _are_levels(share: np.ndarray) -> bool:
    """Whether each row has one level, and no other number."""
    return bool((np.isclose(share, 0.0, atol=1e-6) | np.isclose(share, 1.0, atol=1e-6)).all()) and (
        bool((np.rint(share).sum(axis=1) == 1).all())
    )


def _with_known_shares(
    estimator: Any, Z: np.ndarray, random: np.random.Generator, known: list[Any], is_given: bool
) -> np.ndarray:
    """Rows drawn near levels, with levels that have their shares where nothing is given."""
    free = _free(estimator, Z, random, is_given)
    Z = np.array(Z, dtype=np.float64)
    for codec, span in known:
        price = level_prices(codec.shares_of(free[:MOST, span]), codec.level_shares)
        Z[:, span] = codec.at_places(np.argmax(codec.shares_of(Z[:, span]) + price, axis=1))
    return Z


def _free(estimator: Any, Z: np.ndarray, random: np.random.Generator, is_given: bool) -> np.ndarray:
    """Enough rows that are drawn without a condition."""
    return Z if not is_given and len(Z) >= ENOUGH else _sampled(estimator, ENOUGH, random)


def with_known_places(
    estimator: Any,
    encoding: Encoding,
    Z: np.ndarray,
    random: np.random.Generator,
    keep: Collection[str] = (),
) -> np.ndarray:
    """Drawn rows whose normal scores have the distribution of the table's, but for those to keep.

    What is changed follows from draws without a condition.
    """
    columns = [
        (column.codec.scores, span.start, column.n_missing == 0)
        for column, span in zip(encoding.used, encoding.spans, strict=True)
        if isinstance(column.codec, NumberCodec | DateCodec)
        and column.codec.scores is not None
        and column.name not in keep
    ]
    known = [(scores, f) for scores, f, complete in columns if complete]
    unknown = [(scores, f) for scores, f, complete in columns if not complete]
    if not getattr(estimator, "draws_bins", False):
        unknown = []
    if not known and not unknown:
        return Z
    free = _free(estimator, Z, random, bool(keep)) if known else Z
    Z = np.array(Z, dtype=np.float64)
    for scores, f in unknown:
        Z[:, f] = at_heaps(scores, Z[:, f])
    for scores, f in known:
        drawn = scores_of(steps_of(ranks_of(free[:, f])))
        if drawn is not None:
            z = drawn.of(Z[:, f]) * drawn.scale + drawn.center  # not yet over their deviation
            Z[:, f] = (z - scores.center) / scores.scale
    return Z


def at_heaps(scores: Scores, z: np.ndarray) -> np.ndarray:
    """Scores, those of them moved that lie nearest to the score of a number that many rows have."""
    middle = scores.of(scores.values)
    near = np.searchsorted((middle[:-1] + middle[1:]) / 2, z)
    n = 0.5 / scores.first[0]  # rows: the first one's share is half of a row
    rows = (scores.last - scores.first) * n + 1
    return np.where((rows > MANY - 0.5)[near], middle[near], z)


def level_prices(share: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Numbers b, (m,), for which  argmax_j s_ij + b_j  is level j in a share t_j of the n rows.

    Level by level b_j is set so that the level has its share while the others stay: ascent, by
    coordinates, of the concave dual of a transport problem.
    """
    n, m = share.shape
    price, wanted = np.zeros(m), np.rint(n * target).astype(int)
    best, least = price, n + 1
    for _ in range(ROUNDS):
        found = np.bincount(np.argmax(share + price, axis=1), minlength=m)
        error = int(np.abs(found - wanted).max())
        if error < least:  # rows that are all equal have no prices: then they stay as they are
            best, least = price.copy(), error
        if error <= max(1, CLOSE * n):
            break
        for j in np.flatnonzero((wanted > 0) & (wanted < n)):
            lead = share[:, j] - np.delete(share + price, j, axis=1).max(axis=1)
            edge = n - wanted[j]  # of the rising leads: the level wins from here
            price[j] = -np.partition(lead, (edge - 1, edge))[edge - 1 : edge + 1].mean()
    return best


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
