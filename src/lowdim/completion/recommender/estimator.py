"""Recommender: a completed matrix of users and items, by the names that people use.

    score of item j for user i      s_ij = z_i'w_j + m_j        (`model.py`; z codes of the user)

Everything follows from these factors: predictions are s_ij, recommendations the items with the
largest, likeness of items is the correlation of their columns of s over users, likeness of users
that of their rows of s - m over items. A new user's z is one ridge regression on a few ratings.

An explanation is exact, since the regression is linear in what the user has rated: with
A = P + sum_o f_j f_j' (o: rated items),

    z_i = A^-1 sum_o y_j f_j         so        s_ij = m_j + sum_o  y_o  f_o' A^-1 w_j
                                                          (what the rating of item o contributes)
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping
from copy import copy
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from lowdim.completion.als.estimator import ALS
from lowdim.completion.entries import DUPLICATES, Numbered, gathered, numbered
from lowdim.completion.model import Coding, Completer
from lowdim.completion.recommender.evaluation import (
    Evaluation,
    hits,
    ranking_measures,
    split_ratings,
)
from lowdim.completion.recommender.ratings import Lines, Names, read_ratings
from lowdim.core.constraints import StrOptions
from lowdim.core.persistence import save_model
from lowdim.core.result_table import ResultTable
from lowdim.core.validation import check_at_least
from lowdim.linalg.nearest import Best, alike, best_columns
from lowdim.linalg.sparse import row_numbers

DRAWN_BY = 5.0  # a user's mean is drawn to that of all as if so many more ratings were average
# The penalty does not grow with the number of ratings: an item that few have rated stays near the
# mean and is not recommended on their word. On MovieLens the error is that of the weighted penalty,
# precision at 10 is five times higher.
EXPLICIT = {"n_components": 20, "penalty": 12.0, "weighted_penalty": False, "random_state": 0}
IMPLICIT = {"n_components": 40, "feedback": "implicit", "penalty": 10.0, "random_state": 0}

Filter = Callable[[Any], bool] | Collection[Hashable] | None


class Recommender(BaseEstimator):
    """Recommendations from ratings, or from who has seen what; any ids, no matrix in sight.

    Score of item j for user i: s_ij = z_i'w_j + m_j, the factors learned by `model` (for `ALS`:
    sum over known ratings (x_ij - s_ij)^2 + penalty (|U|^2 + |V|^2), in units of their spread).

    Parameters
    ----------
    model : ALS or another completer, default=None
        What learns the factors. None takes ALS(20, penalty=12.0, weighted_penalty=False,
        random_state=0) if there are ratings, and ALS(40, feedback="implicit", penalty=10.0,
        random_state=0) if there are none.
    user, item, rating, timestamp, title : str, "auto" or None, default="auto"
        Names of the columns of a data frame. "auto" finds the usual ones (userId, movie_id, stars,
        ...); None for the last three means that there is none.
    unknown : {"error", "mean", "popular"}, default="error"
        What to answer for a user or item that was not there when fitting. "error": a ValueError
        that names it. "mean": predict an unknown user's rating of an item by the item's mean (as
        the model has it), a rating of an unknown item by the user's mean, drawn to that of all;
        recommend by the means of items. "popular": predict likewise, recommend what most users
        have rated. With implicit feedback an item's mean is the part of users who have it.
    duplicates : {"error", "mean", "sum", "last"}, default="error"
        What to do when a user has rated an item more than once: refuse; take the mean, the sum
        (counts of a log) or the last one, by timestamp if there is one, else by line.

    Attributes
    ----------
    model_ : the fitted model
    ratings_ : csr_array of shape (users, items)
    user_ids_, item_ids_ : arrays
        The id of each row and column.
    item_titles_ : array of str or None
        Titles by column, "" where there is none.
    mean_rating_ : float

    See Also
    --------
    ALS : the matrix completion inside, for matrices rather than tables of ratings.

    Notes
    -----
    Scores are not cut to the range of the ratings: the best would all be equal. A weighted penalty
    (the default of `ALS` itself) predicts as well, but puts items first that one user liked.

    Examples
    --------
    >>> from lowdim import Recommender
    >>> from lowdim.datasets import load_ratings
    >>> recommender = Recommender().fit(load_ratings())
    >>> recommender.recommend("user7", n=2).columns
    ['item', 'title', 'score']
    >>> recommender.recommend("user7", n=2)["title"].tolist()
    ['Late odd film 39', 'Late even film 36']
    >>> recommender.similar_items("item5", n=2)["title"].tolist()
    ['Early odd film 17', 'Early odd film 3']
    """

    _parameter_constraints: ClassVar[dict] = {
        "model": [Completer, None],
        "user": [str],
        "item": [str],
        "rating": [str, None],
        "timestamp": [str, None],
        "title": [str, None],
        "unknown": [StrOptions({"error", "mean", "popular"})],
        "duplicates": [StrOptions(set(DUPLICATES))],
    }

    model_: Any
    ratings_: Any
    user_ids_: np.ndarray
    item_ids_: np.ndarray

    def __init__(
        self,
        model: Any = None,
        *,
        user: str = "auto",
        item: str = "auto",
        rating: str | None = "auto",
        timestamp: str | None = "auto",
        title: str | None = "auto",
        unknown: str = "error",
        duplicates: str = "error",
    ):
        self.model = model
        self.user = user
        self.item = item
        self.rating = rating
        self.timestamp = timestamp
        self.title = title
        self.unknown = unknown
        self.duplicates = duplicates

    # ---- learning --------------------------------------------------------------------------------

    def fit(self, ratings: Any, titles: Any = None) -> Recommender:
        """Learn from ratings.

        Parameters
        ----------
        ratings : data frame, or tuple of arrays
            One line for each rating: a pandas, polars or pyarrow table with columns of users and
            items and, if there are, ratings (none: implicit feedback), timestamps and titles; or
            (users, items[, ratings[, timestamps[, titles]]]), as `lowdim.datasets.load_movielens`
            gives it. Ids may be of any hashable type.
        titles : dict from item to title, or data frame of both, default=None
            What items are called in results.
        """
        self._validate_params()
        lines = self._read(ratings, titles)
        frame = nw.from_native(ratings, eager_only=True, pass_through=True)
        is_frame = isinstance(frame, nw.DataFrame)
        return self._fit(lines, frame.implementation.value if is_frame else None)

    def partial_fit(self, ratings: Any) -> Recommender:
        """Take in further ratings, of new users and of known ones; the factors of items stay.

        Each user who has rated is coded anew, from all ratings: a rating that was there is replaced
        by the new one. The first call learns everything, like `fit`. Items that are not known need
        `fit`: they are refused if unknown="error", else their ratings are left out.

        Parameters
        ----------
        ratings : as in `fit`
        """
        if not hasattr(self, "model_"):
            return self.fit(ratings)
        self._validate_params()
        new, users = self._further(self._read(ratings))
        known, n = len(self.user_ids_), len(users)
        self.ratings_ = joined(self.ratings_, new)
        changed = np.flatnonzero(np.diff(new.indptr))
        Z = np.zeros((n, self.model_.components_.shape[0]), self.model_.components_.dtype)
        Z[:known] = self.model_.row_factors_
        if len(changed):
            Z[changed] = self.model_.transform(self.ratings_[changed])
        self.model_.row_factors_ = Z
        self.user_ids_ = _id_array(users)
        self.mean_rating_ = float(self.ratings_.data.mean(dtype=np.float64))
        _forget_lookups(self)
        return self

    def _further(self, lines: Lines) -> tuple[Any, list]:
        """Further ratings as a matrix of all users, the new ones last; and the users' ids."""
        if lines.rating is None and not _is_implicit(self.model_):
            raise ValueError(
                "There are no ratings, and the model has learned how high they are; name their "
                "column."
            )
        j = self._numbers(self._item_number, lines.item, "item")
        people = numbered(lines.user, "user")
        i = self._lookup(self._user_number, people.ids)
        new = i < 0
        i[new] = len(self.user_ids_) + np.arange(new.sum())
        users = self.user_ids_.tolist() + [people.ids[p] for p in np.flatnonzero(new)]
        values = np.ones(len(j)) if lines.rating is None else lines.rating
        there = j >= 0
        rows = Numbered(i[people.number][there], users)
        columns = Numbered(j[there], self.item_ids_.tolist())
        X, _ = gathered(rows, columns, values[there], None, self.duplicates, ("user", "item"))
        return X, users

    def _read(self, ratings: Any, titles: Any = None) -> Lines:
        names = Names(self.user, self.item, self.rating, self.timestamp, self.title)
        return read_ratings(ratings, titles, names)

    def _fit(self, lines: Lines, backend: str | None) -> Recommender:
        model = self._unfitted(lines)
        if self.duplicates == "last" and lines.timestamp is not None:
            lines = lines.take(np.argsort(lines.timestamp, kind="stable"))
        users, items = numbered(lines.user, "user"), numbered(lines.item, "item")
        values = np.ones(len(lines.user)) if lines.rating is None else lines.rating
        X, _ = gathered(users, items, values, None, self.duplicates, ("user", "item"))
        self.model_ = model.fit(X)
        self.ratings_ = X
        self.mean_rating_ = float(X.data.mean(dtype=np.float64))
        self.user_ids_, self.item_ids_ = _id_array(users.ids), _id_array(items.ids)
        self.item_titles_ = _titles(items, lines.titles)
        self.backend_ = backend
        _forget_lookups(self)
        return self

    def _unfitted(self, lines: Lines) -> Any:
        if self.model is None:
            return ALS(**(IMPLICIT if lines.rating is None else EXPLICIT))
        if lines.rating is None and not _is_implicit(self.model):
            raise ValueError(
                f"There are no ratings, and {type(self.model).__name__} learns how high they are; "
                "name their column, or use ALS(feedback='implicit') to learn who has seen what."
            )
        return clone(self.model)

    # ---- answers ---------------------------------------------------------------------------------

    def predict(self, users: Any, items: Any) -> Any:
        """Predicted ratings (implicit feedback: preferences, about 0 to 1).

        Parameters
        ----------
        users, items : an id, or a list, array or series of ids
            Pairs of user and item; one id goes with all of the other side. A tuple is one id.

        Returns
        -------
        float for two single ids, else array
        """
        check_is_fitted(self)
        one = _is_id(users) and _is_id(items)
        i = self._numbers(self._user_number, users, "user")
        j = self._numbers(self._item_number, items, "item")
        if len(i) != len(j) and 1 not in (len(i), len(j)):
            raise ValueError(
                f"There are {len(i)} users and {len(j)} items; give as many of both, or one id."
            )
        values = self._predict(*np.broadcast_arrays(i, j))
        return float(values[0]) if one else values

    def recommend(
        self, user: Any, n: int = 10, *, exclude_seen: bool = True, filter: Filter = None
    ) -> ResultTable:
        """The n best items for a user.

        Parameters
        ----------
        user : an id
        n : int, default=10
        exclude_seen : bool, default=True
            Leave out what the user has rated.
        filter : collection of item ids, or function from item id to bool, default=None
            Only these items; those that nobody has rated cannot be recommended.

        Returns
        -------
        table with columns item, title (if there are titles) and score, best first
            Shorter than n if there are fewer items to choose from.
        """
        check_is_fitted(self)
        i = self._numbers(self._user_number, [user], "user")
        best = self._best(i, n, exclude_seen, filter)
        return self._item_table(best.column[0], score=best.score[0])

    def recommend_all(
        self,
        n: int = 10,
        *,
        users: Any = None,
        exclude_seen: bool = True,
        filter: Filter = None,
    ) -> ResultTable:
        """The n best items for every user, in blocks of users: the matrix of scores is never made.

        Parameters
        ----------
        n, exclude_seen, filter : as in `recommend`
        users : list or array of ids, default=None
            Which users; None means all, in the order of `user_ids_`.

        Returns
        -------
        table with columns user, item, title (if there are titles) and score
            A user's lines are together, best first.
        """
        check_is_fitted(self)
        if users is None:
            i, names = np.arange(len(self.user_ids_)), self.user_ids_
        else:
            names = _id_array(_as_list(users))
            i = self._numbers(self._user_number, users, "user")
        best = self._best(i, n, exclude_seen, filter)
        user = np.repeat(names, (best.column >= 0).sum(axis=1))
        return self._item_table(best.column.ravel(), {"user": user}, score=best.score.ravel())

    def recommend_new(
        self, ratings: Any, n: int = 10, *, exclude_seen: bool = True, filter: Filter = None
    ) -> ResultTable:
        """The n best items for someone new, from a few ratings; nothing is learned anew.

        Parameters
        ----------
        ratings : dict from item to rating, or a collection of items
            What the new user has rated; a collection for implicit feedback. Unknown items are
            refused if unknown="error", else they say nothing. Without any known item, the user is
            unknown.
        n, exclude_seen, filter : as in `recommend`
        """
        check_is_fitted(self)
        row = self._new_row(ratings)
        if not row.nnz:
            i = self._numbers({}, ["someone new without ratings"], "user")
            best = self._best(i, n, exclude_seen, filter)
        else:
            Z = self.model_.transform(row)
            best = self._best_of_codes(Z, row if exclude_seen else None, n, filter)
        return self._item_table(best.column[0], score=best.score[0])

    def similar_items(self, item: Any, n: int = 10, *, filter: Filter = None) -> ResultTable:
        """The n items that the same users like: by the correlation of predictions over users.

        Parameters
        ----------
        item : an id; it must be known
        n : int, default=10
        filter : as in `recommend`

        Returns
        -------
        table with columns item, title (if there are titles) and score: the correlation
        """
        check_is_fitted(self)
        j = self._known(self._item_number, item, "item")
        F = alike(self._W, _covariance(self.model_.row_factors_))
        own = sp.csr_array(([1.0], ([0], [j])), shape=(1, len(F)))
        best = best_columns(F[[j]], F, self._offset(np.zeros(len(F)), filter), n, seen=own)
        return self._item_table(best.column[0], score=best.score[0])

    def similar_users(self, user: Any, n: int = 10) -> ResultTable:
        """The n users of the same taste: by the correlation of their predictions over items.

        What all users think of an item (its mean) and how high a user rates do not matter.

        Parameters
        ----------
        user : an id; it must be known
        n : int, default=10

        Returns
        -------
        table with columns user and score: the correlation
        """
        check_is_fitted(self)
        i = self._known(self._user_number, user, "user")
        F = alike(self.model_.row_factors_, _covariance(self._W))
        own = sp.csr_array(([1.0], ([0], [i])), shape=(1, len(F)))
        best = best_columns(F[[i]], F, np.zeros(len(F)), n, seen=own)
        there = best.column[0] >= 0
        columns = {"user": self.user_ids_[best.column[0][there]], "score": best.score[0][there]}
        return ResultTable(columns, self.backend_)

    def explain(self, user: Any, item: Any, n: int | None = None) -> Explanation:
        """How much each of a user's ratings contributes to the score of an item.

        score = baseline + sum of contributions + rest. `baseline` is what an unknown user would
        get. `rest` is 0 up to rounding for ALS, whose codes are linear in the ratings; for a
        method that finds the codes of users in another way, it is what that way adds.

        Parameters
        ----------
        user, item : ids; they must be known
        n : int, default=None
            Only the n largest contributions; None lists all.
        """
        check_is_fitted(self)
        i = self._known(self._user_number, user, "user")
        j = self._known(self._item_number, item, "item")
        row = self.ratings_[[i]]
        z = self.model_.row_factors_[i]
        share = contributions(row, self.model_._coding(), self._W[j], z)
        score, baseline = float(z @ self._W[j] + self.model_.mean_[j]), float(self.model_.mean_[j])
        order = np.argsort(-np.abs(share), kind="stable")[:n]
        table = self._item_table(
            row.indices[order], rating=row.data[order], contribution=share[order]
        )
        return Explanation(score, baseline, score - baseline - float(share.sum()), table)

    # ---- how good --------------------------------------------------------------------------------

    def evaluate(
        self,
        ratings: Any,
        *,
        split: str = "random",
        test_size: float = 0.1,
        k: int = 10,
        relevant: float | None = None,
        random_state: Any = None,
    ) -> Evaluation:
        """Hold some ratings out, fit a copy to the others, and measure it. `self` stays as it is.

        Parameters
        ----------
        ratings : as in `fit`
        split : {"random", "time", "last"}, default="random"
            What is held out: ratings at random, the latest of all, or the latest of each user.
        test_size : float, default=0.1
            Which part.
        k, relevant : as in `measure`
        random_state : int, Generator, RandomState or None, default=None
            For the random split.

        Returns
        -------
        Evaluation
            rmse, mae (None for implicit feedback), precision, recall, ndcg, map, coverage.
        """
        self._validate_params()
        lines = self._read(ratings)
        train, test = split_ratings(
            lines.user,
            lines.timestamp,
            split=split,
            test_size=test_size,
            random_state=random_state,
        )
        fitted = clone(self)._fit(lines.take(train), None)
        return fitted.measure(lines.take(test), k=k, relevant=relevant)

    def measure(self, held_out: Any, *, k: int = 10, relevant: float | None = None) -> Evaluation:
        """Errors and ranking measures of this recommender on held-out ratings.

        Parameters
        ----------
        held_out : as `ratings` in `fit`
            Ratings that were not there when fitting. Those of unknown users or items are answered
            as `unknown` says; if that is "error" they are left out, and counted in `n_refused`.
        k : int, default=10
            Recommendations by user, from all items that the user had not rated when fitting.
        relevant : float, default=None
            A held-out item is relevant if its rating is at least this; None means the mean of the
            ratings when fitting. With implicit feedback all are.
        """
        check_is_fitted(self)
        k = check_at_least("k", k, 1)
        lines = self._read(held_out)
        people = numbered(lines.user, "user")
        i = self._lookup(self._user_number, people.ids)[people.number]
        j = self._lookup(self._item_number, lines.item.tolist())
        kept = (i >= 0) & (j >= 0) if self.unknown == "error" else np.ones(len(i), dtype=bool)
        explicit = not _is_implicit(self.model_) and lines.rating is not None
        rmse = mae = None
        if explicit and kept.any():
            error = self._predict(i[kept], j[kept]) - lines.rating[kept]  # type: ignore[index]
            rmse, mae = float(np.sqrt(np.mean(error**2))), float(np.mean(np.abs(error)))
        if explicit:
            limit = self.mean_rating_ if relevant is None else relevant
            kept_relevant = kept & (lines.rating >= limit)  # type: ignore[operator]
        else:
            kept_relevant = kept
        if not kept_relevant.any():
            raise ValueError(
                f"Of {len(i)} held-out ratings none is of a known user and item and relevant; hold "
                "more out, lower `relevant`, or choose unknown='popular'."
            )
        who, place = np.unique(people.number[kept_relevant], return_inverse=True)
        numbers = self._lookup(self._user_number, [people.ids[p] for p in who])
        column = self._best(numbers, k, True, None).column
        hit = hits(column, place, j[kept_relevant], len(self.item_ids_))
        missing = np.zeros((len(hit), k - hit.shape[1]), dtype=bool)  # fewer than k items
        measures = ranking_measures(np.hstack([hit, missing]), np.bincount(place))
        coverage = len(np.unique(column[column >= 0])) / len(self.item_ids_)
        return Evaluation(
            rmse,
            mae,
            *measures,
            coverage=coverage,
            k=k,
            n_ratings=int(kept.sum()),
            n_users=len(who),
            n_refused=int((~kept).sum()),
        )

    # ---- files -----------------------------------------------------------------------------------

    def save(self, path: str | Path) -> None:
        """Write the recommender to a file that `lowdim.load` reads; ids must be int or str."""
        check_is_fitted(self)
        for ids, what in ((self.user_ids_, "user"), (self.item_ids_, "item")):
            odd = [] if ids.dtype != object else [x for x in ids if type(x) is not str]
            if odd:
                raise TypeError(
                    f"cannot save {what} ids such as {odd[0]!r} ({type(odd[0]).__name__}): files "
                    "hold ids that are all integers, or all text. Fit with such ids."
                )
        plain = copy(self)
        _forget_lookups(plain)
        save_model(plain, path)

    # ---- numbers of ids --------------------------------------------------------------------------

    @cached_property
    def _user_number(self) -> dict:
        return {name: i for i, name in enumerate(self.user_ids_.tolist())}

    @cached_property
    def _item_number(self) -> dict:
        return {name: j for j, name in enumerate(self.item_ids_.tolist())}

    def _lookup(self, number: Mapping, ids: list) -> np.ndarray:
        """Numbers of ids, -1 for unknown ones."""
        return np.fromiter((number.get(name, -1) for name in ids), np.intp, len(ids))

    def _numbers(self, number: Mapping, ids: Any, what: str) -> np.ndarray:
        """The same; unknown ids are refused if the policy says so."""
        names = _as_list(ids)
        found = self._lookup(number, names)
        if self.unknown == "error" and (found < 0).any():
            raise ValueError(_unknown_message(names, found, what) + UNKNOWN_CURE)
        return found

    def _known(self, number: Mapping, name: Any, what: str) -> int:
        found = self._lookup(number, [name])
        if found[0] < 0:
            raise ValueError(_unknown_message([name], found, what))
        return int(found[0])

    # ---- scores ----------------------------------------------------------------------------------

    @property
    def _W(self) -> np.ndarray:
        return self.model_.components_.T

    def _predict(self, i: np.ndarray, j: np.ndarray) -> np.ndarray:
        """Scores of pairs of numbers, -1 being unknown."""
        values = np.empty(len(i), dtype=self.model_.components_.dtype)
        user, item = i >= 0, j >= 0
        both, only_item, only_user = user & item, item & ~user, user & ~item
        values[both] = self.model_.predict(i[both], j[both])
        values[only_item] = self._item_means()[j[only_item]]
        values[only_user] = self._user_means()[i[only_user]]
        values[~user & ~item] = 0.0 if _is_implicit(self.model_) else self.mean_rating_
        return values

    def _item_means(self) -> np.ndarray:
        """What is said of items to a user of whom nothing is known."""
        return self._popularity() if _is_implicit(self.model_) else self.model_.mean_

    def _popularity(self) -> np.ndarray:
        n, d = self.ratings_.shape
        return np.bincount(self.ratings_.indices, minlength=d) / n

    def _user_means(self) -> np.ndarray:
        """What is said of an item of which nothing is known."""
        n = self.ratings_.shape[0]
        if _is_implicit(self.model_):
            return np.zeros(n)
        total = self.ratings_.sum(axis=1) + DRAWN_BY * self.mean_rating_
        return total / (np.diff(self.ratings_.indptr) + DRAWN_BY)

    def _best(self, i: np.ndarray, n: int, exclude_seen: bool, filter: Filter) -> Best:
        """The best items for users by number; -1 is an unknown user."""
        known = i >= 0
        seen = None
        if exclude_seen:
            everyone = len(i) == self.ratings_.shape[0] and np.array_equal(i, np.arange(len(i)))
            seen = self.ratings_ if everyone else self.ratings_[i[known]]
        best = self._best_of_codes(self.model_.row_factors_[i[known]], seen, n, filter)
        if known.all():
            return best
        score = self._popularity() if self.unknown == "popular" else self._item_means()
        nobody = np.zeros((1, 1), dtype=best.score.dtype)
        offset = self._offset(score, filter)
        others = best_columns(nobody, np.zeros((len(score), 1)), offset, best.column.shape[1])
        every = Best(*(np.repeat(part, len(i), axis=0) for part in others))
        every.column[known], every.score[known] = best.column, best.score
        return every

    def _best_of_codes(self, Z: np.ndarray, seen: Any, n: int, filter: Filter) -> Best:
        n = check_at_least("n", n, 1)
        return best_columns(Z, self._W, self._offset(self.model_.mean_, filter), n, seen=seen)

    def _offset(self, base: np.ndarray, filter: Filter) -> np.ndarray:
        """What is added to the scores of items: -inf for those that the filter refuses."""
        if filter is None:
            return base
        ids = self.item_ids_.tolist()
        if callable(filter):
            allowed = np.fromiter((bool(filter(name)) for name in ids), bool, len(ids))
        else:
            wanted = set(_as_list(filter) if not isinstance(filter, set) else filter)
            allowed = np.fromiter((name in wanted for name in ids), bool, len(ids))
        if not allowed.any():
            raise ValueError(f"filter leaves none of the {len(ids)} known items.")
        return np.where(allowed, base, -np.inf)

    def _new_row(self, ratings: Any) -> Any:
        """One row of the matrix, from what a new user has rated."""
        if isinstance(ratings, Mapping):
            items, values = list(ratings), np.array(list(ratings.values()), dtype=np.float64)
        elif _is_implicit(self.model_):
            items = _as_list(ratings)
            values = np.ones(len(items))
        else:
            raise TypeError(
                "ratings must be a dict from item to rating; only implicit feedback takes a "
                "collection of items."
            )
        if not np.isfinite(values).all():
            raise ValueError("A rating of the new user is NaN or infinite; leave it out.")
        j = self._numbers(self._item_number, items, "item")
        known = j >= 0
        j, values = j[known], values[known]
        if len(np.unique(j)) < len(j):
            raise ValueError("The new user has an item twice; leave one of each.")
        order = np.argsort(j)
        values = values[order].astype(self.ratings_.dtype)
        shape = (1, len(self.item_ids_))
        return sp.csr_array((values, j[order], np.array([0, len(j)])), shape=shape)

    def _item_table(
        self, column: np.ndarray, first: dict[str, np.ndarray] | None = None, **others: np.ndarray
    ) -> ResultTable:
        """Items by number (-1: none) with their titles, and what is said of them."""
        there = column >= 0
        column = column[there]
        columns = dict(first or {}) | {"item": self.item_ids_[column]}
        if self.item_titles_ is not None:
            columns["title"] = self.item_titles_[column]
        columns |= {name: values[there] for name, values in others.items()}
        return ResultTable(columns, self.backend_)


