"""Autoencoder: PCA's error without hidden layers, curves with them, missing values, images."""

import sys

import numpy as np
import pytest

import lowdim

torch = pytest.importorskip("torch")


def plane(rng, n=300, d=8, k=2, noise=0.3):
    return rng.normal(size=(n, k)) @ rng.normal(size=(k, d)) + noise * rng.normal(size=(n, d))


def curve(n=400):
    t = np.linspace(-1, 1, n)[:, None]
    return np.hstack([np.cos(3 * t), np.sin(3 * t), t])


def error(model, X):
    return np.mean((X - model.inverse_transform(model.transform(X))) ** 2)


def test_without_hidden_layers_it_reaches_the_error_of_pca(rng):
    X = plane(rng) + 5.0
    model = lowdim.Autoencoder(
        2, hidden=(), standardize=False, learning_rate=0.1, max_iter=100, random_state=0
    ).fit(X)
    assert error(model, X) < 1.01 * error(lowdim.PCA(2).fit(X), X)


def test_on_a_curve_one_code_beats_one_axis_five_times(seed):
    X = curve()
    model = lowdim.Autoencoder(1, hidden=(64,), random_state=seed).fit(X)
    assert error(model, X) < 0.2 * error(lowdim.PCA(1).fit(X), X)


def test_the_score_is_the_mean_squared_error_in_units_of_the_columns(rng):
    X = plane(rng, n=100)
    spread = X.std(axis=0)
    model = lowdim.Autoencoder(2, max_iter=5, random_state=0).fit(X)
    X[3, 4] = np.nan
    errors = (X - model.inverse_transform(model.transform(X))) / spread
    assert model.score(X) == pytest.approx(-np.nanmean(errors**2))


def test_missing_entries_count_in_no_sum_and_are_filled_better_than_by_the_mean(rng):
    X = plane(rng, n=400, noise=0.1)
    holes = rng.random(X.shape) < 0.15
    Y = np.where(holes, np.nan, X)
    model = lowdim.Autoencoder(2, hidden=(64,), corruption=0.2, random_state=0).fit(Y)
    assert model.sees_missing_
    filled, std = model.impute(Y, return_std=True)
    np.testing.assert_array_equal(filled[~holes], X[~holes])
    off = filled[holes] - X[holes]
    assert np.mean(off**2) < 0.3 * np.mean((X - X.mean(0))[holes] ** 2)
    # the deviation is measured on entries that were hidden: it says how far off filled ones are
    assert 0.6 < np.sqrt(np.mean((off / std[holes]) ** 2)) < 1.5


def test_bernoulli_learns_shares_and_refuses_other_values(rng):
    X = (rng.random((200, 6)) < np.where(np.arange(200)[:, None] < 100, 0.9, 0.1)).astype(np.uint8)
    model = lowdim.Autoencoder(1, loss="bernoulli", hidden=(16,), random_state=0).fit(X)
    p = model.inverse_transform(model.transform(X))
    assert p.min() >= 0 and p.max() <= 1 and p.dtype == np.float32
    assert model.history_[-1] < 0.8 * 6 * np.log(2)
    with pytest.raises(ValueError, match="loss='bernoulli' is for values from 0 to 1; X has 7"):
        lowdim.Autoencoder(loss="bernoulli").fit(X * 7.0)
    with pytest.raises(ValueError, match="loss='bernoulli'"):
        model.transform(X - 0.5)


@pytest.mark.parametrize("shape", [(6, 6), (4, 9), (3, 4, 3), None])
def test_images_of_any_shape_go_through_convolutions(rng, shape):
    X = rng.random((40, 36)).astype(np.float32)
    X[3, 4] = np.nan
    model = lowdim.Autoencoder(
        3, network="conv", image_shape=shape, hidden=(16,), max_iter=3, random_state=0
    ).fit(X)
    assert model.transform(X).shape == (40, 3) and model.impute(X).shape == X.shape
    assert model.history_[-1] < model.history_[0]


def test_partial_fit_is_one_more_pass(rng):
    X = plane(rng)
    model = lowdim.Autoencoder(2, random_state=0)
    for _ in range(3):
        model.partial_fit(X)
    assert model.n_iter_ == 3 and np.all(np.diff(model.history_) < 0)


def test_early_stopping_keeps_the_best_weights(rng):
    X = plane(rng, n=60, d=20, noise=1.0)
    model = lowdim.Autoencoder(
        2, max_iter=200, early_stopping=True, n_iter_no_change=3, random_state=0
    ).fit(X)
    assert model.n_iter_ < 200 and len(model.validation_history_) == model.n_iter_
    assert np.argmin(model.validation_history_) == model.n_iter_ - 4


BAD = {
    "n_components": (0, "n_components"),
    "hidden": ((0,), r"hidden=\(0,\) must be the numbers of units"),
    "dropout": (1.0, "dropout"),
    "corruption": (1.0, "corruption"),
    "network": ("rnn", "network"),
    "image_shape": ((3, 3), r"image_shape=\(3, 3\) must be .* product is the 8 columns"),
    "loss": ("absolute", "loss"),
    "activation": ("sine", "activation"),
}


@pytest.mark.parametrize("argument", BAD)
def test_bad_arguments_are_refused_by_name(rng, argument):
    value, message = BAD[argument]
    with pytest.raises(ValueError, match=message):
        lowdim.Autoencoder(**{argument: value}).fit(plane(rng, n=20))


def test_a_column_that_is_never_observed_is_refused(rng):
    X = plane(rng, n=20)
    X[:, 3] = np.nan
    with pytest.raises(ValueError, match="no observed value in 1 of 8 columns"):
        lowdim.Autoencoder().fit(X)


def test_without_torch_a_fit_says_what_to_install(rng, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r"Autoencoder needs torch.*pip install 'lowdim\[deep\]'"):
        lowdim.Autoencoder().fit(plane(rng, n=20))
