"""Products and decompositions on threads: what NumPy gives, and the same bits everywhere."""

import numpy as np
import pytest
import scipy.linalg

from lowdim.core.config import config_context
from lowdim.linalg import products
from lowdim.linalg.products import (
    dense_times,
    gram,
    inner_products,
    is_tall,
    orthonormal,
    right_svd,
    sum_of_products,
    tall_qr,
    tall_r,
    thin_svd,
    times_row_by_row,
)
from tests.blas import blas_on

# (n, m, d) of products that are cut by rows, by columns, by the sum over both, and not at all
PRODUCTS = [(700, 300, 200), (200, 300, 700), (20, 300_000, 20), (1500, 1500, 1), (7, 5, 3)]
TALL = [(4000, 60), (1000, 60), (9000, 31)]


@pytest.fixture(autouse=True)
def one_blas_thread():
    with blas_on(1):
        yield


def rounding(*arrays, terms):
    """What sums of so many terms may differ by in another order."""
    return terms * np.finfo(arrays[0].dtype).eps * max(np.abs(a).max() for a in arrays) ** 2


def in_every_setting(function):
    """Results for several numbers of our threads, and BLAS threads outside."""
    for threads in (1, 2, 3):
        for blas in (1, 2, 4):
            with config_context(threads=threads), blas_on(blas):
                yield function()


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("shape", PRODUCTS, ids=str)
def test_a_product_is_that_of_numpy(shape, dtype, order, rng):
    n, m, d = shape
    A = np.array(rng.normal(size=(n, m)), dtype, order=order)
    B = np.array(rng.normal(size=(m, d)), dtype, order=order)
    product = dense_times(A, B)
    assert product.dtype == dtype and product.shape == (n, d)
    # errors of m rounded terms add up as in a random walk: 30 times that of one row is never met
    np.testing.assert_allclose(product, A @ B, rtol=0, atol=rounding(A, B, terms=30 * np.sqrt(m)))


@pytest.mark.parametrize("shape", PRODUCTS[:3], ids=str)
def test_threads_change_no_bit_of_a_product(shape, rng):
    n, m, d = shape
    A, B = rng.normal(size=(n, m)), rng.normal(size=(m, d))
    first, *others = in_every_setting(lambda: dense_times(A, B))
    for other in others:
        np.testing.assert_array_equal(first, other)


def test_large_products_are_cut_and_small_ones_are_not():
    assert len(products._cuts(2000, 12)) == 12 and len(products._cuts(300, 12)) == 3
    for length in (1, 127, 128, 129, 5000):
        cuts = products._cuts(length, 12)
        assert [i for cut in cuts for i in range(cut.start, cut.stop)] == list(range(length))


def test_where_a_lies_in_memory_changes_no_bit(rng):
    """Otherwise a result would depend on what the allocator did before."""
    values = rng.normal(size=(103, 57))
    found = []
    for shift in (0, 1, 3, 5):
        memory = np.empty(values.size + 8)
        A = memory[shift : shift + values.size].reshape(values.shape)
        A[...] = values
        with blas_on(1):
            found.append([A.T @ A, A @ A[0], np.linalg.qr(A)[1], scipy.linalg.svd(A)[1], A.sum(0)])
    for other in found[1:]:
        for left, right in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("shape", TALL, ids=str)
def test_a_tall_matrix_is_q_times_r(shape, rng):
    A = rng.normal(size=shape) * np.logspace(0, -9, shape[1])
    assert is_tall(shape) == (shape[0] > 2000)
    found = tall_qr(A)
    Q = found.times(np.eye(shape[1]))
    np.testing.assert_allclose(Q.T @ Q, np.eye(shape[1]), atol=1e-13)
    np.testing.assert_allclose(Q @ found.R, A, rtol=0, atol=1e-13 * np.abs(A).max())
    np.testing.assert_allclose(np.abs(tall_r(A)), np.abs(found.R), rtol=1e-10, atol=1e-14)
    assert not np.tril(found.R, -1).any()
    np.testing.assert_allclose(orthonormal(A).T @ A, np.triu(orthonormal(A).T @ A), atol=1e-12)


