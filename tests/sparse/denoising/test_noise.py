import numpy as np
import pytest

from lowdim.sparse.denoising.noise import estimate_sigma
from lowdim.sparse.pictures.signals import Signal
from tests.sparse.pictures.examples import picture


@pytest.mark.parametrize("shape", [(20_000,), (150, 150), (100, 100, 3)])
def test_planted_noise_is_found(rng, shape):
    assert estimate_sigma(Signal(rng.normal(0, 7.0, shape))) == pytest.approx(7, rel=0.05)


def test_edges_do_not_count_much(rng):
    x = np.repeat([0.0, 200.0], 500) + rng.normal(0, 3, 1000)
    assert estimate_sigma(Signal(x)) == pytest.approx(3, rel=0.2)
    y = picture(rng, 128, 128).astype(float) + rng.normal(0, 10, (128, 128))
    assert estimate_sigma(Signal(y)) == pytest.approx(np.hypot(10, 2), rel=0.1)


def test_a_flat_picture_has_none():
    assert estimate_sigma(Signal(np.full((20, 20), 5.0))) == pytest.approx(0, abs=1e-12)
    assert estimate_sigma(Signal(np.full(1, 5.0))) == pytest.approx(0, abs=1e-12)
