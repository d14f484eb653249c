"""Python's way into a kernel, and back."""

import sys

import numpy as np
import pytest
from numba.core.errors import TypingError

from lowdim.core.kernel import kernel


@kernel
def echo(flag, number, real, X, few, pair):
    """Numbers, arrays of one and two dimensions, a tuple; what was given comes back."""
    X[0, 0] = real
    few[len(few) - 1] = number
    return flag, number + pair[0], real * pair[1], X.shape[0] * X.shape[1]


@kernel
def nothing(x):
    x[0] = 1


@kernel
def refuses(x):
    if x[0] > 0:
        raise ValueError("no")


def test_numbers_and_arrays_go_in_and_results_come_back():
    X, few = np.zeros((2, 3), np.float32), np.zeros(4, np.int32)
    assert echo(True, 7, 2.5, X, few, (1, 2.0)) == (True, 8, 5.0, 6)
    assert X[0, 0] == 2.5 and few[3] == 7
    assert echo(np.bool_(False), np.int64(7), np.float64(2), X, few, (1, 2.0))[1:3] == (8, 4.0)


def test_a_kernel_without_a_result_gives_none():
    x = np.zeros(1)
    assert nothing(x) is None
    assert x[0] == 1


def test_arrays_are_not_kept():
    x = np.zeros(1)
    before = sys.getrefcount(x)
    for _ in range(100):
        nothing(x)
    assert sys.getrefcount(x) == before


def test_what_does_not_fit_is_refused():
    with pytest.raises(TypingError):
        nothing(object())
    with pytest.raises(TypeError, match="too many arguments"):
        nothing.compiled()(np.zeros(1), 2)


def test_kernels_do_not_raise():
    with pytest.raises(NotImplementedError, match="refuses: kernels do not raise"):
        refuses(np.ones(1))
