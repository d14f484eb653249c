"""Sparse plus low rank: products, singular values and sampled entries, against dense NumPy."""

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.linalg.sparse import (
    SparseLowRank,
    _add_to_columns,
    _dots,
    _find_in_rows,
    _rows_times,
    both_ways,
    by_column,
    in_runs,
    product_at,
    row_cuts,
    row_numbers,
    sparse_times,
    spectral_norm,
    svd_of_product,
    top_svd,
    transposed_times,
    zero_svd,
)


def planted(rng, n=60, d=40, k=3, part=0.3):
    X = np.where(rng.random((n, d)) < part, rng.normal(size=(n, d)), 0.0)
    L, R = rng.normal(size=(n, k)), rng.normal(size=(d, k))
    return both_ways(sp.csr_array(X)), L, R, X + L @ R.T


def test_products_are_those_of_the_dense_matrix(rng):
    S, L, R, dense = planted(rng)
    A = SparseLowRank(S, L, R)
    V, U = rng.normal(size=(40, 5)), rng.normal(size=(60, 5))
    np.testing.assert_allclose(A @ V, dense @ V, atol=1e-12)
    np.testing.assert_allclose(A.H @ U, dense.T @ U, atol=1e-12)
    np.testing.assert_allclose(A @ V[:, 0], dense @ V[:, 0], atol=1e-12)
    np.testing.assert_allclose(A.H @ U[:, 0], dense.T @ U[:, 0], atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(60, 40), (40, 300), (300, 7)])
def test_a_matrix_is_turned_in_runs_of_rows(rng, shape, dtype, monkeypatch):
    X = sp.random_array(shape, density=0.3, rng=rng, format="csr", dtype=dtype)
    expected = X.T.tocsr()
    monkeypatch.setattr("lowdim.linalg.sparse.ENTRIES_PER_RUN", 50)
    found = by_column(X)
    for part in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(found, part), getattr(expected, part))
    assert found.dtype == dtype and found.indices.dtype == np.int32


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(60, 40), (40, 300), (300, 7), (5, 4)])
def test_products_with_the_transpose_need_no_twin_and_runs_change_no_bit(
    rng, shape, dtype, monkeypatch
):
    X = sp.random_array(shape, density=0.3, rng=rng, format="csr", dtype=dtype)
    U = rng.normal(size=(shape[0], 5)).astype(dtype)
    whole = in_runs(X)
    monkeypatch.setattr("lowdim.linalg.sparse.ENTRIES_PER_CUT", 10)
    monkeypatch.setattr("lowdim.linalg.sparse.LEAST_ENTRIES", 0.5)
    cut = in_runs(X)
    assert len(whole.edges) == 2 and (len(cut.edges) > 2 or X.nnz < 20)
    product = cut.transposed_times(U)
    assert product.dtype == dtype
    np.testing.assert_array_equal(product, whole.transposed_times(U))
    np.testing.assert_allclose(product, X.T @ U, rtol=1e-5, atol=1e-5)
    with lowdim.config_context(threads=1):
        np.testing.assert_array_equal(cut.transposed_times(U), product)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_columns_in_any_order_have_the_same_products_with_the_transpose(rng, dtype, monkeypatch):
    X = sp.random_array((60, 7), density=0.4, rng=rng, format="csr", dtype=dtype)
    U = rng.normal(size=(60, 5)).astype(dtype)
    turned = X.copy()
    for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True):
        turned.indices[a:b], turned.data[a:b] = X.indices[a:b][::-1], X.data[a:b][::-1]
    monkeypatch.setattr("lowdim.linalg.sparse.ENTRIES_PER_CUT", 10)
    product = transposed_times(turned, U)
    assert product.dtype == dtype
    np.testing.assert_allclose(product, X.T @ U, rtol=1e-5, atol=1e-5)
    with lowdim.config_context(threads=1):
        np.testing.assert_array_equal(transposed_times(turned, U), product)


def test_kernels_of_the_transpose_equal_their_python_form(rng):
    X = sp.random_array((30, 20), density=0.3, rng=rng, format="csr")
    U, first, last = rng.normal(size=(30, 3)), X.indptr[:-1].copy(), X.indptr[1:].copy()
    middle, again = np.empty_like(first), np.empty_like(first)
    _find_in_rows(8, first, last, X.indices, middle)
    _find_in_rows.python(8, first, last, X.indices, again)
    np.testing.assert_array_equal(middle, again)
    found, plain = np.zeros((20, 3)), np.zeros((20, 3))
    _add_to_columns(first, middle, X.indices, X.data, U, found)
    _add_to_columns.python(first, middle, X.indices, X.data, U, plain)
    np.testing.assert_array_equal(found, plain)
    np.testing.assert_allclose(found[:8], (X.T @ U)[:8], atol=1e-12)
    assert not found[8:].any()


def test_the_product_of_some_rows_is_that_part_of_the_whole(rng):
    X = sp.random_array((30, 20), density=0.3, rng=rng, format="csr")
    V = rng.normal(size=(20, 3))
    some = slice(7, 19)
    np.testing.assert_array_equal(sparse_times(X, V, some), sparse_times(X, V)[some])


