import numpy as np
import pytest
from scipy.ndimage import median_filter

from lowdim.sparse.pictures import tilewise
from lowdim.sparse.pictures.cosines import hard
from lowdim.sparse.pictures.patches import Shape
from lowdim.sparse.pictures.signals import Signal
from lowdim.sparse.pictures.tilewise import by_tiles, some_patches, working_planes
from tests.sparse.pictures.examples import picture


@pytest.mark.parametrize("channels", [None, 3, 4])
def test_tiles_give_what_the_whole_gives(rng, monkeypatch, channels):
    signal = Signal(picture(rng, 100, 140, channels=channels))

    def medians(planes, wide):
        assert planes.shape[1:] == tuple(part.stop - part.start for part in wide)
        return np.stack([median_filter(p, 9) for p in planes])  # pixels up to 4 away

    def cosines(planes, _):
        return np.stack([hard(p, Shape(4, 4), 20.0) for p in planes])

    whole, wholly = (by_tiles(signal, 1.0, 4, work) for work in (medians, cosines))
    monkeypatch.setattr(tilewise, "SIDE", 64)
    assert np.array_equal(by_tiles(signal, 1.0, 4, medians), whole)
    assert not np.array_equal(whole, signal.values)
    if channels == 4:
        assert np.array_equal(whole[..., 3], signal.values[..., 3])
    # a product of other sizes may be rounded otherwise, and a pixel near a half then goes elsewhere
    differ = by_tiles(signal, 1.0, 4, cosines).astype(int) - wholly
    assert np.abs(differ).max() <= 1
    assert np.mean(differ != 0) < 1e-3  # 1% with half of the margin


def test_patches_are_those_of_the_working_planes(rng):
    signal = Signal(picture(rng, 10, 12, channels=3))
    P = some_patches(signal, 2.0, (10, 12), 9, rng)
    assert np.allclose(P, working_planes(signal, 2.0).reshape(3, -1), rtol=1e-5, atol=1e-3)
    line = Signal(np.arange(20.0))
    P = some_patches(line, 1.0, (1, 5), 1000, rng)
    assert np.allclose(P, np.lib.stride_tricks.sliding_window_view(np.arange(20.0), 5))
