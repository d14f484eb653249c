"""UMAP as a whole."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits
from sklearn.neighbors import NearestNeighbors

import lowdim
from lowdim import UMAP
from tests.maps.umap.examples import groups, kept, neighbors_of


def purity(Y, labels, k=5):
    """How many of the k nearest places have a row's label."""
    return (labels[neighbors_of(Y, k)[0]] == labels[:, None]).mean()


@pytest.fixture(scope="module")
def digits():
    return load_digits(return_X_y=True)


@pytest.fixture(scope="module")
def model(digits):
    return UMAP(random_state=0).fit(digits[0])


def test_verbose_says_what_is_done(rng, capsys):
    UMAP(n_neighbors=5, n_epochs=30, verbose=True).fit(rng.normal(size=(40, 3)))
    said = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in said] == ["[UMAP]"] * 3
    assert said[-1] == "[UMAP] 30 epochs"


# ---- golden values, and what a map keeps ---------------------------------------------------------


def test_the_curve_has_the_constants_of_min_dist(model):
    assert (round(model.a_, 4), round(model.b_, 4)) == (1.5769, 0.8951)
    given = UMAP(a=2.0, b=0.7, random_state=0, n_epochs=5).fit(np.eye(20))
    assert (given.a_, given.b_) == (2.0, 0.7)


def test_more_neighbours_of_digits_are_kept_than_by_umap_learn(digits, model):
    # umap-learn 0.5.12 keeps 0.493 to 0.496 of 10
    assert kept(digits[0], model.embedding_) > 0.51
    assert purity(model.embedding_, digits[1]) > 0.97


def test_the_objective_falls(model):
    history = model.history_
    assert history[-1] < 0.3 * history[0]
    assert len(history) == 20 and model.n_iter_ == 500


def test_a_ring_of_few_rows_stays_a_ring():
    angle = np.linspace(0, 2 * np.pi, 150, endpoint=False)
    Y = UMAP(random_state=0).fit_transform(np.column_stack([np.cos(angle), np.sin(angle)]))
    step = np.linalg.norm(Y - np.roll(Y, 1, axis=0), axis=1)
    assert step.max() < 3 * np.median(step)


def test_groups_stay_apart(rng):
    X, labels = groups(rng)
    assert purity(UMAP(random_state=0).fit_transform(X), labels) == 1.0


@pytest.mark.parametrize("k", [1, 2, 3, 6])
def test_any_number_of_dimensions(rng, k):
    X, labels = groups(rng)
    Y = UMAP(n_components=k, random_state=0, n_epochs=100).fit_transform(X)
    assert Y.shape == (90, k) and Y.dtype == np.float32 and purity(Y, labels) == 1.0


@pytest.mark.parametrize("init", ["spectral", "random", "pca", "classical_mds", "tswspectral"])
def test_every_start_leads_to_groups(rng, init):
    X, labels = groups(rng)
    assert purity(UMAP(init=init, random_state=0).fit_transform(X), labels) > 0.95


def test_a_start_that_is_given_keeps_its_shape(rng):
    X, _ = groups(rng)
    init = rng.normal(size=(90, 2))
    model = UMAP(init=init, n_epochs=0, random_state=0).fit(X)
    Y, Z = (A - (A.max(axis=0) + A.min(axis=0)) / 2 for A in (model.embedding_, init))
    np.testing.assert_allclose(Y / np.abs(Y).max(), Z / np.abs(Z).max(), atol=1e-3)
    with pytest.raises(ValueError, match=r"init\.shape"):
        UMAP(init=init[:5]).fit(X)


# ---- the objective and what is drawn -------------------------------------------------------------


def test_cross_entropy_is_exact_for_few_rows_and_near_for_many(model, monkeypatch):
    exact = model.cross_entropy_
    monkeypatch.setattr(lowdim.maps.umap.estimator, "EXACT_CROSS_ENTROPY", 10)
    assert model.cross_entropy_ == pytest.approx(exact, rel=0.02)


def test_seeds_give_the_same_bits_and_none_gives_others(digits):
    X = digits[0][:600]
    one, same, other = (
        UMAP(random_state=seed, n_epochs=30).fit_transform(X) for seed in (0, 0, None)
    )
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)


def test_bandwidths_are_those_that_give_the_sum(rng):
    X, _ = groups(rng)
    model = UMAP(random_state=0, n_epochs=1).fit(1e6 * X)
    _, distances = neighbors_of(1e6 * X, 14)
    gaps = np.maximum(0, distances - distances[:, :1])
    sums = np.exp(-gaps / model.bandwidths_[:, None]).sum(axis=1)
    np.testing.assert_allclose(sums, np.log2(15), rtol=1e-6)


