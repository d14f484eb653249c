"""A discriminator comes near to the best one, and knows when it knows nothing."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy.integrate import quad
from scipy.stats import norm

import lowdim
from lowdim.selection.samples.discriminator import deal, tell_apart


def js_of(p, q):
    """Jensen and Shannon's divergence of two densities of one number, in nats."""

    def against(a, x):
        return a(x) * np.log(2 * a(x) / (p(x) + q(x))) / 2

    return quad(lambda x: against(p, x) + against(q, x), -12, 12)[0]


@pytest.mark.parametrize(("mean", "sd"), [(2.0, 1.0), (0.0, 4.0)])
def test_accuracy_and_bound_are_near_those_of_the_best_discriminator(rng, mean, sd):
    p, q = norm(0, 1).pdf, norm(mean, sd).pdf
    x = np.linspace(-30, 30, 60_001)
    best = np.maximum(p(x), q(x)).sum() * (x[1] - x[0]) / 2
    told = tell_apart(rng.normal(size=(500, 1)), rng.normal(mean, sd, size=(500, 1)), rng)
    assert told.accuracy == pytest.approx(best, abs=0.07)
    assert 0.5 * js_of(p, q) < told.js < js_of(p, q) + 0.05


@pytest.mark.parametrize("n", [10, 20, 30])
def test_few_rows_that_lie_apart_are_told_apart(n, rng):
    found = tell_apart(rng.normal(size=(n, 3)), rng.normal(size=(n, 3)) + 5.0, rng)
    assert found.accuracy > 0.8
    alike = [tell_apart(*rng.normal(size=(2, n, 3)), rng).accuracy for _ in range(8)]
    assert 0.3 < np.mean(alike) < 0.7


def test_a_correlation_is_seen(rng):
    z = rng.normal(size=(400, 1))
    together = z + 0.3 * rng.normal(size=(400, 2))
    apart = np.column_stack([rng.permutation(column) for column in together.T])
    assert tell_apart(together, apart, rng).accuracy > 0.65


def test_equal_distributions_are_not_told_apart(rng):
    told = tell_apart(rng.normal(size=(300, 3)), rng.normal(size=(250, 3)), rng)
    assert told.accuracy == pytest.approx(0.5, abs=0.1)
    assert told.js < 0.02


def test_copies_are_not_told_apart(rng):
    X = rng.normal(size=(80, 2))
    X[::3, 0] = np.nan
    assert tell_apart(X, X[::-1], rng) == (0.5, 0.0)
    assert tell_apart(np.ones((20, 2)), np.ones((20, 2)), rng) == (0.5, 0.0)


def test_holes_tell_if_their_patterns_differ(rng):
    X, Y = rng.normal(size=(2, 300, 2))
    X[rng.random(300) < 0.5, 0] = np.nan
    assert tell_apart(X, Y, rng).accuracy > 0.65
    Y[rng.random(300) < 0.5, 0] = np.nan
    assert tell_apart(X, Y, rng).accuracy == pytest.approx(0.5, abs=0.12)


def test_folds_have_as_many_of_each_and_equal_rows_together(rng):
    X = np.vstack([rng.normal(size=(50, 2)), rng.normal(size=(50, 2))])
    is_real = np.repeat([True, False], 50)
    fold = deal(X, is_real, rng)
    assert_array_equal(np.bincount(fold[is_real]), 10)
    assert_array_equal(np.bincount(fold[~is_real]), 10)
    same = deal(np.vstack([X[:50], X[:50]]), is_real, rng)
    assert_array_equal(same[:50], same[50:])


def test_threads_change_nothing(seed):
    X, Y = np.random.default_rng(seed).normal(size=(2, 60, 2))
    found = []
    for threads in (1, 2):
        with lowdim.config_context(threads=threads):
            found.append(tell_apart(X, Y + 1, np.random.default_rng(seed)))
    assert found[0] == found[1]
