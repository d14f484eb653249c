"""PCA: every solver, with and without holes, of every kind of data."""

import multiprocessing
import subprocess
import sys
import threading
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.decomposition import PCA as ScikitPCA
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import lowdim
from lowdim import PCA

EXACT = ["full", "covariance_eigh", "gram", "arpack", "krylov", "power", "em"]
SOLVERS = [*EXACT, "randomized", "oja"]
ATTRIBUTES = [
    "mean_",
    "components_",
    "explained_variance_",
    "explained_variance_ratio_",
    "singular_values_",
    "noise_variance_",
]


def spectrum_data(rng, n=300, variances=(16.0, 9.0, 4.0, 1.0, 0.5, 0.2, 0.1), offset=0.0):
    """Rows whose sample covariance has exactly these eigenvalues, so that gaps are known."""
    d = len(variances)
    U, _ = np.linalg.qr(rng.normal(size=(n, d)) - rng.normal(size=(n, d)).mean(axis=0))
    U, _ = np.linalg.qr(U - U.mean(axis=0))
    V, _ = np.linalg.qr(rng.normal(size=(d, d)))
    return np.sqrt(n - 1) * U * np.sqrt(variances) @ V.T + offset


# ---- golden values -------------------------------------------------------------------------------


def test_four_points_have_the_axes_worked_out_by_hand():
    X = np.array([[3.0, 1.0], [-3.0, 1.0], [0.0, 2.0], [0.0, 0.0]])
    pca = PCA().fit(X)
    np.testing.assert_allclose(pca.mean_, [0.0, 1.0], atol=1e-15)
    np.testing.assert_allclose(pca.components_, np.eye(2), atol=1e-15)
    np.testing.assert_allclose(pca.explained_variance_, [18 / 3, 2 / 3], rtol=1e-14)
    np.testing.assert_allclose(pca.transform([[6.0, 3.0]]), [[6.0, 2.0]], atol=1e-14)


@pytest.mark.parametrize("solver", EXACT)
def test_planted_variances_are_found(rng, solver):
    X = spectrum_data(rng, offset=3.0)
    pca = PCA(3, svd_solver=solver, random_state=0).fit(X)
    np.testing.assert_allclose(pca.explained_variance_, [16.0, 9.0, 4.0], rtol=1e-8)
    np.testing.assert_allclose(pca.noise_variance_, (1.0 + 0.5 + 0.2 + 0.1) / 4, rtol=1e-7)


# ---- two roads, one result -----------------------------------------------------------------------


@pytest.mark.parametrize("solver", EXACT)
@pytest.mark.parametrize("shape", [(300, 7), (12, 40)])
def test_exact_solvers_give_scikit_learns_result(rng, solver, shape):
    X = spectrum_data(rng, shape[0], offset=2.0)
    if shape[1] > 7:
        X = X @ np.linalg.qr(rng.normal(size=(shape[1], 7)))[0].T
    ours = PCA(3, svd_solver=solver, random_state=0).fit(X)
    theirs = ScikitPCA(3, svd_solver="full").fit(X)
    for name in ATTRIBUTES:
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-6)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-5)


def test_randomized_captures_the_variance_of_the_best_subspace(rng):
    X = rng.normal(size=(400, 60)) * np.linspace(3, 0.5, 60)
    best = ScikitPCA(5, svd_solver="full").fit(X).explained_variance_.sum()
    ours = PCA(5, svd_solver="randomized", random_state=0).fit(X).explained_variance_.sum()
    assert 0.999 * best < ours <= best * (1 + 1e-12)


def test_oja_comes_close_to_the_best_subspace(rng):
    X = spectrum_data(rng, 2000)
    ours = PCA(2, svd_solver="oja", random_state=0).fit(X)
    # steps of about 0.1 and noise of 1 / sqrt(batch): angles of a few hundredths
    assert ours.explained_variance_.sum() > 0.99 * 25.0


