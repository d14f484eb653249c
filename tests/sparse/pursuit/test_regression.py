"""Linear regression by orthogonal matching pursuit, beside scikit-learn's."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import linear_model
from sklearn.base import clone

import lowdim
from lowdim import OrthogonalMatchingPursuit, OrthogonalMatchingPursuitCV
from tests.checks import assert_checks_pass
from tests.core.lying import lies
from tests.core.test_numeric import Tracked

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


@pytest.mark.parametrize("model", [OrthogonalMatchingPursuit(), OrthogonalMatchingPursuitCV()])
def test_lying_matrices_and_tensors_at_the_door(model, table):
    X, y = table
    for matrix, _ in lies(sp.csr_array(X)).values():  # scikit-learn believes them as y: a crash
        with pytest.raises(TypeError, match=r"for y, .*Pursuit(CV)? takes y.toarray"):
            model.fit(X, matrix)
        with pytest.raises(TypeError, match="Sparse data was passed for X, but dense"):
            model.fit(matrix, y)
    with pytest.raises(ValueError, match="Complex data not supported: y has dtype complex128"):
        model.fit(X, y + 1j)
    found, expected = clone(model).fit(Tracked(X), Tracked(y)), clone(model).fit(X, y)
    np.testing.assert_array_equal(found.coef_, expected.coef_)


@QUIET
def test_columns_that_explain_nothing_are_refused(table):
    X, y = table
    with pytest.raises(ValueError, match="No column of X explains anything"):
        OrthogonalMatchingPursuitCV().fit(0 * X, y)
