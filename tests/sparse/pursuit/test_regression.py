"""Linear regression by orthogonal matching pursuit, beside scikit-learn's."""

import numpy as np
import pytest
from sklearn import linear_model

import lowdim
from lowdim import OrthogonalMatchingPursuit, OrthogonalMatchingPursuitCV
from tests.checks import assert_checks_pass

QUIET = pytest.mark.filterwarnings("ignore:Orthogonal matching pursuit ended prematurely")


@QUIET
@pytest.mark.parametrize("cls", [OrthogonalMatchingPursuit, OrthogonalMatchingPursuitCV])
def test_scikit_learns_checks_pass(cls):
    assert_checks_pass(cls())


@pytest.fixture
def table(rng):
    X = rng.standard_normal((60, 15)) + 3
    return X, X[:, [2, 7]] @ [3.0, -2.0] + 5 + 0.1 * rng.standard_normal(60)


@QUIET
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("precompute", [True, False])
@pytest.mark.parametrize("limit", [{}, {"n_nonzero_coefs": 3}, {"tol": 1.0}])
def test_models_are_those_of_scikit_learn(table, fit_intercept, precompute, limit):
    X, y = table
    given = {"fit_intercept": fit_intercept, "precompute": precompute, **limit}
    ours = OrthogonalMatchingPursuit(**given).fit(X, np.column_stack([y, y**2]))
    peer = linear_model.OrthogonalMatchingPursuit(**given).fit(X, np.column_stack([y, y**2]))
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-7)
    np.testing.assert_allclose(ours.intercept_, peer.intercept_, atol=1e-7)
    np.testing.assert_allclose(ours.predict(X), peer.predict(X), atol=1e-7)
    assert ours.n_nonzero_coefs_ == peer.n_nonzero_coefs_ and list(ours.n_iter_) == list(
        peer.n_iter_
    )


def test_cross_validation_chooses_as_scikit_learn_does(table):
    ours = OrthogonalMatchingPursuitCV(cv=4).fit(*table)
    peer = linear_model.OrthogonalMatchingPursuitCV(cv=4).fit(*table)
    assert ours.n_nonzero_coefs_ == peer.n_nonzero_coefs_ and ours.n_iter_ == peer.n_iter_
    np.testing.assert_allclose(ours.coef_, peer.coef_, atol=1e-9)
    assert ours.score(*table) == pytest.approx(peer.score(*table))


def test_models_are_saved(table, tmp_path):
    for model in (OrthogonalMatchingPursuit(), OrthogonalMatchingPursuitCV()):
        model.fit(*table).save(tmp_path / "model")
        loaded = lowdim.load(tmp_path / "model")
        np.testing.assert_array_equal(loaded.predict(table[0]), model.predict(table[0]))
