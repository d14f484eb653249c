"""Lines of ratings as a sparse matrix of users and items, and what joins it later."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.completion.entries import Numbered, matrix_of, numbered
from lowdim.completion.recommender.ids import IdNumbers, as_list
from lowdim.completion.recommender.ratings import Lines
from lowdim.linalg.sparse import row_numbers


class RatingMatrix(NamedTuple):
    """Ratings, and whose they are."""

    X: Any  # csr_array (users, items)
    users: list  # ids of the rows
    items: list  # ids of the columns


def rating_matrix(lines: Lines, duplicates: str) -> RatingMatrix:
    """The matrix of all users and items that have ratings, in the order of their first lines."""
    if duplicates == "last" and lines.timestamp is not None:
        lines = lines.take(np.argsort(lines.timestamp, kind="stable"))
    users, items = numbered(lines.user, "user"), numbered(lines.item, "item")
    X, _ = matrix_of(users, items, lines.values(), None, duplicates, ("user", "item"))
    return RatingMatrix(X, users.ids, items.ids)


def further_ratings(
    lines: Lines, users: IdNumbers, user_ids: list, j: np.ndarray, item_ids: list, duplicates: str
) -> RatingMatrix:
    """Further ratings of known items as a matrix of all users, the new ones last.

    Parameters
    ----------
    lines : Lines
    users : IdNumbers
        Of the users that are known, whose ids are `user_ids`.
    j : array of shape (lines,)
        The number of each line's item; lines with -1 are left out.
    """
    people = numbered(lines.user, "user")
    i = users.find(people.ids)
    new = i < 0
    i[new] = len(user_ids) + np.arange(new.sum())
    everyone = user_ids + [people.ids[p] for p in np.flatnonzero(new)]
    there = j >= 0
    rows, columns = Numbered(i[people.number][there], everyone), Numbered(j[there], item_ids)
    values = lines.values()[there]
    X, _ = matrix_of(rows, columns, values, None, duplicates, ("user", "item"))
    return RatingMatrix(X, everyone, item_ids)


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


def rated_items(ratings: Any, *, implicit: bool) -> tuple[list, np.ndarray]:
    """Items and values of what one new user has rated."""
    if isinstance(ratings, Mapping):
        items, values = list(ratings), np.array(list(ratings.values()), dtype=np.float64)
    elif implicit:
        items = as_list(ratings)
        values = np.ones(len(items))
    else:
        raise TypeError(
            "ratings must be a dict from item to rating; only implicit feedback takes a "
            "collection of items."
        )
    if not np.isfinite(values).all():
        raise ValueError("A rating of the new user is NaN or infinite; leave it out.")
    return items, values


def row_of(j: np.ndarray, values: np.ndarray, n_items: int, dtype: Any) -> Any:
    """One row of the matrix, from the numbers of items (-1: left out) and their ratings."""
    known = j >= 0
    j, values = j[known], values[known]
    if len(np.unique(j)) < len(j):
        raise ValueError("The new user has an item twice; leave one of each.")
    order = np.argsort(j)
    parts = (values[order].astype(dtype), j[order], np.array([0, len(j)]))
    return sp.csr_array(parts, shape=(1, n_items))
