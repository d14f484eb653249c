"""SVD by its three roads, best approximations, ranks and signs."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse.linalg import LinearOperator, aslinearoperator
from sklearn.utils.extmath import svd_flip

from lowdim.linalg import (
    SVD,
    best_rank_k,
    centered,
    deterministic_signs,
    effective_rank,
    fix_signs,
    principal_angles,
    stable_rank,
    svd,
)

ROADS = ["exact", "randomized", "krylov"]


def with_singular_values(s, n, d, rng):
    """A matrix (n, d) with these singular values."""
    U, V = (np.linalg.qr(rng.standard_normal((m, len(s))))[0] for m in (n, d))
    return (U * s) @ V.T


def assert_svd_of(A, found, k, rtol):
    U, s, Vt = found
    assert U.shape == (A.shape[0], k) and s.shape == (k,) and Vt.shape == (k, A.shape[1])
    np.testing.assert_allclose(s, np.linalg.svd(A, compute_uv=False)[:k], rtol=rtol)
    atol = 100 * np.finfo(s.dtype).eps
    np.testing.assert_allclose(U.T @ U, np.eye(k), atol=atol)
    np.testing.assert_allclose(Vt @ Vt.T, np.eye(k), atol=atol)


# ---- golden values -------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ROADS)
def test_rank_one_matrix_worked_by_hand(method):
    U, s, Vt = svd(np.outer([3.0, 4.0], [1.0, 2.0, 2.0]), 1, method, random=0)
    np.testing.assert_allclose(s, [15.0], rtol=1e-12)
    np.testing.assert_allclose(U, [[0.6], [0.8]], rtol=1e-12)
    np.testing.assert_allclose(Vt, [[1 / 3, 2 / 3, 2 / 3]], rtol=1e-12)


def test_best_rank_k_of_a_diagonal_matrix_and_its_error():
    A = np.diag([5.0, 4.0, 3.0])
    approximation, error = best_rank_k(A, 1)
    np.testing.assert_allclose(approximation, np.diag([5.0, 0.0, 0.0]), atol=1e-15)
    assert error.frobenius == pytest.approx(5.0) and error.spectral == pytest.approx(4.0)
    assert best_rank_k(A, 3).error == (0.0, 0.0)
    nothing, error = best_rank_k(A, 0)
    np.testing.assert_array_equal(nothing, np.zeros((3, 3)))
    assert error.frobenius == pytest.approx(np.sqrt(50.0)) and error.spectral == pytest.approx(5.0)


def test_effective_and_stable_rank_of_known_spectra():
    assert effective_rank(np.eye(4)) == pytest.approx(4.0)
    assert stable_rank(np.eye(4)) == pytest.approx(4.0)
    assert effective_rank([3.0, 1.0]) == pytest.approx(4 / 3**0.75)  # exp(H(3/4, 1/4))
    assert stable_rank([1.0, 2.0]) == pytest.approx(1.25)
    assert effective_rank(np.zeros((2, 3))) == stable_rank(np.zeros((2, 3))) == 0.0
    assert effective_rank([1e300, 1e300]) == pytest.approx(2.0)
    assert effective_rank([1e-300, 1e300]) == pytest.approx(1.0)


def test_signs_make_the_largest_entry_positive():
    components = np.array([[1.0, -3.0], [2.0, 1.0], [0.0, 0.0], [-2.0, 2.0]])
    expected = np.array([[-1.0, 3.0], [2.0, 1.0], [0.0, 0.0], [2.0, -2.0]])
    np.testing.assert_array_equal(deterministic_signs(components), expected)
    assert deterministic_signs(components.astype(np.float32)).dtype == np.float32
    assert deterministic_signs(np.zeros((0, 3))).shape == (0, 3)
    U, _ = fix_signs(np.eye(2), np.array([[-1.0, 0.0], [0.0, 0.0]]))
    np.testing.assert_array_equal(U, [[-1.0, 0.0], [0.0, 1.0]])  # a row of zeros turns nothing


# ---- the derivation ------------------------------------------------------------------------------


def test_error_of_the_best_approximation_is_what_is_left(rng):
    A = rng.standard_normal((20, 12))
    for k in (1, 5, 11):
        approximation, error = best_rank_k(A, k)
        assert np.linalg.matrix_rank(approximation) == k
        assert error.frobenius == pytest.approx(np.linalg.norm(A - approximation), rel=1e-12)
        assert error.spectral == pytest.approx(np.linalg.norm(A - approximation, 2), rel=1e-12)


def test_no_nearby_matrix_of_the_same_rank_is_closer(rng):
    A = rng.standard_normal((8, 6))
    U, s, Vt = svd(A, 2)
    best = best_rank_k(A, 2).error.frobenius
    for _ in range(50):
        L = U * s + 1e-3 * rng.standard_normal(U.shape)
        R = Vt + 1e-3 * rng.standard_normal(Vt.shape)
        assert np.linalg.norm(A - L @ R) >= best


def test_more_power_iterations_and_krylov_come_closer(rng):
    A = with_singular_values(np.linspace(1, 2, 60)[::-1], 80, 60, rng)
    captured = [
        np.sum(svd(A, 5, "randomized", n_iter=q, oversampling=2, random=1).s ** 2)
        for q in (0, 2, 8)
    ]
    assert captured[0] < captured[1] < captured[2]


def test_krylov_beats_power_iterations_with_the_same_products(rng):
    A = with_singular_values(np.linspace(1, 2, 300)[::-1], 320, 300, rng)
    power = svd(A, 10, "randomized", n_iter=4, oversampling=0, random=0).s
    krylov = svd(A, 10, "krylov", n_iter=4, random=0).s
    assert np.sum(krylov**2) > np.sum(power**2)


# ---- properties ----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ROADS)
@pytest.mark.parametrize("shape", [(80, 30), (30, 80), (40, 40), (1, 25), (25, 1), (1, 1)])
def test_every_road_gives_the_singular_values_of_any_shape(method, shape, rng):
    s = 0.5 ** np.arange(min(shape))
    A = with_singular_values(s, *shape, rng)
    k = min(5, *shape)
    assert_svd_of(A, svd(A, k, method, random=rng), k, rtol=1e-10)
    full = svd(A, min(shape), method, random=rng)
    np.testing.assert_allclose(full.matrix(), A, atol=1e-7)  # what krylov's squares can resolve


@pytest.mark.parametrize("method", ROADS)
@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1.0, 1e150, 1e300])
def test_scale_does_not_matter(method, scale, rng):
    A = with_singular_values(0.7 ** np.arange(20), 50, 20, rng)
    U, s, Vt = svd(A * scale, 3, method, random=0)
    np.testing.assert_allclose(s / scale, 0.7 ** np.arange(3), rtol=1e-9)
    assert principal_angles(Vt.T, svd(A, 3).Vt.T).max() < 1e-7
    np.testing.assert_allclose(U.T @ U, np.eye(3), atol=1e-13)


@pytest.mark.parametrize("method", ROADS)
def test_float32_stays_float32(method, rng):
    A = with_singular_values(0.5 ** np.arange(20), 60, 20, rng).astype(np.float32)
    found = svd(A, 4, method, random=0)
    assert {part.dtype for part in found} == {np.dtype(np.float32)}
    assert_svd_of(A, found, 4, rtol=1e-5)


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint16, np.float16, object])
def test_other_numbers_become_float64(dtype):
    A = np.array([[1, 0, 1], [0, 1, 0]]).astype(dtype)
    assert svd(A).s.dtype == np.float64
    np.testing.assert_allclose(svd(A).s, [np.sqrt(2.0), 1.0])


@pytest.mark.parametrize("method", ROADS)
def test_input_is_not_changed_and_may_be_a_read_only_view(method, rng):
    A = rng.standard_normal((60, 40))
    view = A[::2, ::-1]
    view.flags.writeable = False
    before = A.copy()
    np.testing.assert_allclose(
        svd(view, 3, method, random=0).s,
        svd(view.copy(), 3, method, random=0).s,
        rtol=1e-12,
    )
    np.testing.assert_array_equal(A, before)


@pytest.mark.parametrize("method", ROADS)
def test_low_rank_zero_and_constant_matrices(method, rng):
    zero = svd(np.zeros((30, 20)), 3, method, random=0)
    np.testing.assert_array_equal(zero.s, np.zeros(3))
    np.testing.assert_allclose(zero.Vt @ zero.Vt.T, np.eye(3), atol=1e-13)
    np.testing.assert_allclose(zero.U.T @ zero.U, np.eye(3), atol=1e-13)
    constant = svd(np.full((30, 20), 7.0), 3, method, random=0)
    # krylov sees squares: rounding of 1e-16 becomes 1e-8
    np.testing.assert_allclose(constant.s, [7 * np.sqrt(600.0), 0, 0], atol=1e-5)
    np.testing.assert_allclose(constant.U.T @ constant.U, np.eye(3), atol=1e-13)


@pytest.mark.parametrize("method", ["randomized", "krylov"])
def test_the_same_seed_gives_the_same_result(method, rng):
    A = rng.standard_normal((200, 150))
    first, second = (svd(A, 5, method, random=7) for _ in range(2))
    for mine, yours in zip(first, second, strict=True):
        np.testing.assert_array_equal(mine, yours)


@given(
    arrays(
        np.float64,
        st.tuples(st.integers(1, 6), st.integers(1, 6)),
        elements=st.floats(-1e100, 1e100),
    )
)
def test_exact_svd_rebuilds_any_matrix(A):
    found = svd(A)
    np.testing.assert_allclose(found.matrix(), A, atol=1e-13 * max(np.abs(A).max(), 1e-300))


# ---- two roads, one result -----------------------------------------------------------------------


@pytest.mark.parametrize("normalizer", ["QR", "LU", "none"])
def test_normalizers_span_the_same_space(normalizer, rng):
    A = with_singular_values(0.6 ** np.arange(20), 40, 20, rng)
    found = svd(A, 4, "randomized", n_iter=2, normalizer=normalizer, random=3)
    assert_svd_of(A, found, 4, rtol=1e-6)


@pytest.mark.parametrize("method", ["auto", "randomized", "krylov"])
@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "lil", "matrix", "operator"])
def test_sparse_matrices_and_operators_agree_with_dense(method, kind, rng):
    A = sp.random_array((90, 70), density=0.2, rng=rng)
    A.data += 1.0
    B = {
        "matrix": lambda: sp.csr_matrix(A),
        "operator": lambda: aslinearoperator(A.tocsr()),
    }.get(kind, lambda: A.asformat(kind))()
    found = svd(B, 3, method, n_iter=30 if method == "randomized" else None, random=rng)
    assert_svd_of(A.toarray(), found, 3, rtol=1e-8)


@pytest.mark.parametrize("method", ["randomized", "krylov"])
@pytest.mark.parametrize("shape", [(120, 80), (80, 120)])
def test_implicit_centring_agrees_with_explicit(method, shape, rng):
    A = sp.random_array(shape, density=0.1, rng=rng, format="csr")
    A.data += np.arange(len(A.data)) / len(A.data)
    mean = A.mean(axis=0)
    found = svd(centered(A, mean), 4, method, n_iter=60 if method == "randomized" else None)
    assert_svd_of(A.toarray() - mean, found, 4, rtol=1e-8)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csc_matrix, aslinearoperator])
def test_centered_is_the_centred_matrix_in_every_product(kind, rng):
    A, mean = rng.standard_normal((7, 5)).astype(np.float32), np.arange(5.0)
    C, D = centered(kind(A), mean), A - mean.astype(np.float32)
    assert C.shape == (7, 5) and C.dtype == np.float32 and isinstance(C, LinearOperator)
    V, Y = rng.standard_normal((5, 3)), rng.standard_normal((7, 2))
    np.testing.assert_allclose(C @ V, D @ V, atol=1e-5)
    np.testing.assert_allclose(C.H @ Y, D.T @ Y, atol=1e-5)
    np.testing.assert_allclose(C.T @ Y, D.T @ Y, atol=1e-5)
    np.testing.assert_allclose(C @ V[:, 0], D @ V[:, 0], atol=1e-5)
    np.testing.assert_allclose(C.rmatvec(Y[:, 0]), D.T @ Y[:, 0], atol=1e-5)
    product = C @ V.astype(np.float32)
    assert product.dtype == np.float32


def test_centred_sparse_matrix_is_never_densified():
    A = sp.coo_array((np.ones(10), (np.arange(10), np.arange(10))), shape=(10**6, 10**5)).tocsr()
    found = svd(centered(A, A.mean(axis=0)), 2, n_iter=2, random=0)  # 800 GB if it were dense
    np.testing.assert_allclose(found.s, [1.0, 1.0], atol=1e-5)


def test_signs_are_those_of_scikit_learn(rng):
    U, Vt = rng.standard_normal((9, 4)), rng.standard_normal((4, 6))
    for mine, theirs in zip(fix_signs(U, Vt), svd_flip(U, Vt, u_based_decision=False), strict=True):
        np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(deterministic_signs(Vt), fix_signs(U, Vt)[1])
    A = rng.standard_normal((30, 20))
    for method in ROADS:
        found = svd(A, 3, method, random=0)
        np.testing.assert_array_equal(deterministic_signs(found.Vt), found.Vt)


def test_auto_takes_lapack_for_small_matrices_and_krylov_for_large(rng):
    A = rng.standard_normal((600, 550))
    for mine, exact in zip(svd(A, 200), svd(A, 200, "exact"), strict=True):
        np.testing.assert_array_equal(mine, exact)
    for mine, krylov in zip(svd(A, 2, random=5), svd(A, 2, "krylov", random=5), strict=True):
        np.testing.assert_array_equal(mine, krylov)


# ---- a planted truth -----------------------------------------------------------------------------


@pytest.mark.parametrize("method", ROADS)
def test_planted_subspace_is_recovered(method, rng):
    V = np.linalg.qr(rng.standard_normal((60, 3)))[0]
    A = 10.0 * rng.standard_normal((400, 3)) @ V.T + 0.1 * rng.standard_normal((400, 60))
    # noise over signal 0.01, averaged over 400 rows: angles of about 0.01 sqrt(60 / 400)
    assert principal_angles(svd(A, 3, method, random=rng).Vt.T, V).max() < 0.02


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"k": 0}, ValueError, "k=0 is too small; choose at least 1"),
        ({"k": 4}, ValueError, r"k=4 is more than the 3 singular values of A, of shape \(5, 3\)"),
        ({"k": 1.0}, ValueError, "k=1.0 must be an int"),
        ({"method": "qr"}, ValueError, "method='qr' is not known; choose one of 'auto', 'exact'"),
        ({"method": "randomized", "k": 1, "n_iter": -1}, ValueError, "n_iter=-1 is too small"),
        ({"method": "krylov", "k": 1, "n_iter": 0}, ValueError, "n_iter=0 is too small"),
        ({"oversampling": -1}, ValueError, "oversampling=-1 is too small"),
        ({"normalizer": "lu"}, ValueError, "normalizer='lu' is not known; choose one of 'QR'"),
        ({"A": np.ones(3)}, ValueError, r"A has 1 dimensions, .* A\[None, :\]"),
        ({"A": np.ones((0, 3))}, ValueError, r"A is empty \(shape \(0, 3\)\)"),
        ({"A": [[np.nan, 1.0]]}, ValueError, "A holds NaN; finite values are needed"),
        ({"A": [[np.inf, 1.0]]}, ValueError, "A holds infinity"),
        ({"A": sp.csr_array([[np.nan, 1.0]]), "k": 1}, ValueError, "A holds NaN"),
        ({"A": [["a", "b"]]}, ValueError, "A holds values of dtype <U1; real numbers"),
        ({"A": np.array([["a", None]], dtype=object)}, ValueError, "A holds objects that are not"),
        ({"A": np.ones((2, 2)) * 1j}, ValueError, "A holds values of dtype complex128"),
        ({"A": sp.eye_array(5).tocsr()}, TypeError, "A is sparse; all of its singular values"),
        ({"A": sp.eye_array(5).tocsr(), "k": 2, "method": "exact"}, TypeError, "A is sparse"),
        ({"A": aslinearoperator(np.eye(3))}, TypeError, "A is a LinearOperator"),
        ({"A": aslinearoperator(np.eye(3) * 1j), "k": 1}, ValueError, "A is a complex operator"),
        ({"A": aslinearoperator(np.eye(3) * np.nan), "k": 1}, ValueError, "are not finite"),
    ],
)
def test_bad_arguments_are_named(arguments, error, message):
    arguments = {"A": np.ones((5, 3)), **arguments}
    with pytest.raises(error, match=message):
        svd(**arguments)


def test_doors_of_the_others():
    with pytest.raises(ValueError, match="k=3 is more than the 2 singular values"):
        best_rank_k(np.eye(2), 3)
    with pytest.raises(TypeError, match="A is sparse"):
        best_rank_k(sp.eye_array(3).tocsr(), 1)
    with pytest.raises(ValueError, match="singular values; some are negative"):
        effective_rank([1.0, -1.0])
    with pytest.raises(ValueError, match=r"mean has shape \(2,\); shape \(3,\) is needed"):
        centered(np.eye(3), [0.0, 0.0])
    with pytest.raises(ValueError, match="mean holds NaN"):
        centered(np.eye(1), [np.nan])


def test_result_is_a_named_triple(rng):
    found = svd(rng.standard_normal((4, 3)))
    assert isinstance(found, SVD) and found._fields == ("U", "s", "Vt")
