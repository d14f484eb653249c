import numpy as np
import pytest

from lowdim.sparse.inpainting.known import open_known
from lowdim.sparse.pictures.signals import Signal

ALL = (slice(None),)


def test_known_is_what_is_no_nan_and_was_observed():
    x = np.zeros((2, 3, 4))
    x[0, 0, 1] = x[1, 1, 3] = np.nan  # the second one in alpha, which does not count
    observed = np.ones((2, 3), bool)
    observed[1, 2] = False
    known = open_known(Signal(x), observed)
    expected = np.ones((2, 3, 3), bool)
    expected[0, 0, 1] = expected[1, 2] = False
    assert np.array_equal(known.of(ALL), expected)
    assert np.array_equal(known.complete(ALL), expected.all(axis=2))
    assert np.array_equal(known.of((slice(1, 2), slice(0, 2))), expected[1:2, :2])


def test_channels_may_be_observed_one_by_one():
    observed = np.ones((2, 3, 3), bool)
    observed[0, 1, 2] = False
    known = open_known(Signal(np.zeros((2, 3, 3), np.uint8)), observed)
    assert np.array_equal(known.of(ALL), observed)
    assert known.complete(ALL).sum() == 5


def test_signals():
    known = open_known(Signal(np.array([1.0, np.nan, 2.0])), [True, True, False])
    assert known.of(ALL).tolist() == known.complete(ALL).tolist() == [True, False, False]


def test_the_door():
    x = Signal(np.zeros((2, 3, 3), np.uint8))
    with pytest.raises(ValueError, match=r"observed has the shape \(3, 2\).*\(2, 3\) or \(2, 3, 3"):
        open_known(x, np.ones((3, 2), bool))
    with pytest.raises(ValueError, match="type int64; it needs True and False"):
        open_known(x, np.ones((2, 3), int))
    with pytest.raises(ValueError, match="no observed pixel"):
        open_known(x, np.zeros((2, 3), bool))
    apart = np.zeros((2, 3, 3))
    apart[..., 0] = np.nan
    with pytest.raises(ValueError, match=r"no pixel of which all channels.*inpaint\(image\[..., 0"):
        open_known(Signal(apart), None)