@pytest.mark.parametrize("n_components", [None, 2, 0.8, 0.999, "mle"])
@pytest.mark.parametrize("whiten", [False, True])
def test_every_method_agrees_with_scikit_learn(rng, n_components, whiten):
    X = spectrum_data(rng, offset=1.0)
    ours = PCA(n_components, whiten=whiten).fit(X)
    theirs = ScikitPCA(n_components, whiten=whiten).fit(X)
    assert ours.n_components_ == theirs.n_components_
    for name in ATTRIBUTES:
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-10)
    new = rng.normal(size=(5, 7))
    np.testing.assert_allclose(ours.transform(new), theirs.transform(new), atol=1e-9)
    Z = theirs.transform(new)
    np.testing.assert_allclose(ours.inverse_transform(Z), theirs.inverse_transform(Z), atol=1e-9)
    if whiten:  # scikit-learn scales the axes twice here: a density does not depend on whitening
        theirs = ScikitPCA(n_components).fit(X)
    np.testing.assert_allclose(ours.get_covariance(), theirs.get_covariance(), atol=1e-9)
    np.testing.assert_allclose(ours.get_precision(), theirs.get_precision(), rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(ours.score_samples(new), theirs.score_samples(new), rtol=1e-9)
    assert ours.score(X) == pytest.approx(theirs.score(X), rel=1e-10)
    assert list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())


def test_auto_chooses_by_shape_sparsity_and_rank(rng):
    from lowdim.core.blocks import as_blocks
    from lowdim.linear.pca.solvers import choose_solver

    def choice(shape, k, sparse=False):
        X = sp.csr_array(shape) if sparse else np.broadcast_to(np.zeros(1), shape)
        return choose_solver(as_blocks(X), k)

    assert choice((400, 300), 10) == "full"
    assert choice((100_000, 200), 20) == "covariance_eigh"
    assert choice((2000, 20_000), 20) == "krylov"
    assert choice((2000, 20_000), 1500) == "gram"
    assert choice((3000, 2500), None) == "full"
    assert choice((100_000, 10_000), 20, sparse=True) == "krylov"
    assert choice((100_000, 100), 20, sparse=True) == "covariance_eigh"


# ---- the derivation and its properties -----------------------------------------------------------


def test_no_other_axes_leave_less(rng):
    X = spectrum_data(rng)
    pca = PCA(2).fit(X)

    def residual(V):
        D = X - X.mean(axis=0)
        return np.sum((D - D @ V @ V.T) ** 2)

    best = residual(pca.components_.T)
    assert best == pytest.approx(299 * (4.0 + 1.0 + 0.5 + 0.2 + 0.1), rel=1e-10)
    for _ in range(20):
        V, _ = np.linalg.qr(pca.components_.T + 0.05 * rng.normal(size=(7, 2)))
        assert residual(V) >= best


def test_the_objective_of_em_never_rises(rng):
    model = PCA(3, svd_solver="em", random_state=0).fit(spectrum_data(rng))
    assert len(model.history_) > 3
    assert np.all(np.diff(model.history_) <= 1e-12)  # a share of the variance: rounding of 1


@pytest.mark.parametrize("solver", EXACT)
def test_weights_are_repetitions(rng, solver):
    X, weight = spectrum_data(rng, 60), rng.integers(0, 4, size=60)
    weighted = PCA(3, svd_solver=solver, random_state=0).fit(X, sample_weight=weight)
    repeated = PCA(3, svd_solver=solver, random_state=0).fit(np.repeat(X, weight, axis=0))
    for name in ATTRIBUTES:
        np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name), atol=1e-6)


def test_rotating_the_rows_rotates_the_axes(rng):
    X = spectrum_data(rng)
    R, _ = np.linalg.qr(rng.normal(size=(7, 7)))
    plain, turned = PCA(3).fit(X), PCA(3).fit(X @ R)
    np.testing.assert_allclose(plain.explained_variance_, turned.explained_variance_, rtol=1e-10)
    cosines = np.abs(np.sum((plain.components_ @ R) * turned.components_, axis=1))
    np.testing.assert_allclose(cosines, 1.0, atol=1e-10)


@pytest.mark.parametrize("solver", ["covariance_eigh", "full", "gram", "krylov"])
def test_data_far_from_zero_keep_their_digits(rng, solver):
    X = spectrum_data(rng)
    near, far = (PCA(3, svd_solver=solver, random_state=0).fit(data) for data in (X, X + 1e8))
    # at 1e8 the data themselves are rounded to 1e-8
    np.testing.assert_allclose(near.components_, far.components_, atol=1e-7)
    np.testing.assert_allclose(near.explained_variance_, far.explained_variance_, rtol=1e-7)


