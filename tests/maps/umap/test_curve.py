"""The curve of UMAP's map, and tables of its forces."""

import numpy as np
import pytest

from lowdim.maps.umap.curve import (
    ENTRIES,
    LONGEST,
    Curve,
    attraction,
    coefficients,
    entries,
    fitted_curve,
    losses,
    repulsion,
    similarity,
    table_middles,
)

CURVE = Curve(1.5769, 0.8951)
# of scipy.optimize.curve_fit on the same 300 points, as umap-learn has them
FITTED = {
    (0.1, 1.0): (1.57694, 0.89506),
    (0.0, 1.0): (1.93281, 0.79049),
    (0.5, 1.0): (0.58303, 1.33417),
    (0.99, 1.0): (0.11931, 1.91639),
    (0.001, 0.5): (5.77630, 0.79251),
    (0.25, 5.0): (0.11640, 0.84206),
}


@pytest.mark.parametrize("asked", FITTED, ids=str)
def test_a_and_b_are_those_of_least_squares(asked):
    np.testing.assert_allclose(fitted_curve(*asked), FITTED[asked], atol=2e-5)


@pytest.mark.parametrize("spread", [1e-3, 1.0, 1e3])
def test_the_curve_scales_with_spread(spread):
    plain, scaled = fitted_curve(0.1, 1.0), fitted_curve(0.1 * spread, spread)
    assert scaled.b == pytest.approx(plain.b, rel=1e-6)
    assert scaled.a * spread ** (2 * scaled.b) == pytest.approx(plain.a, rel=1e-6)


def test_forces_are_slopes_of_the_losses(rng):
    y, h = rng.uniform(0.5, 3.0, 50), 1e-6
    near, far = (
        (up - down) / (2 * h)
        for up, down in zip(losses((y + h) ** 2, CURVE), losses((y - h) ** 2, CURVE), strict=True)
    )
    np.testing.assert_allclose(-attraction(y**2, CURVE) * y, near, rtol=1e-6)
    # 0.001 is added to d^2 where it divides
    pushed = repulsion(y**2, CURVE) * y * (y**2 + 1e-3) / y**2
    np.testing.assert_allclose(-pushed, far, rtol=1e-6)
    np.testing.assert_allclose(repulsion(y**2, CURVE, 3.0), 3.0 * repulsion(y**2, CURVE))


def test_losses_are_logarithms_of_similarities():
    near, far = losses(np.array([0.0, 1.0]), CURVE)
    assert np.isfinite(far).all()
    w = similarity(1.0, CURVE)
    assert w == pytest.approx(1 / 2.5769)
    np.testing.assert_allclose([near[1], far[1]], [-np.log(w), -np.log(1 - w)])


def test_losses_keep_their_digits_where_the_similarity_rounds_to_1():
    curve = Curve(0.1, 2.0)  # as with min_dist near spread
    assert similarity(1e-10, curve) == 1.0
    near, far = losses(np.array([1e-10, 0.0]), curve)
    power = np.array([0.1 * 1e-20, 0.1 * 1e-24])
    np.testing.assert_allclose(far, -np.log(power), rtol=1e-14)
    np.testing.assert_allclose(near, power, atol=1e-15)


def test_tables_hold_every_float32(rng):
    squared = np.exp(rng.uniform(-60, 60, 5000)).astype(np.float32)
    middle = table_middles()[entries(squared)]
    np.testing.assert_allclose(middle, squared, rtol=1 / 64)
    extremes = np.array([0.0, 1e-45, np.finfo(np.float32).max, np.inf], dtype=np.float32)
    assert entries(extremes).max() < ENTRIES and np.isfinite(table_middles()).all()


def test_forces_of_the_tables_are_those_of_the_curve_and_never_too_long(rng):
    tables = coefficients(CURVE, 1.0)
    d = np.exp(rng.uniform(-6, 4, 1000)).astype(np.float32)
    place = entries(d * d)
    assert (np.abs(tables.attraction[place]) * d).max() <= LONGEST * 1.02
    assert (tables.repulsion[place] * d).max() <= LONGEST * 1.02
    pull = np.maximum(attraction(d * d, CURVE), -LONGEST / d)
    push = np.minimum(repulsion(d * d, CURVE), LONGEST / d)
    np.testing.assert_allclose(tables.attraction[place], pull, rtol=0.02)
    np.testing.assert_allclose(tables.repulsion[place], push, rtol=0.02)
