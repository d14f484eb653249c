"""TSNE: maps that are known, new rows, other ways to the same map, the door."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances

import lowdim
from lowdim import TSNE
from tests.maps.tsne.examples import clusters, plain_divergence

QUICK = {"perplexity": 8, "max_iter": 200, "early_exaggeration_iter": 100, "random_state": 0}


def neighbours_with_the_same_label(Y, labels, k=5):
    D = pairwise_distances(Y)
    np.fill_diagonal(D, np.inf)
    return float((labels[np.argsort(D, axis=1)[:, :k]] == labels[:, None]).mean())


# ---- what it minimises ---------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["auto", "fft", "barnes_hut", "exact"])
@pytest.mark.parametrize("dof", [None, 0.6])
def test_the_divergence_is_that_of_the_map_as_it_is_given(method, dof, rng):
    X, _ = clusters(rng, n=60)
    X[1] = X[0]  # equal rows share a place
    model = TSNE(method=method, dof=dof, **QUICK).fit(X)
    np.testing.assert_array_equal(model.embedding_[0], model.embedding_[1])
    exact = plain_divergence(model.embedding_, model.affinities_, dof or 1.0)
    assert model.kl_divergence_ == pytest.approx(
        exact, abs=0.01 if method == "barnes_hut" else 1e-3
    )


def test_it_falls_by_more_steps(rng):
    X, _ = clusters(rng, n=100, gap=2.0)
    values = [
        TSNE(perplexity=10, max_iter=m, random_state=0).fit(X).kl_divergence_
        for m in (260, 400, 800)
    ]
    assert values[0] > values[1] > values[2]


def test_it_is_at_least_as_low_as_that_of_scikit_learn(rng):
    from sklearn.manifold import TSNE as Peer

    X, _ = clusters(rng, n=100, gap=2.0)
    ours = TSNE(perplexity=10, method="exact", random_state=0).fit(X).kl_divergence_
    peer = Peer(perplexity=10, method="exact", random_state=0).fit(X).kl_divergence_
    assert ours < peer + 0.03


@pytest.mark.parametrize("n_components", [1, 2, 3])
@pytest.mark.parametrize("method", ["auto", "fft", "barnes_hut", "exact"])
def test_clusters_are_found(n_components, method, rng):
    X, labels = clusters(rng, n=90)
    Y = TSNE(n_components, method=method, **QUICK).fit(X).embedding_
    assert Y.shape == (90, n_components)
    assert Y.dtype == np.float32
    assert neighbours_with_the_same_label(Y, labels) > 0.97


@pytest.mark.parametrize(
    "arguments",
    [
        {"affinity": "uniform"},
        {"anneal_perplexity": 20.0},
        {"early_compression": 1.0},
        {"exaggeration": 2.0},
        {"dof": 0.5},
        {"dof": 5.0},
        {"perplexity": [4, 12]},
        {"metric": "manhattan"},
        {"pca_components": 3},
        {"init": "random"},
        {"init": "classical_mds"},
        {"neighbors": "exact"},
    ],
    ids=str,
)
def test_every_argument_makes_a_map(arguments, rng):
    X, labels = clusters(rng, n=90)
    model = TSNE(**{**QUICK, **arguments}).fit(X)
    assert neighbours_with_the_same_label(model.embedding_, labels) > 0.97


def test_more_dimensions_are_exact(rng):
    X, labels = clusters(rng, n=60)
    assert neighbours_with_the_same_label(TSNE(5, **QUICK).fit(X).embedding_, labels) > 0.97


def test_ten_rows_have_a_map(rng):
    model = TSNE(perplexity=3, random_state=0).fit(rng.normal(size=(10, 4)))
    assert np.isfinite(model.embedding_).all()


# ---- new rows ------------------------------------------------------------------------------------


def test_new_rows_go_to_their_cluster_each_for_itself(rng):
    X, labels = clusters(rng, n=150)
    model = TSNE(**QUICK).fit(X[:120])
    placed = model.transform(X[120:])
    nearest = pairwise_distances(placed, model.embedding_).argmin(axis=1)
    assert (labels[:120][nearest] == labels[120:]).all()
    for i in range(5):
        np.testing.assert_array_equal(model.transform(X[120 + i : 121 + i])[0], placed[i])
    np.testing.assert_array_equal(model.transform(X[:120]), model.embedding_)


def test_new_rows_of_affinities_go_to_what_they_are_alike(rng):
    X, labels = clusters(rng, n=90)
    P = TSNE(**QUICK).fit(X).affinities_
    model = TSNE(metric="precomputed_affinity", init="random", **QUICK).fit(P)
    new = (labels == 1)[None] * rng.random((1, 90))
    nearest = pairwise_distances(model.transform(new), model.embedding_).argmin()
    assert labels[nearest] == 1


# ---- two roads -----------------------------------------------------------------------------------


def test_distances_give_the_map_of_their_rows(rng):
    X, _ = clusters(rng, n=60)
    D = pairwise_distances(X)
    start = rng.normal(size=(60, 2)) * 1e-4
    rows = TSNE(init=start, max_iter=50, perplexity=8, method="exact").fit(X)
    given = TSNE(init=start, max_iter=50, perplexity=8, method="exact", metric="precomputed").fit(D)
    np.testing.assert_allclose(given.embedding_, rows.embedding_, atol=1e-3)


def test_neighbours_may_be_given(rng):
    X, _ = clusters(rng, n=60)
    found = lowdim.neighbors(X, 25)
    own, given = (TSNE(neighbors=n, **QUICK).fit(X) for n in ("auto", tuple(found)))
    assert given.kl_divergence_ == pytest.approx(own.kl_divergence_, abs=0.05)


def test_sparse_rows_have_the_map_of_dense_ones(rng):
    X = rng.poisson(0.5, size=(60, 20)).astype(float)
    dense, sparse = (
        TSNE(perplexity=8, max_iter=25, random_state=0, init="random").fit(A)
        for A in (X, sp.csr_array(X))
    )
    np.testing.assert_allclose(sparse.embedding_, dense.embedding_, atol=1e-5)


def test_rows_with_missing_values_have_a_place(rng):
    X, labels = clusters(rng, n=120, d=8)
    X[rng.random(X.shape) < 0.15] = np.nan
    Y = TSNE(**QUICK).fit(X).embedding_
    assert neighbours_with_the_same_label(Y, labels) > 0.9


def test_a_small_start_and_the_seed_decide(rng):
    X, _ = clusters(rng, n=60)
    one, two, three = (
        TSNE(init="random", perplexity=8, max_iter=30, random_state=s).fit(X).embedding_
        for s in (0, 0, 1)
    )
    np.testing.assert_array_equal(one, two)
    assert not np.allclose(one, three)


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["barnes_hut", "fft"])
def test_too_many_dimensions_are_named(method):
    with pytest.raises(ValueError, match="'n_components' should be at most 3"):
        TSNE(4, method=method, perplexity=2).fit(np.eye(10))


def test_principal_axes_of_distances_are_refused():
    with pytest.raises(ValueError, match=r'init="pca" cannot be used with metric="precomputed"'):
        TSNE(metric="precomputed", perplexity=2).fit(np.ones((9, 9)) - np.eye(9))


def test_affinities_have_no_axes():
    with pytest.raises(ValueError, match="init='pca' needs rows"):
        TSNE(metric="precomputed_affinity").fit(np.ones((9, 9)))


def test_a_perplexity_of_all_rows_is_refused(rng):
    with pytest.raises(ValueError, match=r"must be less than n_samples \(20\)"):
        TSNE().fit(rng.normal(size=(20, 3)))


def test_a_metric_below_zero_is_refused(rng):
    with pytest.raises(ValueError, match="All distances should be positive"):
        TSNE(metric=lambda x, y: -1.0, method="exact", perplexity=2).fit(rng.normal(size=(9, 3)))
