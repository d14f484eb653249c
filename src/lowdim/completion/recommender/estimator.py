"""Recommender: a completed matrix of users and items, by the names that people use.

    score of item j for user i      s_ij = z_i'w_j + m_j        (`model.py`; z: code of the user)

Everything follows from these factors. A new user's z is one ridge regression on a few ratings.

    ratings.py      tables of ratings as they come
    matrix.py       their matrix, and further ratings that join it
    ids.py          numbers of ids, and what is said of unknown ones
    scores.py       predictions, the best items, likeness
    explanation.py  what each rating contributes to a score
    evaluation.py   splits, errors, measures of rankings
"""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

import narwhals.stable.v2 as nw
import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from lowdim.completion.als.estimator import ALS
from lowdim.completion.entries import DUPLICATES, numbered
from lowdim.completion.model import Completer
from lowdim.completion.recommender.evaluation import Evaluation, HeldOut, measured, split_ratings
from lowdim.completion.recommender.explanation import Explanation, contributions
from lowdim.completion.recommender.ids import (
    Filter,
    IdNumbers,
    allowed_by,
    as_list,
    id_array,
    is_id,
)
from lowdim.completion.recommender.matrix import (
    RatingMatrix,
    further_ratings,
    joined,
    rated_items,
    rating_matrix,
    row_of,
)
from lowdim.completion.recommender.ratings import Lines, Names, read_ratings
from lowdim.completion.recommender.scores import Scores, is_implicit
from lowdim.core.constraints import StrOptions
from lowdim.core.estimator import SavedModel
from lowdim.core.result_table import ResultTable
from lowdim.core.shapes import Anything, Either, Maybe, Text
from lowdim.core.validation import check_at_least
from lowdim.linalg.nearest import Best

# The penalty does not grow with the number of ratings: an item that few have rated stays near the
# mean and is not recommended on their word. On MovieLens the error is that of the weighted penalty,
# precision at 10 is five times higher.
EXPLICIT = {"n_components": 20, "penalty": 12.0, "weighted_penalty": False, "random_state": 0}
IMPLICIT = {"n_components": 40, "feedback": "implicit", "penalty": 10.0, "random_state": 0}


