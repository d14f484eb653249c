import numpy as np
import pytest

from lowdim import sparse
from lowdim.sparse.min_l1.problem import Problem
from lowdim.sparse.min_l1.support import from_support, only_code
from tests.sparse.min_l1.examples import coded, planted


def test_signs_are_enough_for_the_code(rng):
    U, z, x = planted(rng, 20, 40, 4)
    code, y = from_support(Problem(U), x, 0.0, np.sign(z), np.zeros(20))
    assert np.allclose(code, z)
    assert np.allclose((U.T @ y)[z != 0], np.sign(z[z != 0]))


def test_with_noise_it_is_the_exact_answer(rng):
    U, _, x = planted(rng, 20, 40, 4)
    found = sparse.basis_pursuit(U, x, noise=0.2)
    code, y = from_support(Problem(U), x, 0.2, np.sign(found.coef), np.zeros(20))
    assert np.allclose(code, found.coef)
    assert np.allclose(y, found.dual)


def test_operators_are_as_matrices(rng, monkeypatch):
    U = sparse.union(sparse.basis("identity", 32), sparse.basis("dct", 32))
    z, x = coded(rng, U, 4)
    y = rng.normal(size=32)
    expected = [from_support(Problem(U), x, noise, z, y) for noise in (0.0, 0.1)]
    monkeypatch.setattr("lowdim.sparse.min_l1.problem.WRITTEN_DOWN", 1)
    for noise, (code, dual) in zip((0.0, 0.1), expected, strict=True):
        found = from_support(Problem(U), x, noise, z, y)
        assert np.allclose(found[0], code) and np.allclose(found[1], dual)


def test_of_atoms_that_are_dependent_some_will_do(rng):
    U, _, x = planted(rng, 12, 20, 2)
    doubled = np.hstack([U, U])
    for noise in (0.0, 0.05):
        expected = sparse.basis_pursuit(U, x, noise=noise)
        guess = np.concatenate([expected.coef, expected.coef])
        code, y = from_support(Problem(doubled), x, noise, guess, expected.dual)
        assert np.allclose(code[:20] + code[20:], expected.coef)
        assert np.allclose(doubled.T @ y, np.tile(U.T @ expected.dual, 2))


def test_a_guess_that_is_no_code_gives_none(rng):
    U, _, x = planted(rng, 6, 20, 2)
    problem = Problem(U)
    assert from_support(problem, x, 0.0, np.zeros(20), np.zeros(6)) is None
    assert from_support(problem, x, 1e-3, np.eye(20)[0], np.zeros(6)) is None
    doubled = Problem(np.hstack([U, U]))
    assert from_support(doubled, x, 0.0, np.tile(np.eye(20)[0], 2), np.zeros(6)) is None


def test_of_independent_atoms_there_is_only_one_code(rng):
    U = rng.normal(size=(9, 6))
    z = rng.normal(size=6) * (np.arange(6) % 2)
    code, y = only_code(Problem(U), U @ z)
    assert np.allclose(code, z)
    assert np.abs(U.T @ y).max() <= 1 + 1e-9
    assert (U @ z) @ y == pytest.approx(np.abs(z).sum())
    assert only_code(Problem(U), rng.normal(size=9)) is None  # outside of the span
    assert only_code(Problem(np.column_stack([U[:, :3], U[:, :3]])), U[:, 0]) is None
    assert only_code(Problem(U.T), rng.normal(size=6)) is None
