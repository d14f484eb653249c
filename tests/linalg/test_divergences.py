"""js_divergence: closed forms, SciPy's distance, its properties, and the door."""

import numpy as np
import pytest
from scipy.spatial.distance import jensenshannon

from lowdim.linalg import js_divergence


def test_golden_values():
    assert js_divergence([1.0, 0.0], [0.0, 1.0]) == pytest.approx(np.log(2), rel=1e-15)
    assert js_divergence([0.3, 0.7], [0.3, 0.7]) == 0.0
    # p = (1, 0), q = (1/2, 1/2): m = (3/4, 1/4)
    expected = 0.5 * np.log(4 / 3) + 0.25 * np.log(2 / 3) + 0.25 * np.log(2)
    assert js_divergence([1.0, 0.0], [0.5, 0.5]) == pytest.approx(expected, rel=1e-14)
    assert isinstance(js_divergence([1.0, 0.0], [0.5, 0.5]), float)


def test_it_is_the_square_of_scipys_distance_for_each_row(rng):
    P, Q = rng.dirichlet(np.ones(7), size=5), rng.dirichlet(np.full(7, 0.3), size=5)
    found = js_divergence(P, Q)
    np.testing.assert_allclose(found, jensenshannon(P, Q, axis=1) ** 2, rtol=1e-10)
    np.testing.assert_allclose(found, js_divergence(Q, P), rtol=1e-13)
    one = js_divergence(P, Q[0])
    np.testing.assert_allclose(one, [js_divergence(p, Q[0]) for p in P], rtol=1e-13)


def test_single_precision_is_accepted_and_close_ones_are_not_negative(rng):
    p = rng.dirichlet(np.ones(1000)).astype(np.float32)
    q = (p * (1 + 1e-7 * rng.normal(size=1000))).astype(np.float32)
    assert 0.0 <= js_divergence(p, q) < 1e-12


@pytest.mark.parametrize(
    ("p", "q", "message"),
    [
        ([0.5, 0.6], [0.5, 0.5], r"p adds up to 1\.1; .* Divide p by its sum"),
        ([0.5, 0.5], [1.5, -0.5], r"q has the value -0\.5; probabilities are 0 or more"),
        ([0.5, 0.5], [1.0], r"p has shape \(2,\) and q has shape \(1,\)"),
        ([[1.0], [1.0]], [[1.0], [1.0], [1.0]], "as many rows, or one distribution"),
        ([np.nan, 1.0], [0.5, 0.5], "p "),
    ],
)
def test_what_is_no_distribution_is_refused(p, q, message):
    with pytest.raises(ValueError, match=message):
        js_divergence(p, q)
