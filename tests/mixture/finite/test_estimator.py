"""Mixtures of one family: closed forms, engines, sparse rows, a planted truth, your own family."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

import lowdim
from lowdim import MixedMixture, MixtureModel
from tests.mixture.finite.examples import (
    Exponential,
    each_name,
    fit_some,
    mixed_table,
    planted,
    with_missing,
)


def parameters(model):
    return {
        name: np.concatenate([np.ravel(part) for part in getattr(model, f"{name}_")])
        for name in ["weights", *model.parameter_names_]
    }


def assert_same_parameters(one, other, rtol=1e-8):
    first, second = parameters(one), parameters(other)
    assert first.keys() == second.keys()
    for name, value in first.items():
        np.testing.assert_allclose(second[name], value, rtol=rtol, atol=1e-10, err_msg=name)


# ---- golden values -------------------------------------------------------------------------------


@each_name
def test_one_component_is_the_closed_form(rng, name):
    X, _ = planted(rng, name)
    model = fit_some(X, name, n_components=1, smoothing=0.7)
    assert model.weights_.tolist() == [1.0]
    if name == "gaussian":
        np.testing.assert_allclose(model.means_[0], X.mean(axis=0), rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(model.variances_[0], X.var(axis=0), rtol=1e-9)
    elif name == "bernoulli":
        np.testing.assert_allclose(model.probabilities_[0], X.mean(axis=0), rtol=1e-9)
    elif name == "poisson":
        np.testing.assert_allclose(model.rates_[0], X.mean(axis=0), rtol=1e-9)
    elif name == "multinomial":
        np.testing.assert_allclose(model.probabilities_[0], X.sum(axis=0) / X.sum(), rtol=1e-9)
        np.testing.assert_allclose(model.totals_, 50.0)
    else:
        for f, share in enumerate(model.probabilities_):
            values, counts = np.unique(X[:, f], return_counts=True)
            np.testing.assert_array_equal(model.categories_[f], values)
            np.testing.assert_allclose(share[0], counts / len(X), rtol=1e-9)


# ---- properties ----------------------------------------------------------------------------------


@each_name
def test_a_row_of_weight_two_is_a_row_twice(rng, name):
    X, _ = planted(rng, name, n=150)
    if name != "multinomial":
        X = with_missing(rng, X)
    weight = rng.integers(0, 4, size=len(X))
    weight[:: len(X) // 3 - 1] = 1
    order = rng.permutation(weight.sum())
    repeated = fit_some(np.repeat(X, weight, axis=0)[order], name)
    assert_same_parameters(repeated, fit_some(X, name, weight))
    for judge in (repeated.score, repeated.aic, repeated.bic):
        np.testing.assert_allclose(
            judge(np.repeat(X, weight, axis=0)), judge(X, sample_weight=weight), rtol=1e-10
        )


@each_name
def test_engines_agree(rng, name):
    da = pytest.importorskip("dask.array")
    X, _ = planted(rng, name, n=150)
    here = fit_some(X, name)
    assert_same_parameters(here, fit_some(lowdim.stream(lambda: iter(np.split(X, [7, 60]))), name))
    chunked = da.from_array(X, chunks=(40, 12))
    assert_same_parameters(here, fit_some(chunked, name))
    np.testing.assert_array_equal(here.predict(chunked).compute(), here.predict(X))


@pytest.mark.parametrize("name", ["gaussian", "bernoulli", "multinomial", "poisson"])
def test_sparse_rows_give_the_model_of_dense_ones(rng, name):
    X, labels = planted(rng, name)
    S = sp.csr_matrix(X)
    model = fit_some(S, name)
    # k-means starts from the rows in another order, and for real numbers in other units
    assert adjusted_rand_score(labels, model.predict(S)) > 0.9
    assert model.score(S) == pytest.approx(fit_some(X, name).score(X), rel=1e-3)
    np.testing.assert_array_equal(model.predict(S), model.predict(X))
    np.testing.assert_allclose(model.score_samples(S), model.score_samples(X), rtol=1e-9)
    assert (model.impute(S) != S).nnz == 0


# ---- two roads, one result -----------------------------------------------------------------------


def test_gaussian_components_are_scikit_learns_diagonal_mixture(rng):
    X, _ = planted(rng, "gaussian", n=300)
    X = X[:, :4] * [1.0, 10.0, 0.1, 1.0] + [0.0, 100.0, 0.0, -5.0]
    ours = MixtureModel(n_components=3, smoothing=0.0, tol=1e-12, max_iter=2000, random_state=0)
    ours.fit(X)
    peer = GaussianMixture(
        3,
        covariance_type="diag",
        reg_covar=0.0,
        tol=1e-12,
        max_iter=2000,
        weights_init=ours.weights_,
        means_init=ours.means_,
        precisions_init=1 / ours.variances_,
    ).fit(X)
    np.testing.assert_allclose(ours.score_samples(X), peer.score_samples(X), atol=1e-4)
    np.testing.assert_allclose(ours.means_, peer.means_, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(ours.variances_, peer.covariances_, rtol=1e-4)
    np.testing.assert_allclose(ours.predict_proba(X), peer.predict_proba(X), atol=1e-4)
    np.testing.assert_allclose([ours.aic(X), ours.bic(X)], [peer.aic(X), peer.bic(X)], rtol=1e-6)


def test_bernoulli_and_two_categories_are_one_model(rng):
    X, _ = planted(rng, "bernoulli")
    X = with_missing(rng, X)
    settings = {"tol": 1e-10, "max_iter": 500}
    yes, one_of_two = (fit_some(X, name, **settings) for name in ("bernoulli", "categorical"))
    assert yes.score(X) == pytest.approx(one_of_two.score(X), rel=1e-6)


# ---- a planted truth -----------------------------------------------------------------------------


@each_name
def test_planted_components_are_found(rng, name):
    X, labels = planted(rng, name)
    model = MixtureModel(name, n_components=3, random_state=0)
    # Bayes' error is below 1% for all of these
    assert adjusted_rand_score(labels, model.fit_predict(X)) > 0.9
    if name == "multinomial":
        return
    incomplete = with_missing(rng, X)
    model.fit(incomplete)
    assert adjusted_rand_score(labels, model.predict(incomplete)) > 0.8
    filled, std = model.impute(incomplete, return_std=True)
    hidden = np.isnan(incomplete)
    np.testing.assert_array_equal(filled[~hidden], X[~hidden])
    assert (std[~hidden] == 0).all()
    assert (std[hidden] > 0).all()
    if name == "categorical":  # a row has the value of its component in 7 of 10 columns
        assert set(np.unique(filled)) == {0.0, 10.0, 20.0}
        assert (filled[hidden] == X[hidden]).mean() > 0.6
    else:
        error, of_mean = filled - X, np.nanmean(incomplete, axis=0) - X
        assert (error[hidden] ** 2).mean() < 0.8 * (of_mean[hidden] ** 2).mean()


def test_a_new_fit_forgets_the_old_family(rng):
    X, labels = planted(rng, "categorical")
    model = MixtureModel("categorical", n_components=3, random_state=0).fit(X)
    model.set_params(components="gaussian").fit(X)
    assert not hasattr(model, "categories_")
    assert not hasattr(model, "probabilities_")
    assert model.predict(X).shape == labels.shape
    table, _ = mixed_table(rng, n=90)
    mixed = MixedMixture(random_state=0).fit(table).fit(table[["length", "width"]])
    assert not hasattr(mixed, "categories_")
    assert mixed.predict(table[["length", "width"]]).shape == (90,)


# ---- a family of one's own -----------------------------------------------------------------------


def test_a_family_of_ones_own_is_a_few_lines(rng):
    labels = np.repeat([0, 1], 500)
    X = rng.exponential(np.array([[1.0] * 8, [6.0] * 8])[labels])
    X = with_missing(rng, X)
    model = MixtureModel(Exponential(), random_state=0, tol=1e-8, max_iter=500).fit(X)
    assert adjusted_rand_score(labels, model.predict(X)) > 0.8
    assert np.all(np.diff(model.history_) <= 1e-10)
    # a rate of 400 observed times is good to 5%; 5 of these, and a little for wrong labels
    np.testing.assert_allclose(np.sort(1 / model.rates_, axis=0)[0], 1.0, rtol=0.3)
    assert not np.isnan(model.impute(X)).any()
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    with pytest.raises(ValueError, match="Negative values in data"):
        model.fit(-X)
    with pytest.raises(NotImplementedError, match=r"Exponential\.draw"):
        model.sample(3)


def test_a_model_with_a_family_of_ones_own_is_not_saved(rng, tmp_path):
    X = rng.exponential(size=(50, 2))
    with pytest.raises(TypeError, match="Exponential"):
        MixtureModel(Exponential(), random_state=0).fit(X).save(tmp_path / "model.lowdim")


@pytest.mark.parametrize("far", [2.0**650, 2.0**-650])  # about 1e196; rounds nothing
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_densities_of_huge_and_tiny_values_are_those_of_plain_ones(rng, far, missing):
    X = with_missing(rng, planted(rng, "gaussian")[0], missing)
    plain, model = fit_some(X, "gaussian"), fit_some(X * far, "gaussian")
    expected = plain.score_samples(X) - (~np.isnan(X)).sum(axis=1) * np.log(far)
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_allclose(again.score_samples(X * far), expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(again.predict_proba(X * far), plain.predict_proba(X), atol=1e-6)
    drawn = again.sample(5, random_state=0)[0] / far
    np.testing.assert_allclose(drawn, plain.sample(5, random_state=0)[0], atol=1e-7)
    if not missing:
        sparse = sp.csr_array(X * far)
        np.testing.assert_allclose(again.score_samples(sparse), expected, rtol=1e-9, atol=1e-9)
