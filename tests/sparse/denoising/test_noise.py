import numpy as np
import pytest

from lowdim.sparse.denoising.noise import NORMAL_MEDIAN, estimate_sigma
from lowdim.sparse.pictures.signals import Signal
from tests.sparse.pictures.examples import picture

# The least of 8 groups of 2000 patches is below sigma by chance. A variance from m independent
# numbers has the relative standard deviation sqrt(2 / m); patches that overlap count for about a
# third of them, so that sigma varies by 0.03, and the least of 8 by three times that at the most.
LEAST_OF_GROUPS = 0.1


@pytest.mark.parametrize("shape", [(20_000,), (150, 150), (100, 100, 3)])
def test_planted_noise_is_found(rng, shape):
    assert estimate_sigma(Signal(rng.normal(0, 7.0, shape))) == pytest.approx(7, rel=0.05)


def test_edges_do_not_count_much(rng):
    x = np.repeat([0.0, 200.0], 500) + rng.normal(0, 3, 1000)
    assert estimate_sigma(Signal(x)) == pytest.approx(3, rel=0.2)
    y = picture(rng, 128, 128).astype(float) + rng.normal(0, 10, (128, 128))
    assert estimate_sigma(Signal(y)) == pytest.approx(np.hypot(10, 2), rel=0.1)


@pytest.mark.parametrize("sigma", [2.0, 10.0, 40.0])
def test_texture_is_not_taken_for_noise(rng, sigma):
    y, x = np.mgrid[0:160, 0:160]
    waves = 100 + 40 * np.sin(1.9 * x + 0.3 * y) * (x > 50)  # nearly the finest details there are
    found = estimate_sigma(Signal(waves + rng.normal(0, sigma, x.shape)))
    assert found == pytest.approx(sigma, rel=LEAST_OF_GROUPS)


def test_grain_that_is_stronger_in_the_light_does_not_count(rng):
    brightness = np.linspace(20, 220, 160) * np.ones((160, 1))
    grain = rng.normal(0, 1, brightness.shape) * np.where(brightness > 80, 6.0, 2.0)
    assert estimate_sigma(Signal(brightness + grain)) == pytest.approx(2, rel=0.1)


def test_what_is_clipped_does_not_count(rng):
    y = np.linspace(-300, 500, 200)[:, None] + rng.normal(0, 20, (200, 200))
    found = estimate_sigma(Signal(np.clip(np.rint(y), 0, 255).astype(np.uint8)))
    assert found == pytest.approx(20, rel=LEAST_OF_GROUPS)
    assert estimate_sigma(Signal(np.clip(y[80], 0, 255))) == pytest.approx(20, rel=0.5)


def test_rounding_is_no_noise(rng):
    y, x = np.mgrid[0:100, 0:100]
    smooth = 100 + x * 0.731 + y * 0.377
    assert estimate_sigma(Signal(np.rint(smooth).astype(np.uint8))) < 0.3
    noisy = np.rint(smooth + rng.normal(0, 1, x.shape)).astype(np.uint8)
    assert estimate_sigma(Signal(noisy)) == pytest.approx(1, rel=0.1)


def test_drawings_have_none_around_their_edges():
    y, x = np.mgrid[0:120, 0:120]
    drawn = np.where((x - 60) ** 2 + (y - 50) ** 2 < 900, 200, 40) + 70 * (x + y > 170)
    assert estimate_sigma(Signal(drawn.astype(np.uint8))) == 0
    framed = np.full((160, 160), 77.0)
    framed[20:140, 20:140] = np.random.default_rng(0).normal(100, 9, (120, 120))
    assert estimate_sigma(Signal(framed)) == pytest.approx(9, rel=0.05)


@pytest.mark.parametrize("n", [60, 300, 3000])
def test_signals_of_any_length(rng, n):
    """Of a median of m details the relative standard deviation is 1.17 / sqrt(m), m = n / 2."""
    x = np.sin(np.arange(n) / 9.0) + rng.normal(0, 0.1, n)
    rel = 4 * 1.17 / np.sqrt(n / 2) if n == 60 else 3 / np.sqrt(n) + 0.1
    assert estimate_sigma(Signal(x)) == pytest.approx(0.1, rel=rel)


def test_five_numbers_give_the_order_of_magnitude(rng):
    """The median of a few details is at most the largest of them."""
    x = np.sin(np.arange(5) / 9.0) + rng.normal(0, 0.1, 5)
    assert 0 < estimate_sigma(Signal(x)) < 5 * 0.1 / NORMAL_MEDIAN


def test_a_flat_picture_has_none():
    assert estimate_sigma(Signal(np.full((20, 20), 5.0))) == pytest.approx(0, abs=1e-12)
    assert estimate_sigma(Signal(np.full(1, 5.0))) == pytest.approx(0, abs=1e-12)
