"""A kernel is read once, and its types are those that numba finds."""

import numpy as np
import pytest
from numba.core import untyped_passes
from numba.core.caching import NullCache
from numba.core.errors import TypingError

from lowdim.core.kernel import kernel


@kernel
def widened(x, out):
    """Types that only later statements make known: a whole number that becomes another kind."""
    total, last = 0, 0
    for i in range(len(x)):
        if x[i] > 0:
            total = total + x[i]
            last = i
        elif last > 3:
            total = last
    out[0] = total
    return last


@kernel
def unknown(x):
    return x.no_such_thing


@kernel
def summed(x):
    total = 0.0
    for i in range(len(x)):
        total += x[i]
    return total


@pytest.fixture(autouse=True, scope="module")
def nothing_is_kept_on_disk():
    """What is loaded from disk is not compiled."""
    for one in (widened, unknown, summed):
        one.compiled()._cache = NullCache()


def test_types_that_follow_from_later_statements_are_found():
    for dtype in (np.float32, np.float64, np.int32):
        x = np.array([1, -2, 3, 4, 5, -6], dtype=dtype)
        out, expected = np.zeros(1), np.zeros(1)
        assert widened(x, out) == widened.python(x, expected)
        np.testing.assert_array_equal(out, expected)


def test_a_kernel_is_read_once_for_all_types(monkeypatch):
    times, run_pass = [], untyped_passes.TranslateByteCode.run_pass

    def counted(self, state):
        times.append(state.func_id.func_name)
        return run_pass(self, state)

    monkeypatch.setattr(untyped_passes.TranslateByteCode, "run_pass", counted)
    for dtype in (np.float32, np.float64):
        assert summed(np.ones(3, dtype)) == 3
    assert times == ["summed"]


def test_what_has_no_type_is_named():
    with pytest.raises(TypingError, match="no_such_thing"):
        unknown(np.ones(3))
