import numpy as np
import pytest

from lowdim.sparse.dictionary.atoms import (
    BLOCK,
    faded,
    rest_of_codes,
    squared_error,
    sums_of_codes,
    unused,
    updated,
    with_codes,
)
from lowdim.sparse.dictionary.start import random_atoms
from lowdim.sparse.pursuit.greedy import Chosen


def example(rng, n=40, d=7, k=5, dtype=np.float64):
    X = rng.normal(size=(n, d)).astype(dtype)
    Z = chosen((rng.normal(size=(n, k)) * (rng.random((n, k)) < 0.4)).astype(dtype))
    return X, Z, random_atoms(k, d, rng).astype(dtype), rng.integers(0, 4, size=n).astype(float)


def chosen(dense):
    """Codes by the atoms they use, the last atom first."""
    used = dense != 0.0
    order = np.argsort(~used[:, ::-1], axis=1, kind="stable")
    index = dense.shape[1] - 1 - order
    value = np.take_along_axis(dense, index, axis=1)
    return Chosen(index, value, used.sum(axis=1), dense.shape[1])


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_sums_equal_dense_products(rng, dtype):
    X, Z, _, w = example(rng, dtype=dtype)
    sums, dense, wide = sums_of_codes(X, Z, w), Z.as_csr().toarray().astype(float), X.astype(float)
    np.testing.assert_allclose(sums.zz, dense.T @ (w[:, None] * dense), atol=1e-5)
    np.testing.assert_allclose(sums.zx, dense.T @ (w[:, None] * wide), atol=1e-5)
    np.testing.assert_allclose(sums.squares, w @ (wide**2).sum(axis=1), rtol=1e-6)
    np.testing.assert_allclose(sums.absolute, w @ np.abs(dense).sum(axis=1), rtol=1e-6)
    assert sums.zz.dtype == sums.zx.dtype == np.float64


def test_rest_is_what_codes_leave(rng):
    X, Z, D, _ = example(rng)
    np.testing.assert_allclose(rest_of_codes(X, Z, D), X - Z.as_csr() @ D, atol=1e-12)


def test_the_error_follows_from_the_sums(rng):
    X, Z, D, w = example(rng)
    direct = w @ (rest_of_codes(X, Z, D) ** 2).sum(axis=1)
    assert squared_error(sums_of_codes(X, Z, w), D) == pytest.approx(direct)


@pytest.mark.parametrize("k", [5, 2 * BLOCK + 3])
def test_each_atom_is_the_best_in_its_turn(rng, k):
    X, Z, D, w = example(rng, n=400, d=9, k=k)
    sums = sums_of_codes(X, Z, w)
    new, twin = updated(sums, D), D.copy()
    for j in range(len(D)):  # the NumPy twin of the kernel
        twin[j] += (sums.zx[j] - sums.zz[j] @ twin) / sums.zz[j, j]
        twin[j] /= max(np.linalg.norm(twin[j]), 1.0)
    np.testing.assert_allclose(new, twin, atol=1e-12)
    last = len(D) - 1  # no other atom within the ball is better in the place of the last one
    for _ in range(50):
        other = new.copy()
        other[last] += 0.1 * rng.normal(size=D.shape[1])
        other[last] /= max(np.linalg.norm(other[last]), 1.0)
        assert squared_error(sums, other) >= squared_error(sums, new) - 1e-12


@pytest.mark.parametrize("positive", [False, True])
def test_no_sweep_raises_the_error(rng, positive):
    X, Z, D, w = example(rng)
    sums, D = sums_of_codes(X, Z, w), np.abs(D) if positive else D
    errors = [squared_error(sums, D)]
    for _ in range(20):
        D = updated(sums, D, positive)
        errors.append(squared_error(sums, D))
    assert np.all(np.diff(errors) <= 1e-9 * errors[0])
    assert np.linalg.norm(D, axis=1).max() <= 1 + 1e-12
    assert not positive or D.min() >= 0


def test_an_atom_without_codes_stays_and_is_called_unused(rng):
    X, Z, D, _ = example(rng)
    dense = Z.as_csr().toarray()
    dense[:, 2] = 0.0
    sums = sums_of_codes(X, chosen(dense), None)
    np.testing.assert_array_equal(updated(sums, D)[2], D[2])
    assert unused(sums).tolist() == [2]


def test_old_sums_count_less(rng):
    X, Z, _, _ = example(rng)
    once = sums_of_codes(X, Z, None)
    sums = with_codes(faded(sums_of_codes(X, Z, None), 0.25), X, Z, None)
    for found, expected in zip(sums, once, strict=True):
        np.testing.assert_allclose(found, 1.25 * expected)
