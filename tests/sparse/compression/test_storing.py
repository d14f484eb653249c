import numpy as np
import pytest

from lowdim.sparse.compression import plan as plans
from lowdim.sparse.compression.plan import Plan
from lowdim.sparse.compression.selecting import threshold_rule
from lowdim.sparse.compression.storing import Coefficient, by_rule, by_step, error_at
from lowdim.sparse.pictures.signals import Signal
from tests.sparse.pictures.examples import picture


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32])
def test_the_error_is_that_of_what_comes_back(rng, monkeypatch, dtype):
    monkeypatch.setattr(plans, "TILE", 64)
    x = picture(rng, 90, 70, channels=3, dtype=dtype)
    signal, plan = Signal(x), Plan(x.shape, "bior4.4", 2, None, "ycc")
    step = 0.05 * (1 if dtype == np.float32 else np.iinfo(dtype).max)
    source = Coefficient(plan, signal, {})
    for found in (by_step(signal, plan, step, source), by_rule(signal, plan, threshold_rule(step))):
        again = found.reconstruct()
        assert again.dtype == dtype
        error = np.sum((again.astype(float) - x) ** 2)
        assert found.error == pytest.approx(error, rel=1e-9)
        assert found.energy_kept == pytest.approx(1 - error / np.sum(x.astype(float) ** 2))
    assert error_at(signal, plan, step, source) == pytest.approx(
        by_step(signal, plan, step, source).error, rel=1e-5
    )


def test_coefficients_of_one_tile_are_kept(rng):
    plan = Plan((20, 20), "haar", 2, None, "ycc")
    source = Coefficient(plan, Signal(picture(rng, 20, 20)), {})
    (tile,) = plan.tiles()
    assert source.of(0, tile) is source.of(0, tile)
