import numpy as np
import pytest

from lowdim import sparse
from tests.sparse.pictures.examples import picture


def test_more_bytes_are_more_decibels(rng):
    x = picture(rng, 64, 64)
    table = sparse.rate_distortion(x, ["haar", "dct", "pca", "svd"], n_points=3)
    for name in ("haar", "dct", "pca", "svd"):
        own = table["basis"] == name
        assert own.sum() == 3
        assert np.all(np.diff(table["nbytes"][own]) > 0) and np.all(np.diff(table["psnr"][own]) > 0)
    assert np.allclose(table["bits"], 8 * table["nbytes"] / x.size)


def test_the_curves_are_drawn(rng):
    ax = sparse.rate_distortion(picture(rng), "haar", n_points=2).plot()
    assert "PSNR" in ax.get_ylabel() and "bytes" in ax.get_xlabel()
    assert len(ax.lines[0].get_xdata()) == 2


def test_bad_arguments(rng):
    with pytest.raises(ValueError, match="basis='no' is not known"):
        sparse.rate_distortion(picture(rng), ["no"])
    with pytest.raises(ValueError, match="n_points=0"):
        sparse.rate_distortion(picture(rng), n_points=0)
