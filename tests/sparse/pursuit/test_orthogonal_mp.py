"""`orthogonal_mp` and `orthogonal_mp_gram`, beside scikit-learn's."""

import numpy as np
import pytest
from sklearn import linear_model

from lowdim import orthogonal_mp, orthogonal_mp_gram


@pytest.fixture
def columns(rng):
    X = rng.standard_normal((25, 12))
    X /= np.linalg.norm(X, axis=0)
    return X, X @ rng.standard_normal((12, 3)) + 0.1 * rng.standard_normal((25, 3))


@pytest.mark.parametrize("precompute", [False, True, "auto"])
@pytest.mark.parametrize("limit", [{}, {"n_nonzero_coefs": 4}, {"tol": 3.0}, {"tol": 1e9}])
@pytest.mark.parametrize("n_targets", [1, 3])
def test_coefficients_are_those_of_scikit_learn(columns, precompute, limit, n_targets):
    X, y = columns
    y = y[:, 0] if n_targets == 1 else y
    ours, n = orthogonal_mp(X, y, precompute=precompute, return_n_iter=True, **limit)
    peer, m = linear_model.orthogonal_mp(X, y, return_n_iter=True, **limit)
    np.testing.assert_allclose(ours, peer, atol=1e-9)
    assert n == m
    G, Xy = X.T @ X, X.T @ y
    squares = np.atleast_1d((y**2).sum(axis=0))
    given = (
        {**limit, "norms_squared": squares} if "tol" in limit else {"n_nonzero_coefs": 2, **limit}
    )
    gram = orthogonal_mp_gram(G, Xy, **given)
    np.testing.assert_allclose(gram, linear_model.orthogonal_mp_gram(G, Xy, **given), atol=1e-9)


@pytest.mark.parametrize("precompute", [False, True])
def test_a_path_has_the_code_after_each_step(columns, precompute):
    X, y = columns
    path = orthogonal_mp(X, y, n_nonzero_coefs=4, precompute=precompute, return_path=True)
    peer = linear_model.orthogonal_mp(X, y, n_nonzero_coefs=4, return_path=True)
    assert path.shape == (12, 3, 4)
    np.testing.assert_allclose(path, peer, atol=1e-9)


def test_equal_columns_are_said(columns):
    X, _ = columns
    X[:, 1] = X[:, 0]
    for precompute in (False, True):
        with pytest.warns(RuntimeWarning, match="ended prematurely due to linear dependence"):
            orthogonal_mp(X, X[:, 0] * 2, n_nonzero_coefs=2, precompute=precompute)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_nonzero_coefs": 13}, "cannot be more than the number of features.*n_nonzero_coefs=13"),
        ({"n_nonzero_coefs": 0}, "n_nonzero_coefs=0 is too small"),
        ({"tol": -1.0}, "tol=-1.0 must be at least 0"),
        ({"precompute": "yes"}, "precompute='yes' is not known"),
    ],
)
def test_bad_arguments_are_refused(columns, arguments, message):
    with pytest.raises(ValueError, match=message):
        orthogonal_mp(*columns, **arguments)


def test_shapes_that_do_not_fit_are_refused(columns):
    X, y = columns
    with pytest.raises(ValueError, match="y has 5 rows, X has 25"):
        orthogonal_mp(X, y[:5])
    with pytest.raises(ValueError, match="a square matrix is needed"):
        orthogonal_mp_gram(X, y)
    with pytest.raises(ValueError, match="Gram OMP needs the precomputed norms"):
        orthogonal_mp_gram(X.T @ X, X.T @ y, tol=1.0)
