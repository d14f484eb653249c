"""Components that fall onto a point, or lose their rows."""

import numpy as np
import pytest

from lowdim import GaussianMixture
from lowdim.mixture import collapse as gaussian_collapse
from lowdim.mixture.collapse import CollapsedComponentWarning, restarted
from lowdim.mixture.gaussian import em
from lowdim.mixture.gaussian import estimator as gm
from lowdim.mixture.gaussian.covariances import KINDS

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def with_outlier(rng):
    return np.vstack([rng.normal(size=(100, 2)), [[50.0, 50.0]]])


# ---- components that collapse --------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["full", "diag", "spherical"])
def test_a_component_on_a_single_row_is_restarted_with_a_warning(kind, rng):
    X = with_outlier(rng)
    means = np.array([[0.0, 0.0], [50.0, 50.0]])
    # from elsewhere the second component goes back to the bulk of rows or to the outlier again
    model = GaussianMixture(2, covariance_type=kind, means_init=means, random_state=0)
    with pytest.warns(CollapsedComponentWarning, match="of 2 components"):
        model.fit(X)
    assert np.isfinite(model.covariances_).all()
    assert np.isfinite(model.score(X))


def test_a_component_without_rows_is_restarted_with_a_warning(rng):
    X = rng.normal(size=(200, 2))
    X[100:, 0] += 8.0
    means = np.array([[4.0, 0.0], [1e4, 1e4]])
    model = GaussianMixture(
        2,
        covariance_type="tied",
        means_init=means,
        weights_init=[0.5, 0.5],
        precisions_init=np.eye(2),
        tol=1e-6,
    )
    with pytest.warns(CollapsedComponentWarning, match="all recovered"):
        model.fit(X)
    # where it ends depends on the rows, but it has some of them again
    assert model.weights_.min() > 0.01
    assert np.all((model.means_ > X.min(axis=0)) & (model.means_ < X.max(axis=0)))


def test_equal_rows_are_fitted_and_warned_about():
    X = np.repeat(np.array([[0.0, 0.0], [1.0, 3.0]]), 10, axis=0)
    with pytest.warns(CollapsedComponentWarning, match="2 of them are so at the end"):
        model = GaussianMixture(2, random_state=0).fit(X)
    np.testing.assert_allclose(model.weights_, 0.5, rtol=1e-6)
    assert len(set(model.predict(X))) == 2


def test_of_several_starts_one_that_did_not_collapse_is_kept(rng, monkeypatch):
    X = with_outlier(rng)
    half, spread = np.full(2, 0.5), np.tile(np.eye(2), (2, 1, 1))
    on_outlier = em.fresh(half, np.array([[0.0, 0.0], [12.0, 12.0]]), 0.1 * spread)
    both_on_all = em.fresh(half, np.zeros((2, 2)), spread)  # equal components stay so
    starts = iter([on_outlier, both_on_all])
    monkeypatch.setattr(gm, "start", lambda *arguments: next(starts))
    monkeypatch.setattr(gaussian_collapse, "MOST_RESTARTS", 0)
    model = GaussianMixture(2, n_init=2).fit(X)
    np.testing.assert_allclose(model.means_, np.tile(X.mean(axis=0), (2, 1)), rtol=1e-9)


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::lowdim.mixture.collapse.CollapsedComponentWarning")
@pytest.mark.parametrize("covariance_type", ["full", "tied", "diag", "spherical"])
def test_several_components_that_fall_onto_points_restart_from_one(rng, covariance_type):
    X = np.repeat(rng.normal(size=(10, 4)), 20, axis=0)
    for k in (7, 8, 9):
        model = GaussianMixture(k, covariance_type=covariance_type, random_state=0).fit(X)
        assert np.isfinite(model.score_samples(X)).all()


# ---- one step ------------------------------------------------------------------------------------


def two_and_a_collapsed_one(restarts=0):
    """Components of weights 0.3, 0.6 and 0.1 in the plane; the last is collapsed."""
    covariances = np.stack([np.eye(2), np.diag([4.0, 1.0]), 1e-20 * np.eye(2)])
    return em.GaussianParams(
        np.array([0.3, 0.6, 0.1]),
        np.array([[-5.0, 0.0], [5.0, 0.0], [9.0, 9.0]]),
        covariances,
        np.array([False, False, True]),
        np.array([0, 0, restarts]),
    )


def test_a_collapsed_component_takes_one_half_of_the_largest():
    before = two_and_a_collapsed_one()
    after = restarted(KINDS["full"], before, before.covariances)
    # the longest axis of the second has length 2: halves at 5 -+ 0.7 2, with 4 - 1.4^2 left
    np.testing.assert_allclose(after.means, [[-5.0, 0.0], [3.6, 0.0], [6.4, 0.0]])
    np.testing.assert_allclose(
        after.covariances[1:], np.tile(np.diag([4.0 - 1.96, 1.0]), (2, 1, 1))
    )
    np.testing.assert_allclose(after.weights, np.array([0.3, 0.3, 0.3]) / 0.9)
    np.testing.assert_array_equal(after.restarts, [0, 0, 1])
    np.testing.assert_array_equal(before.restarts, 0)  # nothing is written into


def test_a_component_that_started_anew_too_often_stays():
    before = two_and_a_collapsed_one(restarts=gaussian_collapse.MOST_RESTARTS)
    after = restarted(KINDS["full"], before, before.covariances)
    for left, right in zip(after, before, strict=True):
        np.testing.assert_allclose(left, right)
