"""How good recommendations are: splits of ratings, errors, and measures of rankings at k.

Of a user with r relevant held-out items, whose first k recommendations have hits at some places
p = 1, 2, ... (relevant_p is 1 for a hit):

    precision   hits / k
    recall      hits / r
    NDCG        sum_p relevant_p / log2(1 + p)  over the largest that it could be
    MAP         sum_p relevant_p (hits up to p) / p  over min(k, r)

each averaged over the users that have relevant items. Coverage is the part of all items that anyone
gets recommended.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.completion.entries import numbered
from lowdim.completion.recommender.scores import Scores
from lowdim.core.random import random_generator
from lowdim.core.validation import check_choice

SPLITS = ("random", "time", "last")


class Evaluation(NamedTuple):
    """What `Recommender.evaluate` finds; `print` shows it as a list."""

    rmse: float | None  # root mean squared error of ratings; None for implicit feedback
    mae: float | None  # mean absolute error
    precision: float  # this and what follows: at k
    recall: float
    ndcg: float
    map: float
    coverage: float
    k: int
    n_ratings: int  # held-out ratings that were predicted
    n_users: int  # users whose recommendations were measured
    n_refused: int  # ratings of unknown users or items, left out because of unknown="error"

    def __str__(self) -> str:
        values = {
            "RMSE": self.rmse,
            "MAE": self.mae,
            f"precision@{self.k}": self.precision,
            f"recall@{self.k}": self.recall,
            f"NDCG@{self.k}": self.ndcg,
            f"MAP@{self.k}": self.map,
            f"coverage@{self.k}": self.coverage,
        }
        width = max(map(len, values))
        lines = [f"{name:<{width}}  {v:.4f}" for name, v in values.items() if v is not None]
        refused = f", {self.n_refused} left out (unknown user or item)" if self.n_refused else ""
        lines.append(f"of {self.n_ratings} held-out ratings, {self.n_users} users{refused}")
        return "\n".join(lines)


class Split(NamedTuple):
    """Numbers of lines to learn from, and of lines to test with."""

    train: np.ndarray
    test: np.ndarray


def split_ratings(
    user: Any,
    timestamp: Any = None,
    *,
    split: str = "random",
    test_size: float = 0.1,
    random_state: Any = None,
) -> Split:
    """Hold ratings out.

    Parameters
    ----------
    user : array of shape (lines,)
        Ids of users; only "last" looks at them.
    timestamp : array of shape (lines,), default=None
        When; "time" and "last" need it.
    split : {"random", "time", "last"}, default="random"
        What is held out: lines at random; the latest lines of all; the latest lines of each user
        (one at the least, but not all).
    test_size : float, default=0.1
        Which part is held out.
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    train, test : arrays of int
        In the order of the lines.

    Examples
    --------
    >>> from lowdim.completion.recommender.evaluation import split_ratings
    >>> split_ratings(["a", "a", "b", "b"], [4, 1, 2, 3], split="last", test_size=0.5)
    Split(train=array([1, 2]), test=array([0, 3]))
    """
    check_choice("split", split, SPLITS)
    if not 0 < test_size < 1:
        raise ValueError(f"test_size={test_size} must be a part of the ratings: between 0 and 1.")
    n = len(user)
    if n < 2:
        raise ValueError(f"There are {n} ratings; a split needs at least 2.")
    held_out = np.zeros(n, dtype=bool)
    if split == "last":
        held_out[_last_of_users(user, _times(timestamp, split, n), test_size)] = True
        if not held_out.any():
            raise ValueError("No user has two ratings, so none can be held out; choose 'time'.")
    else:
        if split == "random":
            order = random_generator(random_state).permutation(n)
        else:
            order = np.argsort(_times(timestamp, split, n), kind="stable")
        n_test = min(max(1, round(test_size * n)), n - 1)
        held_out[order[n - n_test :]] = True
    return Split(np.flatnonzero(~held_out), np.flatnonzero(held_out))


class HeldOut(NamedTuple):
    """Ratings that were not there when fitting, by number; -1 is unknown."""

    user: np.ndarray  # (lines,)  numbers among `known_user`
    known_user: np.ndarray  # (users,)  the number that the recommender knows each by
    item: np.ndarray  # (lines,)
    rating: np.ndarray | None  # (lines,)  None for implicit feedback


def measured(
    scores: Scores, held_out: HeldOut, *, k: int, limit: float, refuse_unknown: bool
) -> Evaluation:
    """Errors and ranking measures on held-out ratings; relevant are those of at least `limit`."""
    i, j, rating = held_out.known_user[held_out.user], held_out.item, held_out.rating
    kept = (i >= 0) & (j >= 0) if refuse_unknown else np.ones(len(i), dtype=bool)
    rmse = mae = None
    if rating is not None and kept.any():
        error = scores.predict(i[kept], j[kept]) - rating[kept]
        rmse, mae = float(np.sqrt(np.mean(error**2))), float(np.mean(np.abs(error)))
    relevant = kept if rating is None else kept & (rating >= limit)
    if not relevant.any():
        raise ValueError(
            f"Of {len(i)} held-out ratings none is of a known user and item and relevant; hold "
            "more out, lower `relevant`, or choose unknown='popular'."
        )
    who, place = np.unique(held_out.user[relevant], return_inverse=True)
    column = scores.best(held_out.known_user[who], k).column
    n_items = scores.ratings.shape[1]
    hit = hits(column, place, j[relevant], n_items)
    absent = np.zeros((len(hit), k - hit.shape[1]), dtype=bool)  # fewer than k items
    measures = ranking_measures(np.hstack([hit, absent]), np.bincount(place))
    return Evaluation(
        rmse,
        mae,
        *measures,
        coverage=len(np.unique(column[column >= 0])) / n_items,
        k=k,
        n_ratings=int(kept.sum()),
        n_users=len(who),
        n_refused=int((~kept).sum()),
    )


class RankingMeasures(NamedTuple):
    precision: float
    recall: float
    ndcg: float
    map: float


def ranking_measures(hit: np.ndarray, n_relevant: np.ndarray) -> RankingMeasures:
    """Measures of rankings, averaged over users.

    Parameters
    ----------
    hit : bool array of shape (users, k)
        Whether the p-th recommendation is relevant.
    n_relevant : array of shape (users,)
        How many items are relevant, 1 or more.
    """
    k = hit.shape[1]
    place = np.arange(1, k + 1)
    most = np.minimum(n_relevant, k)
    gain = 1.0 / np.log2(1.0 + place)
    precision_here = np.cumsum(hit, axis=1) / place
    return RankingMeasures(
        precision=float(hit.mean()),
        recall=float((hit.sum(axis=1) / n_relevant).mean()),
        ndcg=float((hit @ gain / np.cumsum(gain)[most - 1]).mean()),
        map=float(((hit * precision_here).sum(axis=1) / most).mean()),
    )


def hits(
    column: np.ndarray, row_of: np.ndarray, column_of: np.ndarray, n_columns: int
) -> np.ndarray:
    """Which of the recommended columns (rows, k) are in the relevant pairs (row_of, column_of)."""
    place = np.arange(len(column))[:, None] * n_columns + column
    known = column_of >= 0
    return np.isin(place, row_of[known] * n_columns + column_of[known]) & (column >= 0)


def _times(timestamp: Any, split: str, n: int) -> np.ndarray:
    if timestamp is None:
        raise ValueError(
            f"split={split!r} needs timestamps, and the ratings have none; name their column, or "
            "choose split='random'."
        )
    times = np.asarray(timestamp)
    missing = np.array([t is None for t in times]) if times.dtype == object else times != times
    if len(times) != n or missing.any():
        raise ValueError(
            f"split={split!r} needs a timestamp for each of the {n} ratings; "
            f"{missing.sum() + abs(n - len(times))} are missing."
        )
    return times


def _last_of_users(user: Any, times: np.ndarray, test_size: float) -> np.ndarray:
    """Lines in the latest part of each user's, one at the least but not all."""
    number = numbered(user).number
    by_time = np.argsort(times, kind="stable")
    order = by_time[np.argsort(number[by_time], kind="stable")]  # by user, and then by time
    count = np.bincount(number)
    n_test = np.minimum(np.ceil(test_size * count).astype(np.intp), count - 1)
    place_from_end = np.cumsum(count)[number[order]] - np.arange(len(order))  # 1: the last
    return order[place_from_end <= n_test[number[order]]]
