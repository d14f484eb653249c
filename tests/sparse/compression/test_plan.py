import numpy as np
import pytest

from lowdim.sparse.compression import plan as plans
from lowdim.sparse.compression.plan import Plan, from_steps, quantised
from lowdim.sparse.pictures.signals import Signal
from tests.sparse.pictures.examples import picture


@pytest.mark.parametrize("color", ["rgb", "ycc", "opponent"])
@pytest.mark.parametrize("kind", ["bior2.2", "dct"])
def test_tiles_come_back(rng, monkeypatch, color, kind):
    monkeypatch.setattr(plans, "TILE", 64)
    signal = Signal(picture(rng, 70, 150, channels=4))
    plan = Plan((70, 150, 4), kind, 2 if kind != "dct" else None, 8, color)
    assert len(plan.tiles()) == 6
    for tile in plan.tiles():
        again = plan.synthesize(tile, plan.analyze(signal, tile))
        assert np.allclose(again, signal.planes(tile), atol=1e-9)


def test_an_error_of_one_step_weighs_the_same_everywhere(rng):
    """Planes and bands are divided by what their errors weigh in the picture."""
    signal = Signal(picture(rng, 64, 64, channels=3))
    plan = Plan((64, 64, 3), "bior3.3", 2, None, "ycc")
    (tile,) = plan.tiles()
    numbers = [[np.zeros(s, int) for s in t.shapes] for t in plan.transforms(tile)]
    for plane in range(3):
        for band in range(7):
            h, w = numbers[plane][band].shape
            numbers[plane][band][h // 2, w // 2] = 1
            planes = plan.synthesize(tile, from_steps(plan, tile, numbers, 5.0))
            assert np.linalg.norm(planes) == pytest.approx(5.0, rel=1e-6)
            numbers[plane][band][h // 2, w // 2] = 0
    assert signal.channels == plan.channels


def test_there_is_a_dead_zone(rng):
    plan = Plan((8,), "identity", None, None, "rgb")
    (tile,) = plan.tiles()
    z = np.array([[0.0, 6.5, 6.7, -6.7, 16.5, 16.7, -26.0, 3.0]])
    numbers = quantised(plan, tile, [[z]], 10.0)[0][0]
    assert numbers.tolist() == [[0, 0, 1, -1, 1, 2, -2, 0]]