# ---- kinds of data -------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["covariance_eigh", "arpack", "krylov", "randomized", "power"])
def test_sparse_rows_are_centred_without_becoming_dense(rng, solver):
    S = sp.random_array((200, 30), density=0.1, rng=rng, format="csr")
    sparse = PCA(4, svd_solver=solver, random_state=0, iterated_power=30).fit(S)
    dense = ScikitPCA(4, svd_solver="full").fit(S.toarray())
    np.testing.assert_allclose(sparse.explained_variance_, dense.explained_variance_, rtol=1e-5)
    np.testing.assert_allclose(
        np.abs(np.sum(sparse.components_ * dense.components_, axis=1)), 1.0, atol=1e-3
    )
    np.testing.assert_allclose(sparse.transform(S), sparse.transform(S.toarray()), atol=1e-10)
    np.testing.assert_allclose(sparse.score_samples(S), sparse.score_samples(S.toarray()))


def test_a_large_sparse_matrix_is_fitted_in_a_fraction_of_its_dense_size(rng):
    S = sp.random_array((20_000, 5_000), density=0.001, rng=rng, format="csr")  # 800 MB if dense
    PCA(3, random_state=0).fit(S[:100])
    tracemalloc.start()
    PCA(3, random_state=0, tol=1e-3).fit(S)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 40e6


def test_streams_of_few_columns_take_one_pass_and_of_many_a_few(rng, monkeypatch):
    X = spectrum_data(rng, 500)
    passes = 0

    def blocks():
        nonlocal passes
        passes += 1
        yield from np.array_split(X, 5)

    rows = lowdim.stream(blocks)
    passes = 0
    streamed = PCA(2).fit(rows)
    assert passes == 2  # the pilot reads the first block, then one whole pass
    np.testing.assert_allclose(streamed.components_, PCA(2).fit(X).components_, atol=1e-12)

    monkeypatch.setattr("lowdim.linear.pca.solvers.COLUMNS_FOR_COVARIANCE", 5)
    passes = 0
    many = PCA(1, random_state=0).fit(rows)
    assert passes <= 12
    np.testing.assert_allclose(many.components_, PCA(1).fit(X).components_, atol=1e-5)


def test_seven_uneven_parquet_files_give_the_fit_in_memory(rng, tmp_path):
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    X = spectrum_data(rng, 700, offset=5.0)
    names = [f"column {f}" for f in range(7)]
    for i, part in enumerate(np.split(X, [3, 100, 101, 350, 420, 600])):
        pq.write_table(pa.table(dict(zip(names, part.T, strict=True))), tmp_path / f"{i}.parquet")
    streamed = PCA(3).fit(lowdim.stream(str(tmp_path / "*.parquet")))
    np.testing.assert_allclose(streamed.components_, PCA(3).fit(X).components_, atol=1e-8)
    assert list(streamed.feature_names_in_) == names


def test_a_cluster_of_two_processes_gives_the_fit_in_memory_even_if_one_dies(rng, tmp_path):
    distributed = pytest.importorskip("distributed")
    da = pytest.importorskip("dask.array")
    X = spectrum_data(rng, 1000, offset=5.0)
    marker = tmp_path / "died"

    def die_once(block):
        import os

        if block.shape[0] and not marker.exists():
            marker.touch()
            os._exit(1)
        return block

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster),
    ):
        chunks = da.from_array(X, chunks=(130, 7))
        reference = PCA(3).fit(X)
        np.testing.assert_allclose(PCA(3).fit(chunks).components_, reference.components_, atol=1e-8)
        lazy = PCA(3).fit(chunks).transform(chunks)
        assert isinstance(lazy, da.Array)
        np.testing.assert_allclose(lazy.compute(), reference.transform(X), atol=1e-8)
        dying = chunks.map_blocks(die_once, dtype=X.dtype, meta=np.empty((0, 7)))
        np.testing.assert_allclose(PCA(3).fit(dying).components_, reference.components_, atol=1e-8)
        assert marker.exists()


