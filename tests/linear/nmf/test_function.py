"""The function says what the class says, and finds codes for given parts."""

import numpy as np
import pytest
from scipy.optimize import nnls
from sklearn.decomposition import non_negative_factorization as of_sklearn

import lowdim
from lowdim import non_negative_factorization


def test_it_is_the_class(rng):
    X = rng.random((30, 8))
    W, H, n_iter = non_negative_factorization(X, n_components=3, random_state=0)
    model = lowdim.NMF(3, random_state=0)
    np.testing.assert_array_equal(W, model.fit_transform(X))
    np.testing.assert_array_equal(H, model.components_)
    assert n_iter == model.n_iter_


def test_codes_for_given_parts_are_least_squares(rng):
    X, H = rng.random((12, 6)), rng.random((3, 6))
    W, same, n_iter = non_negative_factorization(X, H=H, update_H=False)
    np.testing.assert_array_equal(same, H)
    assert n_iter == 1
    np.testing.assert_allclose(W, [nnls(H.T, x)[0] for x in X], atol=1e-6)


def test_penalties_as_in_scikit_learn(rng):
    """scikit-learn's descent, run long, comes to the same minimum."""
    X, H = rng.random((12, 6)) + 0.1, rng.random((2, 6)) + 0.1
    how = {"H": H, "update_H": False, "n_components": 2, "alpha_W": 0.01, "l1_ratio": 0.5}
    ours = non_negative_factorization(X, **how)[0]
    theirs = of_sklearn(X, **how, max_iter=20_000, tol=1e-12)[0]
    np.testing.assert_allclose(ours, theirs, atol=1e-6)


def test_codes_of_counts_are_a_minimum(rng):
    """Slopes of the divergence and its penalties are 0, or positive where a code is 0."""
    X, H = rng.poisson(3, (12, 6)) + 0.0, rng.random((2, 6)) + 0.1
    how = {"beta_loss": "kullback-leibler", "solver": "mu", "alpha_W": 0.01, "l1_ratio": 0.5}
    W = non_negative_factorization(X, H=H, update_H=False, **how)[0]
    slope = H.sum(axis=1) - (X / (W @ H)) @ H.T + 6 * 0.01 * (0.5 + 0.5 * W)
    assert (slope > -1e-4).all()
    assert (np.abs(slope[W > 1e-6]) < 1e-4).all()


def test_a_given_start_needs_init_custom(rng):
    X, W, H = rng.random((10, 5)), rng.random((10, 2)), rng.random((2, 5))
    with pytest.warns(RuntimeWarning, match="provided W or H are ignored"):
        ignored = non_negative_factorization(X, W, H, 2, random_state=0)
    np.testing.assert_array_equal(
        ignored[0], non_negative_factorization(X, n_components=2, random_state=0)[0]
    )
    used = non_negative_factorization(X, W, H, 2, init="custom")
    assert np.linalg.norm(X - used[0] @ used[1]) < np.linalg.norm(X - W @ H)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"update_H": False}, "H is None; give H"),
        ({"update_H": False, "H": np.ones((2, 4))}, "Expected 5, but got 4"),
        ({"update_H": False, "H": -np.ones((2, 5))}, "Negative values|negative"),
        ({"n_components": 2, "init": "custom"}, "W and H"),
    ],
)
def test_bad_input(given, says, rng):
    with pytest.raises(ValueError, match=says):
        non_negative_factorization(rng.random((10, 5)), **given)


def test_a_given_w_is_not_used_where_only_codes_are_found_and_h_may_be_zeros(rng):
    X = rng.random((6, 5))
    with pytest.warns(RuntimeWarning, match="initial W is not used"):
        non_negative_factorization(X, W=rng.random((6, 2)), H=rng.random((2, 5)), update_H=False)
    W, _, _ = non_negative_factorization(X, H=np.zeros((2, 5)), update_H=False)
    assert W.shape == (6, 2) and not W.any()