def joined(old: Any, new: Any) -> Any:
    """The entries of two csr_arrays, of `new` where both have one; `new` may have more rows."""
    d = new.shape[1]
    i, k = row_numbers(old), row_numbers(new)
    stays = ~np.isin(i * d + old.indices, k * d + new.indices)
    rows = np.concatenate([i[stays], k])
    columns = np.concatenate([old.indices[stays], new.indices])
    values = np.concatenate([old.data[stays], new.data.astype(old.dtype)])
    X = sp.coo_array((values, (rows, columns)), shape=new.shape).tocsr()
    X.sort_indices()
    return X


class Explanation(NamedTuple):
    """score = baseline + sum of contributions + rest."""

    score: float
    baseline: float
    rest: float
    contributions: ResultTable  # item, title, rating, contribution; the largest first

    def __str__(self) -> str:
        return f"score {self.score:.4g}, of which {self.baseline:.4g} for everyone\n" + str(
            self.contributions
        )


def contributions(row: Any, coding: Coding, w: np.ndarray, z: np.ndarray) -> np.ndarray:
    """What each stored entry of a row (1, d) adds to z'w, for z the ridge regression of the row.

    Under z >= 0 the regression is linear in the entries as long as the same codes are 0: those that
    are 0 in `z` take no part.
    """
    on, columns = coding.on, row.indices
    free = z > 0 if coding.method == "nonnegative" else np.ones(len(z), dtype=bool)
    F = on.F[columns][:, free].astype(np.float64)
    if coding.confidence is None:
        y = (row.data - coding.mean[columns]) / coding.scale[columns]
        weight = np.ones(len(y))
    else:
        weight = coding.confidence * row.data.astype(np.float64)
        y = np.where(weight > 0, 1.0 + weight, 0.0)
    penalty = on.penalty[free] * (weight.sum() if on.by_count else 1.0)
    A = F.T @ (F * weight[:, None]) + np.diag(penalty)
    if on.gram is not None:
        A += on.gram[np.ix_(free, free)]
    influence = np.linalg.lstsq(A, w[free].astype(np.float64), rcond=None)[0]
    return y * (F @ influence)


