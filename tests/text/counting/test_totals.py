"""Sums over documents add up, and filters apply to them."""

import numpy as np
import pytest

from lowdim.text.counting.totals import Filters, Seen, added, chosen_terms, seen_nothing


def seen(n, **terms):
    documents, occurrences = np.array(list(terms.values()), dtype=np.int64).reshape(-1, 2).T.copy()
    return Seen(list(terms), documents, occurrences, n)


def columns(found, *how):
    return [found.terms[i] for i in chosen_terms(found, *how)]


def filters(max_df=1.0, min_df=1, max_features=None):
    return Filters(max_df, min_df, max_features, np.int64)


def test_what_parts_add_up():
    both = added(seen(3, a=(2, 5), b=(1, 1)), seen(2, c=(1, 4), a=(1, 1)))
    assert both.terms == ["a", "b", "c"]
    assert both.documents.tolist() == [3, 1, 1] and both.occurrences.tolist() == [6, 1, 4]
    assert both.n_documents == 5
    again = added(seen_nothing(), both)
    assert again.terms == both.terms and again.documents.tolist() == [3, 1, 1]


def test_columns_are_in_the_order_of_the_terms():
    assert columns(seen(2, b=(1, 1), a=(2, 2)), filters(), False) == ["a", "b"]


def test_filters_apply_to_sums():
    both = seen(10, a=(1, 9), b=(5, 5), c=(10, 10))
    assert columns(both, filters(min_df=2), False) == ["b", "c"]
    assert columns(both, filters(max_df=0.5), False) == ["a", "b"]
    assert columns(both, filters(max_features=2), False) == ["a", "c"]
    assert columns(both, filters(max_features=2), True) == ["b", "c"]


def test_an_error_says_which_filter_left_nothing():
    with pytest.raises(ValueError, match=r"1 are in fewer than 3 documents.*1 in more than 5"):
        columns(seen(10, a=(1, 9), b=(6, 6)), filters(min_df=3, max_df=0.5), False)
    with pytest.raises(ValueError, match="max_df corresponds to < documents than min_df"):
        columns(seen(10, a=(1, 9)), filters(min_df=3, max_df=1), False)
