import numpy as np
import pytest

import lowdim
from lowdim.sparse.compression.low_rank import break_even, warn_if_large
from tests.sparse.pictures.examples import picture


def test_golden_break_even():
    """Rank 300 of 512 x 512 stores more than the picture; 255 is the last that saves."""
    assert break_even(512, 512) == 255
    with pytest.warns(UserWarning, match=r"300 \* \(512 \+ 512 \+ 1\) = 307,500.*rank=255"):
        warn_if_large(300, (512, 512))


def test_golden_singular_values():
    """The toy of the notes: 25.4624, 1.2907, 0."""
    A = np.array([[1.0, 2, 3], [4, 5, 6], [7, 8, 9], [10, 11, 12]])
    sizes = np.linalg.svd(A, compute_uv=False)
    assert sizes == pytest.approx([25.4624, 1.2907, 0.0], abs=5e-5)
    with pytest.warns(UserWarning, match="more than the 12 of the picture"):
        c = lowdim.compress(A, "svd", rank=2)
    assert c.error == pytest.approx(0, abs=1e-10)


def test_the_error_is_the_energy_of_the_other_values(rng):
    x = picture(rng, 30, 24, dtype=np.float64)
    sizes = np.linalg.svd(x, compute_uv=False)
    c = lowdim.compress(x, "svd", rank=3)
    assert c.error == pytest.approx(np.sum(sizes[3:] ** 2), rel=1e-4)
    assert c.n_kept == 3


def test_other_targets(rng):
    x = picture(rng, 60, 80)
    best = lowdim.compress(x, "svd", psnr=28.0)
    assert best.psnr >= 28 and lowdim.compress(x, "svd", rank=best.n_kept - 1).psnr < 28
    small = lowdim.compress(x, "svd", nbytes=4000)
    assert small.nbytes <= 4000
    sizes = np.linalg.svd(x.astype(float), compute_uv=False)
    assert lowdim.compress(x, "svd", epsilon=0.999 * sizes[2]).n_kept == 3
    with pytest.raises(ValueError, match="nbytes=100 is less than"):
        lowdim.compress(x, "svd", nbytes=100)
