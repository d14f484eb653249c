import numpy as np
import pytest

from lowdim.sparse.pictures.signals import by_planes, open_signal, peak_of, to_type
from tests.sparse.pictures.examples import picture


@pytest.mark.parametrize("shape", [(7,), (4, 5), (4, 5, 1), (4, 5, 2), (4, 5, 3), (4, 5, 4)])
def test_channels_are_counted(shape):
    signal = open_signal("x", np.zeros(shape), "f")
    assert signal.size == shape[:2]
    assert signal.channels == (shape[2] if len(shape) == 3 else 1)
    assert signal.visible == {1: 1, 2: 1, 3: 3, 4: 3}[signal.channels]
    assert signal.planes().shape == (signal.channels, *shape[:2])


def test_peaks():
    assert peak_of(np.zeros(3, np.uint8)) == 255
    assert peak_of(np.zeros(3, np.int16)) == 65535
    assert peak_of(np.array([0.2, 1.0])) == 1.0
    assert peak_of(np.array([-2.0, 5.0])) == 7.0
    assert peak_of(np.array([3, 9], np.int32)) == 6.0
    assert peak_of(np.array([5.0])) == 5.0


def test_whole_numbers_are_rounded_and_stay_within_their_type():
    values = np.array([-3.0, 1.4, 1.6, 400.0])
    assert to_type(values, np.dtype(np.uint8)).tolist() == [0, 1, 2, 255]
    beyond = to_type(np.array([1e300, -1e300]), np.dtype(np.int64))
    assert beyond.tolist() == [2**63 - 1024, -(2**63)]
    assert to_type(values, np.dtype(np.float32)).dtype == np.float32


def test_alpha_is_left_alone(rng):
    x = picture(rng, channels=4)
    y = by_planes(open_signal("x", x, "f"), lambda planes: 255 - planes)
    assert np.array_equal(y[..., :3], 255 - x[..., :3])
    assert np.array_equal(y[..., 3], x[..., 3])


def test_what_is_no_signal():
    with pytest.raises(ValueError, match=r"shape \(2, 2, 5\).*channels last"):
        open_signal("x", np.zeros((2, 2, 5)), "f")
    with pytest.raises(ValueError, match=r"shape \(0,\)"):
        open_signal("x", np.zeros(0), "f")
    with pytest.raises(ValueError, match=r"1 missing values.*lowdim.inpaint\(x\)"):
        open_signal("x", np.array([1.0, np.nan]), "f")
    with pytest.raises(ValueError, match="1 infinite"):
        open_signal("x", np.array([1.0, np.inf]), "f", nan=True)
    with pytest.raises(ValueError, match="True and False"):
        open_signal("x", np.array([True, False]), "f")
