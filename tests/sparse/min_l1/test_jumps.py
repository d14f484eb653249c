import numpy as np
import pytest

from lowdim.sparse.min_l1.homotopy import follow
from lowdim.sparse.min_l1.jumps import jump
from lowdim.sparse.min_l1.problem import Problem


def planted(rng, D=40, L=120, K=5, noise=0.1):
    U = rng.normal(size=(D, L)) * rng.uniform(0.5, 2, L)
    z = np.zeros(L)
    z[rng.choice(L, K, replace=False)] = rng.normal(size=K)
    error = rng.normal(size=D)
    return U, U @ z + noise * error / np.linalg.norm(error)


@pytest.mark.parametrize("noise", [1e-6, 0.01, 0.3, 2.0])
def test_jumps_end_where_the_path_does(rng, noise):
    settled = 0
    for _ in range(10):
        U, x = planted(rng, noise=noise)
        weights = rng.uniform(0.5, 2, U.shape[1])
        found = jump(U, x, noise, weights)
        if found is not None:
            path = follow(U, x, noise, weights, 10_000)
            assert path is not None and np.allclose(found.coef, path.coef, atol=1e-8)
            if noise > 1e-3:  # for less, rounding counts: `pursue` makes such codes exact
                assert Problem(U, weights).proved(x, noise, found.coef, found.dual)[1] < 1e-5
            settled += 1
    assert settled >= 3


def test_few_steps_where_the_path_takes_many(rng):
    U = rng.normal(size=(200, 800))
    x = U[:, :25] @ rng.normal(size=25) + rng.normal(size=200)
    found = jump(U, x, 10.0, np.ones(800))
    assert found is not None and found.n_iter < 25 < np.count_nonzero(found.coef)


def test_dependent_atoms_are_left_to_the_path(rng):
    U, x = planted(rng)
    doubled = np.concatenate([U, U], axis=1)
    assert jump(doubled, x, 0.1, np.ones(240)) is None


def test_steps_may_be_bounded(rng):
    U, x = planted(rng)
    assert jump(U, x, 0.1, np.ones(120), max_iter=1) is None
