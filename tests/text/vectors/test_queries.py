"""Cosines with a query, and the best of them: against sorting."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lowdim.text.vectors import queries


def test_the_best_scores_are_what_sorting_gives(rng):
    scores = rng.integers(0, 5, size=40).astype(np.float32)  # many are equal
    for n in (1, 3, 17, 40, 100):
        left_out = rng.integers(0, 40, size=3).tolist()
        order = [i for i in np.argsort(-scores, kind="stable") if i not in left_out]
        assert_array_equal(queries.best(scores, n, left_out), order[:n])


def test_nothing_is_left_to_choose_from():
    assert len(queries.best(np.ones(2), 3, [0, 1])) == 0
    assert len(queries.best(np.ones(0), 3)) == 0


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_lengths_neither_overflow_nor_vanish(dtype, scale):
    X = (np.array([[3, 4], [0, 0], [1, 0]]) * scale).astype(dtype)
    assert_allclose(queries.lengths(X) / scale, [5, 0, 1], rtol=1e-6)
    assert_allclose(queries.unit_rows(X), [[0.6, 0.8], [0, 0], [1, 0]], rtol=1e-6)
    assert queries.unit_rows(X).dtype == dtype


def test_rows_of_zeros_are_like_nothing():
    X = np.array([[0.0, 0.0], [2.0, 0.0]])
    assert_array_equal(queries.cosines(X, queries.lengths(X), np.array([1.0, 0.0])), [0, 1])


def test_a_step_to_the_word_itself_has_no_direction():
    cosine = np.array([1.0, 0.0])
    assert_array_equal(queries.pair_direction(np.array([0.3, 0.7]), 0.3, cosine)[0], 0.0)


def test_one_or_several_things_are_a_list():
    x = np.ones(3)
    assert queries.as_list(None) == [] and queries.as_list("ab") == ["ab"]
    assert queries.as_list(x)[0] is x and len(queries.as_list(np.ones((2, 3)))) == 2
    assert queries.as_list(("a", "b")) == ["a", "b"]
    assert queries.as_list(("a", 0.5)) == [("a", 0.5)]
    assert queries.with_weight(("a", 0.5), 1.0) == ("a", 0.5)
    assert queries.with_weight("a", -1.0) == ("a", -1.0)
