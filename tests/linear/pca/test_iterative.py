"""Axes from products with the scatter."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.decomposition import PCA as ScikitPCA

from lowdim import PCA
from lowdim.linear.pca.iterative import constrained_step
from tests.linear.pca.tables import spectrum_data


def test_randomized_captures_the_variance_of_the_best_subspace(rng):
    X = rng.normal(size=(400, 60)) * np.linspace(3, 0.5, 60)
    best = ScikitPCA(5, svd_solver="full").fit(X).explained_variance_.sum()
    ours = PCA(5, svd_solver="randomized", random_state=0).fit(X).explained_variance_.sum()
    assert 0.999 * best < ours <= best * (1 + 1e-12)


def test_the_score_of_randomized_is_that_of_all_axes(seed):
    X = load_digits().data
    exact = PCA(30, svd_solver="full").fit(X).score(X)
    model = PCA(30, svd_solver="randomized", random_state=seed).fit(X)
    # two times 40 directions are all 64 of X: nothing is left to chance
    assert model.score(X) == pytest.approx(exact, rel=1e-9)


def test_randomized_is_close_to_all_axes_where_few_are_looked_at(rng):
    X = rng.normal(size=(1000, 150)) * np.exp(-np.arange(150) / 30)
    exact = PCA(10, svd_solver="full").fit(X)
    model = PCA(10, svd_solver="randomized", random_state=0).fit(X)
    # the 21st variance is half of the 10th: seven iterations leave (1/2)^14 of the square, or less
    np.testing.assert_allclose(model.explained_variance_, exact.explained_variance_, rtol=1e-4)
    codes = model.transform(X)
    np.testing.assert_allclose(model.explained_variance_, codes.var(axis=0, ddof=1), rtol=1e-10)
    none = PCA(10, svd_solver="randomized", iterated_power=0, random_state=0).fit(X)
    assert none.explained_variance_.sum() > 0.9 * exact.explained_variance_.sum()


def test_the_objective_of_em_never_rises(rng):
    model = PCA(3, svd_solver="em", random_state=0).fit(spectrum_data(rng))
    assert len(model.history_) > 3
    assert np.all(np.diff(model.history_) <= 1e-12)  # a share of the variance: rounding of 1


@pytest.mark.parametrize("scale", [1e-3, 1.0, 100.0])
def test_constrained_em_finds_the_axes_themselves_in_their_order(scale, rng):
    """Before any rotation, and as quickly at every scale."""
    basis, _ = np.linalg.qr(rng.normal(size=(12, 12)))
    variance = np.array([16.0, 8.0, 4.0, 2.0, *np.full(8, 0.5)])
    S = scale**2 * (basis * variance) @ basis.T
    W, _ = np.linalg.qr(rng.normal(size=(12, 3)))
    steps = 0
    while np.abs(np.sum(W * basis[:, :3], axis=0)).min() < 1 - 1e-8 and steps < 100:
        W, steps = constrained_step(W, S @ W), steps + 1
    # each step halves what is left of the next axis: cos > 1 - 1e-8 is an angle of 1.4e-4, about 13
    # halvings; each axis waits for the one before it, and a poor start costs a few more
    assert steps <= 40


def test_the_first_axis_of_constrained_em_moves_as_in_the_power_method(rng):
    X = rng.normal(size=(30, 5))
    S = X.T @ X
    W, _ = np.linalg.qr(rng.normal(size=(5, 3)))
    power = S @ W[:, 0]
    np.testing.assert_allclose(
        constrained_step(W, S @ W)[:, 0], power / np.linalg.norm(power), rtol=1e-12
    )
