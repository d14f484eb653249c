import numpy as np
import pytest
from sklearn.linear_model import lars_path

from lowdim.sparse.min_l1.homotopy import Path, follow
from lowdim.sparse.min_l1.problem import OutsideError
from tests.sparse.min_l1.examples import planted


def test_a_step_by_hand():
    """x = (3, 1) in the unit vectors: e1 from t = 3, e2 from t = 1, both to the end."""
    path = Path(np.eye(2), np.array([3.0, 1.0]), np.ones(2))
    assert path.t == 3.0
    path.join(0)
    assert path.next_join() == (2.0, 1)
    path.move(2.0, path.direction())
    assert np.allclose(path.z, [2.0]) and np.allclose(path.r, [1.0, 1.0])


def test_weights_make_an_atom_join_later():
    path = Path(np.eye(2), np.array([3.0, 1.0]), np.array([4.0, 1.0]))
    assert path.t == 1.0
    path.join(1)
    assert path.next_join() == (0.25, 0)


def test_with_noise_the_path_is_that_of_the_lasso(rng):
    U, _, x = planted(rng, 15, 30, 8)
    alphas, _, codes = lars_path(U, x, method="lasso")
    for i in range(1, len(alphas) - 1):  # its breakpoints, from the noise that they leave
        if np.linalg.norm(codes[:, i] - codes[:, i - 1]) == 0:
            continue
        noise = np.linalg.norm(x - U @ codes[:, i])
        found = follow(U, x, noise, np.ones(30), 1000)
        assert np.allclose(found.coef, codes[:, i], atol=1e-8)
        assert np.allclose(found.dual * alphas[i] * 15, x - U @ found.coef, atol=1e-8)


def test_atoms_leave(rng):
    for _ in range(20):
        U = rng.normal(size=(8, 30))
        x = rng.normal(size=8)
        found = follow(U, x, 0.0, np.ones(30), 1000)
        assert found.finished and np.allclose(U @ found.coef, x)
        assert np.abs(U.T @ found.dual).max() <= 1 + 1e-9
        if found.n_iter > np.count_nonzero(found.coef) + 1:
            return
    pytest.fail("no path had an atom that left")


def test_after_an_atom_left_all_is_as_if_it_had_not_been(rng):
    U, _, x = planted(rng, 10, 20, 4)
    path, other = (Path(U, x, np.ones(20)) for _ in range(2))
    for j in (3, 5, 7):
        path.join(j)
    path.leave(1)
    for j in (3, 7):
        other.join(j)
    assert np.allclose(path.v, other.v) and np.allclose(path.Uv, other.Uv)
    assert np.allclose(np.abs(path.direction()), np.abs(other.direction()))
    assert path.resting.sum() == 18 and path.used == [3, 7]


def test_an_atom_that_others_make_does_not_join(rng):
    U = rng.normal(size=(5, 3))
    U = np.column_stack([U, U[:, 0] + U[:, 1]])
    path = Path(U, rng.normal(size=5), np.ones(4))
    for j in (0, 1, 3):
        path.join(j)
    assert path.used == [0, 1] and not path.resting[3]
    path.leave(0)
    assert path.resting[3]


def test_of_ties_the_first_atom_is_taken_whatever_the_units(rng):
    U = rng.choice([-1.0, 1.0], size=(3, 12))
    x = rng.normal(size=3)
    plain = follow(U, x, 0.0, np.ones(12), 100).coef
    for factor in (1e-3, 1 / 3, 7.7e5):
        assert np.allclose(follow(U, x * factor, 0.0, np.ones(12), 100).coef / factor, plain)


def test_outside_of_the_span():
    with pytest.raises(OutsideError) as error:
        follow(np.eye(3)[:, :2], np.array([1.0, 2.0, 0.5]), 0.0, np.ones(2), 100)
    assert error.value.left == pytest.approx(0.5)


def test_a_code_has_no_non_zeros_from_rounding(rng):
    U, z, x = planted(rng, 40, 100, 8)
    found = follow(U, x, 0.0, np.ones(100), 1000)
    if np.allclose(found.coef, z):
        assert np.count_nonzero(found.coef) == 8
