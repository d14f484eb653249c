"""Kinds of columns: where a decoder's numbers are, and values drawn from them."""

import numpy as np
import pytest

from lowdim.core.opening import as_blocks
from lowdim.deep.vae.likelihoods import Layout, Parameters, drawn, expected, kinds_of, levels_of

KINDS = ("poisson", "categorical", "gaussian", "categorical", "bernoulli")
LAYOUT = Layout(KINDS, (0, 3, 0, 2, 0))


def test_a_layout_knows_the_places_of_each_kind():
    np.testing.assert_array_equal(LAYOUT.plain, [0, 2, 4])
    np.testing.assert_array_equal(LAYOUT.of("categorical"), [1, 3])
    np.testing.assert_array_equal(LAYOUT.among_plain("bernoulli"), [2])
    assert (LAYOUT.n_levels, LAYOUT.n_out) == (3, 3 + 2 * 3)


def test_kinds_are_given_for_all_for_each_or_by_name():
    assert kinds_of("poisson", 2, None) == ("poisson", "poisson")
    assert kinds_of(list(KINDS), 5, None) == KINDS
    assert kinds_of({"b": "poisson", 0: "bernoulli"}, 2, ["a", "b"]) == ("bernoulli", "poisson")


def test_levels_are_one_more_than_the_largest():
    X = np.array([[1.0, 2.0], [np.nan, 0.0], [3.0, 1.0]])
    assert levels_of(as_blocks(X), ("categorical", "gaussian")) == (4, 0)
    assert levels_of(as_blocks(X), ("gaussian", "gaussian")) == (0, 0)


def test_draws_have_the_moments_they_are_drawn_with(rng):
    n = 40_000
    mean = np.tile([3.0, -1.0, 0.3], (n, 1))
    variance = np.tile([3.0, 4.0, 0.21], (n, 1))
    share = np.tile(np.array([[0.2, 0.7], [0.5, 0.3], [0.3, 0.0]]), (n, 1, 1))
    given = Parameters(mean, variance, share)
    X = drawn(LAYOUT, given, rng.random((n, 5)))
    np.testing.assert_allclose(X[:, [0, 2, 4]].mean(axis=0), mean[0], atol=0.05)
    np.testing.assert_allclose(X[:, [0, 2, 4]].var(axis=0), variance[0], rtol=0.05)
    for column, p in ((1, [0.2, 0.5, 0.3]), (3, [0.7, 0.3, 0.0])):
        np.testing.assert_allclose(
            np.bincount(X[:, column].astype(int), minlength=3) / n, p, atol=0.02
        )
    best, _ = expected(LAYOUT, given)
    np.testing.assert_array_equal(best[0], [3.0, 1.0, -1.0, 0.0, 0.3])


def test_a_kind_that_is_not_known_is_refused():
    with pytest.raises(ValueError, match="likelihood='beta' is not known"):
        kinds_of(["gaussian", "beta"], 2, None)