@pytest.mark.parametrize("shape", TALL, ids=str)
@pytest.mark.parametrize("wide", [False, True])
def test_singular_values_of_tall_and_wide_matrices_are_lapacks(shape, wide, rng):
    A = rng.normal(size=shape) * np.logspace(0, -9, shape[1])
    A = A.T if wide else A
    U, s, Vt = thin_svd(A, 7)
    U_, s_, Vt_ = scipy.linalg.svd(A, full_matrices=False)
    # LAPACK's own error is a few eps of the largest singular value
    np.testing.assert_allclose(s, s_, rtol=0, atol=1e-14 * s_[0])
    for found, true in ((U, U_[:, :7]), (Vt.T, Vt_[:7].T)):
        assert found.shape == true.shape
        np.testing.assert_allclose(found.T @ found, np.eye(7), atol=1e-13)
        np.testing.assert_allclose(np.abs(np.sum(found * true, axis=0)), 1.0, atol=1e-12)
    for left, right in zip(right_svd(A, 7), (s, Vt), strict=True):
        np.testing.assert_allclose(np.abs(left), np.abs(right), atol=1e-11)


def test_a_tall_matrix_of_low_rank_has_orthonormal_vectors(rng):
    A = rng.normal(size=(4000, 2)) @ rng.normal(size=(2, 60))
    U, s, Vt = thin_svd(A, 10)
    np.testing.assert_allclose(U.T @ U, np.eye(10), atol=1e-13)
    assert (s[2:] < 1e-12 * s[0]).all()
    np.testing.assert_allclose((U * s[:10]) @ Vt, A, atol=1e-11)


def test_threads_change_no_bit_of_a_decomposition(rng):
    A = rng.normal(size=(4000, 60))
    first, *others = in_every_setting(
        lambda: (*thin_svd(A, 60), orthonormal(A), right_svd(A, 9)[1])
    )
    for other in others:
        for left, right in zip(first, other, strict=True):
            np.testing.assert_array_equal(left, right)


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("shape", [(12, 300), (784, 500), (5, 2), (1, 50), (3, 1), (600, 33)])
def test_rows_of_a_product_do_not_depend_on_each_other(shape, order, rng):
    """One row, some of them, or all in another order: to the bit."""
    m, d = shape
    A, B = rng.normal(size=(3 * products.PANEL + 7, m)), rng.normal(size=(m, d))
    B = np.asarray(B, order=order)
    whole = times_row_by_row(A, B)
    np.testing.assert_allclose(whole, A @ B, atol=1e-13 * m)
    for i in range(0, len(A), 5):
        np.testing.assert_array_equal(times_row_by_row(A[i : i + 1], B)[0], whole[i])
    mixed = rng.permutation(len(A))[:101]
    np.testing.assert_array_equal(times_row_by_row(A[mixed], B), whole[mixed])


def test_sums_of_products_and_grams_are_those_of_numpy(rng):
    A = [rng.normal(size=(9000, m)).astype(np.float32) for m in (5, 9)]
    B = [rng.normal(size=(m, 7)).astype(np.float32) for m in (5, 9)]
    expected = A[0].astype(float) @ B[0] + A[1].astype(float) @ B[1]
    for found in in_every_setting(lambda: sum_of_products(A, B)):
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, expected, atol=rounding(*A, *B, terms=14))
    plus = rng.normal(size=(9000, 7)).astype(np.float32)
    for found in in_every_setting(lambda: sum_of_products(A, B, plus)):
        np.testing.assert_allclose(found, expected + plus, atol=rounding(*A, *B, terms=15))
    inside = np.hstack(A).astype(float).T @ plus
    for found in in_every_setting(lambda: inner_products(A, plus)):
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, inside, atol=rounding(*A, plus, terms=9000))
    for found in in_every_setting(lambda: gram(A[1])):
        assert found.dtype == np.float64
        np.testing.assert_allclose(found, A[1].T.astype(float) @ A[1], rtol=1e-12, atol=1e-9)
