import numpy as np
import pytest

from lowdim.sparse.min_l1.problem import OutsideError
from lowdim.sparse.min_l1.programs import linear_program
from tests.sparse.min_l1.examples import planted


def test_the_dual_of_the_program_is_the_dual_vector(rng):
    U, _, x = planted(rng, 10, 25, 3)
    weights = rng.uniform(0.5, 2.0, size=25)
    found = linear_program(U, x, weights, None)
    assert found.finished and np.allclose(U @ found.coef, x)
    assert np.all(np.abs(U.T @ found.dual) <= weights + 1e-8)
    assert weights @ np.abs(found.coef) == pytest.approx(x @ found.dual, rel=1e-8)


def test_no_code_is_no_program():
    with pytest.raises(OutsideError) as error:
        linear_program(np.eye(3)[:, :2], np.array([1.0, 2.0, 0.5]), np.ones(2), None)
    assert error.value.left == pytest.approx(0.5)
