import numpy as np
import pytest
from skimage.metrics import peak_signal_noise_ratio, structural_similarity

from lowdim import sparse
from lowdim.sparse.pictures import quality
from tests.sparse.pictures.examples import picture


def test_psnr_by_hand():
    a = np.zeros((4, 4), np.uint8)
    assert sparse.psnr(a, a + 1) == pytest.approx(20 * np.log10(255))
    assert sparse.psnr(a, a) == np.inf
    assert sparse.psnr(np.zeros(2), np.array([0.0, 1.0])) == pytest.approx(10 * np.log10(2))
    assert sparse.psnr(np.zeros(2), np.array([0.0, 3.0]), peak=3) == pytest.approx(10 * np.log10(2))


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float64])
@pytest.mark.parametrize("channels", [None, 3])
def test_both_are_those_of_scikit_image(rng, monkeypatch, dtype, channels):
    monkeypatch.setattr(quality, "STRIP", 300)  # several strips
    a = picture(rng, channels=channels, dtype=dtype)
    b = picture(rng, channels=channels, dtype=dtype)
    peak = 1.0 if dtype == np.float64 else np.iinfo(dtype).max
    assert sparse.psnr(a, b) == pytest.approx(peak_signal_noise_ratio(a, b, data_range=peak))
    expected = structural_similarity(
        a,
        b,
        gaussian_weights=True,
        sigma=1.5,
        use_sample_covariance=False,
        data_range=peak,
        channel_axis=2 if channels else None,
    )
    assert sparse.ssim(a, b) == pytest.approx(expected, abs=1e-9)


def test_signals_have_windows_of_eleven(rng):
    a = rng.normal(size=60)
    b = a + 0.1 * rng.normal(size=60)
    expected = structural_similarity(
        *(a, b), gaussian_weights=True, sigma=1.5, use_sample_covariance=False, data_range=np.ptp(a)
    )
    assert sparse.ssim(a, b) == pytest.approx(expected, abs=1e-9)
    assert sparse.ssim(a, a) == 1.0


def test_what_cannot_be_compared():
    with pytest.raises(ValueError, match=r"a has the shape \(3,\) and b \(4,\)"):
        sparse.psnr(np.zeros(3), np.zeros(4))
    with pytest.raises(ValueError, match="at least 11 pixels"):
        sparse.ssim(np.zeros((10, 30)), np.zeros((10, 30)))
    with pytest.raises(ValueError, match="peak=0 must be more than 0"):
        sparse.psnr(np.zeros(3), np.zeros(3), peak=0)
    with pytest.raises(ValueError, match="missing values"):
        sparse.psnr(np.array([np.nan]), np.zeros(1))
