import numpy as np
import pytest

import lowdim
from lowdim import sparse
from tests.sparse.pictures.examples import picture

METHODS = ["ksvd", "dct", "wavelet", "dft"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("channels", [None, 3, 4])
def test_pictures_have_less_noise(rng, method, channels):
    clean = picture(rng, 64, 72, channels=channels).astype(float)
    noisy = clean + rng.normal(0, 20, clean.shape)
    if channels == 4:
        noisy[..., 3] = 200.0
    result = lowdim.denoise(noisy, method=method, sigma=20.0, random_state=0)
    seen = slice(0, 3) if channels else None
    before = sparse.psnr(clean[..., seen], noisy[..., seen], peak=255)
    after = sparse.psnr(clean[..., seen], result.image[..., seen], peak=255)
    assert after > before + (2 if method == "dft" else 4)
    assert (result.model is None) == (method != "ksvd")
    if channels == 4:
        assert np.array_equal(result.image[..., 3], noisy[..., 3])


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float32])
def test_types_stay(rng, dtype):
    x = picture(rng, 40, 40, dtype=dtype)
    noisy = lowdim.denoise(x, method="dct")
    assert noisy.image.dtype == dtype and noisy.image.shape == x.shape
    peak = 1.0 if dtype == np.float32 else np.iinfo(dtype).max
    base = lowdim.denoise(picture(rng, 40, 40), method="dct").sigma / 255
    assert noisy.sigma / peak == pytest.approx(base, rel=0.3)


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_units_do_not_matter(rng, scale):
    x = rng.normal(0, 9, size=(30, 30))
    found = lowdim.denoise(x, method="dct", sigma=9.0).image
    again = lowdim.denoise(x * scale, method="dct", sigma=9.0 * scale).image
    assert np.allclose(again / scale, found, atol=1e-2)


@pytest.mark.parametrize("method", METHODS)
def test_signals(rng, method):
    clean = np.sin(np.arange(600) / 20.0) + np.repeat([0.0, 2.0, 1.0], 200)
    noisy = clean + rng.normal(0, 0.2, 600)
    found = lowdim.denoise(noisy, method=method, n_components=64, random_state=0)
    assert np.std(found.image - clean) < 0.8 * np.std(noisy - clean)
    assert found.sigma == pytest.approx(0.2, rel=0.3)


def test_the_same_seed_the_same_picture(rng):
    x = picture(rng, 40, 40)
    first, again = (lowdim.denoise(x, method="ksvd", random_state=1).image for _ in range(2))
    assert np.array_equal(first, again)
    with lowdim.config_context(threads=1):
        assert np.array_equal(lowdim.denoise(x, method="ksvd", random_state=1).image, first)


def test_methods_by_size(rng):
    noisy = picture(rng) + rng.normal(0, 20, (40, 56))
    assert lowdim.denoise(noisy).method == "ksvd"
    assert lowdim.denoise(picture(rng)).method == "dct"  # little noise
    assert lowdim.denoise(rng.normal(size=50)).method == "wavelet"
    assert lowdim.denoise(picture(rng, 5, 50)).method == "wavelet"
    assert "by wavelet, noise" in repr(lowdim.denoise(rng.normal(size=50)))


def test_hardly_any_noise_hardly_any_change(rng):
    y, x = np.mgrid[0:96, 0:96]
    clean = 100 + 60 * np.sin(x * y / 300.0) + 50 * (x > 60)
    fine = np.rint(257 * clean + rng.normal(0, 10, x.shape)).astype(np.uint16)
    found = lowdim.denoise(fine)
    assert np.array_equal(found.image, fine) and 0 <= found.sigma < 257
    assert not np.array_equal(lowdim.denoise(fine, sigma=300.0).image, fine)
    whole = np.rint(clean).astype(np.uint8)
    assert np.array_equal(lowdim.denoise(whole).image, whole)


def test_a_picture_with_grain_of_its_own_is_not_harmed(rng):
    y, x = np.mgrid[0:128, 0:128]
    grain = rng.normal(0, 1.2, x.shape)
    clean = 100 + 60 * np.sin(x * y / 900.0) + 50 * (x > 60) + grain
    noisy = clean + rng.normal(0, 1, x.shape)
    found = lowdim.denoise(noisy)
    assert found.sigma == pytest.approx(np.hypot(1.2, 1), rel=0.1)
    assert np.std(found.image - clean) < 1.06 * np.std(noisy - clean)  # half a decibel
    smooth = lowdim.denoise(noisy, sigma=found.sigma).image  # grain and all
    assert np.std(smooth - clean) > np.std(found.image - clean)


def test_no_noise_nothing_changes(rng):
    x = picture(rng)
    assert np.array_equal(lowdim.denoise(x, sigma=0).image, x)


def test_bad_arguments(rng):
    x = picture(rng)
    cases = [
        ({"sigma": -1}, "sigma=-1 must be at least 0"),
        ({"sigma": np.nan}, "sigma=nan"),
        ({"method": "blur"}, "method='blur' is not known"),
        ({"method": "dct", "patch": 41}, "smaller than a patch"),
        ({"wavelet": "w"}, "wavelet='w' is not known"),
        ({"threshold": "t"}, "threshold='t'"),
        ({"mode": "m"}, "mode='m'"),
        ({"n_components": 0}, "n_components=0"),
    ]
    for settings, message in cases:
        with pytest.raises(ValueError, match=message):
            lowdim.denoise(x, **settings)
    with pytest.raises(ValueError, match=r"1 missing values.*lowdim.inpaint"):
        lowdim.denoise(np.array([1.0, np.nan]))


@pytest.mark.data
@pytest.mark.parametrize("name", ["set12_peppers", "set12_boat", "rgb_astronaut", "gray_gravel"])
def test_photographs_that_are_nearly_clean_are_not_harmed(data_dir, name):
    """Noise of 1 of 255 drowns in their own grain: at most a tenth of a dB is lost."""
    x = np.load(data_dir / "images.npz")[name][:384, :384]
    noisy = x + np.random.default_rng(1).normal(size=x.shape)
    noisy = np.clip(np.rint(noisy), 0, 255).astype(np.uint8)
    assert sparse.psnr(x, lowdim.denoise(noisy).image) > sparse.psnr(x, noisy) - 0.1


@pytest.mark.data
def test_house(data_dir):
    x = np.load(data_dir / "images.npz")["set12_house"]
    noisy = x + np.random.default_rng(0).normal(0, 25, x.shape)
    found = lowdim.denoise(noisy, method="ksvd", sigma=25, random_state=0).image
    assert sparse.psnr(x, np.clip(np.rint(found), 0, 255).astype(np.uint8)) >= 31.8
