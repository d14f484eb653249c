"""ALS: its kernels against plain NumPy, its objective, its invariances, and ratings of films."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim import ALS
from lowdim.completion.entries import Entries, observed
from tests.completion.planted import low_rank, with_missing

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def counts(rng, n=30, d=12):
    """Implicit feedback: how often each of n users saw each of d items."""
    return sp.csr_array(rng.poisson(0.6, size=(n, d)).astype(float))


# ---- golden values -------------------------------------------------------------------------------


def test_a_large_penalty_on_rank_leaves_the_ridge_biases():
    # a row of one column each: mean 2, y = (x - 2) / sqrt(2/3); c_j = y_j / (1 + penalty)
    X = np.array([[1.0, 2.0, 3.0]])
    model = ALS(1, penalty=3.0, center="columns", tol=0, max_iter=300, random_state=0).fit(X)
    np.testing.assert_allclose(model.mean_, 2.0 + (X[0] - 2.0) / 4.0, rtol=1e-12)
    assert model.global_mean_ == 2.0
    np.testing.assert_allclose(model.scale_, np.sqrt(2 / 3), rtol=1e-15)


# ---- the derivation ------------------------------------------------------------------------------

CONFIGURATIONS = [
    {},
    {"weighted_penalty": False, "penalty": 0.5},
    {"center": None},
    {"center": "global"},
    {"center": "rows"},
    {"center": "columns", "scale": "columns"},
    {"non_negative": True},
    {"solver": "cg", "cg_steps": 1},
    {"solver": "cg", "n_components": 5},
]
each_configuration = pytest.mark.parametrize("arguments", CONFIGURATIONS, ids=str)
IMPLICIT = [
    {},
    {"solver": "cg", "cg_steps": 2},
    {"non_negative": True},
    {"alpha": 0.01},
]
each_implicit = pytest.mark.parametrize("arguments", IMPLICIT, ids=str)


def model_of(arguments, **more):
    return ALS(**{"n_components": 3, "random_state": 0, "max_iter": 30, **arguments, **more})


@each_configuration
def test_the_objective_never_rises(rng, arguments):
    X = with_missing(np.abs(low_rank(rng, noise=0.3)), rng)
    history = model_of(arguments, tol=0).fit(X).history_
    assert np.all(np.diff(history) <= 1e-12 * history[0])


@each_implicit
def test_the_objective_of_implicit_feedback_never_rises(rng, arguments):
    history = model_of(arguments, tol=0, feedback="implicit").fit(counts(rng)).history_
    assert np.all(np.diff(history) <= 1e-12 * np.abs(history[0]))


@each_configuration
def test_the_recorded_objective_is_the_formula(rng, arguments):
    X = with_missing(np.abs(low_rank(rng, n=20, d=9, noise=0.3)), rng)
    model = model_of(arguments, tol=1e-13, max_iter=3000).fit(X)
    here = ~np.isnan(X)
    left = ((X - model.complete()) / model.scale_)[here]
    V = (model.components_ / model.scale_).T[:, : model.n_components]
    c = (model.mean_ - model.global_mean_) / model.scale_
    rows, columns = (here.sum(axis=1), here.sum(axis=0)) if model.weighted_penalty else (1, 1)
    squares = (rows * (model.row_factors_**2).sum(axis=1)).sum()
    squares += (columns * ((V**2).sum(axis=1) + c**2)).sum()
    J = (left @ left + model.penalty * squares) / here.sum()
    # the last recorded value is one iteration behind, which lowers J by less than the one before
    before, last = model.history_[-2:]
    assert last == pytest.approx(J, rel=1e-12, abs=2 * (before - last) + 1e-13)


def test_the_fixed_point_has_no_slope(rng):
    X = with_missing(low_rank(rng, n=15, d=8, noise=0.5), rng, 0.3)
    model = ALS(2, penalty=0.2, tol=1e-15, max_iter=5000, random_state=0).fit(X)
    here = ~np.isnan(X)
    left = np.where(here, (X - model.complete()) / model.scale_, 0.0)
    V = (model.components_ / model.scale_).T  # with its constant component
    Z = model.row_factors_
    c = (model.mean_ - model.global_mean_) / model.scale_
    slope_z = left @ V - 0.2 * here.sum(axis=1)[:, None] * Z
    W = np.column_stack([V[:, :2], c])
    slope_w = (
        left.T @ np.column_stack([Z[:, :2], np.ones(15)]) - 0.2 * here.sum(axis=0)[:, None] * W
    )
    assert np.abs(slope_z).max() < 1e-9 and np.abs(slope_w).max() < 1e-4


# ---- properties ----------------------------------------------------------------------------------


def test_dense_sparse_and_triplets_give_the_same_model(rng):
    pd = pytest.importorskip("pandas")
    X = with_missing(low_rank(rng, noise=0.2), rng)
    i, j = np.nonzero(~np.isnan(X))
    sparse = sp.csr_array((X[i, j], (i, j)), shape=X.shape)
    reference = ALS(2, random_state=0).fit(X)
    for other in (sparse, sp.csc_matrix(sparse), Entries(X)):
        np.testing.assert_array_equal(
            ALS(2, random_state=0).fit(other).components_, reference.components_
        )
    table = pd.DataFrame({"i": i, "j": j, "v": X[i, j]})
    triplets = Entries.from_triplets(table, "i", "j", "v")
    assert ALS(2, random_state=0).fit(triplets).row_factors_.shape == reference.row_factors_.shape


@each_configuration
def test_rows_shuffled_give_the_same_columns(rng, arguments):
    X = with_missing(np.abs(low_rank(rng, noise=0.3)), rng)
    order = rng.permutation(len(X))
    one, other = model_of(arguments).fit(X), model_of(arguments).fit(X[order])
    np.testing.assert_allclose(other.components_, one.components_, atol=1e-6)
    np.testing.assert_allclose(other.row_factors_, one.row_factors_[order], atol=1e-6)


@pytest.mark.parametrize("feedback", ["explicit", "implicit"])
@pytest.mark.parametrize("stream", [False, True])
def test_a_weight_of_two_is_a_row_twice(rng, feedback, stream):
    X = (
        counts(rng)
        if feedback == "implicit"
        else sp.csr_array(observed(with_missing(low_rank(rng), rng)))
    )
    weight = rng.integers(0, 3, size=X.shape[0]).astype(float)
    weight[0] = 2
    repeated = X[np.repeat(np.arange(X.shape[0]), weight.astype(int))]
    if stream:
        source, twice = lowdim.stream(lambda: iter([X[:7], X[7:]])), repeated
    else:
        source, twice = X, repeated
    model = ALS(2, feedback=feedback, random_state=0, tol=0, max_iter=10)
    once = model.fit(source, sample_weight=weight).components_.copy()
    np.testing.assert_allclose(once, model.fit(twice).components_, atol=1e-9)


def test_an_entry_of_weight_zero_is_not_observed_and_of_weight_two_counts_twice(rng):
    X = with_missing(low_rank(rng, noise=0.2), rng)
    here = ~np.isnan(X)
    weight = np.where(rng.random(X.shape) < 0.2, 0.0, 1.0)
    without = ALS(2, random_state=0, tol=0, max_iter=8).fit(np.where(weight > 0, X, np.nan))
    zero = ALS(2, random_state=0, tol=0, max_iter=8).fit(X, entry_weight=weight)
    np.testing.assert_allclose(zero.components_, without.components_, atol=1e-9)
    np.testing.assert_allclose(zero.row_factors_, without.row_factors_, atol=1e-9)
    two = ALS(2, random_state=0, tol=0, max_iter=8).fit(Entries(X, weight=np.full(here.sum(), 2.0)))
    plain = ALS(2, random_state=0, tol=0, max_iter=8).fit(X)
    # the weighted penalty is times the weight, so twice everything is the same minimum
    np.testing.assert_allclose(two.components_, plain.components_, atol=1e-9)


@pytest.mark.parametrize(
    "arguments",
    [{}, {"non_negative": True}, {"scale": "columns"}, {"center": "rows"}, {"center": "columns"}],
    ids=str,
)
def test_in_blocks_or_in_memory_the_model_is_the_same(rng, arguments):
    X = with_missing(np.abs(low_rank(rng, noise=0.2)), rng)
    blocks = lowdim.stream(lambda: iter(np.split(X, [5, 6, 40])))
    one, other = model_of(arguments).fit(X), model_of(arguments).fit(blocks)
    np.testing.assert_allclose(other.components_, one.components_, atol=1e-7)
    np.testing.assert_allclose(other.row_factors_, one.row_factors_, atol=1e-7)
    np.testing.assert_allclose(other.history_, one.history_, rtol=1e-9)


@pytest.mark.parametrize("non_negative", [False, True])
def test_implicit_feedback_in_blocks_or_in_memory_is_the_same(rng, non_negative):
    X = counts(rng)
    blocks = lowdim.stream(lambda: iter([X[:11], X[11:]]))
    model = ALS(2, feedback="implicit", non_negative=non_negative, random_state=0, max_iter=10)
    one = model.fit(X).components_.copy()
    np.testing.assert_allclose(model.fit(blocks).components_, one, atol=1e-7)


@pytest.mark.parametrize("solver", ["cholesky", "cg"])
def test_threads_change_no_bit_of_sparse_fits(rng, solver):
    X = sp.random_array((700, 50), density=0.2, rng=rng, format="csr")
    fits = []
    for threads in (1, 3):
        with lowdim.config_context(threads=threads):
            fits.append(ALS(40, solver=solver, max_iter=3, tol=0, random_state=0).fit(X))
    np.testing.assert_array_equal(fits[0].components_, fits[1].components_)
    np.testing.assert_array_equal(fits[0].row_factors_, fits[1].row_factors_)


@each_configuration
def test_codes_of_the_fitted_rows_are_the_row_factors(rng, arguments):
    X = with_missing(np.abs(low_rank(rng, noise=0.2)), rng)
    model = model_of(arguments).fit(X)
    np.testing.assert_allclose(model.transform(X), model.row_factors_, atol=1e-10)


# ---- two roads, one result -----------------------------------------------------------------------


def test_implicit_feedback_is_weighted_least_squares_on_all_entries(rng):
    """The Gram trick ends where the same objective, every entry written out, has no slope."""
    X = counts(rng)
    seen, weight = (X.toarray() > 0).astype(float), 1.0 + 3.0 * X.toarray()
    model = ALS(2, feedback="implicit", alpha=3.0, penalty=0.5, tol=0, max_iter=2000)
    model.set_params(random_state=0).fit(X)
    Z, V = model.row_factors_, model.components_.T
    left = weight * (seen - Z @ V.T)
    np.testing.assert_allclose(left @ V, 0.5 * Z, atol=1e-9)
    np.testing.assert_allclose(left.T @ Z, 0.5 * V, atol=1e-4)


def test_a_complete_matrix_without_penalty_gives_the_best_low_rank_matrix(rng):
    X = low_rank(rng, n=40, d=12, k=3, noise=0.3)
    model = ALS(3, center=None, penalty=1e-12, tol=1e-15, max_iter=3000, random_state=0).fit(X)
    U, s, Vt = np.linalg.svd(X, full_matrices=False)
    np.testing.assert_allclose(model.complete(), (U[:, :3] * s[:3]) @ Vt[:3], atol=1e-4)


def test_the_penalty_shrinks_singular_values_as_the_nuclear_norm_does(rng):
    """min |X - UV'|^2 + p (|U|^2 + |V|^2) is soft-thresholding of the singular values by p."""
    X = low_rank(rng, n=30, d=10, k=10)
    model = ALS(10, center=None, weighted_penalty=False, penalty=2.0, tol=1e-14, max_iter=5000)
    model.set_params(random_state=0).fit(X)
    U, s, Vt = np.linalg.svd(X / model.scale_, full_matrices=False)
    shrunk = (U * np.maximum(s - 2.0, 0.0)) @ Vt * model.scale_
    np.testing.assert_allclose(model.complete(), shrunk, atol=1e-3)


