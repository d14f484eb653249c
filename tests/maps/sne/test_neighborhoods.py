import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import pairwise_distances

import lowdim
from lowdim.maps.affinities import conditional, single_bandwidth
from lowdim.maps.sne import neighborhoods
from lowdim.maps.sne.neighborhoods import usable_perplexity

QUICK = {"max_iter": 1, "random_state": 0}


def all_pairs(X, perplexity):
    D = pairwise_distances(X)
    np.fill_diagonal(D, np.inf)
    return conditional(D, perplexity)


def test_few_rows_have_affinities_of_all_pairs(rng, monkeypatch):
    X = rng.normal(size=(40, 3))
    p, sigma = all_pairs(X, 5.0)
    monkeypatch.setattr(neighborhoods, "BLOCK", 300)  # some rows at a time
    model = lowdim.SNE(perplexity=5.0, **QUICK).fit(X)
    np.testing.assert_allclose(model.affinities_.toarray(), p, atol=1e-9)
    np.testing.assert_allclose(model.bandwidths_, sigma, rtol=1e-7)
    joint = lowdim.SymmetricSNE(perplexity=5.0, **QUICK).fit(X)
    np.testing.assert_allclose(joint.affinities_.toarray(), (p + p.T) / 80, atol=1e-9)
    single = lowdim.SymmetricSNE(perplexity=5.0, joint="global", **QUICK).fit(X)
    P, sigma = single_bandwidth(pairwise_distances(X), 5.0)
    np.testing.assert_allclose(single.affinities_.toarray(), P, atol=1e-9)
    np.testing.assert_allclose(single.bandwidths_, sigma, rtol=1e-7)


def test_neighbours_that_are_asked_for_are_three_times_the_perplexity(rng):
    X = rng.normal(size=(60, 3))
    model = lowdim.SNE(perplexity=5.0, neighbors="exact", **QUICK).fit(X)
    assert (np.diff(model.affinities_.indptr) == 16).all()
    indices, distances = lowdim.neighbors(X, 16)
    given = lowdim.SNE(perplexity=5.0, neighbors=(indices, distances), **QUICK).fit(X)
    np.testing.assert_allclose(given.affinities_.toarray(), model.affinities_.toarray(), atol=1e-6)
    single = lowdim.SymmetricSNE(perplexity=5.0, joint="global", neighbors="exact", **QUICK).fit(X)
    linked = model.affinities_.toarray() > 0
    np.testing.assert_array_equal(single.affinities_.toarray() > 0, linked | linked.T)


def test_bandwidths_are_in_units_of_the_rows(rng):
    X = rng.normal(size=(40, 3))
    for model in (lowdim.SNE(5, perplexity=5.0, **QUICK), lowdim.SymmetricSNE(**QUICK)):
        plain = model.fit(X).bandwidths_
        for unit in (1e150, 1e-150):
            np.testing.assert_allclose(model.fit(X * unit).bandwidths_ / unit, plain, rtol=1e-6)


def test_a_graph_of_distances_is_enough(rng):
    X = rng.normal(size=(60, 3))
    indices, distances = lowdim.neighbors(X, 20)
    graph = sp.csr_array(
        (distances.ravel(), indices.ravel(), np.arange(0, 1201, 20)), shape=(60, 60)
    )
    model = lowdim.SNE(perplexity=5.0, metric="precomputed", init="random", **QUICK).fit(graph)
    rows = lowdim.SNE(perplexity=5.0, neighbors="exact", **QUICK).fit(X)
    np.testing.assert_allclose(model.affinities_.toarray(), rows.affinities_.toarray(), atol=1e-6)


def test_a_perplexity_too_large_is_lowered_and_said():
    assert usable_perplexity(5.0, 20) == 5.0
    assert usable_perplexity(0.5, 20) == 1.0
    with pytest.warns(UserWarning, match=r"perplexity=30 must be less than the 18 other .*6 is"):
        assert usable_perplexity(30.0, 19) == 6.0
    with pytest.warns(UserWarning, match="perplexity=2 must be"):
        assert usable_perplexity(2.0, 3) == 1.0


@pytest.mark.parametrize("joint", [None, "conditional", "global"], ids=["rows", "own", "global"])
def test_rows_without_a_common_column_are_no_neighbours(rng, joint):
    X = rng.normal(size=(30, 4))
    X[0, 2:] = X[1, :2] = np.nan
    settings = {"perplexity": 5.0, "missing": "pairwise", "random_state": 0}
    model = (
        lowdim.SNE(**settings) if joint is None else lowdim.SymmetricSNE(joint=joint, **settings)
    )
    P = model.fit(X).affinities_
    assert P[0, 1] == P[1, 0] == 0
    assert (P.sum(axis=1) > 0).all()
    assert np.isfinite(model.embedding_).all()
