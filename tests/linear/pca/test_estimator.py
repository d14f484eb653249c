"""PCA: every solver, with and without missing values, of every kind of data."""

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
from tests.linear.pca.tables import ATTRIBUTES, spectrum_data

# ---- golden values -------------------------------------------------------------------------------


def test_four_points_have_the_axes_worked_out_by_hand():
    X = np.array([[3.0, 1.0], [-3.0, 1.0], [0.0, 2.0], [0.0, 0.0]])
    pca = PCA().fit(X)
    np.testing.assert_allclose(pca.mean_, [0.0, 1.0], atol=1e-15)
    np.testing.assert_allclose(pca.components_, np.eye(2), atol=1e-15)
    np.testing.assert_allclose(pca.explained_variance_, [18 / 3, 2 / 3], rtol=1e-14)
    np.testing.assert_allclose(pca.transform([[6.0, 3.0]]), [[6.0, 2.0]], atol=1e-14)


# ---- two roads, one result -----------------------------------------------------------------------


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


def test_rotating_the_rows_rotates_the_axes(rng):
    X = spectrum_data(rng)
    R, _ = np.linalg.qr(rng.normal(size=(7, 7)))
    plain, turned = PCA(3).fit(X), PCA(3).fit(X @ R)
    np.testing.assert_allclose(plain.explained_variance_, turned.explained_variance_, rtol=1e-10)
    cosines = np.abs(np.sum((plain.components_ @ R) * turned.components_, axis=1))
    np.testing.assert_allclose(cosines, 1.0, atol=1e-10)


# ---- kinds of data -------------------------------------------------------------------------------


@pytest.mark.parametrize("offset", [0.5, 1e8])  # taken out after the product, or before
@pytest.mark.parametrize("whiten", [False, True])
def test_codes_keep_their_digits_near_and_far_from_zero(rng, offset, whiten):
    X = rng.normal(size=(200, 6)) @ rng.normal(size=(6, 6)) + offset
    pca = PCA(3, whiten=whiten).fit(X)
    D = X - pca.mean_
    expected = D @ pca.components_.T
    if whiten:
        expected /= np.sqrt(pca.explained_variance_)
    np.testing.assert_allclose(pca.transform(X), expected, rtol=0, atol=1e-13 * 8 * abs(D).max())


def test_complete_rows_in_memory_are_looked_at_once_by_transform(rng, monkeypatch):
    X = rng.normal(size=(50, 4))
    pca = PCA(2).fit(X)
    codes = pca.transform(X)

    def refused(*_, **__):
        raise AssertionError("a pass that looks for NaN")

    with monkeypatch.context() as patched:
        patched.setattr("lowdim.core.validation.check_finite_rows", refused)
        np.testing.assert_array_equal(pca.transform(X), codes)
    X[3, 1] = np.nan
    np.testing.assert_allclose(np.delete(pca.transform(X), 3, 0), np.delete(codes, 3, 0))
    X[4, 0] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        pca.transform(X)


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


def test_a_virtual_stream_of_a_gigabyte_is_fitted_in_little_memory():
    n_blocks, d = 80, 1250  # 80 blocks of 1250 x 1250 float64: 1 GB
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


# ---- what else it can do -------------------------------------------------------------------------


def test_samples_have_the_models_moments(rng):
    pca = PCA(3).fit(spectrum_data(rng, offset=4.0))
    sample = pca.sample(100_000, random_state=0)
    # standard errors of a mean and a variance of 16 over 1e5 rows: 0.013 and 0.07
    np.testing.assert_allclose(sample.mean(axis=0), pca.mean_, atol=0.06)
    np.testing.assert_allclose(np.cov(sample.T), pca.get_covariance(), atol=0.3)


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
        ({"n_components": -1}, "n_components"),
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


def test_weights_that_sum_to_less_than_a_row_are_refused(rng):
    with pytest.raises(ValueError, match=r"sample_weight sums to 0\.5"):
        PCA(2).fit(spectrum_data(rng, 10), sample_weight=np.full(10, 0.05))


def test_codes_of_the_wrong_width_are_refused(rng):
    with pytest.raises(ValueError, match="Z has 3 columns; PCA has 2 components"):
        PCA(2).fit(spectrum_data(rng)).inverse_transform(np.ones((1, 3)))
