"""Rows like a given one: by the cosine of the angle between them."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least


class Similar(NamedTuple):
    index: np.ndarray  # type: ignore[assignment]  # (n,)  the most similar first
    cosine: np.ndarray  # (n,)


@single_threaded_blas()
def similar_rows(A: np.ndarray, i: int, n: int) -> Similar:
    """The n rows of A most like row i, without it; a row of zeros is like no other: cosine 0."""
    A = np.asarray(A, np.float64)
    largest = np.abs(A).max(axis=1, keepdims=True, initial=0.0)
    A = np.divide(A, largest, out=np.zeros_like(A), where=largest > 0)
    length = np.linalg.norm(A, axis=1)
    A = np.divide(A, length[:, None], out=A, where=length[:, None] > 0)
    cosine = np.clip(A @ A[i], -1.0, 1.0)
    order = np.argsort(-cosine, kind="stable")
    order = order[order != i][:n]
    return Similar(order, cosine[order])


def similar_names(
    A: np.ndarray, term: Any, names: Sequence[Any] | np.ndarray | None, n: int
) -> list[tuple[Any, float]]:
    """(name, cosine) of the n rows of A most like the one that is called `term`.

    Without names, rows are called by their number.
    """
    n = check_at_least("n", n, 1)
    found = similar_rows(A, number_of(term, names, len(A)), n)
    called = range(len(A)) if names is None else names
    return [(called[j], float(c)) for j, c in zip(found.index, found.cosine, strict=True)]


def number_of(term: Any, names: Sequence[Any] | np.ndarray | None, size: int) -> int:
    """The number of the row that is called `term`."""
    if names is None:
        if isinstance(term, Integral) and 0 <= int(term) < size:
            return int(term)
        raise ValueError(
            f"term={term!r} is no number from 0 to {size - 1}; columns have no names here: fit a "
            "data frame, or give names=."
        )
    if len(names) != size:
        raise ValueError(f"names has {len(names)} entries where {size} are needed.")
    for number, name in enumerate(names):
        if name == term:
            return number
    near = difflib.get_close_matches(str(term), [str(name) for name in names], n=3)
    hint = f"; near it are {', '.join(map(repr, near))}" if near else ""
    raise ValueError(f"term={term!r} is not one of the {size} names{hint}.")
