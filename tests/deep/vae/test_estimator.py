"""VAE: probabilistic PCA and factor analysis without hidden layers; densities, filling, draws."""

import functools

import numpy as np
import pytest
import scipy.special
import scipy.stats
from scipy.linalg import subspace_angles

import lowdim
from lowdim.deep.network import run
from lowdim.deep.vae.likelihoods import Parameters
from tests.deep.vae.generated_rows import KINDS, LINEAR, linear, mixed, own_gaussian, planes

torch = pytest.importorskip("torch")


@pytest.mark.parametrize("noise", ["shared", "column"])
def test_without_hidden_layers_it_is_probabilistic_pca_or_factor_analysis(noise):
    X, new = planes()
    peer = lowdim.ProbabilisticPCA(2) if noise == "shared" else lowdim.FactorAnalysis(2)
    peer.fit(X)
    model = linear(noise)
    assert model.score(new) == pytest.approx(peer.score(new), abs=0.005)
    np.testing.assert_allclose(model.noise_variance_, peer.noise_variance_, rtol=0.02)
    _, W, _ = own_gaussian(model)
    assert np.degrees(subspace_angles(W, peer.components_.T).max()) < 1.0


@pytest.mark.parametrize("noise", ["shared", "column"])
def test_codes_are_the_posterior_means_of_its_own_parameters(noise):
    _, new = planes()
    model = linear(noise)
    mean, W, variance = own_gaussian(model)
    M = W.T / variance
    precision = M @ W + np.eye(2)
    Z, std = model.transform(new, return_std=True)
    np.testing.assert_allclose(Z, np.linalg.solve(precision, M @ (new - mean).T).T, atol=0.15)
    exact = np.sqrt(np.diag(np.linalg.inv(precision)))
    np.testing.assert_allclose(std.mean(axis=0), exact, rtol=0.1)


@pytest.mark.parametrize("noise", ["shared", "column", 0.3])
def test_score_samples_is_the_density_of_its_own_parameters(noise):
    _, new = planes()
    if noise == 0.3:
        model = lowdim.VAE(2, noise=noise, **{**LINEAR, "max_iter": 10}).fit(planes()[0])
        assert (model.noise_variance_ == 0.3).all()
    else:
        model = linear(noise)
    mean, W, variance = own_gaussian(model)
    density = scipy.stats.multivariate_normal(mean, W @ W.T + np.diag(variance))
    np.testing.assert_allclose(
        model.score_samples(new[:100], n_samples=2000), density.logpdf(new[:100]), atol=0.1
    )
    holes = new[:50].copy()
    holes[:, 2] = np.nan  # a marginal is a density of what is left
    kept = np.array([0, 1, 3, 4, 5])
    part = scipy.stats.multivariate_normal(
        mean[kept], (W @ W.T + np.diag(variance))[np.ix_(kept, kept)]
    )
    found = model.score_samples(holes, n_samples=5000)
    assert np.mean(found - part.logpdf(holes[:, kept])) == pytest.approx(0.0, abs=0.05)
    assert np.all(model.elbo(new[:100]) <= model.score_samples(new[:100]) + 1e-9)


def test_a_full_posterior_finds_codes_that_go_together():
    X, _ = planes()
    model = lowdim.VAE(2, noise="shared", posterior="full", **LINEAR).fit(X)
    peer = lowdim.ProbabilisticPCA(2).fit(X)
    assert model.score(X) == pytest.approx(peer.score(X), abs=0.02)
    # with L the bound is tight whatever the rotation of z
    assert np.mean(model.score_samples(X[:200]) - model.elbo(X[:200])) < 0.02


# ---- other kinds of columns ----------------------------------------------------------------------


@functools.cache
def kinds_with_holes(seed):
    """Rows of four kinds of columns, their groups, and a model that learned from a part of them."""
    random = np.random.default_rng(seed)
    X, group = mixed(random)
    seen = np.where(random.random(X.shape) < 0.2, np.nan, X)
    model = lowdim.VAE(1, likelihood=KINDS, hidden=(32,), max_iter=40, random_state=seed).fit(seen)
    return X, group, model