@pytest.mark.parametrize("shape", [(60, 400), (400, 60), (150, 150), (7, 5)])
def test_top_singular_values_are_those_of_lapack(rng, shape):
    S, L, R, dense = planted(rng, *shape)
    found = top_svd(SparseLowRank(S, L, R), 3)
    U, s, Vt = np.linalg.svd(dense, full_matrices=False)
    np.testing.assert_allclose(found.s, s[:3], rtol=1e-10)
    np.testing.assert_allclose(found.matrix(), (U[:, :3] * s[:3]) @ Vt[:3], atol=1e-6)


def test_a_start_at_the_solution_needs_one_pass(rng):
    S, L, R, _ = planted(rng, 300, 200)
    A = SparseLowRank(S, L, R)
    exact = top_svd(A, 3)
    again = top_svd(A, 3, start=exact, max_passes=1)
    np.testing.assert_allclose(again.matrix(), exact.matrix(), atol=1e-6)


def test_a_start_that_fills_the_space_is_taken_as_well(rng):
    S, L, R, dense = planted(rng, 80, 50, 30)
    A = SparseLowRank(S, L, R)
    found = top_svd(A, 31, start=top_svd(A, 30))
    np.testing.assert_allclose(found.s, np.linalg.svd(dense)[1][:31], rtol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [1, 4, 7])
def test_sampled_entries_and_the_kernel_equal_their_numpy_twin(rng, dtype, k):
    S, L, R, _ = planted(rng, k=k)
    L, R = L.astype(dtype), R.astype(dtype)
    rows = np.repeat(np.arange(60), np.diff(S.by_rows.indptr))
    twin = np.einsum("ek,ek->e", L[rows], R[S.by_rows.indices])
    values = S.product_at(L, R)
    assert values.dtype == dtype
    np.testing.assert_allclose(values, twin, rtol=1e-4 if dtype == np.float32 else 1e-12, atol=1e-5)
    plain = np.zeros_like(values)
    _dots.python(0, 60, S.by_rows.indptr, S.by_rows.indices, L, R, plain)
    np.testing.assert_allclose(values, plain, rtol=1e-5, atol=1e-6)


def test_values_by_columns_follow_those_by_rows(rng):
    S, *_ = planted(rng)
    new = rng.normal(size=S.by_rows.nnz)
    changed = S.with_values(new)
    np.testing.assert_array_equal(changed.by_columns.toarray(), changed.by_rows.toarray().T)


def test_threads_change_no_bit(rng, monkeypatch):
    monkeypatch.setattr("lowdim.linalg.sparse.ENTRIES_PER_CUT", 50)
    S, L, R, _ = planted(rng)
    A = SparseLowRank(S, L, R)
    results = []
    for threads in (1, 2, 3):
        with lowdim.config_context(threads=threads):
            results.append(top_svd(A, 3).matrix())
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


def test_svd_of_a_product_of_factors(rng):
    L, R = rng.normal(size=(30, 4)), rng.normal(size=(20, 4))
    found = svd_of_product(L, R)
    np.testing.assert_allclose(found.matrix(), L @ R.T, atol=1e-12)
    np.testing.assert_allclose(found.U.T @ found.U, np.eye(4), atol=1e-12)
    empty = svd_of_product(L[:, :0], R[:, :0])
    assert empty.matrix().shape == (30, 20) and not empty.matrix().any()


def test_nothing_is_zero_and_its_spectral_norm_too(rng):
    S, *_ = planted(rng)
    zero = S.with_values(np.zeros(S.by_rows.nnz))
    assert spectral_norm(zero) == 0.0
    assert zero_svd(3, 2, np.float32).matrix().dtype == np.float32
    assert product_at(S.by_rows, np.zeros((60, 0)), np.zeros((40, 0))).sum() == 0.0


def test_the_twin_by_column_of_an_empty_row_keeps_its_place():
    X = sp.csr_array([[0.0, 1.0], [0.0, 0.0]])
    twin = by_column(X)
    np.testing.assert_array_equal(row_numbers(twin), [1])


def test_cuts_cover_all_rows_once_with_about_equal_work(rng):
    work = np.concatenate([[0], np.cumsum(rng.integers(0, 50, size=200))])
    cuts = row_cuts(work, 300)
    assert cuts[0][0] == 0 and cuts[-1][1] == 200
    assert all(last == first for (_, last), (first, _) in itertools.pairwise(cuts))
    # turns of 300 to 600 by their number, and a row of at most 50 to either side
    assert max(work[b] - work[a] for a, b in cuts) <= 650
    assert row_cuts(np.zeros(1), 300) == []  # no rows


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_kernel_of_products_equals_its_numpy_twin(rng, dtype):
    S = sp.random_array((30, 20), density=0.4, rng=rng, format="csr").astype(dtype)
    V = rng.normal(size=(20, 3)).astype(dtype)
    product = sparse_times(S, V)
    assert product.dtype == dtype
    np.testing.assert_allclose(product, S.toarray() @ V, rtol=1e-4, atol=1e-5)
    plain = np.empty_like(product)
    _rows_times.python(0, 30, S.indptr, S.indices, S.data, V, plain)
    np.testing.assert_allclose(product, plain, rtol=1e-5, atol=1e-6)
