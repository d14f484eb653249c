import numpy as np
import pytest

import lowdim
from lowdim import sparse
from lowdim.sparse.pictures import tilewise
from tests.sparse.pictures.examples import picture


@pytest.mark.parametrize("method", ["iterated", "dct", "ksvd"])
@pytest.mark.parametrize("channels", [None, 3, 4])
def test_known_pixels_stay_and_the_others_are_near(rng, method, channels):
    x = picture(rng, 48, 56, channels=channels)
    known = rng.random((48, 56)) < 0.6
    holes = np.where(known if channels is None else known[..., None], x, 0)
    if channels == 4:
        holes[..., 3] = x[..., 3]
    y = lowdim.inpaint(holes, known, method=method, n_components=64, random_state=0)
    assert y.dtype == x.dtype and np.array_equal(y[known], x[known])
    assert sparse.psnr(x, y) > 26
    if channels == 4:
        assert np.array_equal(y[..., 3], x[..., 3])


def test_nan_is_missing(rng):
    x = picture(rng, 40, 40, dtype=np.float64)
    known = rng.random(x.shape) < 0.7
    y = lowdim.inpaint(np.where(known, x, np.nan))
    assert np.array_equal(y, lowdim.inpaint(x, known))
    assert np.isfinite(y).all() and np.array_equal(y[known], x[known])


def test_what_stands_at_missing_pixels_does_not_count(rng):
    x = picture(rng, 40, 40, channels=4, dtype=np.float64)
    known = rng.random((40, 40)) < 0.7
    y = lowdim.inpaint(np.where(known[..., None], x, np.nan))
    np.testing.assert_array_equal(y[..., :3], lowdim.inpaint(x, known)[..., :3])
    marked = np.where(known[..., None], x, -999.0)
    np.testing.assert_array_equal(y[..., :3], lowdim.inpaint(marked, known)[..., :3])
    assert (y[~known][:, 3] == 1).all()  # opaque


def test_one_channel_may_be_missing_alone(rng):
    x = picture(rng, 40, 40, channels=3, dtype=np.float64)
    holes = x.copy()
    holes[10:14, 10:30, 1] = np.nan
    y = lowdim.inpaint(holes)
    assert np.array_equal(y[..., 0], x[..., 0]) and np.array_equal(y[..., 2], x[..., 2])
    assert np.abs(y - x).max() < 0.3


def test_signals(rng):
    x = np.sin(np.arange(400) / 15.0)
    known = rng.random(400) < 0.6
    for method in ("iterated", "dct", "ksvd"):
        y = lowdim.inpaint(np.where(known, x, np.nan), method=method, random_state=0)
        assert np.std((y - x)[~known]) < 0.15


def test_a_hole_larger_than_a_tile(rng, monkeypatch):
    monkeypatch.setattr(tilewise, "SIDE", 64)
    monkeypatch.setattr("lowdim.sparse.inpainting.inpainting.MARGIN", 8)
    x = np.full((64 * 4, 64 * 4), 90.0)
    x[:, 128:] = 160.0
    known = np.ones(x.shape, bool)
    known[20:240, 20:240] = False
    y = lowdim.inpaint(np.where(known, x, np.nan))
    assert np.isfinite(y).all() and y.min() > 80 and y.max() < 170


def test_windows_without_a_known_pixel_teach_nothing(rng, monkeypatch):
    monkeypatch.setattr("lowdim.sparse.inpainting.inpainting.WINDOW", 64)
    x = picture(rng, 130, 200).astype(float)
    known = rng.random(x.shape) < 0.6
    known[:, :128] = False
    y = lowdim.inpaint(x, known, method="ksvd", n_components=32, random_state=0)
    assert np.isfinite(y).all() and np.array_equal(y[known], x[known])
    with lowdim.config_context(threads=1):
        again = lowdim.inpaint(x, known, method="ksvd", n_components=32, random_state=0)
    assert np.array_equal(y, again)


def test_complete_pictures_stay(rng):
    x = picture(rng)
    assert np.array_equal(lowdim.inpaint(x), x)


def test_bad_arguments(rng):
    x = picture(rng)
    with pytest.raises(ValueError, match="no observed pixel"):
        lowdim.inpaint(np.full((20, 20), np.nan))
    with pytest.raises(ValueError, match="no observed pixel"):
        lowdim.inpaint(x, np.zeros(x.shape, bool))
    with pytest.raises(ValueError, match=r"observed has the shape \(3, 3\)"):
        lowdim.inpaint(x, np.ones((3, 3), bool))
    with pytest.raises(ValueError, match="needs True and False"):
        lowdim.inpaint(x, np.ones(x.shape))
    with pytest.raises(ValueError, match="smaller than a patch"):
        lowdim.inpaint(np.ones((4, 9)), patch=8)
    with pytest.raises(ValueError, match="method='x'"):
        lowdim.inpaint(x, method="x")


@pytest.mark.data
def test_peppers(data_dir):
    x = np.load(data_dir / "images.npz")["set12_peppers"]
    for missing, least in ((0.5, 32.5), (0.75, 26.3)):
        known = np.random.default_rng(0).random(x.shape) >= missing
        assert sparse.psnr(x, lowdim.inpaint(x, known)) >= least
