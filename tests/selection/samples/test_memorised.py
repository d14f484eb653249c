"""Copies are told from honest draws."""

import numpy as np
import pytest

from lowdim.selection.samples.memorised import memorised


def test_honest_draws_are_as_near_to_both(rng):
    training, held_out, fake = rng.normal(size=(3, 500, 3))
    assert memorised(training, held_out, fake) == pytest.approx(0.5, abs=0.12)
    assert memorised(training, held_out[:100], fake) == pytest.approx(0.5, abs=0.2)


def test_copies_are_near_to_training_rows(rng):
    training, held_out = rng.normal(size=(2, 100, 3)) + 100
    assert memorised(training, held_out, training) == 1.0
    assert memorised(training, held_out, held_out) == 0.0
    assert memorised(training, held_out, training + rng.normal(0, 0.01, (100, 3))) > 0.9


def test_equal_distances_count_half():
    same = np.ones((10, 2))
    assert memorised(same, same, np.zeros((5, 2))) == 0.5
