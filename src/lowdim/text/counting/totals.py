"""What all documents have together, and which terms become columns.

    Seen            how many documents have each term, and how often all do: sums, which add up
    chosen_terms    the terms that pass the filters, in alphabetical order

The filters are applied to the sums: so documents may come in any number of parts.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any, NamedTuple

import numpy as np


class Seen(NamedTuple):
    """What documents add up."""

    terms: list[Any]  # all different
    documents: np.ndarray  # int64 (terms,): how many documents have it
    occurrences: np.ndarray  # int64 (terms,): how often it was seen
    n_documents: int


class Filters(NamedTuple):
    """The arguments of a vectorizer that choose terms."""

    max_df: float
    min_df: float
    max_features: int | None
    dtype: Any  # of the matrix, in which counts are compared


def seen_nothing() -> Seen:
    return Seen([], np.zeros(0, np.int64), np.zeros(0, np.int64), 0)


def added(left: Seen, right: Seen) -> Seen:
    """What two parts of the documents add up; terms keep the positions of the left part."""
    position = {term: i for i, term in enumerate(left.terms)}
    place = np.array(
        [position.setdefault(term, len(position)) for term in right.terms], dtype=np.int64
    )
    documents, count = (
        np.concatenate([sums, np.zeros(len(position) - len(sums), np.int64)])
        for sums in (left.documents, left.occurrences)
    )
    documents[place] += right.documents
    count[place] += right.occurrences
    return Seen(list(position), documents, count, left.n_documents + right.n_documents)


def chosen_terms(
    seen: Seen, filters: Filters, binary: bool, may_be_none: bool = False
) -> np.ndarray:
    """The positions of the terms that pass the filters, in the order of the terms.

    If none passes, raises an error that says why, unless there may be none: more documents come.
    """
    order = np.array(sorted(range(len(seen.terms)), key=seen.terms.__getitem__), dtype=np.int64)
    if not may_be_none:
        _check_some_pass(seen, filters)
    return order[_pass(seen, order, filters, binary)]


def _limits(seen: Seen, filters: Filters) -> tuple[Any, Any]:
    """At most and at least so many documents."""
    most, least = (
        x if isinstance(x, Integral) else x * seen.n_documents
        for x in (filters.max_df, filters.min_df)
    )
    return most, least


def _check_some_pass(seen: Seen, filters: Filters) -> None:
    n, (most, least) = seen.n_documents, _limits(seen, filters)
    if most < least:
        raise ValueError(
            "max_df corresponds to < documents than min_df: "
            f"max_df={filters.max_df} of {n} documents are {most:g}, min_df={filters.min_df} "
            f"are {least:g}."
        )
    few, many = seen.documents < least, seen.documents > most
    if (few | many).all():
        raise ValueError(
            "After pruning, no terms remain. Try a lower min_df or a higher max_df. Of "
            f"{len(few)} terms, {few.sum()} are in fewer than {least:g} documents "
            f"(min_df={filters.min_df}) and {many.sum()} in more than {most:g} "
            f"(max_df={filters.max_df})."
        )


def _pass(seen: Seen, order: np.ndarray, filters: Filters, binary: bool) -> np.ndarray:
    documents, (most, least) = seen.documents[order], _limits(seen, filters)
    passed = (documents >= least) & (documents <= most)
    limit = filters.max_features
    if limit is not None and passed.sum() > limit:
        count = documents if binary else seen.occurrences[order]
        # the dtype and the sort of scikit-learn: of terms that are equally frequent, its choice
        frequent = (-count[passed].astype(_sum_dtype(filters.dtype))).argsort()[:limit]
        kept = np.flatnonzero(passed)[frequent]
        passed[:] = False
        passed[kept] = True
    return passed


def _sum_dtype(dtype: Any) -> np.dtype:
    return np.zeros(1, dtype=dtype).sum().dtype
