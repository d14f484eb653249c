import math

import numpy as np
import pytest

from lowdim import sparse
from lowdim.sparse.promises import null_space
from tests.sparse.promises.examples import simplex


@pytest.mark.parametrize("d", [3, 4])
def test_a_simplex_has_it_below_half_of_its_atoms(d):
    # its null space is (1, ..., 1): s entries against d + 1 - s
    for s in range(1, d + 1):
        found = sparse.null_space_property(simplex(d), s)
        assert found.holds == (s < (d + 1) / 2) and found.exact
        assert found.constant == pytest.approx(s / (d + 1 - s), rel=1e-6)
        assert (found.violation is None) == found.holds


def test_a_violation_is_one(rng):
    A = rng.normal(size=(4, 8))
    found = sparse.null_space_property(A, 3)
    if found.holds is False:
        v = found.violation
        largest = np.sort(np.abs(v))[::-1]
        np.testing.assert_allclose(A @ v, 0.0, atol=1e-10)
        assert largest[:3].sum() >= largest[3:].sum() * (1 - 1e-9)


def test_bounds_agree_with_what_is_exact(monkeypatch, rng):
    for A in (simplex(5), rng.normal(size=(6, 9)), np.hstack([np.eye(4), np.eye(4)])):
        for s in (1, 2):
            exact = sparse.null_space_property(A, s)
            with monkeypatch.context() as patch:
                patch.setattr(null_space, "MOST_PROGRAMS", 0)
                bound = sparse.null_space_property(A, s)
            assert not bound.exact and bound.holds in (exact.holds, None)
            if bound.holds:
                assert bound.constant >= exact.constant - 1e-7
            else:
                assert bound.constant <= exact.constant + 1e-7


def test_independent_atoms_and_doubled_ones():
    assert sparse.null_space_property(np.eye(3), 2) == (True, 0.0, True, None)
    doubled = sparse.null_space_property(np.hstack([np.eye(2), np.eye(2)]), 1)
    assert doubled.holds is False and doubled.constant == pytest.approx(1.0)
    all_atoms = sparse.null_space_property(np.ones((1, 2)), 2)
    assert all_atoms.holds is False and math.isinf(all_atoms.constant)
