"""Soft thresholding of numbers and of singular values."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse.linalg import aslinearoperator

from lowdim.linalg import nuclear, shrink, shrink_svd, soft_threshold, spectral


def low_rank_plus_noise(n, d, rank, rng):
    return 5 * rng.standard_normal((n, rank)) @ rng.standard_normal((rank, d)) + (
        0.1 * rng.standard_normal((n, d))
    )


# ---- golden values -------------------------------------------------------------------------------


def test_soft_threshold_moves_towards_zero_and_stops_there():
    x = np.array([-3.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.5])
    np.testing.assert_array_equal(soft_threshold(x, 1.0), [-2.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.5])
    np.testing.assert_array_equal(soft_threshold(x, 0.0), x)
    np.testing.assert_array_equal(soft_threshold([3, 3], [1.0, 5.0]), [2.0, 0.0])
    np.testing.assert_array_equal(soft_threshold([np.nan, np.inf], 1.0), [np.nan, np.inf])


def test_shrink_of_a_diagonal_matrix():
    np.testing.assert_allclose(
        shrink(np.diag([5.0, 2.0, 0.5]), 1.0), np.diag([4.0, 1.0, 0.0]), atol=1e-15
    )


# ---- the derivation ------------------------------------------------------------------------------


@given(st.floats(-1e6, 1e6), st.floats(0, 1e6))
def test_soft_threshold_meets_the_subgradient_condition(x, t):
    # 0 in b - x + t sign(b) for b != 0, |x| <= t for b = 0; rounding of x - t is all that is left
    b = float(soft_threshold(x, t))
    assert abs(x) <= t if b == 0 else abs(b - x + t * np.sign(b)) <= 1e-15 * max(abs(x), t)


@pytest.mark.parametrize("shape", [(30, 20), (20, 30), (700, 600)])
def test_shrink_meets_the_subgradient_condition(shape, rng):
    # 0 in B - A + t d||B||_*: A - B = t (U V' + M) with U'M = 0, M V = 0 and ||M|| <= 1
    A = low_rank_plus_noise(*shape, 4, rng)
    t = 8.0
    U, s, Vt = shrink_svd(A, t, random=rng)
    B = (U * s) @ Vt
    assert 0 < len(s) < min(shape) and (s > 0).all()
    M = (A - B) / t - U @ Vt
    np.testing.assert_allclose(U.T @ M, 0.0, atol=1e-8)
    np.testing.assert_allclose(M @ Vt.T, 0.0, atol=1e-8)
    assert np.linalg.norm(M, 2) <= 1 + 1e-8


def test_no_nearby_matrix_has_a_lower_objective(rng):
    A, t = rng.standard_normal((10, 8)), 1.5

    def objective(B):
        return 0.5 * np.sum((A - B) ** 2) + t * nuclear(B)

    B = shrink(A, t)
    for size in (1e-3, 1e-1):
        for _ in range(30):
            assert objective(B + size * rng.standard_normal(B.shape)) > objective(B)


# ---- properties ----------------------------------------------------------------------------------


def test_shrinking_is_nonexpansive(rng):
    for _ in range(20):
        A, B = rng.standard_normal((6, 5)), rng.standard_normal((6, 5))
        assert np.linalg.norm(shrink(A, 0.8) - shrink(B, 0.8)) <= np.linalg.norm(A - B) + 1e-12


@pytest.mark.parametrize("rank", [None, 0, 1, 3, 7, 400, 10_000])
def test_the_guess_of_the_rank_does_not_change_the_result(rank, rng):
    A = low_rank_plus_noise(620, 550, 6, rng)
    exact = np.linalg.svd(A)
    kept = exact.S > 20.0
    expected = (exact.U[:, : len(kept)] * np.where(kept, exact.S - 20.0, 0)) @ exact.Vh
    np.testing.assert_allclose(shrink(A, 20.0, rank=rank), expected, atol=1e-7)


@pytest.mark.parametrize("kind", [sp.csr_array, sp.csc_matrix, aslinearoperator])
def test_sparse_matrices_and_operators_agree_with_dense(kind, rng):
    A = sp.random_array((80, 60), density=0.1, rng=rng).toarray()
    for t in (0.3, 1.5, 0.9 * spectral(A), 2 * spectral(A)):
        found = shrink_svd(kind(A), t)
        np.testing.assert_allclose(found.matrix(), shrink(A, t), atol=1e-7)
        assert len(found.s) == np.sum(np.linalg.svd(A, compute_uv=False) > t)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_equal_singular_values_just_above_the_threshold_all_survive(kind):
    for count in (1, 3):
        A = np.zeros((600, 550))
        A[range(count), range(count)] = 10.0
        found = shrink_svd(kind(A), 9.9)
        np.testing.assert_allclose(found.s, np.full(count, 0.1), rtol=1e-10)


def test_a_threshold_that_is_nothing_beside_the_matrix():
    A = 1e200 * np.eye(3)
    np.testing.assert_allclose(shrink(A, 1e-10), A, rtol=1e-13)


def test_nothing_survives_a_threshold_above_the_norm(rng):
    A = rng.standard_normal((6, 4))
    np.testing.assert_array_equal(shrink(A, spectral(A) * 1.001), np.zeros((6, 4)))
    nothing = shrink_svd(sp.csr_array(A), 1e6)
    assert nothing.U.shape == (6, 0) and nothing.s.shape == (0,) and nothing.Vt.shape == (0, 4)
    np.testing.assert_array_equal(shrink(np.zeros((3, 2)), 0.0), np.zeros((3, 2)))


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_scale_does_not_matter(scale, rng):
    A = rng.standard_normal((20, 10))
    np.testing.assert_allclose(shrink(A * scale, 2.0 * scale) / scale, shrink(A, 2.0), atol=1e-13)


def test_float32_stays_float32(rng):
    A = low_rank_plus_noise(40, 30, 2, rng).astype(np.float32)
    assert shrink(A, 3.0).dtype == np.float32
    assert soft_threshold(A, 3.0).dtype == np.float32
    assert soft_threshold([1, 2], 1).dtype == np.float64


def test_threshold_zero_changes_nothing(rng):
    A = rng.standard_normal((9, 7))
    np.testing.assert_allclose(shrink(A, 0.0), A, atol=1e-13)


# ---- the door ------------------------------------------------------------------------------------


def test_bad_arguments_are_named():
    for t, message in ((-1.0, "t=-1.0 must be at least 0"), (np.nan, "t=nan must be a number")):
        with pytest.raises(ValueError, match=message):
            shrink(np.eye(2), t)
        with pytest.raises(ValueError, match="negative or NaN entries; thresholds are 0 or more"):
            soft_threshold([1.0], t)
    with pytest.raises(ValueError, match="A holds NaN"):
        shrink([[np.nan]], 1.0)
    with pytest.raises(ValueError, match="rank=-1 is too small"):
        shrink(np.eye(2), 1.0, rank=-1)
