"""Norms of matrices, dense and sparse."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import aslinearoperator

from lowdim.linalg import centered, frobenius, induced, nuclear, spectral

NORMS = [frobenius, spectral, nuclear, lambda A: induced(A, 1), lambda A: induced(A, np.inf)]


# ---- golden values -------------------------------------------------------------------------------


def test_norms_of_a_matrix_worked_by_hand():
    A = np.array([[3.0, 0.0], [0.0, -4.0], [0.0, 0.0]])
    assert frobenius(A) == pytest.approx(5.0, rel=1e-15)
    assert spectral(A) == pytest.approx(4.0, rel=1e-15)
    assert nuclear(A) == pytest.approx(7.0, rel=1e-15)
    B = [[1, -2], [3, 4]]
    assert induced(B, 1) == 6.0 and induced(B, np.inf) == 7.0
    assert induced(B, 2) == pytest.approx(np.sqrt(15 + np.sqrt(125)), rel=1e-14)


def test_norms_of_zero_are_zero():
    for A in (np.zeros((3, 2)), sp.csr_array((3, 2)), np.zeros((1, 1), dtype=np.float32)):
        for norm in NORMS:
            assert norm(A) == 0.0


# ---- properties ----------------------------------------------------------------------------------


@pytest.mark.parametrize("norm", NORMS)
def test_norms_are_norms(norm, rng):
    A, B = rng.standard_normal((6, 4)), rng.standard_normal((6, 4))
    assert norm(A) > 0
    assert norm(-2.5 * A) == pytest.approx(2.5 * norm(A), rel=1e-13)
    assert norm(A + B) <= norm(A) + norm(B) + 1e-12


def test_norms_are_in_their_order(rng):
    A = rng.standard_normal((7, 5))
    assert spectral(A) <= frobenius(A) <= nuclear(A) <= np.sqrt(5) * frobenius(A) + 1e-12
    assert spectral(A) ** 2 <= induced(A, 1) * induced(A, np.inf)


@pytest.mark.parametrize("norm", [frobenius, spectral, nuclear])
def test_rotations_do_not_change_them(norm, rng):
    A = rng.standard_normal((6, 4))
    U, V = (np.linalg.qr(rng.standard_normal((m, m)))[0] for m in (6, 4))
    assert norm(U @ A @ V) == pytest.approx(norm(A), rel=1e-13)


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e150, 1e300])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_extreme_scales_neither_overflow_nor_vanish(norm, scale, kind, rng):
    A = rng.standard_normal((6, 4))
    assert norm(kind(A * scale)) / scale == pytest.approx(norm(A), rel=1e-12)


def test_frobenius_of_many_float32_keeps_its_digits():
    A = np.full((1000, 300), 0.1, dtype=np.float32)
    assert frobenius(A) == pytest.approx(float(A[0, 0]) * np.sqrt(300_000), rel=1e-12)


# ---- two roads, one result -----------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(8, 5), (5, 8), (1, 6), (6, 1), (1, 1)])
def test_norms_agree_with_numpy(shape, rng):
    A = rng.standard_normal(shape)
    for kind in (np.asarray, np.asfortranarray, sp.csr_array, sp.csc_array, sp.coo_matrix):
        B = kind(A)
        assert frobenius(B) == pytest.approx(np.linalg.norm(A), rel=1e-14)
        assert spectral(B) == pytest.approx(np.linalg.norm(A, 2), rel=1e-12)
        assert nuclear(B) == pytest.approx(np.linalg.norm(A, "nuc"), rel=1e-13)
        for p in (1, 2, np.inf):
            assert induced(B, p) == pytest.approx(np.linalg.norm(A, p), rel=1e-12)


def test_spectral_norm_of_large_matrices_and_operators_by_lanczos(rng):
    A = rng.standard_normal((700, 600))
    exact = np.linalg.norm(A, 2)
    assert spectral(A) == pytest.approx(exact, rel=1e-10)
    assert spectral(aslinearoperator(A)) == pytest.approx(exact, rel=1e-10)
    assert spectral(centered(A, A.mean(axis=0))) == pytest.approx(
        np.linalg.norm(A - A.mean(axis=0), 2), rel=1e-10
    )


def test_entries_stored_in_parts_count_as_their_sum():
    A = sp.csr_array((np.array([3.0, -1.0]), np.array([0, 0]), np.array([0, 2])), shape=(1, 2))
    for norm in NORMS:
        assert norm(A) == pytest.approx(2.0)
    assert A.nnz == 2  # the input stays as it was


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.parametrize("norm", NORMS)
def test_bad_matrices_are_named(norm):
    for A, message in (
        ([1.0, 2.0], "A has 1 dimensions"),
        (np.ones((0, 2)), "A is empty"),
        ([[np.nan]], "A holds NaN"),
        (sp.csr_array([[np.inf, 1.0]]), "A holds infinity"),
        ([["a"]], "A holds values of dtype"),
    ):
        with pytest.raises(ValueError, match=message):
            norm(A)


def test_other_p_are_refused():
    with pytest.raises(ValueError, match="p=3 is not known; choose one of 1, 2, inf"):
        induced(np.eye(2), 3)