# ---- a planted truth -----------------------------------------------------------------------------


# A weighted penalty p shrinks a noise-free matrix towards 0 by a part of about k p. With hardly any
# penalty ALS can get lost for long where factors grow against each other.


def test_exactly_low_rank_entries_are_recovered(rng):
    truth = low_rank(rng, n=120, d=60, k=2) + 2.0  # rank 3, the mean being one of them
    X = with_missing(truth, rng, 0.5)
    model = ALS(3, penalty=1e-2, center=None, tol=1e-7, max_iter=200, random_state=0).fit(X)
    assert np.sqrt(np.mean((model.complete() - truth) ** 2)) < 0.08 * truth.std()


def test_few_entries_do_not_lead_astray(rng):
    truth = low_rank(rng, n=80, d=50)
    X = with_missing(truth + 0.2 * rng.normal(size=truth.shape), rng, 0.75)
    # noise 0.2, and 3 numbers of a row from about 12 entries; a fifth of random starts exceed 1
    for seed in range(3):
        model = ALS(2, penalty=0.01, random_state=seed).fit(X)
        assert np.sqrt(np.mean((model.complete() - truth) ** 2)) < 0.6


def test_planted_biases_are_recovered(rng):
    truth = 3.0 + rng.normal(size=(80, 1)) + rng.normal(size=40)
    X = with_missing(truth, rng, 0.5)
    model = ALS(1, penalty=1e-3, tol=1e-7, max_iter=200, random_state=0).fit(X)
    np.testing.assert_allclose(model.complete(), truth, atol=0.03)


