"""Scores of items for users, by number, from the factors of a fitted model.

    score of item j for user i      s_ij = z_i'w_j + m_j

Predictions are s_ij, recommendations the items with the largest. Likeness of items is the
correlation of their columns of s over users, likeness of users that of their rows of s - m over
items. The number -1 is a user or an item of which nothing is known: means answer for it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.validation import check_at_least
from lowdim.linalg.nearest import Best, best_columns, unit_rows

PRIOR_RATINGS = 5.0  # a user's mean is shrunk towards that of all, as by so many average ratings


class Scores(NamedTuple):
    """What answers are made of."""

    model: Any  # a fitted completer
    ratings: Any  # csr_array (users, items)
    mean_rating: float
    by_popularity: bool  # whether unknown users get what most have rated, or what is rated highest

    @property
    def W(self) -> np.ndarray:
        """Factors of the items, (items, q)."""
        return self.model.components_.T

    def predict(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Scores of pairs of users and items."""
        values = np.empty(len(i), dtype=self.model.components_.dtype)
        user, item = i >= 0, j >= 0
        both, only_item, only_user = user & item, item & ~user, user & ~item
        values[both] = self.model.predict_entries(i[both], j[both])
        values[only_item] = self.item_means()[j[only_item]]
        values[only_user] = self.user_means()[i[only_user]]
        values[~user & ~item] = 0.0 if is_implicit(self.model) else self.mean_rating
        return values

    def item_means(self) -> np.ndarray:
        """What is said of items to a user of whom nothing is known."""
        return self.popularity() if is_implicit(self.model) else self.model.mean_

    def popularity(self) -> np.ndarray:
        """The part of users who have each item."""
        n, d = self.ratings.shape
        return np.bincount(self.ratings.indices, minlength=d) / n

    def user_means(self) -> np.ndarray:
        """What is said of an item of which nothing is known."""
        n = self.ratings.shape[0]
        if is_implicit(self.model):
            return np.zeros(n)
        total = self.ratings.sum(axis=1) + PRIOR_RATINGS * self.mean_rating
        return total / (np.diff(self.ratings.indptr) + PRIOR_RATINGS)

    def best(
        self,
        i: np.ndarray,
        n: int,
        *,
        exclude_seen: bool = True,
        allowed: np.ndarray | None = None,
    ) -> Best:
        """The n best items for each user, of those that are allowed."""
        known = i >= 0
        seen = None
        if exclude_seen:
            everyone = len(i) == self.ratings.shape[0] and np.array_equal(i, np.arange(len(i)))
            seen = self.ratings if everyone else self.ratings[i[known]]
        best = self.best_of_codes(self.model.row_factors_[i[known]], n, seen=seen, allowed=allowed)
        if known.all():
            return best
        score = self.popularity() if self.by_popularity else self.item_means()
        nobody, no_factors = np.zeros((1, 1), best.score.dtype), np.zeros((len(score), 1))
        offset = _where_allowed(score, allowed)
        others = best_columns(nobody, no_factors, offset, best.column.shape[1])
        every = Best(*(np.repeat(part, len(i), axis=0) for part in others))
        every.column[known], every.score[known] = best.column, best.score
        return every

    def best_of_codes(
        self, Z: np.ndarray, n: int, *, seen: Any = None, allowed: np.ndarray | None = None
    ) -> Best:
        """The n best items for users with these codes; what they have seen is left out."""
        n = check_at_least("n", n, 1)
        offset = _where_allowed(self.model.mean_, allowed)
        return best_columns(Z, self.W, offset, n, leave_out=seen)

    def similar_items(self, j: int, n: int, allowed: np.ndarray | None = None) -> Best:
        """The n items whose scores over users correlate most with those of item j."""
        return _most_alike(unit_rows(self.W, _covariance(self.model.row_factors_)), j, n, allowed)

    def similar_users(self, i: int, n: int) -> Best:
        """The n users whose scores over items correlate most with those of user i."""
        return _most_alike(unit_rows(self.model.row_factors_, _covariance(self.W)), i, n)


def is_implicit(model: Any) -> bool:
    """Whether a model learns who has seen what, not how it was liked."""
    return getattr(model, "feedback", None) == "implicit"


def _most_alike(F: np.ndarray, number: int, n: int, allowed: np.ndarray | None = None) -> Best:
    own = sp.csr_array(([1.0], ([0], [number])), shape=(1, len(F)))
    offset = _where_allowed(np.zeros(len(F)), allowed)
    return best_columns(F[[number]], F, offset, n, leave_out=own)


def _where_allowed(base: np.ndarray, allowed: np.ndarray | None) -> np.ndarray:
    """What is added to scores: -inf where a column is not allowed."""
    return base if allowed is None else np.where(allowed, base, -np.inf)


def _covariance(F: np.ndarray) -> np.ndarray:
    return np.atleast_2d(np.cov(F.T.astype(np.float64), bias=True))
