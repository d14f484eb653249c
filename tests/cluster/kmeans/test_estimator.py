"""k-means: Lloyd's fixed points, the same with bounds, holes, streams and sparse rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.linalg import hadamard
from sklearn.cluster import KMeans as SklearnKMeans
from sklearn.cluster import kmeans_plusplus
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import adjusted_rand_score

import lowdim
from lowdim import KMeans
from lowdim.cluster.kmeans import assignment, seeding
from lowdim.cluster.kmeans.assignment import Setting, motion, statistics, unknown, update
from lowdim.cluster.kmeans.lloyd import Clusters, Descent, best_of
from lowdim.cluster.kmeans.online import learn
from lowdim.core.blocks import ArrayBlocks
from lowdim.linalg.moments import Frame


def frame(d, dtype=np.float64):
    return Frame(np.zeros(d, dtype=dtype), 1.0)


def groups(rng, n=600, d=4, k=5, apart=8.0, dtype=np.float64):
    """Rows around k means, and their groups."""
    means = apart * rng.normal(size=(k, d))
    label = rng.integers(0, k, size=n)
    return (means[label] + rng.normal(size=(n, d))).astype(dtype), label


def squares(X, centers):
    """Squared distances over observed entries, by differences: the twin of every fast road."""
    return np.nansum(np.square(X[:, None, :] - centers), axis=2)


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


def test_three_winner_take_all_clusters_of_iris_separate_setosa(rng):
    X, species = load_iris(return_X_y=True)
    model = KMeans(3, random_state=0)
    for _ in range(5):  # in a random order, as the online algorithm asks for
        model.partial_fit(X[rng.permutation(150)])
    label = model.predict(X)
    assert len(set(label[species == 0])) == 1
    assert not set(label[species == 0]) & set(label[species != 0])


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


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_update_gives_the_best_centers_for_the_labels(rng, missing):
    X, _ = groups(rng, n=200)
    X[rng.random(X.shape) < missing] = np.nan
    weight, start = rng.random(200), rng.normal(size=(5, 4)) * 8
    setting = Setting(start, frame(4), holes=True)
    centers = update(statistics(X, setting, weight), start)
    label = assignment.nearest(X, setting)

    def cost(C):
        return weight @ np.nansum(np.square(X - C[label]), axis=1)

    for _ in range(10):
        assert cost(centers) <= cost(centers + 1e-3 * rng.normal(size=centers.shape))


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


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("apart", [0.0, 2.0, 8.0])
def test_bounds_change_no_label_of_any_step(rng, dtype, apart):
    X, _ = groups(rng, n=3000, d=5, k=12, apart=apart, dtype=dtype)
    rows, weight = ArrayBlocks(X, block_rows=1000), rng.random(3000)
    centers = X[rng.permutation(3000)[:24]].astype(np.float64)
    bounds, before = unknown(3000, X.dtype), None
    for _ in range(15):
        plain = Setting(centers, frame(5, dtype))
        with_bounds = plain._replace(motion=motion(before, centers))
        sums = rows.fold(statistics, with_bounds, along=(weight, *bounds))
        np.testing.assert_array_equal(bounds.label, rows.map(assignment.nearest, plain))
        for one, other in zip(sums, rows.fold(statistics, plain, along=(weight,)), strict=True):
            np.testing.assert_array_equal(one, other)
        before, centers = centers, update(sums, centers)


@pytest.mark.parametrize("k", [1, 2, 30])
def test_bounds_are_bounds(rng, k):
    X, _ = groups(rng, n=500, d=3, apart=1.0)
    rows, centers = ArrayBlocks(X), X[:k].copy()
    bounds, before = unknown(500, X.dtype), None
    for _ in range(8):
        setting = Setting(centers, frame(3), motion=motion(before, centers))
        sums = rows.fold(statistics, setting, along=(None, *bounds))
        distance = np.sqrt(squares(X, centers))
        own = distance[np.arange(500), bounds.label]
        distance[np.arange(500), bounds.label] = np.inf
        assert (own <= bounds.upper).all()
        assert (bounds.lower <= distance.min(axis=1)).all()
        before, centers = centers, update(sums, centers) + 0.01 * rng.normal(size=centers.shape)


def test_changes_add_up_to_the_sums_of_all_rows(rng):
    X, _ = groups(rng, n=1000, apart=1.0)
    descent = Descent(ArrayBlocks(X, block_rows=300), None, frame(4))
    state = descent.start(X[:20].copy())
    for _ in range(10):
        plain = statistics(X, Setting(state.centers, frame(4)), None)
        inertia, new = descent.step(state)
        assert inertia == pytest.approx(plain.inertia, rel=1e-12)
        np.testing.assert_array_equal(new.sums.count, plain.count)
        np.testing.assert_allclose(new.sums.sum_x, plain.sum_x, atol=1e-10)
        state = new


def test_most_rows_are_not_in_doubt_near_the_end(rng):
    X, _ = groups(rng, n=2000, d=5, k=20)
    descent = Descent(ArrayBlocks(X), None, frame(5))
    state = descent.start(X[:20].copy())
    for _ in range(30):
        _, state = descent.step(state)
    before = descent.bounds.lower.copy()
    descent.step(state)
    looked_at = np.mean(descent.bounds.lower > before)  # a look raises the bound, else it falls
    assert looked_at < 0.2


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize("algorithm", ["lloyd", "elkan", "auto"])
def test_every_step_is_that_of_plain_lloyd(rng, algorithm):
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


def test_distances_over_observed_entries_are_those_to_the_filled_row(rng):
    X, _ = groups(rng, n=50)
    X[rng.random(X.shape) < 0.3] = np.nan
    model = KMeans(3, random_state=0).fit(X)
    np.testing.assert_allclose(
        model.transform(X), np.sqrt(squares(X, model.cluster_centers_)), atol=1e-6
    )
    filled = np.where(np.isnan(X), model.cluster_centers_[model.labels_], X)
    own = np.linalg.norm(filled - model.cluster_centers_[model.labels_], axis=1)
    np.testing.assert_allclose(own, model.transform(X).min(axis=1), atol=1e-6)
    assert model.inertia_ == pytest.approx(np.sum(own**2), rel=1e-9)


def test_online_centers_are_the_means_of_the_rows_they_won(rng):
    X = rng.normal(size=(300, 3))
    centers, counts = 3.0 * rng.normal(size=(4, 3)), np.zeros(4)
    start = centers.copy()
    label, _ = learn(X, np.ones(300), centers, counts, 0.0)
    for j in range(4):
        mean = X[label == j].mean(axis=0) if (label == j).any() else start[j]
        np.testing.assert_allclose(centers[j], mean, atol=1e-12)
    np.testing.assert_array_equal(counts, np.bincount(label, minlength=4))


def test_the_winner_moves_by_the_gain_and_the_others_stay():
    model = KMeans(2, init=[[0.0], [10.0]], gain=0.25)
    model.partial_fit([[4.0], [8.0]])
    np.testing.assert_allclose(model.cluster_centers_, [[1.0], [9.5]], rtol=1e-15)
    np.testing.assert_array_equal(model.labels_, [0, 1])
    assert model.inertia_ == pytest.approx(16.0 + 4.0)


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


def test_of_starts_that_end_alike_the_first_is_kept():
    runs = [
        Clusters(np.full((1, 1), i), np.zeros(1), J) for i, J in enumerate([3.0, 2.0 + 1e-15, 2])
    ]
    assert best_of(runs) is runs[1]
    assert best_of([Clusters(None, None, 0.0)]).inertia == 0.0


def test_an_empty_cluster_starts_anew_from_the_farthest_row(rng):
    X = np.array([[0.0], [1.0], [2.0], [50.0]])
    model = KMeans(2, init=[[1.0], [1000.0]]).fit(X)
    np.testing.assert_allclose(np.sort(model.cluster_centers_.ravel()), [1.0, 50.0])
    # a row of no weight does not count, however far
    model.fit(np.vstack([X, [[9e9]]]), sample_weight=[1, 1, 1, 1, 0])
    np.testing.assert_allclose(np.sort(model.cluster_centers_.ravel()), [1.0, 50.0])


def test_a_row_without_observed_entries_costs_nothing_and_a_column_needs_some(rng):
    X, _ = groups(rng, n=60)
    plain = KMeans(3, init=X[:3]).fit(X)
    model = KMeans(3, init=X[:3]).fit(np.vstack([X, np.full(4, np.nan)]))
    np.testing.assert_allclose(model.cluster_centers_, plain.cluster_centers_, atol=1e-9)
    assert model.inertia_ == pytest.approx(plain.inertia_, rel=1e-9)
    with pytest.raises(ValueError, match="no observed value in 1 of 5 columns"):
        KMeans(3).fit(np.column_stack([X, np.full(60, np.nan)]))


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


def test_greedy_seeds_cost_no_more_than_those_of_scikit_learn(rng):
    X, _ = groups(rng, n=1000, d=3, k=12, apart=5.0)
    part = seeding.part_in_memory(ArrayBlocks(X), rng)
    cost = {"ours": [], "peer": []}
    for seed in range(20):
        ours = seeding.seeds(part.rows, 12, np.random.default_rng(seed), part.weight)
        peer, _ = kmeans_plusplus(X, 12, random_state=seed)
        cost["ours"].append(squares(X, ours).min(axis=1).sum())
        cost["peer"].append(squares(X, peer).min(axis=1).sum())
    # means of 20 draws each, whose spread is about 15%: four standard errors of a difference
    assert np.mean(cost["ours"]) < 1.2 * np.mean(cost["peer"])


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
    for init in ("k-means++", "random", "k-means||"):
        assert (
            KMeans(4, init=init, random_state=0).fit(sp.csr_array(X)).inertia_ < 4 * dense.inertia_
        )


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


def test_few_holes_change_little(rng):
    X, label = groups(rng)
    holes = X.copy()
    holes[rng.random(X.shape) < 0.02] = np.nan
    start = np.stack([X[label == j].mean(axis=0) for j in range(5)])
    whole, pierced = KMeans(5, init=start).fit(X), KMeans(5, init=start).fit(holes)
    # means of 120 rows, of which two or three are unknown in each column, of spread 1
    np.testing.assert_allclose(pierced.cluster_centers_, whole.cluster_centers_, atol=0.5)


def test_batches_do_not_matter_to_the_online_algorithm(rng):
    X, _ = groups(rng, n=200)
    whole = KMeans(4, init=X[:4]).partial_fit(X)
    parts = KMeans(4, init=X[:4])
    for part in np.split(X, [3, 50, 51]):
        parts.partial_fit(part)
    np.testing.assert_allclose(parts.cluster_centers_, whole.cluster_centers_, atol=1e-12)
    np.testing.assert_array_equal(parts.counts_, whole.counts_)
    streamed = KMeans(4, init=X[:4]).partial_fit(lowdim.stream(lambda: iter(np.split(X, 4))))
    np.testing.assert_allclose(streamed.cluster_centers_, whole.cluster_centers_, atol=1e-12)


def test_online_centers_of_float32_sparse_and_huge_rows_agree(rng):
    X, _ = groups(rng, n=200)
    reference = KMeans(4, init=X[:4]).partial_fit(X)
    single = KMeans(4, init=X[:4]).partial_fit(X.astype(np.float32))
    assert single.cluster_centers_.dtype == np.float32
    np.testing.assert_allclose(single.cluster_centers_, reference.cluster_centers_, atol=1e-4)
    sparse = KMeans(4, init=X[:4]).partial_fit(sp.csr_array(X))
    np.testing.assert_allclose(sparse.cluster_centers_, reference.cluster_centers_, atol=1e-12)
    huge = KMeans(4, init=X[:4] * 1e160).partial_fit(X * 1e160)
    np.testing.assert_allclose(huge.cluster_centers_ / 1e160, reference.cluster_centers_, rtol=1e-9)


def test_online_learning_goes_on_from_a_fit(rng):
    X, _ = groups(rng, n=400)
    model = KMeans(5, random_state=0).fit(X)
    centers = model.cluster_centers_.copy()
    model.partial_fit(X[:1])
    j = model.labels_[0]
    expected = centers[j] + (X[0] - centers[j]) / (np.bincount(KMeans.predict(model, X))[j] + 1)
    np.testing.assert_allclose(model.cluster_centers_[j], expected, atol=1e-2)
    assert model.counts_.sum() == 401


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


def test_planted_groups_are_found_behind_holes(rng):
    means = 10.0 * rng.permutation(hadamard(8))[:4]  # any two differ in four columns
    label = rng.integers(0, 4, size=600)
    X = means[label] + rng.normal(size=(600, 8))
    X[rng.random(X.shape) < 0.2] = np.nan
    model = KMeans(4, n_init=10, random_state=0).fit(X)
    # of 600 rows, 0.2^4 show none of the four for one of three others: about three
    assert adjusted_rand_score(label, model.labels_) > 0.95


def test_seeds_of_many_rows_come_from_a_part_of_them(rng):
    X, label = groups(rng, n=21_000, d=2, k=3, apart=50.0)
    model = KMeans(3, n_init=3, random_state=0).fit(X)
    best = sum(X[label == j].var(axis=0).sum() * np.sum(label == j) for j in range(3))
    assert model.inertia_ <= best * (1 + 1e-9)


# ---- the door ------------------------------------------------------------------------------------


def test_more_clusters_than_rows_are_refused():
    with pytest.raises(ValueError, match="n_clusters=3 is more than the 2 rows of X"):
        KMeans(3).fit([[0.0], [1.0]])
    with pytest.raises(ValueError, match="n_clusters=2 is more than the 1 rows of X"):
        KMeans(2).fit([[0.0], [1.0]], sample_weight=[1, 0])


def test_centers_to_start_from_must_fit():
    X = np.zeros((5, 2))
    with pytest.raises(ValueError, match=r"init have shape \(2, 3\).* ask for \(2, 2\)"):
        KMeans(2, init=np.zeros((2, 3))).fit(X)
    with pytest.raises(ValueError, match="NaN"):
        KMeans(2, init=np.full((2, 2), np.nan)).fit(X)
    with pytest.warns(RuntimeWarning, match="n_init=3 is ignored"):
        KMeans(2, init=[[0.0], [1.0]], n_init=3).fit([[0.0], [1.0]])


def test_a_callable_gives_the_centers(rng):
    X, _ = groups(rng)

    def first_rows(X, n_clusters, random_state):
        assert isinstance(random_state, np.random.RandomState)
        return X[:n_clusters]

    given_them = KMeans(5, init=first_rows, n_init=1, random_state=0).fit(X)
    np.testing.assert_array_equal(given_them.labels_, KMeans(5, init=X[:5]).fit(X).labels_)


def test_fewer_different_rows_than_clusters_are_told():
    with pytest.warns(ConvergenceWarning, match="Only 2 of n_clusters=3 clusters have rows"):
        model = KMeans(3, random_state=0).fit([[0.0], [0.0], [1.0]])
    assert model.inertia_ == 0.0


def test_holes_are_refused_where_rows_are_sparse_or_come_one_by_one(rng):
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