def _covariance(F: np.ndarray) -> np.ndarray:
    return np.atleast_2d(np.cov(F.T.astype(np.float64), bias=True))


def _forget_lookups(recommender: Recommender) -> None:
    """They are made again when needed."""
    for name in ("_user_number", "_item_number"):
        recommender.__dict__.pop(name, None)


UNKNOWN_CURE = " Choose unknown='mean' or 'popular' to have unknown ones answered."


def _unknown_message(names: list, found: np.ndarray, what: str) -> str:
    unknown = [name for name, number in zip(names, found, strict=True) if number < 0]
    which = f"{what.capitalize()} {unknown[0]!r} is not known"
    if len(names) > 1:
        which = f"{len(unknown)} of {len(names)} {what}s are not known (first: {unknown[0]!r})"
    return f"{which}: not among the ratings that were fitted."


def _is_implicit(model: Any) -> bool:
    return getattr(model, "feedback", None) == "implicit"


def _is_id(value: Any) -> bool:
    """Whether it is one id, and not several: text, numbers and tuples are one."""
    return isinstance(value, str | bytes | tuple | np.generic) or not hasattr(value, "__iter__")


def _as_list(ids: Any) -> list:
    if _is_id(ids):
        return [ids]
    return ids.tolist() if hasattr(ids, "tolist") else list(ids)


def _id_array(ids: list) -> np.ndarray:
    """Ids as an array of integers if all are, else of objects."""
    if ids and all(type(name) is int and abs(name) < 2**63 for name in ids):
        return np.array(ids, dtype=np.int64)
    array = np.empty(len(ids), dtype=object)
    for e, name in enumerate(ids):  # not array[:] = ids, which would unpack tuples
        array[e] = name
    return array


def _titles(items: Numbered, titles: dict | None) -> np.ndarray | None:
    if titles is None:
        return None
    if not any(name in titles for name in items.ids):
        raise ValueError(
            f"None of the {len(titles)} titles belongs to an item of the ratings: their ids are "
            f"such as {next(iter(titles), None)!r}, those of the ratings such as {items.ids[0]!r}."
        )
    found = [titles.get(name) for name in items.ids]
    array = np.empty(len(found), dtype=object)
    array[:] = ["" if title is None or title != title else str(title) for title in found]
    return array
