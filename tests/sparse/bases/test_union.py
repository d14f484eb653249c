import numpy as np
import pytest

from lowdim import sparse


def test_atoms_stand_side_by_side(rng):
    parts = [sparse.basis("identity", 8), sparse.basis("dct", 8), rng.normal(size=(8, 3))]
    U = sparse.union(*parts)
    matrices = [part if isinstance(part, np.ndarray) else part.matrix() for part in parts]
    M = np.hstack(matrices)
    np.testing.assert_allclose(U.matrix(), M, atol=1e-14)
    x = rng.normal(size=8)
    np.testing.assert_allclose(U.rmatvec(x), M.T @ x, atol=1e-13)
    np.testing.assert_allclose(U.analyze(x), np.linalg.pinv(M) @ x, atol=1e-10)
    assert [part.shape for part in U.parts(np.zeros((2, 19)))] == [(2, 8), (2, 8), (2, 3)]


def test_orthonormal_bases_together_are_tight(rng):
    U = sparse.union(*(sparse.basis(kind, (4, 4)) for kind in ("identity", "dct", "haar")))
    assert U.tight == 3.0 and not U.orthonormal
    np.testing.assert_allclose(U @ (U.H @ np.ones(16)), 3.0, atol=1e-13)


def test_doubled_atoms_are_left_out():
    U = sparse.union(sparse.basis("identity", 4), -np.eye(4), np.ones((4, 1)), distinct=True)
    np.testing.assert_array_equal(U.matrix(), np.column_stack([np.eye(4), np.ones(4)]))


def test_the_door():
    with pytest.raises(ValueError, match="at least one"):
        sparse.union()
    with pytest.raises(ValueError, match="same signals"):
        sparse.union(sparse.basis("dct", 8), sparse.basis("dct", 16))
    with pytest.raises(TypeError, match="Dictionary 1 of the union is of type str"):
        sparse.union(sparse.basis("dct", 8), "dct")
