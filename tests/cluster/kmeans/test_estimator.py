"""k-means: Lloyd's fixed points, the same with bounds, missing values, streams and sparse rows."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import hadamard
from sklearn.base import clone
from sklearn.cluster import KMeans as SklearnKMeans
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.metrics import adjusted_rand_score

import lowdim
from lowdim import KMeans
from lowdim.cluster.kmeans.assignment import Setting, statistics
from lowdim.cluster.kmeans.lloyd import Descent
from tests.cluster.kmeans.examples import always_bounds, frame, groups, squares


def plain_lloyd(X, centers, weight, steps):
    """The textbook: labels and J at each step."""
    path = []
    for _ in range(steps):
        apart = squares(X, centers)
        label = apart.argmin(axis=1)
        path.append((label, weight @ apart.min(axis=1)))
        member = (label[:, None] == np.arange(len(centers))) * weight[:, None]
        count = member.sum(axis=0)
        means = (member.T @ X) / np.maximum(count, 1e-300)[:, None]
        centers = np.where(count[:, None] > 0, means, centers)
    return path


# ---- golden values -------------------------------------------------------------------------------


def test_two_clusters_of_four_rows_are_those_worked_out_by_hand():
    X = np.array([[0.0], [1.0], [9.0], [10.0]])
    model = KMeans(2, random_state=0).fit(X, sample_weight=[1, 3, 1, 1])
    np.testing.assert_allclose(np.sort(model.cluster_centers_.ravel()), [0.75, 9.5], rtol=1e-15)
    assert model.inertia_ == pytest.approx(1.25, rel=1e-14)
    assert model.score(X, sample_weight=[1, 3, 1, 1]) == pytest.approx(-1.25, rel=1e-14)


def test_iris_has_its_known_optimum_at_three_clusters():
    X, _ = load_iris(return_X_y=True)
    assert KMeans(3, n_init=5, random_state=0).fit(X).inertia_ == pytest.approx(78.8514, abs=1e-4)


# ---- the derivation ------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("k", [3, 20])
def test_the_objective_never_rises(rng, missing, k):
    X, _ = groups(rng, apart=0.5)  # no clear groups: many steps
    X[rng.random(X.shape) < missing] = np.nan
    history = KMeans(k, init="random", n_init=1, tol=0, random_state=0).fit(X).history_
    assert len(history) > 2
    assert np.all(np.diff(history) <= 1e-12 * history[0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [1, 7, 300])
def test_the_kernel_is_its_numpy_twin(rng, dtype, k):
    X, _ = groups(rng, n=700, d=3, dtype=dtype)
    weight, centers = rng.random(700), X[rng.permutation(700)[:k]].astype(np.float64) + 0.1
    sums = statistics(X, Setting(centers, frame(3, dtype)), weight)
    apart = squares(X.astype(np.float64), centers)
    label = apart.argmin(axis=1)
    member = (label[:, None] == np.arange(k)) * weight[:, None]
    # a row may be as near to two centers as the products of float32 can tell: 24 bits of 30^2
    atol = 1e-9 if dtype == np.float64 else 2e-2
    np.testing.assert_allclose(sums.inertia, weight @ apart.min(axis=1), rtol=1e-12 + atol / 100)
    if dtype == np.float64:
        np.testing.assert_allclose(sums.count, member.sum(axis=0), atol=atol)
        np.testing.assert_allclose(sums.sum_x, member.T @ X, atol=atol)
    assert sums.count.sum() == pytest.approx(weight.sum())


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("algorithm", ["lloyd", "elkan", "auto"])
def test_every_step_is_that_of_plain_lloyd(rng, algorithm, monkeypatch):
    always_bounds(monkeypatch)
    X, _ = groups(rng, n=400)
    weight, start = rng.random(400) + 0.1, X[:20]
    path = plain_lloyd(X, start, weight, 30)
    # a cluster that loses all its rows starts anew; the plain algorithm lets it be
    emptied = next((t for t, (label, _) in enumerate(path) if len(np.unique(label)) < 20), 30)
    for steps in [steps for steps in (1, 2, 5, 29) if steps < emptied]:
        model = KMeans(20, init=start, max_iter=steps, tol=0, algorithm=algorithm)
        model.fit(X, sample_weight=weight)
        np.testing.assert_allclose(
            model.history_, [J for _, J in path[: model.n_iter_]], rtol=1e-12
        )
        np.testing.assert_array_equal(model.labels_, path[model.n_iter_][0])


# ---- properties ----------------------------------------------------------------------------------


@given(
    n=st.integers(1, 40),
    d=st.integers(1, 4),
    k=st.integers(1, 10),
    values=st.integers(2, 6),
    seed=st.integers(0, 2**16),
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_whatever_the_rows_every_one_has_its_nearest_center(n, d, k, values, seed):
    random = np.random.default_rng(seed)  # few values: equal rows, ties, empty clusters
    X = random.integers(0, values, size=(n, d)).astype(float)
    model = KMeans(min(n, k), random_state=0, algorithm="elkan").fit(X)
    apart = squares(X, model.cluster_centers_)
    own = apart[np.arange(n), model.labels_]
    np.testing.assert_allclose(own, apart.min(axis=1), atol=1e-12)
    assert model.inertia_ == pytest.approx(own.sum(), abs=1e-10)
    different = len(np.unique(X, axis=0))
    assert len(np.unique(model.labels_)) == min(n, k, different)


def test_a_row_twice_is_a_row_of_weight_two_in_any_order(rng):
    X, _ = groups(rng, n=120, apart=1.0)
    weight = rng.integers(0, 3, size=120)
    repeated = np.repeat(X, weight, axis=0)
    for init in ("k-means++", "random"):
        model = KMeans(6, init=init, n_init=1, random_state=0).fit(X, sample_weight=weight)
        other = KMeans(6, init=init, n_init=1, random_state=0)
        other.fit(repeated[rng.permutation(len(repeated))])
        np.testing.assert_allclose(other.cluster_centers_, model.cluster_centers_, atol=1e-10)
        assert other.inertia_ == pytest.approx(model.inertia_, rel=1e-12)


def test_rotation_shift_and_scale_do_not_change_the_clusters(rng):
    X, _ = groups(rng, n=300)
    start = X[:5]
    Q, _ = np.linalg.qr(rng.normal(size=(4, 4)))
    model = KMeans(5, init=start).fit(X)
    moved = KMeans(5, init=1e3 * (start @ Q) + 1e6).fit(1e3 * (X @ Q) + 1e6)
    np.testing.assert_array_equal(moved.labels_, model.labels_)
    assert moved.inertia_ == pytest.approx(1e6 * model.inertia_, rel=1e-6)


def test_data_far_from_zero_keep_their_digits(rng):
    X = np.repeat([[0.0, 0.0], [2.0, 2.0]], 50, axis=0) + 0.1 * rng.normal(size=(100, 2)) + 1e8
    model = KMeans(2, random_state=0).fit(X)
    assert adjusted_rand_score(np.repeat([0, 1], 50), model.labels_) == 1.0
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_allclose(
        model.transform(X).min(axis=1) ** 2 @ np.ones(100), model.inertia_, rtol=1e-6
    )


def test_squares_beyond_float64_do_not_stop_the_fit(rng):
    X, _ = groups(rng, n=100)
    plain, huge = KMeans(3, init=X[:3]).fit(X), KMeans(3, init=X[:3] * 1e160).fit(X * 1e160)
    np.testing.assert_array_equal(huge.labels_, plain.labels_)
    np.testing.assert_allclose(huge.cluster_centers_, plain.cluster_centers_ * 1e160, rtol=1e-9)
    assert huge.inertia_ == np.inf


def test_an_empty_cluster_starts_anew_from_the_farthest_row(rng):
    X = np.array([[0.0], [1.0], [2.0], [50.0]])
    model = KMeans(2, init=[[1.0], [1000.0]]).fit(X)
    np.testing.assert_allclose(np.sort(model.cluster_centers_.ravel()), [1.0, 50.0])
    # a row of no weight does not count, however far
    model.fit(np.vstack([X, [[9e9]]]), sample_weight=[1, 1, 1, 1, 0])
    np.testing.assert_allclose(np.sort(model.cluster_centers_.ravel()), [1.0, 50.0])


# ---- two roads, one result -----------------------------------------------------------------------


def test_scikit_learn_comes_to_the_same_from_the_same_start(rng):
    for dtype in (np.float64, np.float32):
        X, _ = groups(rng, n=800, apart=1.5, dtype=dtype)
        weight = rng.random(800)
        ours = KMeans(20, init=X[:20], tol=0).fit(X, sample_weight=weight)
        peer = SklearnKMeans(20, init=X[:20], tol=0, n_init=1).fit(X, sample_weight=weight)
        # float32: a row may be nearest to another center by rounding, and lead elsewhere
        rtol = 1e-9 if dtype is np.float64 else 2e-2
        assert ours.inertia_ == pytest.approx(peer.inertia_, rel=rtol)
        if dtype is np.float64:
            np.testing.assert_allclose(ours.cluster_centers_, peer.cluster_centers_, atol=1e-9)
            np.testing.assert_array_equal(ours.labels_, peer.labels_)
            assert ours.n_iter_ == peer.n_iter_
            np.testing.assert_allclose(ours.transform(X), peer.transform(X), atol=1e-6)
            assert ours.score(X) == pytest.approx(peer.score(X), rel=1e-9)


def test_tol_means_what_it_means_in_scikit_learn(rng):
    X, _ = groups(rng, n=2000, apart=0.5)
    for tol in (1e-1, 1e-3):
        ours = KMeans(8, init=X[:8], tol=tol).fit(X)
        assert ours.n_iter_ == SklearnKMeans(8, init=X[:8], tol=tol, n_init=1).fit(X).n_iter_


def test_sparse_rows_are_dense_rows_with_zeros(rng):
    X, _ = groups(rng, n=300)
    X[rng.random(X.shape) < 0.5] = 0.0
    dense = KMeans(4, init=X[:4]).fit(X)
    for kind in (sp.csr_array, sp.csc_matrix, sp.coo_array):
        model = KMeans(4, init=X[:4]).fit(kind(X))
        np.testing.assert_allclose(model.cluster_centers_, dense.cluster_centers_, atol=1e-9)
        np.testing.assert_array_equal(model.labels_, dense.labels_)
        np.testing.assert_array_equal(model.predict(kind(X)), dense.labels_)
        np.testing.assert_allclose(model.transform(kind(X)), dense.transform(X), atol=1e-6)


@pytest.mark.parametrize("init", ["k-means++", "random", "k-means||"])
@pytest.mark.parametrize("kind", ["numbers", "whole numbers", "yes and no"])
def test_sparse_rows_find_the_clusters_of_dense_ones(kind, init, seed, rng):
    X, _ = groups(rng, n=200, d=6)
    X[rng.random(X.shape) < 0.5] = 0.0
    X = {"numbers": X, "whole numbers": np.round(X), "yes and no": (X > 1.0).astype(float)}[kind]
    for weight in (None, rng.random(200)):
        model = KMeans(4, init=init, n_init=2, random_state=seed)
        dense = clone(model).fit(X, sample_weight=weight)
        sparse = clone(model).fit(sp.csr_array(X), sample_weight=weight)
        np.testing.assert_array_equal(sparse.labels_, dense.labels_)
        np.testing.assert_allclose(sparse.cluster_centers_, dense.cluster_centers_, atol=1e-9)
        assert sparse.inertia_ == pytest.approx(dense.inertia_, rel=1e-9)


@pytest.mark.parametrize("init", ["k-means++", "random", "k-means||"])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_streams_and_dask_agree_with_rows_in_memory(rng, init, missing):
    da = pytest.importorskip("dask.array")
    X, _ = groups(rng, n=300)
    X[rng.random(X.shape) < missing] = np.nan

    def fit(X):
        return KMeans(5, init=init, n_init=1, random_state=0).fit(X)

    whole = fit(X)
    streamed = fit(lowdim.stream(lambda: iter(np.split(X, [7, 130]))))
    chunked = fit(da.from_array(X, chunks=((120, 180), 4)))
    for model in (streamed, chunked):
        np.testing.assert_allclose(model.cluster_centers_, whole.cluster_centers_, atol=1e-8)
        np.testing.assert_array_equal(model.labels_, whole.labels_)
        assert model.inertia_ == pytest.approx(whole.inertia_, rel=1e-9)
    lazy = whole.predict(da.from_array(X, chunks=((120, 180), 4)))
    np.testing.assert_array_equal(lazy.compute(), whole.labels_)


def test_a_fit_continued_from_its_checkpoint_ends_bit_by_bit_as_if_uninterrupted(
    rng, tmp_path, monkeypatch
):
    X, _ = groups(rng, n=2000, apart=0.5, dtype=np.float32)
    whole = KMeans(20, random_state=0).fit(X)
    plain_step, steps = Descent.step, 0

    def failing_step(self, state):
        nonlocal steps
        steps += 1
        if steps == whole.n_iter_ // 2:
            raise RuntimeError("the machine fails")
        return plain_step(self, state)

    with lowdim.config_context(checkpoint=tmp_path, checkpoint_seconds=0):
        with monkeypatch.context() as patch:
            patch.setattr(Descent, "step", failing_step)
            with pytest.raises(RuntimeError, match="the machine fails"):
                KMeans(20, random_state=0).fit(X)
        continued = KMeans(20, random_state=0).fit(X)
    np.testing.assert_array_equal(continued.cluster_centers_, whole.cluster_centers_)
    np.testing.assert_array_equal(continued.labels_, whole.labels_)
    np.testing.assert_array_equal(continued.history_, whole.history_)
    assert steps > 2


# ---- a planted truth -----------------------------------------------------------------------------


@pytest.mark.parametrize("init", ["k-means++", "k-means||"])
def test_planted_groups_are_found(rng, init):
    means = 20.0 * np.array([[0, 0], [0, 1], [1, 0], [1, 1], [2, 0]])
    label = rng.integers(0, 5, size=1000)
    X = means[label] + rng.normal(size=(1000, 2))
    model = KMeans(5, init=init, n_init=5, random_state=0).fit(X)
    assert adjusted_rand_score(label, model.labels_) == 1.0
    # the mean of 200 rows of spread 1 is good to 0.07; the largest of ten deviations to 0.3
    found = model.cluster_centers_[np.argsort(model.cluster_centers_ @ [1.0, 0.1])]
    np.testing.assert_allclose(found, means[np.argsort(means @ [1.0, 0.1])], atol=0.35)


def test_planted_groups_are_found_behind_missing_values(rng):
    means = 10.0 * rng.permutation(hadamard(8))[:4]  # any two differ in four columns
    label = rng.integers(0, 4, size=600)
    X = means[label] + rng.normal(size=(600, 8))
    X[rng.random(X.shape) < 0.2] = np.nan
    model = KMeans(4, n_init=10, random_state=0).fit(X)
    # of 600 rows, 0.2^4 show none of the four for one of three others: about three
    assert adjusted_rand_score(label, model.labels_) > 0.95


# ---- the door ------------------------------------------------------------------------------------


def test_more_clusters_than_rows_are_refused():
    with pytest.raises(ValueError, match="n_clusters=3 is more than the 2 rows of X"):
        KMeans(3).fit([[0.0], [1.0]])
    with pytest.raises(ValueError, match="n_clusters=2 is more than the 1 rows of X"):
        KMeans(2).fit([[0.0], [1.0]], sample_weight=[1, 0])


def test_fewer_different_rows_than_clusters_are_reported():
    with pytest.warns(ConvergenceWarning, match="Only 2 of n_clusters=3 clusters have rows"):
        model = KMeans(3, random_state=0).fit([[0.0], [0.0], [1.0]])
    assert model.inertia_ == 0.0


def test_missing_values_are_refused_where_rows_are_sparse_or_come_one_by_one(rng):
    X = np.where(rng.random((20, 3)) < 0.3, np.nan, 1.0)
    with pytest.raises(ValueError, match="X is sparse and has NaN"):
        KMeans(2).fit(sp.csr_array(X))
    with pytest.raises(ValueError, match="partial_fit learns from complete rows"):
        KMeans(2).partial_fit(X)


@pytest.mark.parametrize(
    "arguments",
    [
        {"init": "far"},
        {"n_init": 0},
        {"algorithm": "hamerly"},
        {"coreset": 0},
        {"gain": 0.0},
        {"gain": 1.5},
        {"tol": -1.0},
    ],
)
def test_bad_arguments_are_named(arguments):
    (name,) = arguments
    with pytest.raises(ValueError, match=f"The {name!r} parameter of KMeans"):
        KMeans(2, **arguments).fit(np.zeros((5, 2)))


# ---- the picture ---------------------------------------------------------------------------------


@pytest.fixture
def figures():
    plt = pytest.importorskip("matplotlib.pyplot")
    yield plt
    plt.close("all")


def test_in_the_plane_a_plot_shows_rows_and_regions(rng, figures):
    X, _ = groups(rng, n=120, d=2, k=3)
    model = KMeans(3, random_state=0).fit(X)
    ax = model.plot(X)
    drawn = np.vstack([part.get_offsets() for part in ax.collections])
    np.testing.assert_allclose(np.sort(drawn, axis=0), np.sort(X, axis=0))
    assert len(ax.patches) == 3  # a region for each center
    crosses = [line for line in ax.lines if line.get_marker() == "+"]
    np.testing.assert_allclose(crosses[0].get_xydata(), model.cluster_centers_)
    own = figures.figure().add_subplot()
    assert model.plot(X, ax=own) is own


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_a_plot_takes_missing_values_frames_and_many_rows(rng, figures):
    X, _ = groups(rng, n=500, d=4, k=3)
    table = pd.DataFrame(X, columns=list("abcd"))
    incomplete = table.mask(rng.random(X.shape) < 0.1)
    for rows in (X, table, incomplete, sp.csr_array(X)):
        ax = KMeans(3, random_state=0).fit(rows).plot(rows, sample_size=200)
        assert sum(len(part.get_offsets()) for part in ax.collections) == 200
        assert ax.get_xlabel().startswith("principal axis 1 (")
    plane = KMeans(3, random_state=0).fit(incomplete[["a", "b"]]).plot(incomplete[["a", "b"]])
    assert (plane.get_xlabel(), plane.get_ylabel()) == ("a", "b")
    with pytest.raises(NotFittedError):
        KMeans(3).plot(X)


def test_a_missing_value_is_drawn_where_the_center_has_it(figures):
    X = np.array([[0.0, 0.0], [0.0, 2.0], [9.0, 9.0], [9.0, 11.0], [np.nan, 10.0]])
    ax = KMeans(2, init=[[0.0, 1.0], [9.0, 10.0]]).fit(X).plot(X)
    drawn = np.vstack([part.get_offsets() for part in ax.collections])
    assert [9.0, 10.0] in drawn.tolist()
