"""What models with a bound share: rows given y, learned and used."""

import numpy as np
import pytest
import scipy.stats
from sklearn.base import clone

import lowdim

torch = pytest.importorskip("torch")

QUICK = {"hidden": (), "max_iter": 60, "learning_rate": 0.02, "random_state": 0}


def rows_of_classes(rng, n=400):
    """Three classes with their own means, and one direction in which all of them spread."""
    y = np.array(["ash", "elm", "oak"])[rng.integers(0, 3, n)]
    means = {"ash": [0.0, 0, 0, 0], "elm": [6.0, -6, 0, 3], "oak": [-5.0, 4, 9, 0]}
    X = np.array([means[name] for name in y]) + 0.3 * rng.normal(size=(n, 4))
    return X + rng.normal(size=(n, 1)) * [1.0, 1.0, 0.5, 0.0], y


def rows_of_numbers(rng, n=400):
    y = rng.normal(size=n) * 3.0 + 10.0
    X = np.outer(y, [1.0, -2.0, 0.5]) + 0.4 * rng.normal(size=(n, 3))
    return X, y


def given_y(model, columns):
    """The Gaussian of rows given y, of a model without hidden layers: means by row, covariance."""
    D = model.weights_["decoder.0.weight"].astype(float) * model.scale_[:, None]
    k = model.n_components
    mean = model.mean_ + model.weights_["decoder.0.bias"] * model.scale_ + columns @ D[:, k:].T
    return mean, D[:, :k] @ D[:, :k].T + np.diag(model.noise_variance_)


@pytest.mark.parametrize("kind", ["classes", "numbers"])
def test_without_hidden_layers_rows_given_y_are_gaussian(rng, kind):
    X, y = rows_of_classes(rng) if kind == "classes" else rows_of_numbers(rng)
    model = lowdim.VAE(1, conditional=True, **QUICK).fit(X, y)
    if kind == "classes":
        columns = (y[:, None] == model.classes_).astype(float)
    else:
        columns = ((y - y.mean()) / y.std())[:, None]
    mean, C = given_y(model, columns)
    expected = scipy.stats.multivariate_normal(np.zeros(len(C)), C).logpdf(X - mean)
    found = model.score_samples(X[:100], n_samples=5000, y=y[:100])
    assert np.mean(found - expected[:100]) == pytest.approx(0.0, abs=0.05)
    assert model.score(X, y) > lowdim.VAE(1, **QUICK).fit(X).score(X) + 0.5
    drawn = model.sample(4000, random_state=0, y=y[0])
    error = 5 * np.sqrt(np.diag(C) / 4000)
    assert (np.abs(drawn.mean(axis=0) - mean[0]) < error).all()
    holes = X[:50].copy()
    holes[:, 0] = np.nan
    o = np.arange(1, len(C))
    gain = C[0, o] @ np.linalg.inv(C[np.ix_(o, o)])
    exact = mean[:50, 0] + (X[:50, 1:] - mean[:50, 1:]) @ gain
    std = np.sqrt(C[0, 0] - gain @ C[o, 0])
    filled = model.impute(holes, n_samples=2000, y=y[:50])[:, 0]
    assert np.sqrt(np.mean((filled - exact) ** 2)) < 0.2 * std
    draws = model.draw_imputations(holes, 10, y=y[:50])[:, :, 0]
    assert np.mean(draws - exact) == pytest.approx(0.0, abs=0.2 * std)


def test_codes_come_back_through_y(rng):
    X, y = rows_of_classes(rng)
    model = lowdim.VAE(1, conditional=True, **QUICK)
    Z = model.fit_transform(X, y)
    np.testing.assert_array_equal(Z, model.transform(X, y=y))
    plain = lowdim.VAE(1, **QUICK)
    back = model.inverse_transform(Z, y)
    alone = plain.fit(X).inverse_transform(plain.transform(X))
    assert np.mean((X - back) ** 2) < 0.5 * np.mean((X - alone) ** 2)
    _, std = model.transform(np.full((1, 4), np.nan), return_std=True, y=["elm"])
    np.testing.assert_allclose(std, 1.0)  # a row with nothing observed gets the prior
    assert model.elbo(X[:5], y=y[:5]).shape == (5,)


