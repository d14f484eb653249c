import numpy as np
import pytest
import pywt

from lowdim import sparse
from lowdim.sparse.bases.wavelets import wavelet_names


@pytest.mark.parametrize("name", ["haar", "db4", "bior2.2"])
def test_coefficients_are_those_of_pywavelets_coarse_to_fine(name, rng):
    x, X = rng.normal(size=64), rng.normal(size=(64, 32))
    expected = np.concatenate(pywt.wavedec(x, name, "periodization", level=2))
    np.testing.assert_allclose(sparse.basis(name, 64, level=2).analyze(x), expected, atol=1e-12)
    coarse, *details = pywt.wavedec2(X, name, "periodization", level=2)
    flat = [coarse.ravel(), *(part.ravel() for level in details for part in level)]
    found = sparse.basis(name, (64, 32), level=2).analyze(X.ravel())
    np.testing.assert_allclose(found, np.concatenate(flat), atol=1e-12)


def test_every_discrete_wavelet_is_a_basis_with_an_exact_adjoint(rng):
    x, z = rng.normal(size=256), rng.normal(size=256)
    for name in wavelet_names():
        U = sparse.basis(name, 256, level=1)
        np.testing.assert_allclose(U.synthesize(U.analyze(x)), x, atol=1e-10, err_msg=name)
        assert (U @ z) @ x == pytest.approx(z @ U.rmatvec(x), abs=1e-9), name


def test_levels():
    assert sparse.basis("haar", 48).level == 4
    assert sparse.basis("db4", 64).level == 3  # its filters have 8 numbers: 64 / 7 is above 2^3
    assert sparse.basis("bior4.4", (8, 8)).level == 1
    assert sparse.basis("db4", 7).level == 0 and sparse.basis("db4", 7).orthonormal


@pytest.mark.parametrize("level", [5, 7])
def test_a_level_that_breaks_the_length_is_an_error(level):
    with pytest.raises(
        ValueError, match=rf"level={level} .* at most 4, .* multiples of {2**level}"
    ):
        sparse.basis("haar", 48, level=level)


@pytest.mark.parametrize("level", [-1, 1.5, True, "2"])
def test_levels_are_whole_numbers(level):
    with pytest.raises(ValueError, match="whole number of 0 or more"):
        sparse.basis("db2", 16, level=level)


def test_wavelets_that_are_their_own_dual_are_orthonormal():
    assert all(sparse.basis(name, 16).orthonormal for name in ("haar", "bior1.1", "rbio1.1"))
    assert not any(sparse.basis(name, 16).orthonormal for name in ("bior2.2", "rbio1.3"))
