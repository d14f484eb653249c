import numpy as np
import pytest

from lowdim import sparse
from lowdim.sparse.sensing.measuring import KINDS, sensed


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("shape", [60, (6, 10), (5, 7)])
def test_an_operator_is_its_matrix(rng, kind, shape):
    D = int(np.prod(shape))
    W = sparse.measurement(kind, 12, shape, random_state=0)
    A = W.matrix()
    X, Y = rng.normal(size=(4, D)), rng.normal(size=(4, 12))
    assert A.shape == W.shape == (12, D)
    assert np.allclose(W @ X[0], A @ X[0]) and np.allclose(W.rmatvec(Y[0]), A.T @ Y[0])
    assert np.allclose(W @ X.T, A @ X.T) and np.allclose(W.T @ Y.T, A.T @ Y.T)
    assert np.allclose(W.measure(X), X @ A.T) and np.allclose(W.back(Y), Y @ A)


@pytest.mark.parametrize("kind", KINDS)
def test_entries_have_mean_square_one_over_m(kind):
    A = sparse.measurement(kind, 100, 400, random_state=0).matrix()
    assert np.mean(A**2) * 100 == pytest.approx(1.0, abs=0.03 if kind == "gaussian" else 1e-12)


def test_signs_are_signs():
    A = sparse.measurement("bernoulli", 16, 50, random_state=0).matrix()
    assert set(np.unique(A)) == {-0.25, 0.25}


@pytest.mark.parametrize("kind", ["dct", "dft", "pixels"])
def test_rows_of_a_basis_are_orthogonal_and_different(kind):
    W = sparse.measurement(kind, 30, 64, random_state=0)
    A = W.matrix()
    assert np.allclose(A @ A.T, 64 / 30 * np.eye(30))
    assert len(set(W.chosen)) == 30


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_draws_the_same(kind):
    one, same, other = (
        sparse.measurement(kind, 10, 50, random_state=seed).matrix() for seed in (3, 3, 4)
    )
    assert np.array_equal(one, same) and not np.array_equal(one, other)


def test_gaussian_measurements_keep_lengths_of_sparse_codes(rng):
    """Variance 1/M, not 1/D: delta_s is small (remark 10.1)."""
    W = sparse.measurement("gaussian", 1000, 1500, random_state=rng)
    assert sparse.rip(W.matrix()[:, :40], 2).upper < 0.35


@pytest.mark.parametrize("kind", ["gaussian", "dct"])
def test_atoms_are_measured(rng, kind):
    W = sparse.measurement(kind, 10, 32, random_state=0)
    U = sparse.basis("dct-overcomplete", 32)
    A = W.matrix() @ U.matrix()
    WU = sensed(W, U)
    z, y = rng.normal(size=64), rng.normal(size=10)
    assert np.allclose(WU @ z, A @ z) and np.allclose(WU.T @ y, A.T @ y)
    assert np.allclose(WU @ np.eye(64), A)


def test_large_signals_need_no_matrix(rng):
    W = sparse.measurement("dct", 2**18, 2**20, random_state=0)
    x, y = rng.normal(size=2**20), rng.normal(size=2**18)
    assert (W @ x) @ y == pytest.approx(x @ W.rmatvec(y), rel=1e-9, abs=1e-6)


def test_float32_stays_float32(rng):
    X = rng.normal(size=(3, 40)).astype(np.float32)
    for kind in KINDS:
        W = sparse.measurement(kind, 10, 40, random_state=0)
        assert W.measure(X).dtype == np.float32
        assert np.allclose(W.measure(X), W.measure(X.astype(float)), atol=1e-5)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("radon", 5, 10), "kind='radon' is not known; choose one of 'gaussian', 'bernoulli'"),
        (("dct", 11, 10), "m=11 is more than the 10 numbers of a signal"),
        (("dct", 0, 10), "m=0 is too small"),
        (("dct", 5, "long"), "shape='long' must be"),
        (("gaussian", 2**15, 2**20), "'dct', 'dft' and 'pixels' need no memory"),
    ],
)
def test_bad_input(arguments, message):
    with pytest.raises(ValueError, match=message):
        sparse.measurement(*arguments)


def test_it_prints_itself():
    assert repr(sparse.measurement("dct", 5, 10)) == "<Measurement dct: 5 of 10 numbers>"