def test_places_after_some_epochs_are_kept(rng):
    X, _ = groups(rng)
    model = UMAP(random_state=0, n_epochs=[0, 10, 60]).fit(X)
    assert len(model.embedding_list_) == 3
    np.testing.assert_array_equal(model.embedding_list_[-1], model.embedding_)
    # the learning rate falls to 0 at the last epoch of all
    assert not np.array_equal(model.embedding_list_[0], model.embedding_list_[1])


# ---- labels, densities, equal rows ---------------------------------------------------------------


def test_labels_pull_groups_apart_that_overlap(rng):
    X, labels = groups(rng, gap=0.5)
    plain = purity(UMAP(random_state=0).fit_transform(X), labels)
    with_labels = purity(UMAP(random_state=0).fit_transform(X, labels), labels)
    some = np.where(np.arange(90) < 60, labels, -1)
    half = purity(UMAP(random_state=0).fit_transform(X, some), labels)
    assert plain < half < with_labels and with_labels > 0.9
    alike = UMAP(random_state=0, target_weight=0.0).fit_transform(X, labels)
    assert purity(alike, labels) < with_labels + 1e-12


def test_targets_that_are_numbers_order_the_map(rng):
    X, target = rng.normal(size=(150, 4)), rng.random(150)
    model = UMAP(target_metric="euclidean", target_weight=0.8, random_state=0).fit(X, target)
    gaps = np.abs(target[neighbors_of(model.embedding_, 5)[0]] - target[:, None]).mean()
    assert gaps < 0.15  # rows at random: 1/3
    follows_x = UMAP(target_metric="l2", target_weight=0.0, random_state=0).fit(X, target)
    plain = UMAP(random_state=0).fit(X)
    np.testing.assert_array_equal(follows_x.embedding_, plain.embedding_)


def test_densmap_keeps_densities(rng):
    X, labels = groups(rng, n=240)
    X = X * np.array([0.2, 1.0, 1.0])[labels][:, None]
    found = {}
    for densmap in (False, True):
        model = UMAP(densmap=densmap, output_dens=True, random_state=0)
        Y, original, in_map = model.fit_transform(X)
        assert Y is model.embedding_
        found[densmap] = np.corrcoef(original, in_map)[0, 1]
    assert found[True] > 0.8 and found[True] > found[False] + 0.2


def test_radii_have_the_units_of_x(rng):
    X, _ = groups(rng)
    one, other = (
        UMAP(output_dens=True, random_state=0, n_epochs=2).fit(f * X).rad_orig_ for f in (1, 1000)
    )
    np.testing.assert_allclose(other - one, 2 * np.log(1000), rtol=1e-6)


def test_equal_rows_share_a_place_and_with_unique_count_once(rng):
    X, _ = groups(rng)
    twice = np.vstack([X, X[:30]])
    model = UMAP(random_state=0, unique=True).fit(twice)
    np.testing.assert_array_equal(model.embedding_[:30], model.embedding_[90:])
    assert model.graph_.shape == (90, 90) and len(model.bandwidths_) == 120
    plain = UMAP(random_state=0).fit(X)
    np.testing.assert_array_equal(plain.embedding_, model.embedding_[:90])
    assert np.isfinite(model.cross_entropy_)
    shared = UMAP(random_state=0).fit(twice).embedding_
    np.testing.assert_array_equal(shared[:30], shared[90:])
    with pytest.warns(UserWarning, match="more than the 1 different rows of X"):
        assert UMAP(unique=True, n_epochs=5).fit_transform(np.ones((9, 3))).shape == (9, 2)


def test_a_constant_table_has_one_place():
    Y = UMAP(random_state=0).fit_transform(np.ones((30, 4)))
    assert np.isfinite(Y).all() and len(np.unique(Y, axis=0)) == 1


# ---- neighbours that are given -------------------------------------------------------------------


def test_neighbours_may_be_given_in_every_form(rng):
    X, _ = groups(rng)
    expected = UMAP(random_state=0, n_epochs=50).fit(X)
    finder = NearestNeighbors(n_neighbors=15).fit(X)
    distances, indices = finder.kneighbors(X)  # the row itself first
    forms = {
        "arrays": {"neighbors": (indices[:, 1:], distances[:, 1:])},
        "graph": {"neighbors": finder.kneighbors_graph(X, mode="distance")},
        "finder": {"neighbors": finder},
        "precomputed_knn": {"precomputed_knn": (indices, distances)},
        "with an index": {"precomputed_knn": (indices, distances, None)},
    }
    for name, arguments in forms.items():
        model = UMAP(random_state=0, n_epochs=50, **arguments).fit(X)
        np.testing.assert_allclose(model.graph_.toarray(), expected.graph_.toarray(), atol=1e-4)
        np.testing.assert_allclose(model.embedding_, expected.embedding_, atol=0.3, err_msg=name)


