"""The watch on kernels' arguments sees what overlaps."""

import numpy as np
import pytest

from lowdim.core.kernel import kernel
from tests.apart import overlapping


@kernel
def _shifted(x, y):
    for i in range(len(x)):
        y[i] = x[i] + 2.0


def test_arrays_that_share_memory_are_found():
    x = np.zeros((4, 6))
    assert overlapping([x, np.ones(3), np.zeros((4, 6))]) == []
    assert len(overlapping([x[:2], x[1:], np.ones(3)])) == 2
    assert len(overlapping([x[0], x[1], x[2:]])) == 0
    assert len(overlapping([x, x[1], x[2]])) == 3
    assert len(overlapping([x[:, ::2], x[:, 1::2]])) == 2  # their bounds do: looked at more closely


def test_a_kernel_that_writes_to_what_it_reads_is_named():
    x = np.arange(5.0)
    with pytest.raises(AssertionError, match="_shifted writes to memory that two"):
        _shifted(x[:-1], x[1:])
    y = np.empty(5)
    _shifted(x, y)
    assert y[0] == x[0] + 2.0
