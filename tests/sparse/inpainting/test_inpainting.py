import tracemalloc

import numpy as np
import pytest

import lowdim
from lowdim import sparse
from lowdim.sparse.inpainting import inpainting
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
    monkeypatch.setattr("lowdim.sparse.inpainting.inpainting.MARGIN", {2: 8})
    x = np.full((64 * 4, 64 * 4), 90.0)
    x[:, 128:] = 160.0
    known = np.ones(x.shape, bool)
    known[20:240, 20:240] = False
    y = lowdim.inpaint(np.where(known, x, np.nan))
    assert np.isfinite(y).all() and y.min() > 80 and y.max() < 170


def test_a_hole_longer_than_a_piece_of_a_signal(monkeypatch):
    monkeypatch.setattr(tilewise, "SIDE", 16)  # pieces of 256
    monkeypatch.setattr("lowdim.sparse.inpainting.inpainting.MARGIN", {1: 64})
    x = np.repeat([90.0, 160.0], 1000)
    holes = np.where((np.arange(2000) < 300) | (np.arange(2000) >= 1700), x, np.nan)
    y = lowdim.inpaint(holes)
    known = ~np.isnan(holes)
    assert np.array_equal(y[known], x[known]) and y.min() > 80 and y.max() < 170
    assert y[400] < 110 and y[1600] > 140  # as what is near


def test_pieces_of_a_signal_are_filled_as_the_whole(rng, monkeypatch):
    x = np.sin(np.arange(3000) / 15.0)
    holes = np.where(rng.random(3000) < 0.7, x, np.nan)
    whole = lowdim.inpaint(holes)
    monkeypatch.setattr(tilewise, "SIDE", 32)
    monkeypatch.setattr("lowdim.sparse.inpainting.inpainting.MARGIN", {1: 512})
    # patches begin elsewhere: what they say of a pixel differs by less than what they are worth
    assert np.abs(lowdim.inpaint(holes) - whole).max() < 0.1


def test_tiles_without_a_missing_pixel_are_not_worked_on(rng, monkeypatch):
    monkeypatch.setattr(tilewise, "SIDE", 64)
    x = picture(rng, 256, 256, channels=3, dtype=np.float64)
    x[70:80, 70:80] = np.nan
    seen = []
    by_thresholds = inpainting.by_thresholds
    monkeypatch.setattr(
        inpainting, "by_thresholds", lambda *args: seen.append(0) or by_thresholds(*args)
    )
    assert np.isfinite(lowdim.inpaint(x)).all()
    assert len(seen) == 3  # one tile of 16, of three planes


def test_what_is_known_is_never_held_whole(monkeypatch):
    """Beside picture and result: some rows at a time, whatever the size of the picture."""
    monkeypatch.setattr(tilewise, "SIDE", 64)
    monkeypatch.setattr("lowdim.sparse.inpainting.inpainting.MARGIN", {2: 8})
    x = np.broadcast_to(np.float32(0.5), (4096, 4096, 3))
    observed = np.ones((4096, 4096), bool)
    observed[100:110, 100:110] = False
    tracemalloc.start()
    y = lowdim.inpaint(x, observed)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert np.allclose(y, 0.5)
    # the range is looked for in 2^22 numbers at a time (16 MB), tiles and patches are small; a bool
    # for each number would be 48 MB more
    assert peak - y.nbytes < 40e6


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
