"""What mixtures say of rows: one set of formulas over log joint densities."""

import warnings

import numpy as np
import pytest
from scipy.special import logsumexp

from lowdim import GaussianMixture, MixedMixture, MixtureModel, MixtureOfFactorAnalyzers
from lowdim.mixture.methods import normalized

MIXTURES = [
    GaussianMixture(2, random_state=0),
    MixtureModel(random_state=0),
    MixedMixture(random_state=0),
    MixtureOfFactorAnalyzers(2, 1, random_state=0),
]
each_mixture = pytest.mark.parametrize("model", MIXTURES, ids=lambda model: type(model).__name__)


def rows(rng):
    return rng.normal(size=(60, 3)) + 4.0 * (rng.random((60, 1)) < 0.4)


def joint_of(model, X):
    opened, log_joint, params = model._opened(X)
    return opened.map(log_joint, *params)


@pytest.mark.parametrize("axis", [0, 1])
def test_responsibilities_and_densities_are_those_of_logsumexp(axis, rng):
    joint = 50.0 * rng.normal(size=(7, 7))
    want = logsumexp(joint, axis=axis, keepdims=True)
    resp, density = normalized(joint.copy(), axis)
    np.testing.assert_allclose(density, want.squeeze(axis), rtol=1e-13)
    np.testing.assert_allclose(resp, np.exp(joint - want), rtol=1e-12)


@each_mixture
def test_everything_follows_from_the_joint_density(model, rng):
    X, weight = rows(rng), rng.integers(1, 4, size=60).astype(float)
    labels = model.fit_predict(X, sample_weight=weight)
    joint = joint_of(model, X)  # (n, K)
    density = logsumexp(joint, axis=1)
    np.testing.assert_array_equal(labels, joint.argmax(axis=1))
    np.testing.assert_array_equal(model.predict(X), labels)
    np.testing.assert_allclose(model.predict_proba(X), np.exp(joint - density[:, None]), rtol=1e-9)
    np.testing.assert_allclose(model.score_samples(X), density, rtol=1e-12)
    total, n = weight @ density, weight.sum()
    assert model.score(X, sample_weight=weight) == pytest.approx(total / n, rel=1e-12)
    k = model._n_parameters()
    assert model.aic(X, sample_weight=weight) == pytest.approx(-2 * total + 2 * k, rel=1e-12)
    assert model.bic(X, sample_weight=weight) == pytest.approx(
        -2 * total + k * np.log(n), rel=1e-12
    )
    assert model.bic(X) == pytest.approx(-2 * density.sum() + k * np.log(60), rel=1e-12)


@each_mixture
def test_rows_without_values_count_for_nothing_in_scores(model, rng):
    X, weight = rows(rng), rng.integers(1, 4, size=60).astype(float)
    model.fit(X)
    grown = np.insert(X, [0, 7, 7, 60], np.nan, axis=0)
    grown_weight = np.insert(weight, [0, 7, 7, 60], 9.0)
    for name in ("score", "aic", "bic"):
        judge = getattr(model, name)
        assert judge(grown) == pytest.approx(judge(X), rel=1e-12)
        weighted = judge(grown, sample_weight=grown_weight)
        assert weighted == pytest.approx(judge(X, sample_weight=weight), rel=1e-12)
    assert len(model.score_samples(grown)) == 64


@each_mixture
def test_a_row_too_far_for_any_number_has_no_density(model, rng):
    model.fit(rows(rng))
    far = np.array([[1e200, 0.0, 0.0], [0.0, 0.0, 0.0]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # its square overflows
        densities = model.score_samples(far)
    assert densities[0] == -np.inf and np.isfinite(densities[1])


# ---- learn and draw ------------------------------------------------------------------------------


@each_mixture
def test_a_sample_has_its_components_together_and_is_drawn_by_the_weights(model, rng):
    model.fit(rows(rng))
    X, labels = model.sample(2000, random_state=0)
    assert X.shape == (2000, 3) and np.all(np.diff(labels) >= 0)
    # 5 standard errors of a share
    share = np.bincount(labels, minlength=2) / 2000
    np.testing.assert_allclose(share, model.weights_, atol=5 * 0.5 / np.sqrt(2000))
    again, _ = model.sample(2000, 0)
    np.testing.assert_array_equal(X, again)
    with pytest.raises(ValueError, match="n_samples=0 is too small"):
        model.sample(0)


@each_mixture
def test_weights_at_the_door_of_fit_are_checked(model, rng):
    with pytest.raises(ValueError, match="sample_weight"):
        model.fit(rows(rng), sample_weight=-np.ones(60))
    with pytest.raises(ValueError, match="is more than the 1 rows of X"):
        model.fit(rows(rng), sample_weight=np.eye(60)[0])
