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


@pytest.mark.parametrize("unit", [1e-90, 1e-12, 1e20, 1e90])
@pytest.mark.parametrize("cost", [1e-30, 1.0, 1e30])
def test_units_of_atoms_and_weights_do_not_matter(rng, unit, cost):
    U, _, x = planted(rng, 10, 25, 3)
    plain = linear_program(U, x, np.ones(25), None)
    found = linear_program(U * unit, x, np.full(25, cost), None)
    assert found.finished and np.allclose(found.coef * unit, plain.coef)
    assert np.allclose(found.dual * (unit / cost), plain.dual)


def test_no_code_is_no_program():
    with pytest.raises(OutsideError) as error:
        linear_program(np.eye(3)[:, :2], np.array([1.0, 2.0, 0.5]), np.ones(2), None)
    assert error.value.left == pytest.approx(0.5)