def test_a_virtual_stream_of_two_gigabytes_is_fitted_in_little_memory():
    n_blocks, d = 160, 1250  # 160 blocks of 1250 x 1250 float64: 2 GB
    base = np.random.default_rng(0).normal(size=(1250, d))

    def blocks():
        for i in range(n_blocks):
            yield base + i

    rows = lowdim.stream(blocks)
    tracemalloc.start()
    PCA(5).fit(rows)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 300e6  # sums of 12.5 MB and blocks of 12.5 MB, a few of each


# ---- missing values ------------------------------------------------------------------------------


def planted(rng, n=600, d=10, k=2, noise=0.1):
    W = rng.normal(size=(d, k)) * [3.0, 2.0][:k]
    return rng.normal(size=(n, k)) @ W.T + noise * rng.normal(size=(n, d)) + 5.0, W


def angle(V, W):
    """Sine of the largest principal angle between two subspaces."""
    V, _ = np.linalg.qr(V)
    W, _ = np.linalg.qr(W)
    return np.linalg.norm(V - W @ (W.T @ V), 2)


@pytest.mark.parametrize(("missing", "n"), [(0.3, 600), (0.9, 6000)])
def test_the_planted_plane_is_found_behind_holes(rng, missing, n):
    X, W = planted(rng, n=n)
    holes = np.where(rng.random(X.shape) < missing, np.nan, X)
    pca = PCA(2, random_state=0).fit(holes)
    # noise 0.1 against spread 2 over n (1 - missing) rows a column: a few thousandths
    assert angle(pca.components_.T, W) < 0.05
    assert np.isfinite(pca.transform(holes)).all()


def test_a_few_holes_change_the_result_a_little_and_none_not_at_all(rng):
    X, _ = planted(rng)
    full = PCA(2).fit(X)
    pierced = X.copy()
    pierced[0, 0] = np.nan
    one = PCA(2, random_state=0, tol=1e-10).fit(pierced)
    np.testing.assert_allclose(one.components_, full.components_, atol=1e-3)
    np.testing.assert_allclose(one.explained_variance_, full.explained_variance_, rtol=1e-2)


def test_filled_values_are_near_the_truth_and_their_intervals_cover_it(rng):
    X, _ = planted(rng, n=2000, noise=0.5)
    hole = rng.random(X.shape) < 0.3
    pca = PCA(2, random_state=0).fit(np.where(hole, np.nan, X))
    filled, std = pca.impute(np.where(hole, np.nan, X), return_std=True)
    np.testing.assert_array_equal(filled[~hole], X[~hole])
    np.testing.assert_array_equal(std[~hole], 0.0)
    covered = np.abs(filled - X)[hole] <= 1.96 * std[hole]
    assert 0.93 < covered.mean() < 0.97  # 6000 held-out entries: standard error 0.003


def test_rows_entirely_missing_lie_at_the_mean(rng):
    X, _ = planted(rng)
    X[rng.random(X.shape) < 0.1] = np.nan
    X[7] = np.nan
    pca = PCA(2, random_state=0).fit(X)
    np.testing.assert_allclose(pca.transform(X[7:8]), 0.0, atol=1e-9)
    np.testing.assert_allclose(pca.impute(X[7:8])[0], pca.mean_, rtol=1e-9)


def test_a_column_entirely_missing_is_refused_by_name(rng):
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(planted(rng)[0], columns=list("abcdefghij"))
    frame["c"] = np.nan
    with pytest.raises(ValueError, match=r"'c'"):
        PCA(2).fit(frame)


def test_all_components_share_of_variance_and_mle_work_with_holes(rng):
    X, _ = planted(rng, d=5)
    X[rng.random(X.shape) < 0.1] = np.nan
    assert PCA(random_state=0).fit(X).n_components_ == 5
    assert PCA(0.9, random_state=0).fit(X).n_components_ == 2
    # holes make the small variances less equal, which the evidence takes for structure
    assert 2 <= PCA("mle", random_state=0).fit(X).n_components_ < 5
    np.testing.assert_allclose(
        PCA(random_state=0).fit(X).explained_variance_ratio_.sum(), 1.0, rtol=1e-6
    )


