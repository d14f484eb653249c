import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.sparse.dictionary.start import random_atoms
from lowdim.sparse.dictionary.sweep import leading_direction, sweep


def example(rng, n=60, d=6, k=5):
    X, D = rng.normal(size=(n, d)), random_atoms(k, d, rng)
    Z = rng.normal(size=(n, k)) * (rng.random((n, k)) < 0.4)
    return X, D, Z, rng.integers(1, 4, size=n).astype(float)


def algorithm_1(X, D, Z, w):
    """The notes' Algorithm 1, atoms as rows, with weights."""
    D, Z = D.copy(), Z.copy()
    for j in range(len(D)):
        used = Z[:, j] != 0
        D[j] = 0
        R, g = X[used] - Z[used] @ D, Z[used, j]
        h = R.T @ (w[used] * g)
        h /= np.linalg.norm(h)
        D[j], Z[used, j] = h, R @ h
    return D, Z


def singular_vectors(X, D, Z, w):
    D, Z = D.copy(), Z.copy()
    for j in range(len(D)):
        used, old = Z[:, j] != 0, D[j].copy()
        D[j] = 0
        R = X[used] - Z[used] @ D
        h = np.linalg.svd(np.sqrt(w[used])[:, None] * R)[2][0]
        D[j] = h if h @ old > 0 else -h
        Z[used, j] = R @ D[j]
    return D, Z


@pytest.mark.parametrize(("exact", "twin"), [(False, algorithm_1), (True, singular_vectors)])
def test_a_sweep_equals_its_twin(rng, exact, twin):
    X, D, Z, w = example(rng)
    expected_D, expected_Z = twin(X, D, Z, w)
    found = sweep(X - Z @ D, sp.csr_array(Z), D, w, None, exact)
    np.testing.assert_allclose(found.atoms, expected_D, atol=1e-10)
    np.testing.assert_allclose(found.codes.toarray(), expected_Z, atol=1e-10)
    np.testing.assert_allclose(found.rest, X - expected_Z @ expected_D, atol=1e-10)


@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_no_sweep_raises_the_error_of_what_is_observed(rng, exact, missing):
    X, D, Z, w = example(rng)
    observed = rng.random(X.shape) >= missing
    Z = sp.csr_array(Z)
    rest = np.where(observed, X - Z @ D, 0.0)
    errors = [w @ (rest**2).sum(axis=1)]
    for _ in range(10):
        D, Z, rest = sweep(rest, Z, D, w, observed if missing else None, exact)
        np.testing.assert_allclose(rest, np.where(observed, X - Z @ D, 0.0), atol=1e-9)
        np.testing.assert_allclose(np.linalg.norm(D, axis=1), 1.0)
        errors.append(w @ (rest**2).sum(axis=1))
    assert np.all(np.diff(errors) <= 1e-9 * errors[0])
    assert errors[-1] < 0.99 * errors[0]


def test_with_all_observed_both_kernels_agree(rng):
    X, D, Z, w = example(rng)
    plain = sweep(X - Z @ D, sp.csr_array(Z), D, w, None, False)
    masked = sweep(X - Z @ D, sp.csr_array(Z), D, w, np.ones(X.shape, bool), False)
    np.testing.assert_allclose(masked.atoms, plain.atoms, atol=1e-10)
    np.testing.assert_allclose(masked.rest, plain.rest, atol=1e-10)


@pytest.mark.parametrize("exact", [False, True])
def test_atoms_without_rows_and_without_direction_stay(rng, exact):
    D = np.eye(3)
    Z = np.array([[1.0, 0.0, 0.0], [1.0, 0.0, 0.0]])
    X = np.array([[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0]])  # R'g = 0 for the first atom
    found = sweep(X - Z @ D, sp.csr_array(Z), D, None, None, exact)
    assert np.isfinite(found.atoms).all() and np.isfinite(found.rest).all()
    np.testing.assert_array_equal(found.atoms[1:], D[1:])


def test_the_leading_direction_is_that_of_the_svd(rng):
    for shape in ((9, 4), (4, 9)):
        R = rng.normal(size=shape)
        h = np.linalg.svd(R)[2][0]
        assert abs(leading_direction(R) @ h) == pytest.approx(1.0)
    assert leading_direction(np.zeros((3, 2))) is None
