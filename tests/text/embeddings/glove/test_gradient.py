"""Full gradient descent."""

import numpy as np
import pytest

from lowdim.linalg.entries import positive_entries
from lowdim.text.embeddings.glove.gradient import Point, descended, field
from lowdim.text.embeddings.glove.objective import Vectors, weighted_pairs
from tests.text.embeddings.examples import numeric_gradient, poisson_counts


def some(rng):
    pairs = weighted_pairs(positive_entries(poisson_counts(rng, 5, 4)), 40.0, 0.75, "power")
    return pairs, Vectors(*(rng.normal(size=s) for s in ((5, 2), (4, 2), (5,), (4,))))


@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
def test_the_gradient_is_that_of_h(rng, bias):
    pairs, at = some(rng)
    H = field(pairs, 0.3, bias)
    found = H.gradient(at)
    for k, name in enumerate(Vectors._fields):
        expected = numeric_gradient(
            lambda x, name=name: H.objective(at._replace(**{name: x})), at[k]
        )
        if not bias and k > 1:
            expected = np.zeros_like(expected)
        np.testing.assert_allclose(found[k], expected, rtol=1e-5, atol=1e-6)


def test_a_small_step_is_against_the_gradient(rng):
    pairs, at = some(rng)
    H = field(pairs, 0.0, True)
    slope = H.gradient(at)
    after = descended(H, Point(at, 1e-6, H.objective(at)))
    assert after.rate == 1e-6
    for x, g, new in zip(at, slope, after.at, strict=True):
        np.testing.assert_allclose(new, x - 1e-6 * g, rtol=1e-12)


def test_a_rate_that_is_too_large_is_halved(rng):
    pairs, at = some(rng)
    H = field(pairs, 0.0, True)
    point = Point(at, 1e6, H.objective(at))
    for _ in range(5):
        after = descended(H, point)
        assert after.objective <= point.objective
        point = after
    assert point.rate < 1.0