def test_holes_are_handled_by_every_engine_and_with_weights(rng):
    X, _ = planted(rng, n=200)
    X[rng.random(X.shape) < 0.2] = np.nan
    weight = rng.integers(0, 3, size=200)
    reference = PCA(2, random_state=0).fit(np.repeat(X, weight, axis=0))
    weighted = PCA(2, random_state=0).fit(X, sample_weight=weight)
    np.testing.assert_allclose(weighted.components_, reference.components_, atol=1e-5)
    streamed = PCA(2, random_state=0).fit(lowdim.stream(lambda: iter(np.split(X, [13, 90]))))
    np.testing.assert_allclose(
        streamed.components_, PCA(2, random_state=0).fit(X).components_, atol=1e-8
    )


# ---- online --------------------------------------------------------------------------------------


def test_partial_fit_on_blocks_equals_fit_on_all(rng):
    X, weight = spectrum_data(rng, 300, offset=1e4), rng.integers(1, 3, size=300)
    model = PCA(3)
    for part, w in zip(np.split(X, [1, 50, 120]), np.split(weight, [1, 50, 120]), strict=True):
        model.partial_fit(part, sample_weight=w)
    whole = PCA(3, svd_solver="covariance_eigh").fit(X, sample_weight=weight)
    for name in ATTRIBUTES:
        np.testing.assert_allclose(getattr(model, name), getattr(whole, name), atol=1e-8)


def test_partial_fit_on_many_columns_keeps_the_leading_axes(rng, monkeypatch):
    for module in ("online", "solvers"):
        monkeypatch.setattr(f"lowdim.linear.pca.{module}.COLUMNS_FOR_COVARIANCE", 3)
    X = spectrum_data(rng, 600, offset=2.0)
    model = PCA(2)
    for part in np.array_split(X, 6):
        model.partial_fit(part)
    np.testing.assert_allclose(model.components_, PCA(2).fit(X).components_, atol=1e-8)
    np.testing.assert_allclose(model.explained_variance_ratio_.sum(), 25 / 30.8, rtol=1e-8)


def test_oja_learns_one_row_at_a_time(rng):
    X = spectrum_data(rng, 3000, variances=(25.0, 1.0, 0.5))
    model = PCA(1, svd_solver="oja", random_state=0)
    for x in X:
        model.partial_fit(x[None])
    assert angle(model.components_.T, PCA(1).fit(X).components_.T) < 0.15


def test_a_constant_gain_follows_a_drifting_subspace(rng):
    # the leading axis turns by 90 degrees in 200 batches; a gain of 0.2 remembers about 5 of them,
    # in which it turns by 2 degrees; noise of batches of 50 rows adds about as much again
    model = PCA(1, svd_solver="oja", learning_rate=0.2, batch_size=50, random_state=0)
    lag = []
    for turn in np.linspace(0, np.pi / 2, 200):
        axis = np.array([np.cos(turn), np.sin(turn), 0.0])
        X = rng.normal(size=(50, 3)) + 5.0 * rng.normal(size=(50, 1)) * axis
        lag.append(angle(model.partial_fit(X).components_.T, axis[:, None]))
    assert max(lag[50:]) < 0.25


def test_a_decreasing_gain_settles_where_a_constant_one_keeps_trembling(rng):
    X = rng.normal(size=(20_000, 3)) * [3.0, 1.0, 1.0]
    axis = np.array([[1.0], [0.0], [0.0]])
    constant, decreasing = (
        PCA(1, svd_solver="oja", learning_rate=rate, batch_size=10, random_state=0).partial_fit(X)
        for rate in (0.5, "decreasing")
    )
    assert angle(decreasing.components_.T, axis) < 0.05
    assert angle(decreasing.components_.T, axis) < angle(constant.components_.T, axis)


def test_partial_fit_refuses_holes_and_says_what_to_do():
    with pytest.raises(ValueError, match=r"fit\(lowdim.stream"):
        PCA(1).partial_fit(np.array([[1.0, np.nan], [2.0, 3.0]]))


# ---- what else it can do -------------------------------------------------------------------------


def test_samples_have_the_models_moments(rng):
    pca = PCA(3).fit(spectrum_data(rng, offset=4.0))
    sample = pca.sample(100_000, random_state=0)
    # standard errors of a mean and a variance of 16 over 1e5 rows: 0.013 and 0.07
    np.testing.assert_allclose(sample.mean(axis=0), pca.mean_, atol=0.06)
    np.testing.assert_allclose(np.cov(sample.T), pca.get_covariance(), atol=0.3)


