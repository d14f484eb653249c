import numpy as np
import pytest

from lowdim import sparse


def test_an_atom_is_a_wave_under_a_bell():
    atom = sparse.gabor_atom((9, 7), (3, 2), 0.2, 0.6, 1.5, phase=0.4)
    i, j = np.mgrid[:9, :7] - np.array([3, 2])[:, None, None]
    expected = np.exp(-(i**2 + j**2) / (2 * 1.5**2))
    expected *= np.cos(2 * np.pi * 0.2 * (np.cos(0.6) * j + np.sin(0.6) * i) + 0.4)
    np.testing.assert_allclose(atom, expected / np.linalg.norm(expected), atol=1e-15)


def test_the_dictionary_has_these_atoms():
    shape, sigma = (6, 5), 1.2
    U = sparse.basis("gabor", shape, sigma=sigma, frequencies=(0, 0.3), orientations=3, step=2)
    waves = [(0.0, 0.0, 0.0)]
    waves += [(0.3, np.pi * t / 3, phase) for t in range(3) for phase in (0.0, np.pi / 2)]
    centers = [(r, c) for r in range(0, 6, 2) for c in range(0, 5, 2)]
    atoms = [
        sparse.gabor_atom(shape, center, f, theta, sigma, phase).ravel()
        for f, theta, phase in waves
        for center in centers
    ]
    np.testing.assert_allclose(U.matrix(), np.array(atoms).T, atol=1e-12)


def test_what_vanishes_is_no_atom():
    # a sine of half a wave per number is 0 at all numbers
    assert sparse.basis("gabor", 8, frequencies=(0.5,), step=1).shape == (8, 8)
    with pytest.raises(ValueError, match="is zero at all numbers; choose another phase"):
        sparse.gabor_atom(5, 1e9, 0.1, 0.0, 1.0)


def test_the_door():
    with pytest.raises(ValueError, match=r"frequencies=.* from 0 to 0\.5"):
        sparse.basis("gabor", 8, frequencies=(0.7,))
    with pytest.raises(ValueError, match="sigma=0"):
        sparse.basis("gabor", 8, sigma=0)
    with pytest.raises(ValueError, match="step=0"):
        sparse.basis("gabor", 8, step=0)
    with pytest.raises(ValueError, match="orientations=0"):
        sparse.basis("gabor", 8, orientations=0)