def test_new_rows_are_folded_in_as_if_they_had_been_there(rng):
    truth = low_rank(rng, n=150, d=40, k=2)
    X = with_missing(truth, rng, 0.4)
    model = ALS(2, penalty=1e-2, center=None, tol=1e-7, max_iter=200, random_state=0).fit(X[:120])
    left = model.impute(X[120:]) - truth[120:]
    assert np.sqrt(np.mean(left**2)) < 0.05 * truth.std()


def test_partial_fit_appends_rows_and_leaves_the_rest(rng):
    X = with_missing(low_rank(rng, noise=0.2), rng)
    model = ALS(2, random_state=0).partial_fit(X[:50])
    components, first = model.components_.copy(), model.row_factors_.copy()
    model.partial_fit(X[50:])
    np.testing.assert_array_equal(model.components_, components)
    np.testing.assert_array_equal(model.row_factors_[:50], first)
    np.testing.assert_array_equal(model.row_factors_[50:], model.transform(X[50:]))
    assert model.complete().shape == X.shape


@each_configuration
def test_columns_that_are_added_get_the_factors_they_would_have_had(rng, arguments):
    X = with_missing(np.abs(low_rank(rng, noise=0.1)), rng)
    model = model_of({**arguments, "scale": None}, tol=1e-12, max_iter=1000).fit(X)
    last = X[:, -3:]
    grown = model_of({**arguments, "scale": None}, tol=1e-12, max_iter=1000).fit(X)
    grown.add_columns(last)  # the same columns once more: fixed point, so the same factors
    assert grown.n_features_in_ == X.shape[1] + 3
    np.testing.assert_allclose(grown.components_[:, -3:], model.components_[:, -3:], atol=1e-3)
    np.testing.assert_allclose(grown.mean_[-3:], model.mean_[-3:], atol=1e-3)
    assert grown.impute(np.column_stack([X, last])).shape == (60, 28)


