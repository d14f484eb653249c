import numpy as np
import pytest

from lowdim import sparse
from lowdim.sparse.pictures import quality
from tests.sparse.pictures.examples import picture


def test_psnr_by_hand():
    a = np.zeros((4, 4), np.uint8)
    assert sparse.psnr(a, a + 1) == pytest.approx(20 * np.log10(255))
    assert sparse.psnr(a, a) == np.inf
    assert sparse.psnr(np.zeros(2), np.array([0.0, 1.0])) == pytest.approx(10 * np.log10(2))
    assert sparse.psnr(np.zeros(2), np.array([0.0, 3.0]), peak=3) == pytest.approx(10 * np.log10(2))


def by_windows(x, y, peak):
    """Eq. 13 of Wang et al., window by window, of one plane."""
    bell = np.exp(-0.5 * (np.arange(-5, 6) / 1.5) ** 2)
    w = bell if x.ndim == 1 else np.outer(bell, bell)
    w, shape = (w / w.sum()).ravel(), (11,) * x.ndim
    X, Y = (np.lib.stride_tricks.sliding_window_view(a, shape).reshape(-1, w.size) for a in (x, y))
    mx, my = X @ w, Y @ w
    xx, yy = (X - mx[:, None]) ** 2 @ w, (Y - my[:, None]) ** 2 @ w
    xy = ((X - mx[:, None]) * (Y - my[:, None])) @ w
    c1, c2 = (0.01 * peak) ** 2, (0.03 * peak) ** 2
    return np.mean((2 * mx * my + c1) * (2 * xy + c2) / ((mx**2 + my**2 + c1) * (xx + yy + c2)))


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.float64])
@pytest.mark.parametrize("channels", [1, 3])
def test_both_are_what_their_formulas_say(rng, monkeypatch, dtype, channels):
    monkeypatch.setattr(quality, "STRIP", 300)  # several strips
    a, b = (picture(rng, channels=channels, dtype=dtype) for _ in range(2))
    peak = 1.0 if dtype == np.float64 else np.iinfo(dtype).max
    x, y = a.astype(float), b.astype(float)
    assert sparse.psnr(a, b) == pytest.approx(10 * np.log10(peak**2 / np.mean((x - y) ** 2)))
    expected = np.mean([by_windows(x[..., c], y[..., c], peak) for c in range(channels)])
    assert sparse.ssim(a, b) == pytest.approx(expected, abs=1e-9)


def test_signals_have_windows_of_eleven(rng):
    a = rng.normal(size=60)
    b = a + 0.1 * rng.normal(size=60)
    assert sparse.ssim(a, b) == pytest.approx(by_windows(a, b, np.ptp(a)), abs=1e-9)
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
