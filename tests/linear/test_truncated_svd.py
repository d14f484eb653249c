"""Truncated singular value decomposition."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import TruncatedSVD as Peer

import lowdim
from lowdim import TruncatedSVD
from lowdim.linear.truncated_svd import Learned, merged


def low_rank(rng, n=60, d=25, rank=6):
    return rng.normal(size=(n, rank)) * 2.0 ** -np.arange(rank) @ rng.normal(size=(rank, d)) + 1.0


# ---- golden values -------------------------------------------------------------------------------


def test_a_worked_example():
    # X'X = [[25, 20], [20, 25]] has eigenvalues 45 and 5, vectors (1, 1) and (1, -1)
    X = np.array([[3.0, 0.0], [4.0, 5.0]])
    svd = TruncatedSVD(2, random_state=0).fit(X)
    np.testing.assert_allclose(svd.singular_values_, np.sqrt([45.0, 5.0]))
    np.testing.assert_allclose(abs(svd.components_), np.full((2, 2), np.sqrt(0.5)))
    assert svd.components_[0].min() > 0
    np.testing.assert_allclose(svd.inverse_transform(svd.transform(X)), X, atol=1e-14)


# ---- two roads, one result -----------------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ["randomized", "arpack", "krylov"])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csc_array])
def test_attributes_are_those_of_scikit_learn(rng, algorithm, kind):
    X = np.where(rng.random((80, 40)) < 0.3, rng.normal(size=(80, 40)) + 1.0, 0.0)
    svd = TruncatedSVD(5, algorithm=algorithm, n_iter=20, random_state=0).fit(kind(X))
    peer = Peer(5, algorithm="arpack").fit(X)
    for name in ("singular_values_", "explained_variance_", "explained_variance_ratio_"):
        np.testing.assert_allclose(getattr(svd, name), getattr(peer, name), rtol=1e-7)
    np.testing.assert_allclose(svd.components_, peer.components_, atol=1e-6)
    np.testing.assert_allclose(svd.transform(kind(X)), peer.transform(X), atol=1e-5)


def test_of_centred_rows_it_is_pca(rng):
    X = low_rank(rng)
    D = X - X.mean(axis=0)
    svd, pca = TruncatedSVD(3).fit(D), lowdim.PCA(3).fit(X)
    np.testing.assert_allclose(svd.components_, pca.components_, atol=1e-10)
    np.testing.assert_allclose(svd.explained_variance_ * 60 / 59, pca.explained_variance_)


def test_streams_and_dask_give_what_memory_gives(rng):
    da = pytest.importorskip("dask.array")
    X = sp.random_array((300, 90), density=0.2, rng=rng, format="csr")
    reference = TruncatedSVD(4, algorithm="krylov", random_state=0).fit(X)
    stream = lowdim.stream(lambda: iter([X[:50], X[50:51], X[51:]]))
    chunked = da.from_array(X.toarray(), chunks=(70, 90))
    for rows in (stream, chunked):
        svd = TruncatedSVD(4, algorithm="krylov", random_state=0).fit(rows)
        np.testing.assert_allclose(svd.singular_values_, reference.singular_values_, rtol=1e-8)
        np.testing.assert_allclose(svd.components_, reference.components_, atol=1e-3)
        Z = svd.transform(rows)
        assert np.shape(Z) == (300, 4)


# ---- further rows --------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_parts_of_rows_of_low_rank_give_what_all_of_them_give(rng, kind):
    X = low_rank(rng)
    whole = TruncatedSVD(3, random_state=0).fit(X)
    parts = TruncatedSVD(3, random_state=0)
    for part in np.split(X, [1, 4, 30, 31]):
        parts.partial_fit(kind(part))
    for name in ("singular_values_", "explained_variance_", "explained_variance_ratio_"):
        np.testing.assert_allclose(getattr(parts, name), getattr(whole, name), rtol=1e-6)
    np.testing.assert_allclose(parts.components_, whole.components_, atol=1e-6)


def test_what_is_dropped_between_parts_costs_little(rng):
    X = sp.random_array((600, 80), density=0.2, rng=rng, format="csr")
    whole = TruncatedSVD(5, algorithm="arpack").fit(X)
    parts = TruncatedSVD(5, algorithm="krylov", random_state=0)
    for start in range(0, 600, 150):
        parts.partial_fit(X[start : start + 150])
    captured = [np.sum((X @ svd.components_.T) ** 2) for svd in (parts, whole)]
    assert 0.97 * captured[1] < captured[0] <= captured[1] * (1 + 1e-9)


def test_fewer_rows_than_components_are_a_beginning(rng):
    X = rng.normal(size=(20, 6))
    svd = TruncatedSVD(4).partial_fit(X[:2])
    np.testing.assert_allclose(svd.singular_values_[2:], 0.0)
    np.testing.assert_allclose(svd.components_ @ svd.components_.T, np.eye(4), atol=1e-12)
    svd.partial_fit(X[2:])
    np.testing.assert_allclose(svd.singular_values_, TruncatedSVD(4).fit(X).singular_values_)


def test_after_fit_parts_begin_anew(rng):
    X = rng.normal(size=(20, 6))
    fresh = TruncatedSVD(2).partial_fit(X[:10])
    again = TruncatedSVD(2).fit(X).partial_fit(X[:10])
    np.testing.assert_array_equal(fresh.components_, again.components_)


def test_what_two_parts_know_is_put_together(rng):
    X = rng.normal(size=(9, 4)) + 3.0

    def learned(Y):
        spread = np.sqrt(np.sum((Y - Y.mean(axis=0)) ** 2))
        return Learned(float(len(Y)), Y.mean(axis=0), Y, spread)

    both = merged(learned(X[:4]), learned(X[4:]), 4)
    expected = learned(X)
    np.testing.assert_allclose(both.mean, expected.mean)
    assert both.spread == pytest.approx(expected.spread)
    np.testing.assert_allclose(both.factors.T @ both.factors, X.T @ X)


# ---- the door ------------------------------------------------------------------------------------


def test_missing_values_are_refused_with_what_fills_them(rng):
    X = low_rank(rng)
    X[3, 4] = np.nan
    with pytest.raises(ValueError, match=r"NaN in 1 of 25 columns.*lowdim\.PCA\(...\)"):
        TruncatedSVD().fit(X)


def test_too_many_components_are_refused(rng):
    X = rng.normal(size=(8, 5))
    with pytest.raises(ValueError, match="n_components=6 is more than the 5"):
        TruncatedSVD(6).fit(X)
    with pytest.raises(ValueError, match="n_components=6 is more than the 5 columns"):
        TruncatedSVD(6).partial_fit(X)
