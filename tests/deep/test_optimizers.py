"""How the learning rate changes from step to step."""

from itertools import pairwise

import numpy as np
import pytest

from lowdim.deep.learner import Settings
from lowdim.deep.optimizers import rate_at


def test_it_rises_over_the_warm_up_and_then_follows_its_schedule():
    settings = Settings(learning_rate=0.5, warm_up=4, schedule="cosine")
    rates = [rate_at(settings, step, 104) for step in range(105)]
    np.testing.assert_allclose(rates[:5], [0.125, 0.25, 0.375, 0.5, 0.5])
    assert rates[54] == pytest.approx(0.25) and rates[104] == pytest.approx(0.0, abs=1e-15)
    assert all(a >= b for a, b in pairwise(rates[4:]))
    assert rate_at(settings._replace(schedule="constant"), 80, 104) == 0.5
    fell = settings._replace(schedule="invscaling", warm_up=0, power_t=0.5)
    assert rate_at(fell, 3, 104) == pytest.approx(0.25)
