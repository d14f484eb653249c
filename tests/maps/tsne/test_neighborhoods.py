"""P of a model's rows."""

import numpy as np
import pytest

from lowdim import TSNE
from lowdim.maps.tsne.neighborhoods import check_perplexity, perplexities
from tests.maps.tsne.examples import clusters, random_affinities


def fitted(X, **arguments):
    return TSNE(max_iter=1, random_state=0, **arguments).fit(X)


def test_several_perplexities_are_averaged(rng):
    X, _ = clusters(rng, n=60)
    both = fitted(X, perplexity=[5, 20], method="exact")
    single = [fitted(X, perplexity=value, method="exact") for value in (5, 20)]
    mean = sum(model.affinities_.toarray() for model in single) / 2
    np.testing.assert_allclose(both.affinities_.toarray(), mean, atol=1e-7)
    bandwidths = np.column_stack([model.bandwidths_ for model in single])
    np.testing.assert_allclose(both.bandwidths_, bandwidths, rtol=1e-6)


def test_affinities_are_those_of_scikit_learn(rng):
    """Its search for bandwidths ends at 1e-5 of the entropy."""
    from sklearn.manifold._t_sne import _joint_probabilities
    from sklearn.metrics import pairwise_distances

    X, _ = clusters(rng, n=50)
    D = pairwise_distances(X, squared=True, metric="euclidean").astype(np.float32)
    condensed = _joint_probabilities(D, 10.0, 0)
    P = fitted(X, perplexity=10.0, method="exact").affinities_.toarray()
    np.testing.assert_allclose(P[np.triu_indices(50, 1)], condensed, atol=1e-6)


def test_few_neighbours_are_nearly_all_of_p(rng):
    X, _ = clusters(rng, n=150)
    some, every = (
        fitted(X, perplexity=5.0, method=m).affinities_.toarray() for m in ("auto", "exact")
    )
    assert np.abs(some - every).sum() < 0.05


def test_uniform_shares_are_equal(rng):
    X, _ = clusters(rng, n=40)
    P = fitted(X, perplexity=6.0, affinity="uniform").affinities_.toarray()
    np.testing.assert_allclose(np.unique(np.round(P * 40 * 6 * 2)), [0, 1, 2])
    assert P.sum() == pytest.approx(1.0)


def test_affinities_may_be_given(rng):
    P = random_affinities(rng, 40)
    model = fitted(P.toarray(), metric="precomputed_affinity", init="random")
    np.testing.assert_allclose(model.affinities_.toarray(), P.toarray(), rtol=1e-6)
    assert model.bandwidths_ is None
    sparse = fitted(P, metric="precomputed_affinity", init="random")
    np.testing.assert_allclose(sparse.affinities_.toarray(), P.toarray(), rtol=1e-6)


def test_bandwidths_are_in_units_of_x(rng):
    X, _ = clusters(rng, n=50)
    one, thousand = (fitted(A, perplexity=5.0).bandwidths_ for A in (X, 1000 * X))
    np.testing.assert_allclose(thousand, 1000 * one, rtol=1e-5)


def test_neighbours_nearer_than_float32_can_say_are_found(rng):
    X = rng.normal(size=(60, 3)) + 1e9 * (np.arange(60) % 2)[:, None]
    near, far = (fitted(A, perplexity=5.0).affinities_ for A in (X[::2], X))
    np.testing.assert_allclose(far[::2][:, ::2].toarray(), near.toarray() / 2, rtol=1e-5)


def test_one_perplexity_or_several():
    assert perplexities(30) == [30.0]
    assert perplexities([5, 50]) == [5.0, 50.0]


@pytest.mark.parametrize("perplexity", [0, -1.0, [], [5, 0], float("nan")])
def test_what_is_no_perplexity_is_named(perplexity):
    with pytest.raises(ValueError, match=r"perplexity=.* must be above 0"):
        check_perplexity(perplexity, 100)


def test_a_perplexity_that_is_too_large_is_named():
    with pytest.raises(ValueError, match=r"perplexity \(60\) must be less than n_samples \(60\)"):
        check_perplexity(60, 60)


def test_a_perplexity_that_makes_all_rows_alike_is_said():
    check_perplexity(58.9, 60)
    for several in (59.0, [5.0, 59.5]):
        with pytest.warns(UserWarning, match="all 59 other rows the same share .* at most 19"):
            check_perplexity(several, 60)