def test_correlations_are_those_of_columns_and_codes(rng):
    X = spectrum_data(rng, offset=3.0)
    pca = PCA(2).fit(X)
    found, Z = pca.correlations(X), pca.transform(X)
    expected = np.corrcoef(X.T, Z.T)[:7, 7:]
    np.testing.assert_allclose(found.variables, expected, atol=1e-10)
    D = X - X.mean(axis=0)
    np.testing.assert_allclose(found.cos2, Z**2 / np.sum(D**2, axis=1, keepdims=True), atol=1e-10)


def test_it_works_in_pipelines_and_searches(rng):
    X = spectrum_data(rng)
    search = GridSearchCV(
        make_pipeline(StandardScaler(), PCA()), {"pca__n_components": [1, 2, 3, 5]}, cv=3
    ).fit(X)
    assert search.best_params_["pca__n_components"] in (1, 2, 3, 5)
    assert isinstance(clone(PCA(3, whiten=True)), PCA)


# ---- processes and threads -----------------------------------------------------------------------


def test_four_threads_at_once_get_the_answer_of_one(rng):
    X = spectrum_data(rng, 5000)
    alone = PCA(3, svd_solver="covariance_eigh").fit(X).components_
    results = [None] * 4

    def work(i):
        results[i] = PCA(3, svd_solver="covariance_eigh").fit(X).components_

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    for result in results:
        np.testing.assert_array_equal(result, alone)


def _fit_in_child(X, queue):
    queue.put(PCA(3, svd_solver="covariance_eigh").fit(X).components_)


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_gets_the_answer_of_its_parent(rng):
    X = spectrum_data(rng, 5000)
    parent = PCA(3, svd_solver="covariance_eigh").fit(X).components_
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_fit_in_child, args=(X, queue))
    child.start()
    result = queue.get(timeout=60)
    child.join(timeout=60)
    np.testing.assert_array_equal(result, parent)


def test_fitting_imports_no_numba():
    code = (
        "import sys, numpy as np, lowdim; lowdim.PCA(1).fit(np.eye(3));"
        "X = np.eye(4); X[0, 1] = np.nan; lowdim.PCA(1, max_iter=5, tol=1.0).fit(X);"
        "print('numba' in sys.modules)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert result.stdout.strip() == "False"


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_components": 60}, "n_components=60 is more than the 7 that X allows"),
        ({"n_components": 0}, "n_components"),
        ({"n_components": 1.5}, "n_components"),
        ({"n_components": "all"}, "n_components"),
        ({"svd_solver": "magic"}, "svd_solver"),
        ({"n_components": 7, "svd_solver": "arpack"}, "must be less than 7"),
        ({"n_components": 0.5, "svd_solver": "randomized"}, "needs all variances"),
        ({"tol": -1.0}, "tol"),
        ({"learning_rate": 0.0}, "learning_rate"),
    ],
)
def test_bad_arguments_are_named(rng, arguments, message):
    with pytest.raises(ValueError, match=message):
        PCA(**arguments).fit(spectrum_data(rng))


def test_solvers_that_need_the_matrix_refuse_streams_and_say_what_to_choose(rng):
    X = spectrum_data(rng)
    rows = lowdim.stream(lambda: iter([X]))
    for solver in ("full", "gram"):
        with pytest.raises(TypeError, match="choose 'krylov' or 'covariance_eigh'"):
            PCA(2, svd_solver=solver).fit(rows)
    with pytest.raises(ValueError, match="choose 'krylov'"):
        PCA(2, svd_solver="arpack").fit(rows)


def test_weights_that_sum_to_less_than_a_row_are_refused(rng):
    with pytest.raises(ValueError, match=r"sample_weight sums to 0\.5"):
        PCA(2).fit(spectrum_data(rng, 10), sample_weight=np.full(10, 0.05))


def test_codes_of_the_wrong_width_are_refused(rng):
    with pytest.raises(ValueError, match="Z has 3 columns; PCA has 2 components"):
        PCA(2).fit(spectrum_data(rng)).inverse_transform(np.ones((1, 3)))
