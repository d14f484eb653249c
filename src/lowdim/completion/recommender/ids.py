"""Ids of users and items and their numbers in the matrix; any hashable value is an id."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from typing import Any

import numpy as np

UNKNOWN_CURE = " Choose unknown='mean' or 'popular' to have unknown ones answered."

Filter = Callable[[Any], bool] | Collection[Hashable] | None


class IdNumbers:
    """The numbers of ids.

    Parameters
    ----------
    ids : array of shape (n,)
        The id of each number.
    what : str
        What they are ids of, in messages.
    """

    def __init__(self, ids: np.ndarray, what: str):
        self._number = {name: i for i, name in enumerate(ids.tolist())}
        self._what = what

    def find(self, ids: list) -> np.ndarray:
        """Numbers of ids, -1 for unknown ones."""
        return np.fromiter((self._number.get(name, -1) for name in ids), np.intp, len(ids))

    def find_all(self, ids: Any, *, unknown: str) -> np.ndarray:
        """The same for one id or several; unknown ones are refused if unknown="error"."""
        names = as_list(ids)
        found = self.find(names)
        if unknown == "error" and (found < 0).any():
            raise ValueError(_unknown_message(names, found, self._what) + UNKNOWN_CURE)
        return found

    def find_one(self, name: Any) -> int:
        """The number of an id that must be known."""
        found = self.find([name])
        if found[0] < 0:
            raise ValueError(_unknown_message([name], found, self._what))
        return int(found[0])


def _unknown_message(names: list, found: np.ndarray, what: str) -> str:
    unknown = [name for name, number in zip(names, found, strict=True) if number < 0]
    which = f"{what.capitalize()} {unknown[0]!r} is not known"
    if len(names) > 1:
        which = f"{len(unknown)} of {len(names)} {what}s are not known (first: {unknown[0]!r})"
    return f"{which}: not among the ratings that were fitted."


def is_id(value: Any) -> bool:
    """Whether it is one id, and not several: text, numbers and tuples are one."""
    return isinstance(value, str | bytes | tuple | np.generic) or not hasattr(value, "__iter__")


def as_list(ids: Any) -> list:
    if is_id(ids):
        return [ids]
    return ids.tolist() if hasattr(ids, "tolist") else list(ids)


def id_array(ids: list) -> np.ndarray:
    """Ids as an array of integers if all are, else of objects."""
    if ids and all(type(name) is int and abs(name) < 2**63 for name in ids):
        return np.array(ids, dtype=np.int64)
    array = np.empty(len(ids), dtype=object)
    for e, name in enumerate(ids):  # not array[:] = ids, which would unpack tuples
        array[e] = name
    return array


def allowed_by(filter: Filter, ids: np.ndarray) -> np.ndarray | None:
    """Which ids a filter leaves, (n,) of bool; None if there is no filter."""
    if filter is None:
        return None
    names = ids.tolist()
    if callable(filter):
        allowed = np.fromiter((bool(filter(name)) for name in names), bool, len(names))
    else:
        wanted = set(as_list(filter) if not isinstance(filter, set) else filter)
        allowed = np.fromiter((name in wanted for name in names), bool, len(names))
    if not allowed.any():
        raise ValueError(f"filter leaves none of the {len(names)} known items.")
    return allowed
