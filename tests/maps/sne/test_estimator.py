import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import pairwise_distances

import lowdim
from lowdim import SNE, SymmetricSNE
from lowdim.maps.sne import repulsion as repulsion_module
from lowdim.maps.sne import springs as springs_module

CLASSES = {"SNE": SNE, "SymmetricSNE": SymmetricSNE}
each_class = pytest.mark.parametrize("name", CLASSES)


def clusters(rng, n=40, k=3, d=8, apart=8.0):
    return rng.normal(size=(n * k, d)) + apart * np.repeat(np.eye(d)[:k], n, axis=0)


def divergence(P, Y, symmetric):
    W = np.exp(-pairwise_distances(Y.astype(np.float64), metric="sqeuclidean"))
    np.fill_diagonal(W, 0.0)
    Q = W / (W.sum() if symmetric else W.sum(axis=1, keepdims=True))
    there = P > 0
    return np.sum(P[there] * np.log(P[there] / Q[there]))


# ---- the objective -------------------------------------------------------------------------------


@each_class
def test_the_divergence_is_that_of_the_map(rng, name):
    model = CLASSES[name](perplexity=10, random_state=0).fit(clusters(rng))
    P = model.affinities_.toarray()
    expected = divergence(P, model.embedding_, name != "SNE")
    np.testing.assert_allclose(model.kl_divergence_, expected, rtol=1e-4)
    assert model.embedding_.dtype == np.float32
    assert len(model.history_) == -(-model.n_iter_ // 25)


@each_class
def test_the_map_is_a_minimum(rng, name):
    X = clusters(rng, n=20)
    model = CLASSES[name](perplexity=10, random_state=0).fit(X)
    P = model.affinities_.toarray()
    for _ in range(10):
        nearby = model.embedding_ + 0.05 * rng.normal(size=model.embedding_.shape)
        assert divergence(P, nearby, name != "SNE") > model.kl_divergence_


def test_a_plane_is_its_own_map(rng):
    # with one bandwidth q can be p: distances in the map are those of the rows / (sigma sqrt 2)
    X = rng.uniform(size=(150, 2))
    model = SymmetricSNE(perplexity=20, joint="global", early_exaggeration=1.0).fit(X)
    assert model.kl_divergence_ < 1e-4
    expected = pairwise_distances(X) / (model.bandwidths_[0] * np.sqrt(2))
    np.testing.assert_allclose(pairwise_distances(model.embedding_), expected, atol=0.1)


# ---- what it is for ------------------------------------------------------------------------------


@each_class
def test_clusters_are_found_again(rng, name):
    model = CLASSES[name](perplexity=10, random_state=0).fit(clusters(rng))
    Y = model.embedding_.reshape(3, 40, 2)
    centers = Y.mean(axis=1)
    within = np.linalg.norm(Y - centers[:, None], axis=2).max()
    assert pairwise_distances(centers)[np.triu_indices(3, 1)].min() > within


def test_sne_is_crowded_and_tsne_is_not():
    # the notes' 15.7, corrected: with Gaussian weights groups touch, with Student's they part
    X = load_digits(n_class=6).data[:300]

    def empty(Y):
        """The part of a map that is farther from all points than these are from each other."""
        near = np.median(np.sort(pairwise_distances(Y), axis=1)[:, 5])
        sides = np.linspace(Y.min(axis=0), Y.max(axis=0), 40).T
        places = np.stack(np.meshgrid(*sides), axis=-1).reshape(-1, 2)
        return np.mean(pairwise_distances(places, Y).min(axis=1) > near)

    student = empty(lowdim.TSNE(max_iter=500, random_state=0).fit(X).embedding_)
    assert student > 0.7
    for model in (SNE(random_state=0), SymmetricSNE(random_state=0)):
        assert empty(model.fit(X).embedding_) < 0.55


def test_with_one_bandwidth_a_row_far_away_has_no_say_where_it_is(rng):
    X = rng.normal(size=(80, 5))
    X[0] += 100.0
    own = SymmetricSNE(perplexity=10, random_state=0).fit(X)
    single = SymmetricSNE(perplexity=10, joint="global", random_state=0).fit(X)
    assert own.affinities_.sum(axis=1)[0] >= 1 / 160 - 1e-6
    assert single.affinities_.sum(axis=1)[0] < 1e-9


# ---- arguments -----------------------------------------------------------------------------------


@each_class
def test_given_affinities_give_the_map_of_their_rows(rng, name):
    X = clusters(rng, n=20)
    init = 1e-2 * rng.normal(size=(60, 2))
    rows = CLASSES[name](perplexity=10, init=init, max_iter=30).fit(X)
    P = rows.affinities_.astype(np.float64)
    for given in (P.toarray(), P, 1e3 * P):
        model = CLASSES[name](init=init, metric="precomputed_affinity", max_iter=30).fit(given)
        np.testing.assert_allclose(model.history_, rows.history_, rtol=1e-4)
        np.testing.assert_allclose(model.kl_divergence_, rows.kl_divergence_, rtol=0.01)
        assert model.bandwidths_ is None
    new = model.transform(P.toarray()[:3] + 1e-9)
    assert np.isfinite(new).all()


@each_class
def test_distances_give_the_map_of_their_rows(rng, name):
    X = clusters(rng, n=20)
    init = 1e-2 * rng.normal(size=(60, 2))
    settings = {"perplexity": 10, "init": init, "max_iter": 30}
    rows = CLASSES[name](**settings).fit(X)
    model = CLASSES[name](metric="precomputed", **settings).fit(pairwise_distances(X))
    np.testing.assert_allclose(model.history_, rows.history_, rtol=1e-4)
    new = X[:5] + 0.1
    np.testing.assert_allclose(
        model.transform(pairwise_distances(new, X)), rows.transform(new), atol=0.2
    )


@each_class
@pytest.mark.parametrize("init", ["random", "pca", "classical_mds"])
def test_every_start_ends_below_where_it_began(rng, name, init):
    model = CLASSES[name](3, perplexity=10, init=init, random_state=0).fit(clusters(rng, n=15))
    assert model.embedding_.shape == (45, 3)
    assert model.kl_divergence_ < 0.5 * model.history_[0]


@each_class
def test_a_start_that_is_given_is_the_start(rng, name):
    X, init = clusters(rng, n=15), rng.normal(size=(45, 2))
    model = CLASSES[name](perplexity=10, init=init, max_iter=1).fit(X)
    P = model.affinities_.toarray()
    np.testing.assert_allclose(model.history_[0], divergence(P, init, name != "SNE"), rtol=1e-4)


@each_class
def test_jitter_depends_on_the_seed_alone(rng, name):
    X = clusters(rng, n=15)
    settings = {"perplexity": 10, "noise": 0.3, "max_iter": 100}
    first, again = (CLASSES[name](random_state=1, **settings).fit(X) for _ in range(2))
    np.testing.assert_array_equal(first.embedding_, again.embedding_)
    other = CLASSES[name](random_state=2, **settings).fit(X)
    assert np.abs(other.embedding_ - first.embedding_).max() > 1e-3


@each_class
def test_more_rows_take_neighbours_and_a_field(rng, name, monkeypatch):
    X = clusters(rng, n=150)
    settings = {"perplexity": 10, "random_state": 0, "neighbors": "exact", "max_iter": 75}
    exact = CLASSES[name](**settings).fit(X)
    for module in (repulsion_module, springs_module):
        monkeypatch.setattr(module, "MOST_ROWS", 400)
    field = CLASSES[name](**settings).fit(X)
    np.testing.assert_allclose(field.kl_divergence_, exact.kl_divergence_, rtol=0.03)


# ---- new rows ------------------------------------------------------------------------------------


@each_class
def test_new_rows_are_placed_in_their_cluster_row_by_row(rng, name):
    X = clusters(rng)
    model = CLASSES[name](perplexity=10, random_state=0).fit(X)
    np.testing.assert_array_equal(model.transform(X), model.embedding_)
    new = clusters(rng, n=4)
    Z = model.transform(new)
    centers = model.embedding_.reshape(3, 40, 2).mean(axis=1)
    nearest = pairwise_distances(Z, centers).argmin(axis=1)
    np.testing.assert_array_equal(nearest, np.repeat(np.arange(3), 4))
    alone = np.vstack([model.transform(row[None]) for row in new])
    np.testing.assert_array_equal(Z, alone)


# ---- the door ------------------------------------------------------------------------------------


@each_class
def test_what_cannot_be_mapped_is_refused_with_what_to_do(rng, name):
    X = rng.normal(size=(30, 4))
    cls = CLASSES[name]
    with pytest.raises(ValueError, match=r"needs rows.*init='random'"):
        cls(metric="precomputed_affinity").fit(np.abs(X @ X.T))
    with pytest.raises(ValueError, match="precomputed"):
        cls(metric="precomputed", perplexity=5).fit(pairwise_distances(X))
    with pytest.raises(ValueError, match="square"):
        cls(metric="precomputed_affinity", init="random").fit(np.abs(X))
    with pytest.raises(ValueError, match="negative"):
        cls(metric="precomputed_affinity", init="random").fit(X @ X.T)
    with pytest.raises(ValueError, match=r"init.shape=\(30, 3\) should be \(30, 2\)"):
        cls(init=np.zeros((30, 3)), perplexity=5).fit(X)
    with pytest.raises(ValueError, match="momentum"):
        cls(momentum=1.0).fit(X)
    with pytest.warns(UserWarning, match="perplexity=30 must be less"):
        cls(max_iter=1).fit(X)


def test_steps_that_are_too_long_are_said_to_be(rng):
    X = clusters(rng, n=15)
    with pytest.warns(ConvergenceWarning, match="learning_rate=10 is too large"):
        model = SNE(perplexity=10, learning_rate=10.0, max_iter=200).fit(X)
    assert model.kl_divergence_ > model.history_[0]
