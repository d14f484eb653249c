"""Rows like a given one: by the cosine of the angle between them."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.numeric import shown
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
    """The number of the row that is called `term`: by its name, or by its number from 0 on."""
    if getattr(term, "shape", ()) != () or isinstance(term, list | dict | set):
        raise TypeError(f"term={shown(term)} must be one name, or one number.")
    called: Sequence[Any] | np.ndarray = [] if names is None else names
    if names is not None and len(names) != size:
        raise ValueError(f"names has {len(names)} entries where {size} are needed.")
    for number, name in enumerate(called):
        if name == term:
            return number
    whole = isinstance(term, Integral) and not isinstance(term, bool)
    if whole and 0 <= int(term) < size and not any(isinstance(name, Integral) for name in called):
        return int(term)
    if names is None and isinstance(term, str):
        raise ValueError(
            f"term={term!r} is a name, and columns have no names here. Fit a data frame, or give "
            f"the number of the column, from 0 to {size - 1}: vectorizer.vocabulary_[term]."
        )
    near = difflib.get_close_matches(str(term), [str(name) for name in called], n=3)
    hint = f"; near it are {', '.join(map(repr, near))}" if near else ""
    accepted = "a number" if names is None else "a name, or a number"
    raise ValueError(
        f"term={term!r} is none of the {size:,} terms{hint}. Give {accepted} from 0 to {size - 1}."
    )
