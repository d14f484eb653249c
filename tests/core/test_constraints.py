"""Constraints accept what they name, refuse the rest, and say in words what is accepted."""

import numpy as np
import pytest

from lowdim.core import constraints
from lowdim.core.constraints import (
    AT_LEAST_0,
    AT_LEAST_1,
    NOT_NEGATIVE,
    POSITIVE,
    RANDOM_STATE,
)

TRIED = [-1, 0, 1, np.int64(2), -0.5, 0.0, 0.5, np.float32(3), np.nan, np.inf, "1", None, [1]]


@pytest.mark.parametrize(
    ("constraint", "accepted"),
    [
        (AT_LEAST_0, [0, 1, 2]),
        (AT_LEAST_1, [1, 2]),
        (NOT_NEGATIVE, [0, 1, 2, 0.0, 0.5, 3]),
        (POSITIVE, [1, 2, 0.5, 3]),
    ],
)
def test_numbers_within_the_bounds_are_accepted(constraint, accepted):
    found = [value for value in TRIED if constraint.is_satisfied_by(value)]
    assert found == accepted


def test_messages_say_what_is_accepted():
    assert str(AT_LEAST_1) == "an int in the range [1, inf)"
    assert str(POSITIVE) == "a float in the range (0.0, inf)"


def test_a_generator_is_a_random_state():
    assert RANDOM_STATE == ["random_state", np.random.Generator]


def test_all_that_is_exported_is_there():
    assert all(hasattr(constraints, name) for name in constraints.__all__)
