"""What distances should be: each transformation is the best fit within its cone."""

import numpy as np
import pytest
from scipy.optimize import minimize, nnls

from lowdim.maps.mds.transformations import (
    Curve,
    add_powers,
    disparities_at,
    isotonic,
    powers,
    rising_splines,
    sized,
    sum_powers,
    transformation_of,
)

KINDS = [
    ("interval", "secondary"),
    ("spline", "secondary"),
    ("ordinal", "primary"),
    ("ordinal", "secondary"),
    ("ordinal", "tertiary"),
]


def sorted_pairs(rng, p=60, ties=False):
    """Sorted dissimilarities, weights and distances."""
    x = rng.integers(1, 8, size=p).astype(float) if ties else rng.random(p) + 0.1
    return np.sort(x), rng.uniform(0.5, 2.0, size=p), rng.random(p) + 0.05


# ---- worked by hand ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ties", "expected"),
    [
        ("primary", [1.0, 4.0, 2.0, 5.0]),  # in the order of their distances: nothing to pool
        ("secondary", [1.0, 3.0, 3.0, 5.0]),
        ("tertiary", [1.0, 4.0, 2.0, 5.0]),  # means 1, 3, 5 are in order
    ],
)
def test_ties_of_four_pairs(ties, expected):
    x, d = np.array([1.0, 2.0, 2.0, 3.0]), np.array([1.0, 4.0, 2.0, 5.0])
    f = transformation_of("ordinal", ties, x, np.ones(1)).fitted(d)
    np.testing.assert_allclose(f, sized(np.array(expected), np.ones(1)), rtol=1e-14)


def test_isotonic_pools_what_is_out_of_order():
    np.testing.assert_allclose(isotonic(np.array([1.0, 3.0, 2.0]), np.ones(1)), [1.0, 2.5, 2.5])
    pooled = isotonic(np.array([3.0, 0.0]), np.array([1.0, 2.0]))
    np.testing.assert_allclose(pooled, [1.0, 1.0])


def test_interval_of_a_line_is_the_line():
    x = np.array([1.0, 2.0, 4.0])
    f = transformation_of("interval", "secondary", x, np.ones(1)).fitted(3.0 + 2.0 * x)
    np.testing.assert_allclose(f, sized(3.0 + 2.0 * x, np.ones(1)), rtol=1e-9)


def test_interval_never_falls():
    x = np.array([1.0, 2.0, 3.0])
    f = transformation_of("interval", "secondary", x, np.ones(1)).fitted(np.array([3.0, 2.0, 1.0]))
    np.testing.assert_allclose(f, 1.0, rtol=1e-9)


# ---- the derivation ------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "ties"), KINDS)
@pytest.mark.parametrize("tied", [False, True])
def test_the_size_is_fixed_and_no_fit_within_the_cone_is_nearer(rng, name, ties, tied):
    x, w, d = sorted_pairs(rng, ties=tied)
    transformation = transformation_of(name, ties, x, w)
    f = transformation.fitted(d)
    np.testing.assert_allclose(w @ f**2, w.sum(), rtol=1e-10)
    # the best of a cone, at its best length c f, is at right angles to the rest of d
    c = w @ (f * d) / w.sum()
    np.testing.assert_allclose(w @ (f * (d - c * f)), 0.0, atol=1e-8 * w.sum())
    for _ in range(5):  # what other distances would ask for is in the cone, too
        other = transformation.fitted(rng.random(len(d)))
        assert w @ (f - d) ** 2 <= w @ (other - d) ** 2 + 1e-9


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("ties", ["primary", "secondary", "tertiary"])
def test_ordinal_keeps_the_order(rng, ties, tied):
    x, w, d = sorted_pairs(rng, ties=tied)
    f = transformation_of("ordinal", ties, x, w).fitted(d)
    groups = np.unique(x)
    low = np.array([f[x == g].min() for g in groups])
    high = np.array([f[x == g].max() for g in groups])
    means = np.array([np.average(f[x == g], weights=w[x == g]) for g in groups])
    assert np.all(np.diff(means) >= -1e-12)
    if ties != "tertiary":
        assert np.all(high[:-1] <= low[1:] + 1e-12)
    if ties == "secondary":
        np.testing.assert_allclose(low, high, rtol=1e-12)


