"""The lasso along its path."""

import numpy as np
import pytest

from lowdim.sparse.pursuit import lasso as module
from lowdim.sparse.pursuit.lasso import descended, follow, lars, lasso
from tests.sparse.pursuit.examples import lasso_gap, objective, unit_atoms


def test_one_number_is_shrunk():
    G = np.array([[1.0]])
    assert lasso(G, np.array([[3.0], [-3.0], [0.2]]), 0.5).toarray().tolist() == [
        [2.5],
        [-2.5],
        [0],
    ]


@pytest.mark.parametrize(("k", "d"), [(10, 20), (40, 16), (150, 30)])
@pytest.mark.parametrize("alpha", [0.5, 0.05, 1e-3])
def test_a_code_is_the_minimum(rng, k, d, alpha):
    D, X = unit_atoms(rng, k, d), rng.standard_normal((20, d))
    Z = lasso(D @ D.T, X @ D.T, alpha).toarray()
    assert lasso_gap(D, X, Z, alpha).max() < 1e-9


@pytest.mark.parametrize(("k", "d"), [(10, 20), (40, 16)])
def test_a_path_comes_to_its_end_though_atoms_leave_and_come_again(rng, monkeypatch, k, d):
    monkeypatch.setattr(module, "descended", None)  # of well separated atoms nothing is missed
    D, X = unit_atoms(rng, k, d), rng.standard_normal((100, d))
    Z = lasso(D @ D.T, X @ D.T, 1e-3).toarray()
    assert lasso_gap(D, X, Z, 1e-3).max() < 1e-9


@pytest.mark.parametrize("alpha", [0.0, 0.1])
def test_a_row_without_any_correlation_has_the_code_0(rng, alpha):
    D = unit_atoms(rng, 10, 6)
    assert lasso(D @ D.T, np.zeros((3, 10)), alpha).nnz == 0


def test_each_row_may_have_its_own_penalty(rng):
    D, X = unit_atoms(rng, 30, 12), rng.standard_normal((6, 12))
    alpha = rng.uniform(0.01, 1.0, 6)
    Z = lasso(D @ D.T, X @ D.T, alpha).toarray()
    one_by_one = [
        lasso(D @ D.T, x[None] @ D.T, a).toarray()[0] for x, a in zip(X, alpha, strict=True)
    ]
    np.testing.assert_allclose(Z, one_by_one, atol=1e-12)


def test_a_positive_code_fulfils_its_conditions(rng):
    D, X = unit_atoms(rng, 40, 16), rng.standard_normal((20, 16))
    Z = lasso(D @ D.T, X @ D.T, 0.1, positive=True).toarray()
    c = (X - Z @ D) @ D.T
    assert (Z >= 0).all() and (Z > 0).any() and c.max() < 0.1 + 1e-9
    np.testing.assert_allclose(c[Z > 0], 0.1, atol=1e-9)


@pytest.mark.parametrize("alpha", [0.5, 0.05])
def test_a_start_leads_to_the_same_code(rng, alpha):
    D, X = unit_atoms(rng, 40, 16), rng.standard_normal((20, 16))
    G, B = D @ D.T, X @ D.T
    cold = lasso(G, B, alpha)
    for start in (cold, lasso(G, B + 0.1 * rng.standard_normal(B.shape), 1.5 * alpha)):
        warm = lasso(G, B, alpha, start=start)
        np.testing.assert_allclose(warm.toarray(), cold.toarray(), atol=1e-9)


def test_a_start_with_the_right_atoms_needs_no_path(rng, monkeypatch):
    D, X = unit_atoms(rng, 40, 16), rng.standard_normal((20, 16))
    cold = lasso(D @ D.T, X @ D.T, 0.2)
    monkeypatch.setattr(module, "_paths", lambda *_: None)
    warm = lasso(D @ D.T, X @ D.T, 0.2, start=cold)
    np.testing.assert_allclose(warm.toarray(), cold.toarray(), atol=1e-12)


@pytest.mark.parametrize("apart", [1e-3, 1e-5, 1e-7])
def test_atoms_that_are_nearly_equal_do_not_mislead_it(rng, apart):
    D, X = unit_atoms(rng, 20, 10), rng.standard_normal((30, 10))
    D = np.concatenate([D, D + apart * rng.standard_normal(D.shape), D[:3]])
    Z = lasso(D @ D.T, X @ D.T, 0.05).toarray()
    assert lasso_gap(D, X, Z, 0.05).max() < 1e-7


def test_coordinate_descent_comes_to_the_same_minimum(rng):
    D, X = unit_atoms(rng, 20, 12), rng.standard_normal((4, 12))
    for x in X:
        z = np.zeros(20)
        assert descended(D @ D.T, x @ D.T, 0.1, False, z)
        np.testing.assert_allclose(z, lasso(D @ D.T, x[None] @ D.T, 0.1).toarray()[0], atol=1e-5)


def test_what_misses_its_conditions_is_finished_by_descent(rng, monkeypatch):
    D, X = unit_atoms(rng, 20, 12), rng.standard_normal((4, 12))
    expected = lasso(D @ D.T, X @ D.T, 0.1).toarray()

    def missed(*args):
        args[-1][1] = module.MISSED

    monkeypatch.setattr(module, "_paths", missed)
    np.testing.assert_allclose(lasso(D @ D.T, X @ D.T, 0.1).toarray(), expected, atol=1e-5)


def test_float32_is_as_good_as_its_digits(rng):
    D, X = unit_atoms(rng, 60, 20), rng.standard_normal((20, 20))
    single = lasso((D @ D.T).astype(np.float32), (X @ D.T).astype(np.float32), 0.1)
    assert single.dtype == np.float32
    best = lasso(D @ D.T, X @ D.T, 0.1).toarray()
    loss = objective(D, X, single.toarray(), 0.1) - objective(D, X, best, 0.1)
    assert loss.max() < 1e-5


def test_lars_is_the_path_until_the_next_atom(rng):
    D, X = unit_atoms(rng, 15, 30), rng.standard_normal((10, 30))
    Z = lars(D @ D.T, X @ D.T, 4).toarray()
    assert (np.count_nonzero(Z, axis=1) == 4).all()
    for x, z in zip(X, Z, strict=True):  # all four at the bound, a fifth has just met it
        c = np.sort(np.abs((x - z @ D) @ D.T))[::-1]
        np.testing.assert_allclose(c[:5], c[0], rtol=1e-9)
        assert c[5] < c[0]


def test_a_path_of_few_steps_says_so(rng):
    D, X = unit_atoms(rng, 30, 12), rng.standard_normal((5, 12))
    found = follow(D @ D.T, X @ D.T, 1e-3, max_steps=2)
    assert found.ended_early.all() and (np.diff(found.codes.indptr) == 2).all()
    assert follow(D @ D.T, X @ D.T, 1e-3, max_steps=0).codes.nnz == 0
