"""Words with a vector each: what is found by name, and what numbers make no vectors."""

import numpy as np
import pytest

from lowdim import WordVectors


def test_counts_are_whole_where_they_can_be():
    vectors = np.eye(2)
    assert WordVectors(["a", "b"], vectors, [2.0, 1.0]).counts.dtype == np.int64
    assert WordVectors(["a", "b"], vectors, [2.5, 1.0]).counts.tolist() == [2.5, 1.0]
    assert WordVectors(["a", "b"], vectors).counts is None


def test_lists_and_arrays_in_any_order_are_taken():
    X = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    wv = WordVectors(("a", "b"), X)
    assert wv.vectors.flags.c_contiguous and wv["b"].tolist() == [3, 4, 5]
    assert WordVectors(["a"], [[1, 2]])["a"].tolist() == [1.0, 2.0]


def test_a_vector_far_down_with_nan_is_found():
    vectors = np.zeros((20_000, 1), np.float32)
    vectors[19_999] = np.inf
    with pytest.raises(ValueError, match=r"The vector of 'w19999' \(row 19999\)"):
        WordVectors([f"w{i}" for i in range(20_000)], vectors)


def test_warnings_point_to_the_line_of_the_user():
    wv = WordVectors(["a", "b"], np.eye(2))
    with pytest.warns(UserWarning, match="left out") as seen:
        wv.doesnt_match(["a", "b", "no"])
    assert seen[0].filename == __file__