def on_a_grid(model, X):
    """Of each row p(z | what is observed) on a grid of codes, log p(x), and means by code.

    A code of one number is summed over exactly, whatever the networks have learned.
    """
    z = np.linspace(-9.0, 9.0, 2001)
    given = Parameters(*run(z[:, None], model.module_, "parameters_of", ()))
    s, seen = scipy.stats, ~np.isnan(X)
    x = np.where(seen, X, 0.0)[:, None, :]  # against all codes
    mean, std = given.mean * model.scale_[[0, 1, 3]] + model.mean_[[0, 1, 3]], model.scale_[3]
    by_column = [
        s.bernoulli.logpmf(x[:, :, 0], mean[:, 0]),
        s.poisson.logpmf(x[:, :, 1], mean[:, 1]),
        np.log(given.probability[:, :, 0].T[x[:, 0, 2].astype(int)]),
        s.norm.logpdf(x[:, :, 3], mean[:, 2], std * np.sqrt(given.variance[:, 2])),
    ]
    log_joint = s.norm.logpdf(z) + np.log(z[1] - z[0])
    log_joint = log_joint + sum(
        of * known[:, None] for of, known in zip(by_column, seen.T, strict=True)
    )
    log_p = scipy.special.logsumexp(log_joint, axis=1)
    return np.exp(log_joint - log_p[:, None]), log_p, mean, given.probability[:, :, 0]


def test_densities_and_fillings_of_mixed_kinds_are_sums_over_all_codes(seed):
    X, _, model = kinds_with_holes(seed)
    holes = X[:60].copy()
    holes[np.arange(60), np.arange(60) % 4] = np.nan  # each kind in turn
    posterior, log_p, mean, probability = on_a_grid(model, holes)
    # by draws, and most rows' weights are even: all rows together are near, a single one may not be
    assert np.abs(model.score_samples(holes, n_samples=3000) - log_p).mean() < 0.03
    found, given = model.impute(holes, n_samples=3000), posterior @ mean
    exact = given[:, [0, 1, 1, 2]]
    spread = np.sqrt(posterior @ mean**2 - given**2 + 1e-6)[:, [0, 1, 1, 2]]
    for column in (0, 1, 3):
        off = (found - exact)[:, column] / spread[:, column]
        assert np.abs(off[np.isnan(holes[:, column])]).mean() < 0.1
    shares = posterior @ probability
    clear = np.isnan(holes[:, 2]) & (np.sort(shares)[:, -1] - np.sort(shares)[:, -2] > 0.3)
    assert clear.any()
    np.testing.assert_array_equal(found[clear, 2], shares.argmax(axis=1)[clear])


def test_each_column_may_be_of_its_own_kind(seed):
    X, group, model = kinds_with_holes(seed)
    np.testing.assert_array_equal(model.n_levels_, [0, 0, 3, 0])
    holes = X.copy()
    holes[:, 2] = np.nan
    filled = model.impute(holes)
    assert set(np.unique(filled[:, 2])) <= {0.0, 1.0, 2.0}
    assert np.mean(filled[:, 2] == 2 * group) > 0.9
    drawn = model.sample(2000, random_state=0)
    assert set(np.unique(drawn[:, 0])) == {0.0, 1.0}
    assert (drawn[:, 1] == np.round(drawn[:, 1])).all() and drawn[:, 1].min() >= 0
    assert set(np.unique(drawn[:, 2])) <= {0.0, 1.0, 2.0}
    # rows that are drawn have the means that all codes have together
    (prior,), _, mean, _ = on_a_grid(model, np.full((1, 4), np.nan))
    error = drawn[:, [0, 1, 3]].std(axis=0) / np.sqrt(2000)
    assert (np.abs(drawn[:, [0, 1, 3]].mean(axis=0) - prior @ mean) < 5 * error).all()
    by_name = lowdim.VAE(
        1, likelihood={0: "bernoulli", 1: "poisson", 2: "categorical"}, max_iter=1, random_state=0
    )
    assert by_name.fit(X)._layout == model._layout


def test_the_noise_of_a_row_may_depend_on_its_code(rng):
    t = rng.uniform(-2, 2, size=(600, 1))
    X = np.hstack([t, t + 0.02, rng.normal(size=(600, 1)) * np.exp(t)])
    X[:, :2] += 0.1 * rng.normal(size=(600, 2))
    row = lowdim.VAE(1, noise="row", hidden=(32,), max_iter=40, random_state=0).fit(X)
    column = lowdim.VAE(1, noise="column", hidden=(32,), max_iter=40, random_state=0).fit(X)
    assert row.score(X) > column.score(X) + 0.2
    holes = X.copy()
    holes[:, 2] = np.nan
    _, std = row.impute(holes, return_std=True)
    assert std[t[:, 0] > 1.5, 2].mean() > 3 * std[t[:, 0] < -1.0, 2].mean()


