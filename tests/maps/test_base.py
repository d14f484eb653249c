"""What all maps share, by a small map: principal axes, and new rows among their neighbours."""

from typing import ClassVar

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import lowdim
from lowdim.core.shapes import Given, ShapeError, check_shapes
from lowdim.linalg.svd import deterministic_signs
from lowdim.maps.base import OF_MAPS, Map
from tests.checks import assert_checks_pass
from tests.estimators.examples import table


class Axes(Map):
    """Rows along the first principal axes of their points."""

    shapes: ClassVar[dict] = {"n_components": Given("k"), "radius_": ("n",)}
    _parameter_constraints: ClassVar[dict] = dict(OF_MAPS)

    def __init__(
        self,
        n_components=2,
        *,
        metric="euclidean",
        metric_params=None,
        neighbors="auto",
        missing="expected",
        pca_components=None,
        random_state=None,
    ):
        self.n_components = n_components
        self.metric = metric
        self.metric_params = metric_params
        self.neighbors = neighbors
        self.missing = missing
        self.pca_components = pca_components
        self.random_state = random_state

    def _learn(self, points):
        found = self._neighbors(points, min(3, points.n - 1))
        self.radius_ = found.distances[:, -1] * points.unit
        rows = points.rows.toarray() if sp.issparse(points.rows) else np.nan_to_num(points.rows)
        rows = rows - rows.mean(axis=0)
        axes = deterministic_signs(np.linalg.svd(rows, full_matrices=False)[2])
        Y = (rows @ axes.T)[:, : self.n_components] * np.asarray(points.unit, rows.dtype)
        self.embedding_ = np.pad(Y, [(0, 0), (0, self.n_components - Y.shape[1])])

    def _place(self, points):
        return self._places[self._nearest_to(points, 2).indices].mean(axis=1)


@pytest.mark.parametrize(
    "model", [Axes(), Axes(missing="pairwise"), Axes(metric="cosine")], ids=repr
)
def test_scikit_learn_checks_pass(model):
    assert_checks_pass(model)


# ---- places --------------------------------------------------------------------------------------


def test_a_training_row_has_its_place_and_any_other_goes_among_its_neighbours():
    X = table()
    model = Axes().fit(X)
    assert_array_equal(model.transform(X), model.embedding_)
    near = lowdim.neighbors(np.vstack([X, X[:1] + 0.1]), 2).indices[-1]
    assert_allclose(model.transform(X[:1] + 0.1)[0], model.embedding_[near].mean(axis=0))


def test_a_place_does_not_depend_on_the_rows_beside():
    X, new = table(), table(seed=1)
    model = Axes().fit(X)
    places = model.transform(new)
    for i in (0, 17, 59):
        assert_array_equal(model.transform(new[i : i + 1])[0], places[i])
    assert_array_equal(model.transform(np.vstack([X, new])[::-1])[:60][::-1], places)


@pytest.mark.parametrize("metric", ["euclidean", "softmax_hellinger"])
@pytest.mark.parametrize(
    "model",
    [
        lowdim.ClassicalMDS(),
        lowdim.Sammon(max_iter=5, tol=0),
        lowdim.SymmetricSNE(perplexity=5, max_iter=50, random_state=0),
        lowdim.TSNE(perplexity=5, max_iter=250, pca_components=4, random_state=0),
        lowdim.UMAP(n_neighbors=5, n_epochs=20, pca_components=4, random_state=0),
    ],
    ids=repr,
)
def test_no_map_places_a_row_by_the_rows_beside(model, metric, rng):
    X, new = rng.normal(size=(60, 6)), rng.normal(size=(70, 6))
    model = clone(model).set_params(metric=metric).fit(X)
    places = model.transform(new)
    for i in (0, 47, 48, 69):
        assert_array_equal(model.transform(new[i : i + 1])[0], places[i])
    assert_array_equal(model.transform(new[::-1])[::-1], places)


def test_equal_rows_share_the_mean_of_their_places(monkeypatch):
    X = np.repeat(table(n=10), 3, axis=0)
    scattered = np.random.default_rng(0).normal(size=(30, 2))

    def learn(self, points):
        self.radius_, self.embedding_ = np.zeros(points.n), scattered

    monkeypatch.setattr(Axes, "_learn", learn)
    model = Axes().fit(X)
    expected = np.repeat(scattered.reshape(10, 3, 2).mean(axis=1), 3, axis=0)
    assert_allclose(model.embedding_, expected)
    assert_array_equal(model.transform(X), model.embedding_)


