import math
from itertools import combinations

import numpy as np
import pytest

from lowdim import sparse
from lowdim.sparse.promises import supports
from tests.sparse.promises.examples import simplex


def test_spark_of_spikes_and_signs():
    U = sparse.union(sparse.basis("identity", 4), sparse.basis("hadamard", 4))
    assert sparse.spark(U) == 4


def test_spark_by_enumeration(rng):
    A = rng.integers(-1, 2, size=(4, 7)).astype(float)
    A = A[:, np.abs(A).sum(axis=0) > 0]
    dependent = [
        s
        for s in range(1, A.shape[1] + 1)
        for chosen in combinations(range(A.shape[1]), s)
        if np.linalg.matrix_rank(A[:, chosen]) < s
    ]
    assert sparse.spark(A) == (min(dependent) if dependent else math.inf)


def test_spark_of_independent_atoms_and_of_a_simplex():
    assert sparse.spark(np.eye(3)) == math.inf
    assert sparse.spark(simplex(5)) == 6


def test_too_many_sets_are_refused(monkeypatch, rng):
    monkeypatch.setattr(supports, "MOST_SETS", 100)
    with pytest.raises(ValueError, match="spark of 30 atoms is between"):
        sparse.spark(rng.normal(size=(10, 30)))
    with pytest.raises(ValueError, match=r"choose max_nonzero=1, or take lowdim.*basis_pursuit"):
        sparse.sparsest(rng.normal(size=(10, 30)), rng.normal(size=10))


def test_too_many_sets_are_refused_before_any_is_looked_at(monkeypatch, rng):
    monkeypatch.setattr(supports, "_best_set", None)
    with pytest.raises(ValueError, match="max_nonzero=60 of 200 atoms: more than 2,000,000 sets"):
        sparse.sparsest(rng.normal(size=(60, 200)), rng.normal(size=60))
    with pytest.raises(ValueError, match="choose max_nonzero=1"):
        sparse.sparsest(rng.normal(size=(4, 3000)), rng.normal(size=4), max_nonzero=3000)
    with pytest.raises(ValueError, match="max_nonzero=4 is more than the 3 atoms"):
        sparse.sparsest(np.eye(3), np.ones(3), max_nonzero=4)


@pytest.mark.parametrize("d", [2, 5])
def test_restricted_isometry_of_a_simplex(d):
    found = sparse.rip(simplex(d), 2)
    assert found.exact and found.lower == found.upper == pytest.approx(1 / d, rel=1e-9)


def test_bounds_hold_where_sets_are_not_looked_at(monkeypatch, rng):
    A = rng.normal(size=(20, 30)) / np.sqrt(20)
    exact = sparse.rip(A, 3)
    monkeypatch.setattr(supports, "MOST_SETS", 10)
    bounds = sparse.rip(A, 3)
    assert exact.exact and not bounds.exact
    assert bounds.lower <= exact.lower + 1e-12 and exact.upper <= bounds.upper + 1e-12
    assert bounds.lower > 0.7 * exact.lower  # sets of atoms with much in common are tried


def test_the_sparsest_code():
    U = np.array([[1.0, 0.0, 2**-0.5], [0.0, 1.0, 2**-0.5]])
    found = sparse.sparsest(U, [1.0, 1.0])
    np.testing.assert_array_equal(found.support, [2])
    assert np.abs(found.coef).sum() == pytest.approx(np.sqrt(2.0)) and found.error < 1e-15


def test_a_planted_code_is_the_sparsest(rng):
    A = rng.normal(size=(6, 12))
    z = np.zeros(12)
    z[[2, 9]] = 1.0, -2.0
    np.testing.assert_allclose(sparse.sparsest(A, A @ z).coef, z, atol=1e-12)
    noisy = A @ z + 1e-3 * rng.normal(size=6)
    assert len(sparse.sparsest(A, noisy, max_error=0.01).support) <= 2
    assert sparse.sparsest(A, np.zeros(6)).support.size == 0


def test_the_door():
    with pytest.raises(ValueError, match="s=4 is more than the 3 atoms"):
        sparse.rip(np.eye(3), 4)
    with pytest.raises(ValueError, match=r"x has the shape \(2,\); U makes signals of 3"):
        sparse.sparsest(np.eye(3), [1.0, 2.0])
    with pytest.raises(ValueError, match="raise max_error or max_nonzero"):
        sparse.sparsest(np.eye(3), [1.0, 1.0, 1.0], max_nonzero=2)
