"""`smacof` is MDS of given dissimilarities."""

import numpy as np
import pytest

from lowdim import MDS, smacof
from tests.maps.mds.examples import noisy


def test_it_is_mds_from_the_same_start(rng):
    D, start = noisy(rng, 15), rng.normal(size=(15, 3))
    Y, stress, n_iter = smacof(D, init=start, return_n_iter=True)
    model = MDS(3, metric="precomputed").fit(D, init=start)
    np.testing.assert_array_equal(Y, model.embedding_)
    assert (stress, n_iter) == (model.stress_, model.n_iter_)


def test_one_iteration_is_one_guttman_transform():
    """Borg and Groenen (2005), Modern Multidimensional Scaling, section 8.6."""
    D = np.array([[0, 5, 3, 4], [5, 0, 2, 2], [3, 2, 0, 1], [4, 2, 1, 0]])
    Z = np.array([[-0.266, -0.539], [0.451, 0.252], [0.016, -0.238], [-0.200, 0.524]])
    with pytest.warns(UserWarning):
        Y, _ = smacof(D, init=Z, max_iter=1)
    expected = [[-1.415, -2.471], [1.633, 1.107], [0.249, -0.067], [-0.468, 1.431]]
    np.testing.assert_allclose(Y, expected, atol=1.1e-3)


def test_a_seed_says_where_it_starts(rng):
    D = noisy(rng, 12)
    np.testing.assert_array_equal(smacof(D, random_state=3)[0], smacof(D, random_state=3)[0])


def test_pairs_may_be_a_vector(rng):
    D = noisy(rng, 8)
    by_pairs = smacof(D[np.triu_indices(8, 1)], random_state=0)
    np.testing.assert_array_equal(by_pairs[0], smacof(D, random_state=0)[0])


def test_weights_and_transformations_go_in(rng):
    D = noisy(rng, 12)
    W = np.ones_like(D)
    plain = smacof(D, metric=False, random_state=0, eps=1e-12)
    other = smacof(D, transformation="ordinal", weights=W, random_state=0, eps=1e-12)
    np.testing.assert_allclose(plain[1], other[1], rtol=1e-6)


@pytest.mark.parametrize(
    "D", [[[0, 5, 9], [5, 0, 2], [3, 2, 0]], [[0, 5, 9], [5, 0, 2]]], ids=["asymmetric", "flat"]
)
def test_what_are_no_dissimilarities_is_refused(D):
    with pytest.raises(ValueError, match=r"symmetric|square"):
        smacof(np.array(D, dtype=float))