def test_y_goes_with_its_rows_in_streams_files_and_threads(rng, tmp_path):
    X, y = rows_of_classes(rng, n=90)
    X[::7] = np.nan  # rows that are left out, and their y
    X[1, 2] = np.nan
    model = lowdim.VAE(1, conditional=True, max_iter=2, hidden=(8,), random_state=0).fit(X, y)
    stream = lowdim.stream(lambda: (X[i : i + 13] for i in range(0, 90, 13)))
    again = clone(model).fit(stream, y)
    np.testing.assert_allclose(model.score_samples(X, y=y), again.score_samples(X, y=y), rtol=1e-9)
    kept = ~np.isnan(X).all(axis=1)
    only = clone(model).fit(X[kept], y[kept])
    np.testing.assert_allclose(model.transform(X, y=y), only.transform(X, y=y), rtol=1e-9)
    assert model.score(X, y) == pytest.approx(model.score(X[kept], y[kept]))
    model.save(tmp_path / "model.lowdim")
    loaded = lowdim.load(tmp_path / "model.lowdim")
    np.testing.assert_array_equal(loaded.transform(X, y=y), model.transform(X, y=y))
    np.testing.assert_array_equal(loaded.classes_, ["ash", "elm", "oak"])
    with lowdim.config_context(threads=1):
        alone = clone(model).fit(X, y)
    np.testing.assert_array_equal(alone.transform(X, y=y), model.transform(X, y=y))
    single = model.transform(X.astype(np.float32), y=y)
    assert single.dtype == np.float32


def test_partial_fit_early_stopping_clusters_and_pictures_take_y(rng):
    X, y = rows_of_classes(rng, n=80)
    model = lowdim.VAE(1, conditional=True, hidden=(8,), random_state=0)
    model.partial_fit(X, y).partial_fit(X[:20], y[:20])
    assert model.n_iter_ == 2
    with pytest.raises(ValueError, match="y has the class 'yew'"):
        model.partial_fit(X[:1], ["yew"])
    stopped = lowdim.VAE(1, conditional=True, early_stopping=True, max_iter=2, random_state=0)
    assert len(stopped.fit(X, y).validation_history_) == 2
    clusters = lowdim.VAE(
        1, conditional=True, prior="mixture", n_clusters=2, max_iter=1, random_state=0
    ).fit(X, y)
    assert clusters.predict_proba(X, y=y).shape == (80, 2)
    assert clusters.predict(X, y=y).shape == (80,)
    conv = lowdim.VAE(1, conditional=True, network="conv", max_iter=1, random_state=0).fit(X, y)
    assert conv.sample(3, y=["ash", "oak", "elm"]).shape == (3, 4)


def test_a_y_that_is_missing_or_not_asked_for_is_refused(rng):
    X, y = rows_of_classes(rng, n=40)
    with pytest.raises(ValueError, match=r"VAE\(conditional=True\) requires y"):
        lowdim.VAE(conditional=True).fit(X)
    told = lowdim.VAE(1, conditional=True, max_iter=1, random_state=0).fit(X, y)
    plain = lowdim.VAE(1, max_iter=1, random_state=0).fit(X, y)  # as any model of rows
    Z = np.zeros((40, 1))
    for use in (
        lambda model, **given: model.transform(X, **given),
        lambda model, **given: model.inverse_transform(Z, **given),
        lambda model, **given: model.sample(40, **given),
        lambda model, **given: model.score_samples(X, **given),
        lambda model, **given: model.elbo(X, **given),
        lambda model, **given: model.impute(X, **given),
        lambda model, **given: model.draw_imputations(X, **given),
    ):
        with pytest.raises(ValueError, match="requires y"):
            use(told)
        with pytest.raises(ValueError, match="was given, and VAE"):
            use(plain, y=y)
        with pytest.raises(ValueError, match="y has the class 'yew'"):
            use(told, y=np.where(y == "ash", "yew", y))
    with pytest.raises(ValueError, match="requires y"):
        told.score(X)
    assert np.isfinite(plain.score(X, y))
    with pytest.raises(ValueError, match=r"return_std=.* y is given by name"):
        told.transform(X, y)
    assert told.__sklearn_tags__().target_tags.required
    assert not plain.__sklearn_tags__().target_tags.required
