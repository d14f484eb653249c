import math

import numpy as np
import pytest

from lowdim import sparse


def test_spikes_and_signs():
    U = sparse.union(sparse.basis("identity", 64), sparse.basis("hadamard", 64))
    found = sparse.guarantees(U)
    assert found.coherence == 0.125 and found.sparsity == 4  # below (1 + 8) / 2
    assert found.frame_bounds == pytest.approx((2.0, 2.0)) and found.condition_number == (
        pytest.approx(1.0)
    )
    assert "at most 4 atoms" in str(found) and "Coherence 0.125" in repr(found)


def test_the_bound_is_strict():
    # coherence 1/3: (1 + 3) / 2 = 2 is not below itself
    U = np.array([[1.0, 1 / 3], [0.0, np.sqrt(8) / 3]])
    assert sparse.guarantees(U).sparsity == 1
    assert "a sum of 1 atom " in str(sparse.guarantees(U))


def test_orthogonal_doubled_and_too_few_atoms():
    assert math.isinf(sparse.guarantees(np.eye(3)).sparsity)
    assert "every signal has one code" in str(sparse.guarantees(np.eye(3)))
    doubled = sparse.guarantees(np.hstack([np.eye(2), -np.eye(2)]))
    assert doubled.sparsity == 0 and "distinct=True" in str(doubled)
    few = sparse.guarantees(np.eye(3)[:, :2])
    assert few.frame_bounds[0] == 0.0 and math.isinf(few.condition_number)
    assert "no sum of the atoms" in str(few)