def test_images_and_binarized_shares(rng):
    X = np.clip(rng.random((60, 1)) + 0.2 * rng.normal(size=(60, 36)), 0, 1).astype(np.float32)
    X[3, 5] = np.nan
    model = lowdim.VAE(
        2,
        likelihood="bernoulli",
        binarize=True,
        network="conv",
        hidden=(8,),
        max_iter=3,
        random_state=0,
    ).fit(X)
    assert model.impute(X).shape == X.shape and model.sample(3).shape == (3, 36)
    levels = np.floor(2.99 * np.nan_to_num(X))
    conv = lowdim.VAE(
        2, likelihood="categorical", network="conv", image_shape=(4, 9), max_iter=2, random_state=0
    )
    assert set(np.unique(conv.fit(levels).sample(5))) <= {0.0, 1.0, 2.0}
    row = lowdim.VAE(2, noise="row", network="conv", hidden=(8,), max_iter=2, random_state=0)
    assert np.isfinite(row.fit(X).score(X))


# ---- other bounds --------------------------------------------------------------------------------


def test_learning_by_scores_and_by_importance_samples_lowers_the_loss():
    X, _ = planes()
    for arguments in (
        {"gradient": "reinforce", "n_samples": 8},
        {"n_importance": 5},
        {"kl": "sampled"},
    ):
        model = lowdim.VAE(2, hidden=(), learning_rate=0.02, max_iter=20, random_state=0)
        model.set_params(**arguments).fit(X)
        assert model.history_[-1] < model.history_[0] - 0.8, arguments


def test_clusters_of_a_mixture_prior_are_found(rng):
    group = rng.integers(0, 3, 600)
    X = 6.0 * rng.normal(size=(3, 5))[group] + rng.normal(size=(600, 5))
    model = lowdim.VAE(
        2, prior="mixture", n_clusters=3, hidden=(32,), max_iter=60, random_state=0
    ).fit(X)
    P = model.predict_proba(X)
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.predict(X), P.argmax(axis=1))
    from sklearn.metrics import adjusted_rand_score

    assert adjusted_rand_score(group, model.predict(X)) > 0.5
    assert np.isfinite(model.score(X)) and model.sample(10).shape == (10, 5)
    assert not hasattr(lowdim.VAE(), "predict")


# ---- the door ------------------------------------------------------------------------------------

BAD = {
    "n_components": ({"n_components": 0}, "n_components"),
    "an unknown kind": ({"likelihood": "gamma"}, "likelihood='gamma' is not known"),
    "too few kinds": ({"likelihood": ["gaussian"]}, "likelihood has 1 entries, X has 4 columns"),
    "an unknown column": ({"likelihood": {9: "poisson"}}, "the column 9, which X has not"),
    "no share": ({"likelihood": "bernoulli"}, "likelihood='bernoulli' is for values from 0 to 1"),
    "no count": ({"likelihood": {3: "poisson"}}, "likelihood='poisson' is for values that are"),
    "no level": ({"likelihood": {3: "categorical"}}, "'categorical' is for values that are levels"),
    "noise": ({"noise": -1.0}, "noise"),
    "one draw": ({"gradient": "reinforce"}, "gradient='reinforce' with n_samples=1"),
    "conv of kinds": ({"likelihood": KINDS, "network": "conv"}, "network='conv' is for"),
    "nothing to draw": ({"binarize": True}, "binarize=True draws values of 'bernoulli'"),
    "image_shape": ({"network": "conv", "image_shape": (3, 3)}, r"image_shape=\(3, 3\)"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_arguments_are_refused_by_name(rng, case):
    arguments, message = BAD[case]
    with pytest.raises(ValueError, match=message):
        lowdim.VAE(**arguments).fit(mixed(rng, n=30)[0])


def test_a_level_that_was_never_seen_is_refused(rng):
    X, _ = mixed(rng, n=50)
    model = lowdim.VAE(1, likelihood=KINDS, max_iter=1, random_state=0).fit(X)
    X[0, 2] = 7
    with pytest.raises(ValueError, match="levels seen in fit"):
        model.transform(X)


def test_partial_fit_goes_on(rng):
    X, _ = planes()
    model = lowdim.VAE(2, random_state=0)
    for _ in range(4):
        model.partial_fit(X)
    assert model.n_iter_ == 4 and model.history_[-1] < model.history_[0]
