"""Ratings as they come: a data frame, or arrays; who rated what, how high, when, and titles.

Columns of a data frame are found by their names: what users of such tables call them is listed in
`USUAL`; case, blanks, `_` and `-` do not matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np

USUAL = {
    "user": "user userid uid reviewer reviewerid customer customerid member memberid account",
    "item": "item itemid iid movie movieid product productid asin book bookid isbn song songid "
    "track trackid artist artistid business businessid article articleid",
    "rating": "rating ratings score stars overall value count counts plays playcount listens",
    "timestamp": "timestamp time date datetime ratedat createdat unixreviewtime",
    "title": "title itemtitle movietitle itemname name",
}
AUTO = "auto"


class Names(NamedTuple):
    """What columns are called: "auto" is found by `USUAL`, None is left out."""

    user: str | None = AUTO
    item: str | None = AUTO
    rating: str | None = AUTO
    timestamp: str | None = AUTO
    title: str | None = AUTO


class Lines(NamedTuple):
    """Ratings, one line for each."""

    user: np.ndarray  # (lines,)  ids: integers, or objects of any hashable type
    item: np.ndarray
    rating: np.ndarray | None  # (lines,)  finite; None: only who has seen what
    timestamp: np.ndarray | None  # (lines,)  anything that can be sorted
    titles: dict | None  # item -> title

    def values(self) -> np.ndarray:
        """The ratings; 1 for each if there are none."""
        return np.ones(len(self.user)) if self.rating is None else self.rating

    def take(self, index: np.ndarray) -> Lines:
        """Some of the lines."""
        rating, timestamp = (None if x is None else x[index] for x in (self.rating, self.timestamp))
        return Lines(self.user[index], self.item[index], rating, timestamp, self.titles)


def read_ratings(ratings: Any, titles: Any = None, names: Names = Names()) -> Lines:  # noqa: B008
    """Ratings from a data frame, or from a tuple (users, items[, ratings[, times[, titles]]])."""
    if isinstance(ratings, Lines):
        return ratings
    frame = nw.from_native(ratings, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        columns = _columns(frame, names)
        if titles is None and columns["title"] is not None:
            titles = dict(zip(_list(columns["item"]), _list(columns["title"]), strict=True))
    elif isinstance(ratings, tuple) and 2 <= len(ratings) <= 5:
        columns = dict(zip(("user", "item", "rating", "timestamp"), ratings, strict=False))
        titles = ratings[4] if titles is None and len(ratings) == 5 else titles
    else:
        raise TypeError(
            "ratings must be a data frame (pandas, polars, pyarrow) or a tuple of arrays (users, "
            f"items[, ratings[, timestamps[, titles]]]), not {type(ratings).__name__}."
        )
    lines = Lines(
        _ids(columns["user"]),
        _ids(columns["item"]),
        _rating_values(columns.get("rating")),
        _optional_array(columns.get("timestamp")),
        None if titles is None else read_titles(titles, names),
    )
    _check_lengths(lines)
    return lines


def read_titles(titles: Any, names: Names = Names()) -> dict:  # noqa: B008
    """Titles from a dict, or from a data frame with a column of items and one of titles."""
    if isinstance(titles, Mapping):
        return dict(titles)
    frame = nw.from_native(titles, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        raise TypeError(
            "titles must be a dict from item to title, or a data frame with these columns, not "
            f"{type(titles).__name__}."
        )
    item = frame[column_name(frame.columns, "item", names.item)]
    title = frame[column_name(frame.columns, "title", names.title)]
    return dict(zip(_list(item), _list(title), strict=True))


def column_name(columns: Sequence[str], what: str, wanted: str | None = AUTO) -> str:
    """The column with this name; for "auto", the one whose name is usual for `what`."""
    name = found_column(columns, what, wanted)
    if name is None:
        raise ValueError(
            f"The table has no column of {what}s that is known by its name; its columns are "
            f"{', '.join(columns)}. Name it: {what}='...'."
        )
    return name


def found_column(columns: Sequence[str], what: str, wanted: str | None = AUTO) -> str | None:
    """The same; None where there is no such column, or None is wanted."""
    if wanted is None:
        return None
    if wanted != AUTO:
        if wanted not in columns:
            raise ValueError(
                f"The table has no column {wanted!r} ({what}); its columns are "
                f"{', '.join(columns)}."
            )
        return wanted
    plain = {_plain(name): name for name in reversed(columns)}  # the first of equal names stays
    return next((plain[usual] for usual in USUAL[what].split() if usual in plain), None)


def _plain(name: str) -> str:
    return str(name).lower().replace("_", "").replace("-", "").replace(" ", "")


def _columns(frame: Any, names: Names) -> dict[str, Any]:
    if not len(frame):
        raise ValueError("The table of ratings has no lines; at least 1 is needed.")
    found: dict[str, str | None] = {
        "user": column_name(frame.columns, "user", names.user),
        "item": column_name(frame.columns, "item", names.item),
        "rating": found_column(frame.columns, "rating", names.rating),
        "timestamp": found_column(frame.columns, "timestamp", names.timestamp),
        "title": found_column(frame.columns, "title", names.title),
    }
    return {what: None if name is None else frame[name] for what, name in found.items()}


def _list(values: Any) -> list:
    if hasattr(values, "to_list"):
        return values.to_list()
    return values.tolist() if isinstance(values, np.ndarray) else list(values)


def _ids(values: Any) -> np.ndarray:
    """Ids as an array of integers, or else of objects as they are (1 and "1" are two ids)."""
    if isinstance(values, nw.Series):
        if values.dtype.is_integer() and not values.null_count():
            return values.to_numpy()
    elif isinstance(values, np.ndarray) and values.dtype.kind in "iu":
        return values
    found = _list(values)
    if found and all(type(value) is int for value in found):
        return np.array(found)
    ids = np.empty(len(found), dtype=object)
    for e, value in enumerate(found):  # not ids[:] = found, which would unpack tuples
        ids[e] = value
    return ids


def _rating_values(values: Any) -> np.ndarray | None:
    """Ratings as finite numbers."""
    if values is None:
        return None
    array = values.to_numpy() if isinstance(values, nw.Series) else np.asarray(values)
    if array.dtype.kind not in "biuf":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError("The ratings hold values that are not numbers.") from None
    array = array.astype(np.float32 if array.dtype == np.float32 else np.float64)
    bad = ~np.isfinite(array)
    if bad.any():
        raise ValueError(
            f"{bad.sum()} ratings are NaN, missing or infinite (first: line {np.argmax(bad)}); "
            "leave these lines out: what was not rated is not in the table."
        )
    return array


def _optional_array(values: Any) -> np.ndarray | None:
    if values is None:
        return None
    return values.to_numpy() if isinstance(values, nw.Series) else np.asarray(values)


def _check_lengths(lines: Lines) -> None:
    sizes = {
        name: len(values)
        for name, values in zip(("users", "items", "ratings", "timestamps"), lines, strict=False)
        if values is not None
    }
    if len(set(sizes.values())) > 1:
        found = ", ".join(f"{size} {name}" for name, size in sizes.items())
        raise ValueError(f"Ratings need one of each in a line; there are {found}.")
    if not len(lines.user):
        raise ValueError("There are no ratings; at least 1 is needed.")
