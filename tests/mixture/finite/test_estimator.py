"""Finite mixtures: against direct EM, closed forms, scikit-learn, and planted truths."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.special import logsumexp
from scipy.stats import norm
from sklearn.metrics import adjusted_rand_score
from sklearn.mixture import GaussianMixture

import lowdim
from lowdim import MixedMixture, MixtureModel
from lowdim.mixture.collapse import CollapsedComponentWarning
from lowdim.mixture.families import FAMILIES, Family
from lowdim.mixture.finite import parts as mixture_parts
from lowdim.mixture.finite.em import FiniteParams, average_of, statistics, sums_of_all, update
from lowdim.mixture.finite.parts import Part

NAMES = ["gaussian", "bernoulli", "multinomial", "poisson", "categorical"]
each_name = pytest.mark.parametrize("name", NAMES)


def planted(rng, name, n=600, k=3):
    """Rows of a mixture whose components lie well apart, and their components."""
    labels = np.repeat(np.arange(k), n // k)
    own = np.arange(12) % k == np.arange(k)[:, None]  # each component has columns of its own
    X = {
        "gaussian": lambda: rng.normal(np.where(own, 4.0, 0.0)[labels]),
        "bernoulli": lambda: rng.random((n, 12)) < np.where(own, 0.9, 0.1)[labels],
        "multinomial": lambda: rng.multinomial(50, (np.where(own, 5.0, 1.0) / 28)[labels]),
        "poisson": lambda: rng.poisson(np.where(own, 9.0, 2.0)[labels]),
        "categorical": lambda: 10.0 * ((labels[:, None] + 2 * (rng.random((n, 12)) < 0.3)) % k),
    }[name]()
    return np.asarray(X, dtype=float), labels


def with_missing(rng, X, share=0.2):
    hidden = rng.random(X.shape) < share
    hidden[:: len(X) // 3 - 1] = False
    return np.where(hidden, np.nan, X)


def fit_some(X, name, weight=None, **arguments):
    """A fit of exactly 8 iterations: two that do the same differ by rounding alone."""
    settings = {"n_components": 3, "tol": 0, "max_iter": 8, "random_state": 0, **arguments}
    return MixtureModel(name, **settings).fit(X, sample_weight=weight)


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


def direct_bernoulli_em(X, weights, p, n_iter):
    """EM for a mixture of Bernoulli rows, written out entry by entry."""
    for _ in range(n_iter):
        joint = np.empty((len(X), len(weights)))
        for i, x in enumerate(X):
            for j, share in enumerate(weights):
                joint[i, j] = np.log(share) + np.log(np.where(x == 1, p[j], 1 - p[j])).sum()
        log_likelihood = logsumexp(joint, axis=1)
        resp = np.exp(joint - log_likelihood[:, None])
        weights = resp.mean(axis=0)
        p = np.array([resp[:, j] @ X / resp[:, j].sum() for j in range(len(weights))])
    return weights, p, log_likelihood.sum()


def test_bernoulli_components_are_those_of_direct_em(rng):
    X = (rng.random((40, 5)) < 0.5).astype(float)
    weights, p = np.array([0.4, 0.6]), rng.uniform(0.2, 0.8, size=(2, 5))
    parts, mixture = (
        (Part(FAMILIES["bernoulli"]()),),
        FiniteParams(weights, ({"probabilities": p},)),
    )
    average = average_of(sums_of_all(X, parts, None), parts)
    for _ in range(5):
        sums = statistics(X, parts, mixture, None)
        mixture = update(sums, parts, average, 0.0)
    weights, p, log_likelihood = direct_bernoulli_em(X, weights, p, 5)
    np.testing.assert_allclose(mixture.weights, weights, rtol=1e-10)
    np.testing.assert_allclose(mixture.params[0]["probabilities"], p, rtol=1e-8)
    np.testing.assert_allclose(-sums.objective, log_likelihood, rtol=1e-12)


def test_incomplete_rows_have_their_marginal_likelihood(rng):
    X, _ = planted(rng, "gaussian")
    model = fit_some(X, "gaussian")
    incomplete = with_missing(rng, X[:50], 0.4)
    incomplete[0] = np.nan
    expected = np.empty(50)
    for i, x in enumerate(incomplete):
        o = ~np.isnan(x)
        by_component = norm.logpdf(x[o], model.means_[:, o], np.sqrt(model.variances_[:, o]))
        expected[i] = logsumexp(by_component.sum(axis=1), b=model.weights_)
    np.testing.assert_allclose(model.score_samples(incomplete), expected, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.score(incomplete), expected.mean(), rtol=1e-9)


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


def test_smoothing_adds_rows_like_the_average():
    # components of 4 rows of ones and 4 of zeros far apart in the other columns; mean 1/2
    X = np.repeat([[1.0] * 6 + [0.0] * 6, [0.0] * 6 + [1.0] * 6], 4, axis=0)
    p = MixtureModel("bernoulli", smoothing=1.0, tol=0, random_state=0).fit(X).probabilities_
    np.testing.assert_allclose(p.max(axis=0), 4.5 / 5, rtol=1e-3)
    np.testing.assert_allclose(p.min(axis=0), 0.5 / 5, rtol=1e-3)


# ---- the derivation ------------------------------------------------------------------------------


@each_name
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_the_objective_never_rises(rng, name, missing):
    if missing and name == "multinomial":
        return
    X, _ = planted(rng, name, n=150)
    X = rng.permuted(X, axis=0)  # no clusters left: many iterations
    X = with_missing(rng, X, missing) if missing else X
    for smoothing in (0.0, 0.01, 1.0):
        model = fit_some(X, name, max_iter=30, smoothing=smoothing)
        assert np.all(np.diff(model.history_) <= 1e-10 * abs(model.history_[0]))
        assert model.lower_bound_ == -model.history_[-1]


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


def test_wide_sparse_counts_are_never_made_dense(rng):
    d, n = 200_000, 300  # 480 MB as an array
    labels = np.arange(n) % 2
    columns = rng.integers(0, 1000, size=(n, 40)) + 1000 * labels[:, None]
    indptr = np.arange(0, 40 * n + 1, 40)
    X = sp.csr_array((np.ones(40 * n), columns.ravel(), indptr), shape=(n, d))
    model = MixtureModel("multinomial", random_state=0).fit(X)
    assert adjusted_rand_score(labels, model.predict(X)) == 1.0


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


@pytest.mark.parametrize("name", ["gaussian", "poisson", "bernoulli", "categorical"])
def test_a_table_of_one_type_is_a_mixture_model(rng, name):
    X, _ = planted(rng, name)
    X = with_missing(rng, X)
    one = fit_some(X, name)
    other = MixedMixture(3, columns={name: range(12)}, tol=0, max_iter=8, random_state=0).fit(X)
    # columns are copied on the way, so that products are rounded differently; log densities of
    # size 100 have errors of 1e-14, and eight iterations may magnify them, tenfold each
    close = {"rtol": 1e-6, "atol": 1e-12}
    for key in one.parameter_names_:
        np.testing.assert_allclose(getattr(one, f"{key}_"), other.parameters_[name][key], **close)
    np.testing.assert_allclose(one.predict_proba(X), other.predict_proba(X), **close)
    np.testing.assert_allclose(one.impute(X), other.impute(X), **close)


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


@each_name
def test_samples_look_like_the_rows(rng, name):
    X, _ = planted(rng, name)
    model = MixtureModel(name, n_components=3, random_state=0).fit(X)
    S, component = model.sample(3000, random_state=1)
    assert S.shape == (3000, 12)
    assert (np.diff(component) >= 0).all()
    assert adjusted_rand_score(component, model.predict(S)) > 0.9
    # a row's log-likelihood has a standard deviation of about 3; 6 standard errors of 600 rows
    if name != "multinomial":  # whose totals vary in samples, but not in X
        assert model.score(S) == pytest.approx(model.score(X), abs=1.0)
    np.testing.assert_array_equal(S, model.sample(3000, random_state=1)[0])


def mixed_table(rng, n=900):
    """Three kinds: lengths tell the first from the others, colors the last from the others."""
    kind = np.repeat([0, 1, 2], n // 3)
    table = pd.DataFrame(
        {
            "length": rng.normal(np.where(kind == 0, 10.0, 16.0)),
            "width": rng.normal(np.where(kind == 0, 3.0, 9.0)),
            "color": np.where(rng.random(n) < np.where(kind == 2, 0.95, 0.05), "red", "blue"),
            "round": rng.random(n) < np.where(kind == 2, 0.95, 0.05),
            "shape": pd.Categorical(np.where(kind == 2, "long", "short")),
            "code": np.where(rng.random(n) < np.where(kind == 2, 0.9, 0.1), 7, 4),
        },
        index=np.arange(n)[::-1],
    )
    return table, kind


def incomplete_table(rng, table, share=0.15):
    table = table.astype({"round": "boolean"})
    for name in table.columns.drop("code"):
        table.loc[rng.random(len(table)) < share, name] = None
    return table


def test_a_mixed_table_is_recovered_where_neither_type_alone_suffices(rng):
    table, kind = mixed_table(rng)
    incomplete = incomplete_table(rng, table)
    codes = {"categorical": ["code"]}
    both = MixedMixture(3, columns=codes, random_state=0).fit(incomplete)
    assert adjusted_rand_score(kind, both.predict(incomplete)) > 0.85
    numbers, words = ["length", "width"], ["color", "round", "shape", "code"]
    alone = MixedMixture(3, random_state=0)
    # each type alone can at best separate two of three kinds: adjusted Rand index 0.57
    assert adjusted_rand_score(kind, alone.fit_predict(incomplete[numbers])) < 0.7
    alone.set_params(columns=codes)
    assert adjusted_rand_score(kind, alone.fit_predict(incomplete[words])) < 0.7


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


# ---- data frames ---------------------------------------------------------------------------------


def test_columns_go_by_their_type_unless_columns_says(rng):
    table, _ = mixed_table(rng)
    model = MixedMixture(2, random_state=0).fit(table)
    assert {k: v.tolist() for k, v in model.columns_.items()} == {
        "gaussian": [0, 1, 5],
        "categorical": [2, 3, 4],
    }
    assert [known.tolist() for known in model.categories_] == [
        ["blue", "red"],
        [False, True],
        ["long", "short"],
    ]
    model.set_params(columns={"categorical": "code", "poisson": [1]}).fit(
        table.assign(width=table["width"].abs())
    )
    assert {k: v.tolist() for k, v in model.columns_.items()} == {
        "gaussian": [0],
        "poisson": [1],
        "categorical": [2, 3, 4, 5],
    }
    assert model.categories_[3].tolist() == [4.0, 7.0]


def test_pandas_polars_and_codes_give_one_model(rng):
    pl = pytest.importorskip("polars")
    table, _ = mixed_table(rng)
    incomplete = incomplete_table(rng, table)
    settings = {"tol": 0, "max_iter": 8, "random_state": 0}
    pandas = MixedMixture(3, columns={"categorical": ["code"]}, **settings).fit(incomplete)
    frame = pl.from_pandas(incomplete)
    polars = MixedMixture(3, columns={"categorical": ["code"]}, **settings).fit(frame)
    close = {"rtol": 1e-9, "atol": 1e-12}  # values lie differently in memory
    np.testing.assert_allclose(
        pandas.predict_proba(incomplete), polars.predict_proba(frame), **close
    )
    codes = np.column_stack(
        [
            incomplete["length"],
            incomplete["width"],
            incomplete["color"].map({"blue": 0.0, "red": 1.0}),
            incomplete["round"].map({False: 0.0, True: 1.0}),
            incomplete["shape"].map({"long": 0.0, "short": 1.0}).astype(float),
            incomplete["code"],
        ]
    ).astype(float)
    array = MixedMixture(3, columns={"categorical": [2, 3, 4, 5]}, **settings).fit(codes)
    np.testing.assert_allclose(
        array.predict_proba(codes), pandas.predict_proba(incomplete), **close
    )
    filled = polars.impute(frame)
    assert isinstance(filled, pl.DataFrame)
    assert filled.columns == frame.columns
    assert filled.null_count().sum_horizontal().item() == 0
    assert filled["shape"].to_list() == pandas.impute(incomplete)["shape"].to_list()


def test_a_filled_frame_has_its_own_labels(rng):
    table, _ = mixed_table(rng)
    incomplete = incomplete_table(rng, table)
    model = MixedMixture(3, random_state=0).fit(incomplete)
    filled, doubt = model.impute(incomplete, return_std=True)
    assert not filled.isna().any().any()
    assert (filled.index == table.index).all()
    assert filled["shape"].dtype == "category"
    seen = incomplete.notna()
    for name in table:
        assert (filled[name][seen[name]] == table[name][seen[name]]).all()
    assert (filled["shape"] == table["shape"]).mean() > 0.95
    assert ((doubt > 0) == ~seen.to_numpy()).all()
    rows, component = model.sample(50, random_state=0)
    again = pd.DataFrame(rows, columns=model.feature_names_in_)
    assert set(again["color"]) <= {"blue", "red"}
    assert set(again["round"]) <= {False, True}
    assert len(component) == 50


def test_an_unknown_category_counts_as_missing(rng):
    table, _ = mixed_table(rng)
    model = MixedMixture(3, random_state=0).fit(table)
    green, unknown = table.assign(color="green"), table.assign(color=None)
    unknown["color"] = unknown["color"].astype(object)
    np.testing.assert_array_equal(model.predict_proba(green), model.predict_proba(unknown))
    X, _ = planted(rng, "categorical")
    codes = MixtureModel("categorical", n_components=3, random_state=0).fit(X)
    other = X.copy()
    other[:, 0] = 55.0
    incomplete = X.copy()
    incomplete[:, 0] = np.nan
    np.testing.assert_array_equal(codes.predict_proba(other), codes.predict_proba(incomplete))


def test_a_saved_mixed_model_knows_its_labels(rng, tmp_path):
    table, _ = mixed_table(rng)
    model = MixedMixture(3, columns={"categorical": ["code"]}, random_state=0).fit(table)
    model.save(tmp_path / "model.lowdim")
    back = lowdim.load(tmp_path / "model.lowdim")
    np.testing.assert_array_equal(back.predict_proba(table), model.predict_proba(table))
    pd.testing.assert_frame_equal(back.impute(table), model.impute(table))
    codes = MixtureModel("categorical", random_state=0).fit(table[["code"]])
    codes.save(tmp_path / "codes.lowdim")
    back = lowdim.load(tmp_path / "codes.lowdim")
    np.testing.assert_array_equal(back.predict(table[["code"]]), codes.predict(table[["code"]]))


# ---- a family of one's own -----------------------------------------------------------------------


class Exponential(Family):
    """Waiting times: f(x; rate) = rate exp(-rate x)."""

    nonnegative = True

    def natural(self, params):
        return (-params["rates"],)

    def log_partition(self, params):
        return -np.log(params["rates"])

    def update(self, mean):
        return {"rates": 1 / np.maximum(mean, 1e-12)}

    def mean(self, params):
        return 1 / params["rates"]


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


def test_what_a_family_lacks_is_said_before_any_row_is_read(rng):
    X = rng.exponential(size=(40, 2))
    model = MixtureModel(Exponential(), random_state=0, max_iter=2, tol=1.0).fit(X)
    seen = []

    def read():
        seen.append(1)
        yield X

    stream = lowdim.stream(read)
    before = len(seen)
    with pytest.raises(NotImplementedError, match=r"return_std needs Exponential\.variance"):
        model.impute(stream, return_std=True)
    assert len(seen) == before
    np.testing.assert_array_equal(model.impute(stream), X)  # this one needs no variance


def test_counts_that_share_a_total_cannot_be_missing_in_mixed_tables_either(rng):
    X = rng.poisson(3.0, size=(50, 4)).astype(float)
    X[3, 1] = np.nan
    model = MixedMixture(columns={"multinomial": [0, 1, 2]}, random_state=0)
    with pytest.raises(ValueError, match="NaN in a column of Multinomial components"):
        model.fit(X)
    X[3, 1], X[3, 3] = 2.0, np.nan  # a Gaussian column may have missing values
    filled, std = model.fit(X).impute(X, return_std=True)
    assert np.isfinite(filled).all() and std[3, 3] > 0


def test_a_model_with_a_family_of_ones_own_is_not_saved(rng, tmp_path):
    X = rng.exponential(size=(50, 2))
    with pytest.raises(TypeError, match="Exponential"):
        MixtureModel(Exponential(), random_state=0).fit(X).save(tmp_path / "model.lowdim")


# ---- the door ------------------------------------------------------------------------------------


def test_more_components_than_rows_are_refused():
    X = np.eye(3)
    with pytest.raises(ValueError, match="n_components=4 is more than the 3 rows of X"):
        MixtureModel(n_components=4).fit(X)
    with pytest.raises(ValueError, match="n_components=3 is more than the 2 rows of X"):
        MixtureModel(n_components=3).fit(X, sample_weight=[1, 1, 0])


def test_values_that_do_not_fit_the_family_are_refused(rng):
    X = rng.normal(size=(20, 3))
    with pytest.raises(ValueError, match="other than 0 and 1"):
        MixtureModel("bernoulli").fit(X)
    with pytest.raises(ValueError, match="Negative values in data"):
        MixtureModel("poisson").fit(X)
    with pytest.raises(ValueError, match="NaN in 1 of 3 columns"):
        MixtureModel("multinomial").fit(np.where(np.arange(3) == 1, np.nan, np.abs(X)))
    with pytest.raises(ValueError, match="no observed value in 1 of 3 columns"):
        MixtureModel("categorical").fit(np.where(np.arange(3) == 1, np.nan, X))
    with pytest.raises(ValueError, match="sparse and has NaN"):
        MixtureModel().fit(sp.csr_array(np.where(X > 1, np.nan, X)))
    with pytest.raises(TypeError, match="Sparse data was passed"):
        MixtureModel("categorical").fit(sp.csr_array(X))
    model = MixtureModel("bernoulli", random_state=0).fit(X > 0)
    with pytest.raises(ValueError, match="other than 0 and 1"):
        model.predict(X)


def test_a_column_of_names_is_no_category(monkeypatch):
    monkeypatch.setattr(mixture_parts, "MOST_CATEGORIES", 10)
    table = pd.DataFrame({"name": [f"n{i}" for i in range(20)], "x": np.arange(20.0)})
    with pytest.raises(ValueError, match="Column 0 of X has more than 10 categories"):
        MixedMixture().fit(table)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"normal": ["length"]}, "family 'normal'; choose from 'gaussian'"),
        ({"poisson": ["weight"]}, r"'weight', which is no column of X \(length, width"),
        ({"poisson": [17]}, "number 17, but X has 6 columns"),
        ({"poisson": [-1]}, "-1 is too small"),
        ({"poisson": [5], "categorical": ["code"]}, "column 'code' twice"),
        ({"gaussian": ["color"]}, "'color' is 'gaussian', but it holds text"),
    ],
)
def test_columns_that_do_not_fit_the_table_are_refused(rng, columns, message):
    table, _ = mixed_table(rng, n=30)
    with pytest.raises(ValueError, match=message):
        MixedMixture(columns=columns).fit(table)


def test_names_need_a_table_with_names(rng):
    with pytest.raises(ValueError, match="X has no names; give numbers"):
        MixedMixture(columns={"poisson": ["a"]}).fit(rng.normal(size=(20, 3)))


def test_a_model_of_text_refuses_numbers(rng):
    table, _ = mixed_table(rng)
    model = MixedMixture(random_state=0).fit(table)
    with pytest.raises(ValueError, match="fitted to a data frame with text"):
        model.predict(np.zeros((3, 6)))
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(table[table.columns[::-1]])
    with pytest.raises(ValueError, match=r"'color' holds numbers"):
        model.predict(table.assign(color=1.0))


def test_an_empty_component_is_reported():
    X = np.repeat([[0.0, 0.0], [1.0, 1.0]], 10, axis=0)
    with pytest.warns(CollapsedComponentWarning, match="1 of 3 components lost all their rows"):
        MixtureModel(n_components=3, random_state=0, smoothing=0.0).fit(X)