class Recommender(SavedModel, BaseEstimator):
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
        the model has it), a rating of an unknown item by the user's mean, shrunk towards that
        of all; recommend by the means of items. "popular": predict likewise, recommend what most
        users have rated. With implicit feedback an item's mean is the part of users who have it.
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

    shapes: ClassVar[dict] = {
        "ratings_": ("users", "items"),
        "mean_rating_": (),
        "user_ids_": Either((("users",), Text(("users",)))),
        "item_ids_": Either((("items",), Text(("items",)))),
        "item_titles_": Maybe(Text(("items",))),
        "model_": {"row_factors_": ("users", "q"), "components_": ("q", "items")},
        "backend_": Anything(),
    }

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

    not_saved: ClassVar[frozenset[str]] = frozenset({"_users", "_items"})  # made when needed

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
        new, users, _ = self._further(self._read(ratings))
        known, n = len(self.user_ids_), len(users)
        self.ratings_ = joined(self.ratings_, new)
        changed = np.flatnonzero(np.diff(new.indptr))
        Z = np.zeros((n, self.model_.components_.shape[0]), self.model_.components_.dtype)
        Z[:known] = self.model_.row_factors_
        if len(changed):
            Z[changed] = self.model_.transform(self.ratings_[changed])
        self.model_.row_factors_ = Z
        self.user_ids_ = id_array(users)
        self.mean_rating_ = float(self.ratings_.data.mean(dtype=np.float64))
        self._forget_lookups()
        return self

    def _further(self, lines: Lines) -> RatingMatrix:
        """Further ratings as a matrix of all users, the new ones last."""
        if lines.rating is None and not is_implicit(self.model_):
            raise ValueError(
                "There are no ratings, and the model has learned how high they are; name their "
                "column."
            )
        j = self._items.find_all(lines.item, unknown=self.unknown)
        known = self.user_ids_.tolist(), j, self.item_ids_.tolist()
        return further_ratings(lines, self._users, *known, self.duplicates)

    def _read(self, ratings: Any, titles: Any = None) -> Lines:
        names = Names(self.user, self.item, self.rating, self.timestamp, self.title)
        return read_ratings(ratings, titles, names)

    def _fit(self, lines: Lines, backend: str | None) -> Recommender:
        model = self._unfitted(lines)
        X, users, items = rating_matrix(lines, self.duplicates)
        self.model_ = model.fit(X)
        self.ratings_ = X
        self.mean_rating_ = float(X.data.mean(dtype=np.float64))
        self.user_ids_, self.item_ids_ = id_array(users), id_array(items)
        self.item_titles_ = titles_of(items, lines.titles)
        self.backend_ = backend
        self._forget_lookups()
        return self

    def _unfitted(self, lines: Lines) -> Any:
        if self.model is None:
            return ALS(**(IMPLICIT if lines.rating is None else EXPLICIT))
        if lines.rating is None and not is_implicit(self.model):
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
        one = is_id(users) and is_id(items)
        i = self._users.find_all(users, unknown=self.unknown)
        j = self._items.find_all(items, unknown=self.unknown)
        if len(i) != len(j) and 1 not in (len(i), len(j)):
            raise ValueError(
                f"There are {len(i)} users and {len(j)} items; give as many of both, or one id."
            )
        values = self._scores.predict(*np.broadcast_arrays(i, j))
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
        i = self._users.find_all([user], unknown=self.unknown)
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
            names = id_array(as_list(users))
            i = self._users.find_all(users, unknown=self.unknown)
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
        items, values = rated_items(ratings, implicit=is_implicit(self.model_))
        j = self._items.find_all(items, unknown=self.unknown)
        row = row_of(j, values, len(self.item_ids_), self.ratings_.dtype)
        if row.nnz:
            Z, seen = self.model_.transform(row), row if exclude_seen else None
            allowed = allowed_by(filter, self.item_ids_)
            best = self._scores.best_of_codes(Z, n, seen=seen, allowed=allowed)
        else:
            nobody = ["someone new without ratings"]
            i = IdNumbers(np.empty(0), "user").find_all(nobody, unknown=self.unknown)
            best = self._best(i, n, exclude_seen, filter)
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
        j = self._items.find_one(item)
        best = self._scores.similar_items(j, n, allowed_by(filter, self.item_ids_))
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
        best = self._scores.similar_users(self._users.find_one(user), n)
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
        i, j = self._users.find_one(user), self._items.find_one(item)
        row, z, w = self.ratings_[[i]], self.model_.row_factors_[i], self.model_.components_[:, j]
        share = contributions(row, self.model_._coding(), w, z)
        score, baseline = float(z @ w + self.model_.mean_[j]), float(self.model_.mean_[j])
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
        implicit = is_implicit(self.model_)
        numbers = HeldOut(
            user=people.number,
            known_user=self._users.find(people.ids),
            item=self._items.find(lines.item.tolist()),
            rating=None if implicit else lines.rating,
        )
        limit = self.mean_rating_ if relevant is None else relevant
        refuse = self.unknown == "error"
        return measured(self._scores, numbers, k=k, limit=limit, refuse_unknown=refuse)

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
        super().save(path)

    # ---- parts of answers ------------------------------------------------------------------------

    @cached_property
    def _users(self) -> IdNumbers:
        return IdNumbers(self.user_ids_, "user")

    @cached_property
    def _items(self) -> IdNumbers:
        return IdNumbers(self.item_ids_, "item")

    def _forget_lookups(self) -> None:
        """The numbers of ids are looked up anew when needed."""
        for name in self.not_saved:
            self.__dict__.pop(name, None)

    @property
    def _scores(self) -> Scores:
        return Scores(self.model_, self.ratings_, self.mean_rating_, self.unknown == "popular")

    def _best(self, i: np.ndarray, n: int, exclude_seen: bool, filter: Filter) -> Best:
        allowed = allowed_by(filter, self.item_ids_)
        return self._scores.best(i, n, exclude_seen=exclude_seen, allowed=allowed)

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


def titles_of(items: list, titles: dict | None) -> np.ndarray | None:
    """The title of each item, "" where there is none."""
    if titles is None:
        return None
    if not any(name in titles for name in items):
        raise ValueError(
            f"None of the {len(titles)} titles belongs to an item of the ratings: their ids are "
            f"such as {next(iter(titles), None)!r}, those of the ratings such as {items[0]!r}."
        )
    found = [titles.get(name) for name in items]
    array = np.empty(len(found), dtype=object)
    array[:] = ["" if title is None or title != title else str(title) for title in found]
    return array