def test_rows_without_values_are_at_the_mean_of_the_others():
    X = np.insert(table(missing=0.1), [0, 30], np.nan, axis=0)
    with pytest.warns(UserWarning, match=r"no observed value in 2 of its 62 rows \(first: row 0\)"):
        model = Axes().fit(X)
    empty = np.isnan(X).all(axis=1)
    mean = model.embedding_[~empty].mean(axis=0)
    assert_allclose(model.embedding_[empty], [mean, mean])
    assert_allclose(model.transform(X), model.embedding_)
    assert len(model.radius_) == 60  # points


def test_places_that_are_no_numbers_are_refused(monkeypatch):
    def learn(self, points):
        self.radius_, self.embedding_ = np.zeros(points.n), np.full((points.n, 2), np.nan)

    monkeypatch.setattr(Axes, "_learn", learn)
    with pytest.raises(FloatingPointError, match="places that are no numbers"):
        Axes().fit(table())


def test_shapes_are_declared_and_held_against_each_other():
    for X in (table(), table(missing=0.1), sp.csr_array(table())):
        model = Axes().fit(X)
        learned = {k: v for k, v in vars(model).items() if k not in model.get_params()}
        assert not learned.keys() - model._shapes().keys()
        check_shapes(model, learned, model._shapes())
        with pytest.raises(ShapeError, match="embedding_"):
            check_shapes(model, {**learned, "embedding_": model.embedding_[1:]}, model._shapes())


# ---- kinds of data -------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [{}, {"pca_components": 3}], ids=["rows", "codes"])
def test_streams_and_dask_give_the_map_of_memory(arguments):
    da = pytest.importorskip("dask.array")
    X, new = table(n=90), table(seed=1)
    model = Axes(random_state=0, **arguments).fit(X)
    stream = lowdim.stream(lambda: iter(np.split(X, [7, 41])))
    for rows in (stream, da.from_array(X, chunks=(25, 5))):
        other = Axes(random_state=0, **arguments).fit(rows)
        assert_allclose(other.embedding_, model.embedding_, atol=1e-12)
        assert_allclose(other.transform(new), model.transform(new), atol=1e-12)
        assert_allclose(np.asarray(model.transform(rows)), model.embedding_)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_codes_of_streams_and_dask_have_the_bits_of_memory(rng, dtype):
    da = pytest.importorskip("dask.array")
    X = rng.normal(size=(300, 40)).astype(dtype)
    model = lowdim.TSNE(perplexity=5, max_iter=250, pca_components=6, random_state=0)
    in_memory = clone(model).fit(X)
    stream = lowdim.stream(lambda: iter(np.split(X, [7, 141])))
    for rows in (stream, da.from_array(X, chunks=(125, 40))):
        assert_array_equal(clone(model).fit(rows).embedding_, in_memory.embedding_)


def test_codes_are_kept_instead_of_rows():
    model = Axes(pca_components=2).fit(table(d=9))
    assert model._points.rows.shape == (60, 2)
    assert model.transform(table(d=9, seed=1)).shape == (60, 2)


def test_distances_may_be_given_and_new_rows_are_distances_to_training_rows():
    X, new = table(n=40), table(n=9, seed=1)
    D = np.sqrt(((X[:, None] - X) ** 2).sum(axis=2))
    to = np.sqrt(((new[:, None] - X) ** 2).sum(axis=2))
    model = Axes(metric="precomputed").fit(D)
    assert model.n_features_in_ == 40 and model.__sklearn_tags__().input_tags.pairwise
    assert_array_equal(model.transform(D), model.embedding_)
    nearest = np.argsort(to, axis=1)[:, :2]
    assert_allclose(model.transform(to), model.embedding_[nearest].mean(axis=1))
    to[3, 17] = 0.0
    assert_array_equal(model.transform(to)[3], model.embedding_[17])


def test_a_sparse_graph_of_distances_is_taken():
    from sklearn.neighbors import kneighbors_graph

    X = table(n=40)
    graph = kneighbors_graph(X, 5, mode="distance")
    model = Axes(metric="precomputed").fit(graph)
    expected = np.sort(graph.toarray() + 1e9 * (graph.toarray() == 0), axis=1)[:, 2]
    assert_allclose(model.radius_, expected)
    assert_array_equal(model.transform(graph), model.embedding_)


