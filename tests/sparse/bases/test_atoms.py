import numpy as np

from lowdim import sparse
from lowdim.sparse.bases.atoms import Atoms


def test_a_matrix_of_atoms_is_a_dictionary(rng):
    A = rng.normal(size=(4, 6))
    U = Atoms("mine", A)
    np.testing.assert_array_equal(U.matrix(), A)
    assert not U.orthonormal and Atoms("turned", np.linalg.qr(A)[0]).orthonormal


def test_grassmannian_atoms_have_less_in_common_than_others(rng):
    U = sparse.basis("grassmannian", 16, redundancy=2)
    least, found = sparse.welch_bound(16, 32), sparse.coherence(U)
    random = min(sparse.coherence(rng.normal(size=(16, 32))) for _ in range(20))
    # random atoms of this size: 0.6 and more; projections come within a quarter of the bound
    assert least <= found < 1.25 * least < random
    np.testing.assert_array_equal(U.matrix(), sparse.basis("grassmannian", 16).matrix())


def test_as_many_atoms_as_dimensions_are_orthogonal():
    assert sparse.basis("grassmannian", 5, redundancy=1).orthonormal
