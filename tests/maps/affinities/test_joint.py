import numpy as np
import pytest
from sklearn.metrics import pairwise_distances

from lowdim.maps.affinities.conditional import conditional
from lowdim.maps.affinities.joint import affinities, conditional_matrix, joint


def neighbours(rng, n=50, k=12, d=4):
    D = pairwise_distances(rng.normal(size=(n, d)))
    np.fill_diagonal(D, np.inf)
    indices = np.argsort(D, axis=1)[:, :k].astype(np.int32)
    return indices, np.take_along_axis(D, indices, axis=1)


def dense(p, indices):
    P = np.zeros((len(p), len(p)))
    np.put_along_axis(P, indices.astype(int), p, axis=1)
    return P


@pytest.mark.parametrize("kind", ["gaussian", "uniform"])
def test_joint_affinities_are_the_symmetric_mean(rng, kind):
    indices, D = neighbours(rng)
    P, _ = affinities(indices, D, 4.0, kind)
    if kind == "gaussian":
        each = dense(conditional(D, 4.0).p, indices)
        np.testing.assert_allclose(P.toarray(), (each + each.T) / 100, atol=1e-16)
    np.testing.assert_array_equal(P.toarray(), P.toarray().T)
    np.testing.assert_allclose(P.sum(), 1.0)
    assert P.has_canonical_format
    assert (P.sum(axis=1) >= 1 / 100 - 1e-12).all()  # each row has at least 1 / 2n


def test_they_are_those_of_openTSNE(rng):
    peer = pytest.importorskip("openTSNE.affinity")

    X = rng.normal(size=(60, 4))
    D = pairwise_distances(X)
    np.fill_diagonal(D, np.inf)
    indices = np.argsort(D, axis=1)[:, :15]
    near = np.take_along_axis(D, indices, axis=1)
    ours = affinities(indices, near, 5.0).P
    theirs = peer.joint_probabilities_nn(indices, near, [5.0])
    np.testing.assert_allclose(ours.toarray(), theirs.toarray(), atol=2e-7)


def test_the_matrix_of_conditional_shares_stores_no_zeros(rng):
    indices, D = neighbours(rng)
    D[:, 8:] = np.inf
    p = conditional(D, 4.0).p
    P = conditional_matrix(p, indices)
    np.testing.assert_array_equal(P.toarray(), dense(p, indices))
    assert P.nnz == 50 * 8
    assert P.has_sorted_indices


def test_float32_stays_float32(rng):
    indices, D = neighbours(rng)
    assert joint(conditional(D.astype(np.float32), 4.0).p, indices).dtype == np.float32
