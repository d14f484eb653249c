"""What follows from x = W z + mean + noise, whoever learned it."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.stats import multivariate_normal
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import lowdim
from lowdim import PCA, FactorAnalysis, ProbabilisticPCA
from lowdim.linear.factor_model import dense, filled, precision_of
from lowdim.linear.missing import MeasuredModel

MODELS = pytest.mark.parametrize(
    "model",
    [
        PCA(2),
        ProbabilisticPCA(2),
        FactorAnalysis(2),
        FactorAnalysis(2, rotation="varimax"),
        FactorAnalysis(2, rotation="oblimin"),
    ],
    ids=["pca", "ppca", "fa", "varimax", "oblimin"],
)


@pytest.fixture
def plt():
    plt = pytest.importorskip("matplotlib.pyplot")
    yield plt
    plt.close("all")


def table(rng, n=400, d=6):
    """Rows near a plane, in columns of different units."""
    turn = np.linspace(0.0, 2.5, d)  # of the loadings, each of which several columns are near
    W = np.column_stack([np.cos(turn), np.sin(turn)])
    X = rng.normal(size=(n, 2)) @ W.T + 0.5 * rng.normal(size=(n, d))
    return X * np.geomspace(1.0, 3.0, d) + 4.0


def shown(axes):
    """The shares in percent, and the loadings, as a figure shows them."""
    left, right = axes
    return left.lines[0].get_ydata(), np.asarray(right.images[0].get_array())


# ---- golden values -------------------------------------------------------------------------------


def test_a_block_without_missing_values_is_not_copied():
    model = MeasuredModel(np.zeros(2), np.ones((2, 1)), np.ones(2), 1.0)
    X = np.array([[1.0, 2.0]])
    assert filled(X, model) is X
    np.testing.assert_allclose(filled(np.array([[2.0, np.nan]]), model), [[2.0, 1.0]])


def test_sparse_blocks_become_dense_and_dense_ones_stay():
    X = np.eye(2)
    assert dense(X) is X
    np.testing.assert_array_equal(dense(sp.csr_array(X)), X)


# ---- the derivation ------------------------------------------------------------------------------


@MODELS
def test_precision_inverts_the_covariance_and_gives_the_density(rng, model):
    X = table(rng)
    model.fit(X)
    C = model.get_covariance()
    np.testing.assert_allclose(model.get_precision() @ C, np.eye(6), atol=1e-8)
    expected = multivariate_normal(model.mean_, C).logpdf(X)
    np.testing.assert_allclose(model.score_samples(X), expected, rtol=1e-8)
    weight = rng.uniform(0.5, 2.0, size=len(X))
    assert model.score(X, sample_weight=weight) == pytest.approx(
        np.average(expected, weights=weight), rel=1e-10
    )


@MODELS
def test_decoding_codes_gives_what_the_model_explains(rng, model):
    X = table(rng)
    Z = model.fit(X).transform(X)
    assert Z.shape == (400, 2)
    left = X - model.inverse_transform(Z)
    assert np.sum(left**2) < 0.5 * np.sum((X - X.mean(axis=0)) ** 2)
    assert list(model.get_feature_names_out()) == [
        f"{type(model).__name__.lower()}{j}" for j in (0, 1)
    ]


@pytest.mark.parametrize("model", [ProbabilisticPCA(2), FactorAnalysis(2)], ids=["ppca", "fa"])
def test_codes_are_less_certain_where_values_are_missing(rng, model):
    X = table(rng)
    incomplete = X.copy()
    incomplete[:50, :3] = np.nan
    _, std = model.fit(X).transform(incomplete, return_std=True)
    assert (std[:50] > std[50]).all()
    np.testing.assert_allclose(std[50:], std[50:51].repeat(350, axis=0), rtol=1e-10)


# ---- figures -------------------------------------------------------------------------------------


def test_the_loadings_of_pca_are_the_correlations_of_columns_and_components(rng, plt):
    X = table(rng)
    pca = PCA().fit(X)
    shares, loadings = shown(pca.plot())
    np.testing.assert_allclose(shares, 100 * pca.explained_variance_ratio_, rtol=1e-12)
    np.testing.assert_allclose(loadings, pca.correlations(X).variables, atol=1e-8)


@MODELS
def test_shares_add_up_to_what_is_not_noise(rng, plt, model):
    X = table(rng)
    model.fit(X)
    shares, _ = shown(model.plot())
    noise = np.broadcast_to(model.noise_variance_, 6)
    variance = np.diag(model.get_covariance())
    if isinstance(model, FactorAnalysis):  # which does not know units
        left = np.mean(noise / variance)
    elif isinstance(model, ProbabilisticPCA):
        left = noise.sum() / variance.sum()
    else:
        left = 4 * model.noise_variance_ / variance.sum()  # of the four axes left out
    assert shares.sum() == pytest.approx(100 * (1 - left), rel=1e-6)


def test_a_figure_names_columns_and_components_and_shows_ten(rng, plt):
    pd = pytest.importorskip("pandas")
    names = [f"column {f}" for f in range(12)]
    X = pd.DataFrame(table(rng, d=12), columns=names)
    left, right = PCA().fit(X).plot()
    assert [label.get_text() for label in right.get_yticklabels()] == names
    assert [label.get_text() for label in right.get_xticklabels()] == [
        f"PC{j}" for j in range(1, 11)
    ]
    assert len(left.lines[0].get_ydata()) == 12


def test_a_figure_is_drawn_where_one_says(rng, plt):
    _, axes = plt.subplots(1, 2)
    found = ProbabilisticPCA(2).fit(table(rng)).plot(axes=axes)
    assert list(found) == list(axes)
    assert len(plt.get_fignums()) == 1


def test_a_constant_column_has_no_loadings(rng, plt):
    X = table(rng)
    X[:, 2] = 7.0
    _, loadings = shown(PCA(2).fit(X).plot())
    np.testing.assert_allclose(loadings[2], 0.0, atol=1e-6)
    assert np.isfinite(loadings).all()


def test_an_unfitted_model_has_no_figure(plt):
    with pytest.raises(NotFittedError):
        PCA(2).plot()


def test_other_than_two_axes_are_refused(rng):
    model = PCA(2).fit(table(rng))
    for axes in (5, [1, 2, 3]):
        with pytest.raises(ValueError, match=r"axes=.* must be two matplotlib Axes"):
            model.plot(axes=axes)


@pytest.mark.parametrize("least", [1e-12, 1e-9, 1e-3])
def test_columns_without_noise_cost_the_precision_no_digits(least, rng):
    W, noise = rng.normal(size=(8, 2)), rng.uniform(0.5, 1.0, size=8)
    noise[3] = least  # the factors explain one column entirely: the covariance is far from singular
    C = W @ W.T + np.diag(noise)
    residual = precision_of(W, noise) @ C - np.eye(8)
    # the inverse of a matrix is known up to its condition times eps
    assert np.abs(residual).max() < 100 * np.finfo(float).eps * np.linalg.cond(C)


# ---- no components -------------------------------------------------------------------------------


NONE = [
    *(PCA(0, svd_solver=solver) for solver in ("auto", "full", "gram", "krylov", "oja")),
    PCA(0, whiten=True),
    ProbabilisticPCA(0),
    FactorAnalysis(0),
    FactorAnalysis(0, rotation="varimax"),
    FactorAnalysis(0, solver="em"),
]
without_components = pytest.mark.parametrize("model", NONE, ids=repr)


def no_components_by_hand(model, X):
    """The log-likelihood of a Gaussian whose columns are independent."""
    variance = X.var(axis=0, ddof=isinstance(model, PCA))
    if not isinstance(model, FactorAnalysis):
        variance = np.full(len(variance), variance.mean())
    return multivariate_normal(X.mean(axis=0), np.diag(variance)).logpdf(X)


@without_components
def test_a_model_without_components_knows_means_and_variances(model, rng, tmp_path):
    da = pytest.importorskip("dask.array")
    X = table(rng)
    chunks = lambda: iter(np.split(X, [7, 250]))  # noqa: E731
    for rows in (X, lowdim.stream(chunks), da.from_array(X, chunks=(90, 6))):
        model.fit(rows)
        Z = model.transform(X)
        assert Z.shape == (400, 0) and model.components_.shape == (0, 6)
        np.testing.assert_allclose(
            model.inverse_transform(Z), np.tile(X.mean(axis=0), (400, 1)), rtol=1e-12
        )
        # newton and EM stop at a tol of 1e-2 in the sum over 400 rows
        density = no_components_by_hand(model, X)
        np.testing.assert_allclose(model.score_samples(X), density, rtol=1e-4)
        assert model.sample(3, random_state=0).shape == (3, 6)
        model.save(tmp_path / "model")
        assert lowdim.load(tmp_path / "model").score(X) == model.score(X)
    with pytest.raises(ValueError, match="no components to draw"):
        model.plot()


@without_components
def test_a_model_without_components_fills_with_means(model, rng):
    X = table(rng)
    X[rng.random(X.shape) < 0.1] = np.nan
    filled = clone(model).fit(X).impute(X)
    # columns are independent: EM has nothing to search for
    expected = np.where(np.isnan(X), np.nanmean(X, axis=0), X)
    np.testing.assert_allclose(filled, expected, rtol=1e-6)


def test_partial_fit_may_learn_no_components(rng):
    X = table(rng)
    for solver in ("auto", "oja"):
        model = PCA(0, svd_solver=solver).partial_fit(X[:100]).partial_fit(X[100:])
        assert model.score(X) == pytest.approx(PCA(0).fit(X).score(X), rel=1e-12)


def test_solvers_for_few_components_need_one(rng):
    for solver in ("arpack", "randomized"):
        with pytest.raises(ValueError, match="n_components=0 is too small"):
            PCA(0, svd_solver=solver).fit(table(rng))
