"""Ratings of items by users, and a small planted set of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class Ratings(NamedTuple):
    """Ratings, one line for each; `Recommender.fit` takes it as it is.

    Attributes
    ----------
    user, item : ndarray of shape (n_ratings,)
        Ids.
    rating : ndarray of shape (n_ratings,) or None
        None where only is known who has seen what.
    timestamp : ndarray of shape (n_ratings,) or None
        When, in seconds.
    titles : dict
        From items to what they are called.
    """

    user: np.ndarray
    item: np.ndarray
    rating: np.ndarray | None
    timestamp: np.ndarray | None
    titles: dict


def load_ratings() -> Ratings:
    """2400 ratings from 1 to 5 of 40 films by 120 users who differ in taste; made up.

    A rating is the mean 3.4, plus how generous the user is, plus how good the film is, plus how
    much the film's two kinds (the half of the alphabet and the parity of its number) are to the
    user's taste, plus noise of standard deviation 0.4, rounded. Some films are seen by more users
    than others. The same numbers in every call.

    Returns
    -------
    Ratings
        Users "user0" to "user119", items "item0" to "item39", `timestamp` in the order of lines.

    Examples
    --------
    >>> from lowdim.datasets import load_ratings
    >>> ratings = load_ratings()
    >>> len(ratings.rating), ratings.titles["item0"]
    (2400, 'Early even film 0')
    >>> print(ratings.user[0], ratings.item[0], ratings.rating[0])
    user87 item38 3.0
    """
    random = np.random.default_rng(0)
    n_users, n_items, n_ratings = 120, 40, 2400
    j = np.arange(n_items)
    kinds = np.column_stack([np.where(j < n_items // 2, 1, -1), np.where(j % 2 == 0, 1, -1)])
    tastes = random.normal(scale=0.6, size=(n_users, 2))
    generous = random.normal(scale=0.3, size=n_users)
    good = random.normal(scale=0.4, size=n_items)
    popularity = np.tile(random.permutation(n_items) + 5.0, n_users)
    pairs = random.choice(
        n_users * n_items, n_ratings, replace=False, p=popularity / popularity.sum()
    )
    i, j = np.divmod(pairs, n_items)
    score = 3.4 + generous[i] + good[j] + (tastes[i] * kinds[j]).sum(axis=1)
    rating = np.clip(np.round(score + random.normal(scale=0.4, size=n_ratings)), 1.0, 5.0)
    titles = {
        f"item{m}": f"{'Early' if early > 0 else 'Late'} {'even' if even > 0 else 'odd'} film {m}"
        for m, (early, even) in enumerate(kinds.tolist())
    }
    users = np.array([f"user{u}" for u in i.tolist()], dtype=object)
    items = np.array([f"item{m}" for m in j.tolist()], dtype=object)
    return Ratings(users, items, rating, np.arange(n_ratings), titles)