# ---- neighbours that are given -------------------------------------------------------------------


def test_every_form_of_neighbours_gives_the_same_map():
    from sklearn.neighbors import NearestNeighbors, kneighbors_graph

    X = table()
    expected = Axes().fit(X).radius_
    forms = [
        lowdim.neighbors(X, 5),
        tuple(lowdim.neighbors(X, 5)),
        kneighbors_graph(X, 5, mode="distance"),
        NearestNeighbors().fit(X),
        "exact",
        "approximate",
    ]
    for form in forms:
        assert_allclose(Axes(neighbors=form).fit(X).radius_, expected)
    with pytest.raises(ValueError, match="neighbours of another table"):
        Axes(neighbors=lowdim.neighbors(X[:30], 5)).fit(X)


# ---- the door ------------------------------------------------------------------------------------

D = np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))
BAD = {
    "asymmetric": (D + np.triu(D), "Array must be symmetric"),
    "negative": (-D, "negative distance -1 of rows 0 and 1"),
    "not square": (D[:4], "square distance matrix"),
    "similarities": (1.0 - D / 5, "row 0 to itself, which is 0"),
    "NaN": (np.where(D == 5, np.nan, D), "NaN for the distance of rows 0 and 5"),
    "infinity": (np.where(D == 5, np.inf, D), "infinity"),
}


@pytest.mark.parametrize("kind", BAD)
def test_what_are_no_distances_is_refused(kind):
    X, message = BAD[kind]
    with pytest.raises(ValueError, match=message):
        Axes(metric="precomputed").fit(X)


def test_new_rows_of_other_columns_are_refused():
    with pytest.raises(ValueError, match="X has 4 features, but Axes is expecting 5"):
        Axes().fit(table()).transform(table(d=4))
    with pytest.raises(ValueError, match="X has 5 features, but Axes is expecting 6"):
        Axes(metric="precomputed").fit(D).transform(D[:, :5])


def test_missing_values_are_for_euclidean_distances():
    X = table(missing=0.1)
    for metric in ("cosine", "manhattan"):
        with pytest.raises(ValueError, match="NaN in 5 of 5 columns"):
            Axes(metric=metric).fit(X)
    Axes(metric="nan_euclidean").fit(X)


def test_row_without_any_distance_is_named(rng):
    X = rng.normal(size=(20, 3))
    D = np.linalg.norm(X[:, None] - X, axis=2)
    D[3] = D[:, 3] = np.nan
    for model in (lowdim.ClassicalMDS, lowdim.Sammon, lowdim.UMAP):
        with pytest.raises(ValueError, match=r"NaN for all distances of row 3: .* row and column"):
            model(metric="precomputed").fit(D)


def test_training_row_without_values_has_its_place_to_the_last_digit(rng):
    X = np.vstack([rng.normal(size=(40, 3)), [[np.nan] * 3]])
    with pytest.warns(
        UserWarning, match=r"in 1 of its 41 rows \(first: row 40\): .* Leave them out"
    ):
        model = lowdim.UMAP(n_neighbors=5, n_epochs=5, random_state=0).fit(X)
    assert_array_equal(model.transform(X), model.embedding_)


@pytest.mark.parametrize(("size", "dtype"), [(1e140, "f8"), (1e36, "f8"), (1e36, "f4")])
def test_rows_far_away_have_places_without_a_warning(size, dtype, rng):
    X = rng.normal(size=(60, 4)).astype(dtype)
    model = lowdim.UMAP(n_neighbors=5, n_epochs=30, random_state=0).fit(X)
    assert np.isfinite(model.transform((size * X[:3]).astype(dtype))).all()


@pytest.mark.parametrize("model", [lowdim.MDS(max_iter=5, eps=0), lowdim.ClassicalMDS()])
def test_places_that_are_no_numbers_in_float32_are_refused(model, rng):
    X = rng.normal(size=(60, 4)).astype(np.float32)
    model = clone(model).set_params(metric="manhattan").fit(X)
    far = np.full((1, 4), np.finfo(np.float32).max)
    with pytest.raises(ValueError, match="their places are no numbers in float32"):
        model.transform(far)