def test_rising_splines_rise_and_span_all_that_do(rng):
    knots = np.array([0.3, 0.5])
    x = np.linspace(0.0, 1.0, 401)
    basis = powers(x, knots) @ rising_splines(knots).T
    assert basis.shape == (401, 5)
    assert np.all(np.diff(basis, axis=0) >= -1e-14)
    np.testing.assert_allclose(basis[-1], 1.0)
    np.testing.assert_allclose(basis[0], [1.0, 0.0, 0.0, 0.0, 0.0], atol=1e-14)
    slopes = rng.random(4)  # of any rising one, at 0, the knots and 1
    target = np.cumsum(np.interp(x, [0.0, *knots, 1.0], slopes)) / 400
    rest = nnls(basis, target)[1]
    assert rest < 2e-2 * np.linalg.norm(target)  # the sum is an integral to 1/400


def test_smooth_is_the_least_squares_fit_of_its_basis(rng):
    x, w, d = sorted_pairs(rng, p=200)
    f = transformation_of("spline", "secondary", x, w).fitted(d)
    scaled = (x - x[0]) / (x[-1] - x[0])
    knots = np.quantile(scaled, [1 / 3, 2 / 3])
    basis = powers(scaled, knots) @ rising_splines(knots).T
    root = np.sqrt(w)
    best, _ = nnls(root[:, None] * basis, root * d)
    np.testing.assert_allclose(f, sized(basis @ best, w), rtol=1e-6)


def test_few_distinct_dissimilarities_have_a_spline(rng):
    for x in (np.full(6, 2.0), np.repeat([1.0, 2.0], 3)):
        f = transformation_of("spline", "secondary", x, np.ones(1)).fitted(rng.random(6) + x)
        assert np.isfinite(f).all()
        assert np.all(np.diff(f) >= -1e-9)


@pytest.mark.parametrize(("name", "ties"), KINDS)
def test_the_curve_gives_the_disparities_of_the_pairs(rng, name, ties):
    x, w, d = sorted_pairs(rng, p=300)
    transformation = transformation_of(name, ties, x, w)
    f, curve = transformation.fitted(d), transformation.curve(d)
    np.testing.assert_allclose(disparities_at(curve, x), f, atol=2e-6 * f.max())
    beyond = disparities_at(curve, np.array([x[0] / 2, 2 * x[-1]]))
    assert beyond[0] <= f[0] + 1e-9
    assert beyond[1] >= f[-1] - 1e-9


def test_a_curve_is_straight_between_and_beyond_its_knots():
    curve = Curve(np.array([1.0, 2.0]), np.array([1.0, 3.0]), np.array([2.0, 0.0]))
    np.testing.assert_allclose(
        disparities_at(curve, np.array([0.0, 0.5, 1.5, 9.0])), [0.0, 0.0, 2.0, 3.0]
    )


def test_stress_with_the_best_disparities_has_the_gradient_at_fixed_ones(rng):
    """The envelope theorem: what lets one search serve all transformations."""
    x, w, d = sorted_pairs(rng)
    for name, ties in KINDS:
        transformation = transformation_of(name, ties, x, w)

        def sigma(d, transformation=transformation):
            return w @ (transformation.fitted(d) - d) ** 2

        gradient = 2 * w * (d - transformation.fitted(d))
        step = 1e-6 * rng.normal(size=len(d))
        np.testing.assert_allclose(
            sigma(d + step) - sigma(d - step), 2 * gradient @ step, rtol=1e-2, atol=1e-10
        )


def test_kernels_are_their_plain_loops(rng):
    x, w, d = sorted_pairs(rng)
    knots, coefficients = np.array([0.3, 0.6]), rng.normal(size=5)
    values, sums = np.empty_like(x), np.zeros(5)
    add_powers(x, knots, coefficients, values)
    np.testing.assert_allclose(values, powers(x, knots) @ coefficients, rtol=1e-12)
    sum_powers(x, d, w, knots, sums)
    np.testing.assert_allclose(sums, powers(x, knots).T @ (w * d), rtol=1e-12)


def test_a_general_optimizer_finds_no_better_interval(rng):
    x, _, d = sorted_pairs(rng, p=40)
    f = transformation_of("interval", "secondary", x, np.ones(1)).fitted(d)

    def stress(c):
        g = sized(np.maximum(c[0] ** 2 + c[1] ** 2 * (x - x[0]), 0.0), np.ones(1))
        return ((g - d) ** 2).sum()

    best = min(minimize(stress, rng.normal(size=2)).fun for _ in range(3))
    assert ((f - d) ** 2).sum() <= best + 1e-7
