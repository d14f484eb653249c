import numpy as np
import pytest
import scipy.linalg

from lowdim import sparse
from lowdim.sparse.bases.axes import cosine_atoms


def test_haar_golden():
    z = sparse.basis("haar", 8).analyze([4, 2, 5, 5, 1, 3, 0, 8])
    golden = (9.89949, 1.41421, -2, -2, 1.41421, 0, -1.41421, -5.65685)
    np.testing.assert_allclose(z, golden, atol=5e-6)


@pytest.mark.parametrize("D", [1, 2, 7, 8])
def test_fourier_atoms_are_constant_cosines_and_sines(D):
    n, atoms = np.arange(D), [np.ones(D)]
    for k in range(1, (D - 1) // 2 + 1):
        atoms += [np.cos(2 * np.pi * k * n / D), np.sin(2 * np.pi * k * n / D)]
    if D % 2 == 0:
        atoms.append((-1.0) ** n)
    U = np.array(atoms).T
    U = U / np.linalg.norm(U, axis=0)
    np.testing.assert_allclose(sparse.basis("dft", D).matrix(), U, atol=1e-14)


def test_hadamard_is_sylvesters():
    expected = scipy.linalg.hadamard(16) / 4.0
    np.testing.assert_allclose(sparse.basis("hadamard", 16).matrix(), expected, atol=1e-15)


def test_many_cosines_are_those_of_patches():
    U = sparse.basis("dct-overcomplete", (8, 8))
    assert U.shape == (64, 256)
    assert sparse.coherence(U) == pytest.approx(0.984565, abs=5e-7)
    np.testing.assert_allclose(np.linalg.norm(cosine_atoms(5, 20), axis=0), 1.0)
    np.testing.assert_allclose(cosine_atoms(5, 20)[:, 1:].mean(axis=0), 0.0, atol=1e-15)


def test_hadamard_needs_a_power_of_two():
    with pytest.raises(ValueError, match="not 12; choose 8 or 16"):
        sparse.basis("hadamard", 12)


@pytest.mark.parametrize("kind", ["dct", "dft", "hadamard", "haar", "bior4.4"])
def test_long_signals_are_transformed_without_a_matrix(kind, rng):
    x = rng.normal(size=2**18)
    U = sparse.basis(kind, 2**18)
    tol = 1e-12 if U.orthonormal else 1e-10  # filters of bior4.4 have 12 digits in PyWavelets
    np.testing.assert_allclose(U.synthesize(U.analyze(x)), x, rtol=0, atol=tol)
