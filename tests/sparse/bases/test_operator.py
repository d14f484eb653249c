import numpy as np
import pytest

from lowdim import sparse
from lowdim.sparse.bases.atoms import Atoms
from lowdim.sparse.bases.operator import LARGEST_MATRIX
from tests.sparse.bases.examples import ORTHONORMAL, each_kind, each_shape, example

ROUNDING = 1e-11  # atoms have length 1 or near it; conjugate gradients stop at 1e-13


@each_kind
@each_shape
def test_signals_are_what_codes_make_and_codes_make_them_again(kind, where, rng):
    U = example(kind, where)
    D, L = U.shape
    M = U.matrix()
    X, Z = rng.normal(size=(3, D)), rng.normal(size=(2, L))
    assert M.shape == (D, L) and U.dtype == np.float64
    np.testing.assert_allclose(U.synthesize(Z), Z @ M.T, atol=ROUNDING)
    np.testing.assert_allclose(U.synthesize(U.analyze(X)), X, atol=ROUNDING)
    if D == L:
        np.testing.assert_allclose(U.analyze(U.synthesize(Z)), Z, atol=ROUNDING)


@each_kind
@each_shape
def test_the_adjoint_is_exact(kind, where, rng):
    U = example(kind, where)
    x, z = rng.normal(size=U.shape[0]), rng.normal(size=U.shape[1])
    assert (U @ z) @ x == pytest.approx(z @ U.rmatvec(x), abs=1e-11)
    np.testing.assert_allclose(U.H @ x, U.matrix().T @ x, atol=1e-12)
    np.testing.assert_allclose(U.rmatmat(np.eye(U.shape[0])), U.matrix().T, atol=1e-12)


@each_kind
@each_shape
def test_codes_are_those_of_least_length(kind, where, rng):
    U = example(kind, where)
    X = rng.normal(size=(2, U.shape[0]))
    np.testing.assert_allclose(U.analyze(X), X @ np.linalg.pinv(U.matrix()).T, atol=1e-10)


@pytest.mark.parametrize("kind", ["gabor", "grassmannian"])
def test_large_dictionaries_are_inverted_step_by_step(kind, rng, monkeypatch):
    U = example(kind, "signal")
    X = rng.normal(size=(2, U.shape[0]))
    at_once = U.analyze(X)
    monkeypatch.setattr("lowdim.sparse.bases.operator.SMALL", 0)
    np.testing.assert_allclose(U.analyze(X), at_once, atol=1e-8)


@each_kind
@each_shape
def test_a_basis_says_whether_it_is_orthonormal(kind, where):
    U = example(kind, where)
    gram = U.matrix().T @ U.matrix()
    alike = U.shape[0] == U.shape[1] and np.abs(gram - np.eye(len(gram))).max() < 1e-10
    assert U.orthonormal == alike
    assert U.orthonormal or kind not in ORTHONORMAL


@each_kind
def test_float32_stays(kind, rng):
    U = example(kind, "signal")
    x = rng.normal(size=32).astype(np.float32)
    z = U.analyze(x)
    assert z.dtype == np.float32 and U.synthesize(z).dtype == np.float32
    np.testing.assert_allclose(U.synthesize(z), x, atol=1e-4)


def test_rows_one_row_and_lists():
    U = sparse.basis("dct", 4)
    x = [1, 2, 3, 4]
    one, several = U.analyze(x), U.analyze([x, x])
    assert one.shape == (4,) and several.shape == (2, 4)
    np.testing.assert_array_equal(several[1], one)
    np.testing.assert_allclose(U.products(x), one)


def test_atoms_that_do_not_span_are_refused_by_what_to_do():
    class Some(Atoms):
        def _codes(self, X):
            return super(Atoms, self)._codes(X)

    few = Some("waves", np.eye(3)[:, :2])
    np.testing.assert_allclose(few.analyze([1.0, 2.0, 0.0]), [1.0, 2.0])
    with pytest.raises(ValueError, match=r"do not span all signals: signal 0 .*union"):
        few.analyze([0.0, 1.0, 1.0])


def test_the_door():
    U = sparse.basis("dct", 8)
    with pytest.raises(ValueError, match=r"X has the shape \(3, 4\); rows of 8 numbers"):
        U.analyze(np.ones((3, 4)))
    with pytest.raises(ValueError, match="Complex data not supported"):
        U.synthesize(np.ones(8, complex))
    n = int(np.sqrt(LARGEST_MATRIX)) + 1
    with pytest.raises(ValueError, match="use it as an operator"):
        sparse.basis("identity", n).matrix()


def test_a_basis_says_what_it_is():
    assert repr(sparse.basis("dct", (8, 4))) == (
        "<Basis dct: 32 atoms for signals of 8 x 4, orthonormal>"
    )
    assert "2 times as many atoms" in repr(sparse.basis("dct-overcomplete", 8))