# ---- real ratings --------------------------------------------------------------------------------


def test_biased_als_predicts_movielens_ratings(data_dir):
    ratings = np.load(data_dir / "movielens_100k.npz")
    user, item = ratings["user"] - 1, ratings["item"] - 1
    held_out = np.random.default_rng(0).random(len(user)) < 0.1

    def matrix(part):
        value = ratings["rating"][part].astype(np.float64)
        return sp.csr_array((value, (user[part], item[part])), shape=(943, 1682))

    for arguments in ({}, {"n_components": 50, "penalty": 0.12}):
        model = ALS(random_state=0, **arguments).fit(matrix(~held_out))
        assert -model.score_entries(matrix(held_out)) < 0.92


# ---- the door ------------------------------------------------------------------------------------


def test_a_row_and_a_column_without_entries_are_predicted_by_the_others(rng):
    X = with_missing(low_rank(rng) + 7.0, rng)
    X[3], X[:, 4] = np.nan, np.nan
    model = ALS(2, random_state=0).fit(X)
    full = model.complete()
    np.testing.assert_array_equal(full[3], model.mean_)
    assert model.mean_[4] == model.global_mean_
    np.testing.assert_allclose(
        full[:, 4] - model.global_mean_, model.row_factors_[:, -1] * model.scale_[4]
    )


def test_negative_counts_are_refused_for_implicit_feedback():
    with pytest.raises(ValueError, match="Negative values in data passed to ALS"):
        ALS(feedback="implicit").fit(np.array([[1.0, -2.0], [0.0, 3.0]]))


def test_arguments_that_contradict_each_other_are_refused():
    X = np.eye(3)
    with pytest.raises(ValueError, match="center='both' does not go with feedback='implicit'"):
        ALS(center="both", feedback="implicit").fit(X)
    with pytest.raises(ValueError, match="center='rows' does not go with non_negative=True"):
        ALS(center="rows", non_negative=True).fit(X)
    with pytest.raises(ValueError, match="scale='columns' does not go with feedback"):
        ALS(scale="columns", feedback="implicit").fit(X)
    with pytest.raises(ValueError, match="entry_weight needs data in memory"):
        ALS().fit(lowdim.stream(lambda: iter([X])), entry_weight=np.ones(9))


def test_new_columns_need_all_fitted_rows(rng):
    model = ALS(2, random_state=0).fit(low_rank(rng))
    with pytest.raises(
        ValueError, match="X has 3 rows; new columns need one row for each of the 60"
    ):
        model.add_columns(np.ones((3, 1)))


@pytest.mark.parametrize("feedback", ["explicit", "implicit"])
def test_columns_without_entries_change_nothing(rng, feedback):
    X = np.where(rng.random((30, 8)) < 0.4, np.nan, 1.0 + rng.random((30, 8)))
    grown = np.insert(X, [2, 8], np.nan, axis=1)
    columns = ~np.isnan(grown).all(axis=0)
    plain, model = (ALS(2, feedback=feedback, random_state=0).fit(Y) for Y in (X, grown))
    assert model.n_iter_ == plain.n_iter_
    np.testing.assert_allclose(model.complete()[:, columns], plain.complete(), rtol=1e-9)
    assert not model.components_[:2, ~columns].any()
