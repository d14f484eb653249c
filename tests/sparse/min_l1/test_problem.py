import numpy as np
import pytest

from lowdim import sparse
from lowdim.sparse.min_l1.problem import OutsideError, Problem


def test_products_are_those_of_the_matrix(rng):
    U = sparse.basis("dct-overcomplete", 12)
    A, problem = U.matrix(), Problem(U)
    z, y = rng.normal(size=24), rng.normal(size=12)
    assert np.allclose(problem.times(z), A @ z)
    assert np.allclose(problem.products(y), A.T @ y)
    assert np.allclose(problem.atoms(np.array([3, 1])), A[:, [3, 1]])


def test_an_operator_that_is_not_written_down_gives_its_atoms(rng, monkeypatch):
    monkeypatch.setattr("lowdim.sparse.min_l1.problem.WRITTEN_DOWN", 1)
    U = sparse.basis("haar", 16)
    problem = Problem(U)
    assert problem.matrix is None
    assert np.allclose(problem.atoms(np.array([3, 1])), U.matrix()[:, [3, 1]])


def test_a_dual_vector_is_brought_within_its_bounds():
    problem = Problem(np.eye(2), weights=[1.0, 2.0])
    y, gap = problem.proved(np.array([1.0, 1.0]), 0.0, np.array([1.0, 1.0]), np.array([2.0, 2.0]))
    assert np.allclose(y, [1.0, 1.0])
    assert gap == pytest.approx(3.0 - 2.0)


def test_a_code_that_misses_the_signal_proves_nothing():
    problem = Problem(np.eye(2))
    assert problem.proved(np.ones(2), 0.0, np.zeros(2), np.ones(2))[1] == np.inf
    assert problem.proved(np.ones(2), 1.5, np.zeros(2), np.zeros(2))[1] == 0.0


def test_large_atoms_are_brought_to_one():
    problem = Problem(np.diag([1e200, 2e200]))
    assert problem.unit == 2e200
    assert np.allclose(problem.matrix, np.diag([0.5, 1.0]))


def test_messages_are_in_the_units_of_the_signal():
    text = str(OutsideError(0.5).explained(np.array([1.0, 0.0]), 0.0, 10.0))
    assert "misses it by 5 (|x| is 10)" in text and "noise=5.05" in text
    assert "noise=1 is too small" in str(OutsideError(0.5).explained(np.ones(1), 0.1, 10.0))
