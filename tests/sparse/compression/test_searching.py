import numpy as np
import pytest

from lowdim.sparse.compression.searching import largest_with, smallest_with


@pytest.mark.parametrize("root", [1e-3, 0.5, 7.0, 900.0])
def test_the_root_of_a_rising_function(root):
    calls = []

    def f(x):
        calls.append(x)
        return 8.0 * np.log(x / root)

    found = largest_with(f, 1.0, 1e-6, 1e6, 0.01)
    assert f(found) <= 0 and f(found) >= -0.01
    assert len(calls) < 20


def test_a_falling_one():
    found = smallest_with(lambda x: 3.0 - np.log(x), 1.0, 1e-6, 1e6, 0.001)
    assert found == pytest.approx(np.exp(3.0), rel=0.002) and found >= np.exp(3.0)


def test_steps_of_a_function_and_its_ends():
    assert largest_with(lambda x: 1.0, 1.0, 0.1, 10.0, 0.01) is None
    assert largest_with(lambda x: -5.0, 1.0, 0.1, 10.0, 0.01) == 10.0
    assert largest_with(lambda x: 1.0 if x > 2 else -1.0, 1.0, 0.1, 10.0, 0.01) == pytest.approx(2)
