"""Every solver finds the same axes; the table of them, and the choice."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import PCA as ScikitPCA

from lowdim import PCA
from lowdim.core.opening import as_blocks
from lowdim.linear.pca import iterative
from lowdim.linear.pca.solvers import choose_solver
from tests.linear.pca.tables import ATTRIBUTES, EXACT, spectrum_data


@pytest.mark.parametrize("solver", EXACT)
def test_planted_variances_are_found(rng, solver):
    X = spectrum_data(rng, offset=3.0)
    pca = PCA(3, svd_solver=solver, random_state=0).fit(X)
    np.testing.assert_allclose(pca.explained_variance_, [16.0, 9.0, 4.0], rtol=1e-8)
    np.testing.assert_allclose(pca.noise_variance_, (1.0 + 0.5 + 0.2 + 0.1) / 4, rtol=1e-7)


@pytest.mark.parametrize("solver", EXACT)
@pytest.mark.parametrize("shape", [(300, 7), (12, 40)])
def test_exact_solvers_give_scikit_learns_result(rng, solver, shape):
    X = spectrum_data(rng, shape[0], offset=2.0)
    if shape[1] > 7:
        X = X @ np.linalg.qr(rng.normal(size=(shape[1], 7)))[0].T
    ours = PCA(3, svd_solver=solver, random_state=0).fit(X)
    theirs = ScikitPCA(3, svd_solver="full").fit(X)
    for name in ATTRIBUTES:
        np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), atol=1e-6)
    np.testing.assert_allclose(ours.transform(X), theirs.transform(X), atol=1e-5)


@pytest.mark.parametrize("solver", [*EXACT, "randomized"])
@pytest.mark.parametrize("rank", [1, 3])
def test_axes_beyond_the_rank_of_the_data_have_no_variance(rng, solver, rank):
    X = rng.normal(size=(40, rank)) @ rng.normal(size=(rank, 10)) + 2.0
    pca = PCA(6, svd_solver=solver, random_state=0).fit(X)
    total = X.var(axis=0, ddof=1).sum()
    assert pca.explained_variance_[:rank].sum() == pytest.approx(total, rel=1e-9)
    # rounding of sums of squares: a few hundred of 1.1e-16
    assert np.abs(pca.explained_variance_[rank:]).max() < 1e-13 * total
    np.testing.assert_allclose(pca.components_ @ pca.components_.T, np.eye(6), atol=1e-10)
    np.testing.assert_allclose(pca.inverse_transform(pca.transform(X)), X, atol=1e-7)


def test_auto_chooses_by_shape_sparsity_and_rank(rng):
    def choice(shape, k, sparse=False):
        X = sp.csr_array(shape) if sparse else np.broadcast_to(np.zeros(1), shape)
        return choose_solver(as_blocks(X), k)

    assert choice((400, 300), 10) == "full"
    assert choice((100_000, 200), 20) == "covariance_eigh"
    assert choice((2000, 20_000), 20) == "krylov"
    assert choice((2000, 20_000), 1500) == "gram"
    assert choice((3000, 2500), None) == "full"
    assert choice((100_000, 10_000), 20, sparse=True) == "krylov"
    assert choice((100_000, 100), 20, sparse=True) == "covariance_eigh"


@pytest.mark.parametrize("solver", EXACT)
def test_weights_are_repetitions(rng, solver):
    X, weight = spectrum_data(rng, 60), rng.integers(0, 4, size=60)
    weighted = PCA(3, svd_solver=solver, random_state=0).fit(X, sample_weight=weight)
    repeated = PCA(3, svd_solver=solver, random_state=0).fit(np.repeat(X, weight, axis=0))
    for name in ATTRIBUTES:
        np.testing.assert_allclose(getattr(weighted, name), getattr(repeated, name), atol=1e-6)


@pytest.mark.parametrize("solver", ["covariance_eigh", "full", "gram", "krylov"])
def test_data_far_from_zero_keep_their_digits(rng, solver):
    X = spectrum_data(rng)
    near, far = (PCA(3, svd_solver=solver, random_state=0).fit(data) for data in (X, X + 1e8))
    # at 1e8 the data themselves are rounded to 1e-8
    np.testing.assert_allclose(near.components_, far.components_, atol=1e-7)
    np.testing.assert_allclose(near.explained_variance_, far.explained_variance_, rtol=1e-7)


@pytest.mark.parametrize("solver", ["covariance_eigh", "arpack", "krylov", "randomized", "power"])
def test_sparse_rows_are_centred_without_becoming_dense(rng, solver):
    S = sp.random_array((200, 30), density=0.1, rng=rng, format="csr")
    sparse = PCA(4, svd_solver=solver, random_state=0, iterated_power=30).fit(S)
    dense = ScikitPCA(4, svd_solver="full").fit(S.toarray())
    np.testing.assert_allclose(sparse.explained_variance_, dense.explained_variance_, rtol=1e-5)
    np.testing.assert_allclose(
        np.abs(np.sum(sparse.components_ * dense.components_, axis=1)), 1.0, atol=1e-3
    )
    np.testing.assert_allclose(sparse.transform(S), sparse.transform(S.toarray()), atol=1e-10)
    np.testing.assert_allclose(sparse.score_samples(S), sparse.score_samples(S.toarray()))


@pytest.mark.parametrize("n", [60, 400])  # formed whole, and by Lanczos
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_sparse_rows_fewer_than_columns_are_searched_through_their_inner_products(
    rng, monkeypatch, n, dtype
):
    searched = []
    of_lanczos = iterative.lanczos_start

    def noted(dim, *args, **kwargs):
        searched.append(dim)
        return of_lanczos(dim, *args, **kwargs)

    monkeypatch.setattr(iterative, "lanczos_start", noted)
    X = sp.random_array((n, 2000), density=0.02, rng=rng, format="csr", dtype=dtype)
    X[:, :40] *= 3.0
    weight = rng.integers(1, 4, size=n)
    found = PCA(5, random_state=0).fit(X, sample_weight=weight)
    repeated = np.repeat(X.toarray().astype(np.float64), weight, axis=0)
    exact = PCA(5, svd_solver="full").fit(repeated)
    assert searched == ([] if n == 60 else [n])
    # Lanczos stops where a share of 1e-9 of all variance is ahead (float32: 1e-6)
    total = exact.explained_variance_.sum() / exact.explained_variance_ratio_.sum()
    left = total * (1e-9 if dtype == np.float64 else 1e-6)
    np.testing.assert_allclose(found.explained_variance_, exact.explained_variance_, atol=left)
    identity = found.components_ @ found.components_.T
    np.testing.assert_allclose(identity, np.eye(5), atol=100 * np.finfo(dtype).eps)
    captured = np.sum((exact.components_ @ found.components_.T) ** 2)
    assert captured == pytest.approx(5.0, abs=1e-3)
