import numpy as np
import pytest

from lowdim import plots, sparse
from lowdim.plots.signals import _colours, _laid_out


def test_curves_of_compression():
    ax = plots.rate_distortion({"a": ([1, 2], [3, 4]), "b": ([1, 3], [2, 5])})
    assert [line.get_ydata().tolist() for line in ax.lines] == [[3, 4], [2, 5]]
    with pytest.raises(ValueError, match="curves is empty"):
        plots.rate_distortion({})


def test_coefficients_fall():
    ax = plots.coefficient_decay({"haar": [1.0, -9.0, 0.0, 4.0]})
    drawn = ax.lines[0].get_ydata()
    assert drawn[:3].tolist() == [9, 4, 1] and np.isnan(drawn[3])
    with pytest.raises(ValueError, match="curves is empty"):
        plots.coefficient_decay({})


def test_bands_of_a_pyramid_lie_where_pywavelets_puts_them(rng):
    pywt = pytest.importorskip("pywt")
    x = rng.normal(size=(16, 8))
    z = sparse.basis("haar", (16, 8), level=2).analyze(x.ravel())
    expected, places = pywt.coeffs_to_array(pywt.wavedec2(x, "haar", "periodization", level=2))
    canvas = _laid_out(z, (16, 8), 2)
    for details in places[1:]:
        for where in details.values():
            band = np.abs(expected[where])
            assert np.allclose(canvas[where], np.minimum(band / np.quantile(band, 0.99), 1))
    plots.pyramid(z.reshape(16, 8), 2)
    with pytest.raises(ValueError, match="halved 3 times"):
        plots.pyramid(np.zeros((12, 8)), 3)


def test_pictures_side_by_side(rng):
    a = rng.integers(0, 250, (20, 30, 3), dtype=np.uint8)
    ax = plots.side_by_side({"before": a, "after": a + 5})
    assert [text.get_text() for text in ax.texts] == ["before", "after", "difference, ±5"]
    drawn = ax.images[0].get_array()
    assert drawn.shape == (20, 92, 3)
    assert np.allclose(drawn[:, :30], a / 255)
    with pytest.raises(ValueError, match="of one size"):
        plots.side_by_side({"a": a, "b": a[:5]})


def test_transparent_is_white():
    x = np.zeros((1, 2, 4), np.uint8)
    x[0, 0, 3] = 255
    assert _colours(x).tolist() == [[[0, 0, 0], [1, 1, 1]]]
    assert _colours(np.array([[0.5, np.nan]])).tolist() == [[[0.5] * 3, [1.0] * 3]]