def test_neighbours_of_another_table_are_refused(rng):
    X, _ = groups(rng)
    indices, distances = neighbors_of(X, 14)
    for arguments in (
        {"neighbors": (indices, distances)},
        {"precomputed_knn": (indices, distances)},
    ):
        with pytest.raises(ValueError, match="neighbours of another table"):
            UMAP(**arguments).fit(X[:60])
    with pytest.raises(ValueError, match="have 5 neighbours"):
        UMAP(precomputed_knn=(indices[:, :5], distances[:, :5])).fit(X)


def test_distances_that_are_given_lead_to_the_same_map(rng):
    X, _ = groups(rng)
    D = np.linalg.norm(X[:, None] - X, axis=2)
    plain = UMAP(random_state=0).fit(X)
    model = UMAP(metric="precomputed", random_state=0).fit(D)
    np.testing.assert_array_equal(model.graph_.toarray() > 0, plain.graph_.toarray() > 0)
    np.testing.assert_allclose(model.transform(D[:7]), model.embedding_[:7], atol=1e-6)
    new = rng.normal(size=(4, 5))
    to_training = np.linalg.norm(new[:, None] - X, axis=2)
    assert np.isfinite(model.transform(to_training)).all()


def test_rows_that_are_too_far_are_not_joined(rng):
    X, labels = groups(rng, gap=50.0)
    with pytest.warns(UserWarning, match="1 of 91 rows are joined to no other"):
        model = UMAP(disconnection_distance=20.0, random_state=0).fit(np.vstack([X, [[1e3] * 5]]))
    assert model.graph_[90].nnz == 0 and np.isfinite(model.embedding_).all()
    assert purity(model.embedding_[:90], labels) == 1.0


def test_rows_that_an_intersection_leaves_alone_are_not_said_to_be_far(rng):
    X = np.vstack([rng.normal(size=(60, 5)), [[30.0] * 5]])  # near to no row, and none is near it
    with pytest.warns(UserWarning, match="of 61 rows .* nothing is left .* set_op_mix_ratio"):
        UMAP(set_op_mix_ratio=0.0, n_neighbors=5, n_epochs=5, random_state=0).fit(X)


@pytest.mark.parametrize("metric", ["cosine", "correlation", "manhattan", "chebyshev"])
def test_other_metrics(rng, metric):
    X, labels = groups(rng)
    model = UMAP(metric=metric, random_state=0).fit(X)
    assert purity(model.embedding_, labels) > 0.9
    assert np.isfinite(model.transform(X[:5] + 0.1)).all()


def test_arguments_of_the_metric(rng):
    X, labels = groups(rng)
    model = UMAP(metric="minkowski", metric_kwds={"p": 3}, random_state=0).fit(X)
    assert purity(model.embedding_, labels) == 1.0


# ---- new rows ------------------------------------------------------------------------------------


def test_a_training_row_has_its_place_and_others_do_not_matter(digits, model):
    X = digits[0]
    new = X[:30] + 0.25
    together = model.transform(np.vstack([X[5:9], new]))
    np.testing.assert_array_equal(together[:4], model.embedding_[5:9].astype(np.float64))
    alone = np.vstack([model.transform(row[None]) for row in new])
    np.testing.assert_array_equal(together[4:], alone)


def test_new_digits_lie_among_their_kind(digits):
    X, labels = digits
    train = np.arange(len(X)) % 3 > 0
    model = UMAP(random_state=0).fit(X[train])
    Y = model.transform(X[~train])
    finder = NearestNeighbors(n_neighbors=5).fit(model.embedding_)
    found = labels[train][finder.kneighbors(Y)[1]]
    assert (found == labels[~train][:, None]).mean() > 0.95


@pytest.mark.parametrize("makes", [(np.array, sp.csr_array), (sp.csr_array, np.array)])
def test_dense_rows_are_placed_among_sparse_ones_and_the_other_way_round(rng, makes):
    X, _ = groups(rng)
    fit, new = makes
    model = UMAP(random_state=0, n_epochs=30).fit(fit(X))
    same, other = (model.transform(make(X[:5] + 0.1)) for make in (fit, new))
    np.testing.assert_allclose(other, same, atol=1e-3)
    np.testing.assert_array_equal(model.transform(new(X[:5])), model.embedding_[:5])


def test_a_graph_instead_of_a_map(rng):
    X, _ = groups(rng)
    model = UMAP(transform_mode="graph", random_state=0)
    graph = model.fit_transform(X)
    assert graph is model.graph_ and not hasattr(model, "embedding_")
    weights = model.transform(np.vstack([X[:3], X[3:5] + 0.1]))
    assert sp.issparse(weights) and weights.shape == (5, 90)
    np.testing.assert_array_equal(weights[:3].toarray(), graph[:3].toarray())
    assert weights[3].toarray().argmax() == 3
    with pytest.raises(ValueError, match="inverse_transform needs a map"):
        model.inverse_transform(np.zeros((1, 2)))


def test_a_saved_graph_comes_back(rng, tmp_path):
    X, _ = groups(rng)
    model = UMAP(transform_mode="graph").fit(X)
    model.save(tmp_path / "model")
    back = lowdim.load(tmp_path / "model")
    assert (back.transform(X[:4]) != model.transform(X[:4])).nnz == 0


# ---- and back ------------------------------------------------------------------------------------


def test_places_of_rows_lead_back_to_rows(digits, model):
    X = digits[0]
    back = model.inverse_transform(model.embedding_)
    assert back.dtype == np.float32 and back.shape == X.shape
    assert np.sqrt(((back - X) ** 2).mean()) < 2.1  # the mean digit: 4.3


@pytest.mark.parametrize("make", [np.array, sp.csr_array])
def test_rows_come_back_from_dense_and_sparse(rng, make):
    X, labels = groups(rng)
    model = UMAP(random_state=0).fit(make(X))
    back = model.inverse_transform(model.embedding_.astype(float))
    centers = np.array([X[labels == label].mean(axis=0) for label in range(3)])
    nearest = np.linalg.norm(back[:, None] - centers, axis=2).argmin(axis=1)
    np.testing.assert_array_equal(nearest, labels)


def test_codes_of_pca_are_turned_back_into_rows(rng):
    X = rng.normal(size=(80, 2)) @ rng.normal(size=(2, 9)) + 3.0
    model = UMAP(pca_components=2, random_state=0).fit(X)
    back = model.inverse_transform(model.transform(X))
    assert back.shape == X.shape
    assert np.sqrt(((back - X) ** 2).mean()) < 0.5 * X.std()


@pytest.mark.parametrize("metric", ["cosine", "correlation"])
def test_rows_do_not_come_back_from_directions(rng, metric):
    X, _ = groups(rng)
    model = UMAP(metric=metric, random_state=0, n_epochs=5).fit(X)
    with pytest.raises(ValueError, match="inverse_transform needs a map of rows as they are"):
        model.inverse_transform(model.embedding_)


# ---- the door ------------------------------------------------------------------------------------


def test_more_neighbours_than_rows_are_all_rows(rng):
    X = rng.normal(size=(10, 3))
    with pytest.warns(UserWarning, match="n_neighbors=50 is more than the 10 rows of X"):
        model = UMAP(n_neighbors=50, random_state=0).fit(X)
    same = UMAP(n_neighbors=10, random_state=0).fit(X)
    np.testing.assert_array_equal(model.embedding_, same.embedding_)


@pytest.mark.parametrize("n", [2, 3, 4])
def test_few_rows_are_mapped(rng, n):
    model = UMAP(n_neighbors=2, random_state=0).fit(rng.normal(size=(n, 3)))
    assert np.isfinite(model.embedding_).all()
    assert np.isfinite(model.transform(rng.normal(size=(3, 3)))).all()


def test_labels_of_another_length_are_refused(rng):
    X, labels = groups(rng)
    with pytest.raises(ValueError, match="y has 89 values, and X has 90 rows"):
        UMAP().fit(X, labels[:-1])
    with pytest.raises(ValueError, match="y has 89 values, and X has 90 rows"):
        UMAP(target_metric="euclidean").fit(X, labels[:-1])


def test_rows_with_other_columns_are_refused(rng):
    X, _ = groups(rng)
    model = UMAP(n_epochs=5).fit(X)
    with pytest.raises(ValueError, match="4 features"):
        model.transform(X[:, :4])
    with pytest.raises(ValueError, match="Z has 3 columns"):
        model.inverse_transform(np.zeros((2, 3)))


def test_missing_pairs_do_not_come_back(rng):
    X, _ = groups(rng)
    X[rng.random(X.shape) < 0.1] = np.nan
    model = UMAP(missing="pairwise", random_state=0, n_epochs=20).fit(X)
    assert np.isfinite(model.embedding_).all()
    with pytest.raises(ValueError, match="missing='pairwise' leaves NaN"):
        model.inverse_transform(model.embedding_)
