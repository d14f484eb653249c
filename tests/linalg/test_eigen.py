"""Block Lanczos, its parts, and the power method."""

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp

from lowdim.core.opening import as_blocks
from lowdim.linalg import (
    lanczos_result,
    lanczos_start,
    lanczos_step,
    power_deflation,
    power_method,
    principal_angles,
    top_eigen,
)
from lowdim.linalg.eigen import gain_ahead, residuals_below


class Counted:
    """A as products with blocks, counting passes and the widths of the blocks."""

    def __init__(self, A):
        self.A = A
        self.widths = []

    def __call__(self, V):
        self.widths.append(V.shape[1])
        return self.A @ V


def with_spectrum(values, rng):
    """A dense symmetric matrix with these eigenvalues, and its eigenvectors."""
    Q, _ = np.linalg.qr(rng.standard_normal((len(values), len(values))))
    return (Q * values) @ Q.T, Q


def assert_orthonormal(V):
    np.testing.assert_allclose(V.T @ V, np.eye(V.shape[1]), atol=100 * np.finfo(V.dtype).eps)


# ---- golden values -------------------------------------------------------------------------------


def test_diagonal_operator_gives_its_largest_entries():
    spectrum = np.arange(1.0, 501.0)
    found = top_eigen(lambda V: spectrum[:, None] * V, 500, 3, random=0)
    assert found.converged
    np.testing.assert_allclose(found.values, [500.0, 499.0, 498.0], rtol=1e-12)
    # residuals are up to 1e-9 * 500 and gaps 1, so vectors are within about 5e-7
    np.testing.assert_allclose(np.abs(found.vectors[-3:][::-1]), np.eye(3), atol=2e-6)


def test_small_operator_takes_one_pass(rng):
    A, _ = with_spectrum(np.arange(40.0), rng)
    apply = Counted(A)
    found = top_eigen(apply, 40, 5, random=0)
    assert apply.widths == [40] and found.n_passes == 1 and found.converged
    np.testing.assert_allclose(found.values, [39, 38, 37, 36, 35], rtol=1e-12)


def test_power_method_on_a_matrix_worked_by_hand():
    A = np.array([[2.0, 1.0], [1.0, 2.0]])  # eigenvalues 3 and 1
    found = power_method(lambda V: A @ V, 2, random=0)
    assert found.converged
    assert found.value == pytest.approx(3.0, rel=1e-12)
    np.testing.assert_allclose(np.abs(found.vector), np.sqrt([0.5, 0.5]), atol=1e-8)


def test_power_method_gains_the_ratio_of_eigenvalues_per_iteration():
    # from v = (1, 1), iterate t is (2^t, 1) / norm: its residual ratio is exactly known
    spectrum = np.array([[2.0], [1.0]])
    for t in range(1, 8):
        found = power_method(lambda V: spectrum * V, 2, start=[1.0, 1.0], tol=0, max_iter=t)
        expected = np.array([2.0 ** (t - 1), 1.0])
        np.testing.assert_allclose(found.vector, expected / np.linalg.norm(expected), rtol=1e-14)
        assert found.n_iter == t and not found.converged


# ---- the derivation ------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 4, 12])
def test_residuals_are_what_they_say(rng, k):
    A, _ = with_spectrum(rng.random(300), rng)
    found = top_eigen(lambda V: A @ V, 300, k, tol=1e-6, random=rng)
    assert found.converged
    true = np.linalg.norm(A @ found.vectors - found.vectors * found.values, axis=0)
    np.testing.assert_allclose(found.residuals, true, atol=1e-13)
    assert (true <= 1e-6 * found.values).all()


def test_every_pass_raises_every_ritz_value_also_across_restarts(rng):
    A, _ = with_spectrum(np.linspace(0, 1, 200) ** 0.5, rng)
    k, state, history = 4, lanczos_start(200, 4, rng), []
    for _ in range(30):
        state = lanczos_step(state, A @ state.block, k, basis_size=20)
        history.append(state.values[:k])
    assert np.all(np.diff(history, axis=0) >= -1e-13)
    assert history[-1].sum() > history[0].sum()


def test_krylov_space_is_the_span_of_the_powers(rng):
    A, _ = with_spectrum(rng.random(60), rng)
    start = rng.standard_normal((60, 3))
    state = lanczos_start(60, 3, rng, start=start)
    for _ in range(3):
        state = lanczos_step(state, A @ state.block, 3, basis_size=60)
    powers = np.hstack([start, A @ start, A @ A @ start])
    assert principal_angles(np.hstack(state.basis), powers).max() < 1e-8
    np.testing.assert_allclose(
        state.T * state.unit, np.hstack(state.basis).T @ A @ np.hstack(state.basis), atol=1e-13
    )


def test_basis_stays_orthonormal_and_bounded_over_many_restarts(rng):
    A, _ = with_spectrum(np.linspace(0, 1, 150), rng)
    state, k, limit = lanczos_start(150, 5, rng), 5, 30
    for _ in range(60):
        state = lanczos_step(state, A @ state.block, k, limit)
        Q = np.hstack([*state.basis, state.block])
        assert Q.shape[1] <= limit
    np.testing.assert_allclose(Q.T @ Q, np.eye(Q.shape[1]), atol=1e-12)


def test_a_step_leaves_the_old_state_as_it_was(rng):
    A, _ = with_spectrum(rng.random(80), rng)
    state = lanczos_step(lanczos_start(80, 4, 0), A @ lanczos_start(80, 4, 0).block, 4, 20)
    product = A @ state.block
    one, other = (lanczos_step(state, product, 4, 20) for _ in range(2))
    for mine, yours in zip(
        lanczos_result(one, 4, True), lanczos_result(other, 4, True), strict=True
    ):
        np.testing.assert_array_equal(mine, yours)


def test_gain_ahead_is_exact_for_a_geometric_series():
    assert gain_ahead([1.0 - 0.5**t for t in range(10)]) == pytest.approx(0.5**9)
    assert gain_ahead([0.0, 1.0, 2.0, 3.0]) == np.inf  # no sign of an end
    assert gain_ahead([0.0, 1.0]) == np.inf  # nothing known yet
    assert gain_ahead([2.0, 2.0, 2.0, 2.0]) == 0.0


# ---- properties ----------------------------------------------------------------------------------


def test_same_seed_same_result_and_other_seed_same_answer(rng):
    A, _ = with_spectrum(rng.random(200), rng)
    first, second, other = (top_eigen(lambda V: A @ V, 200, 5, random=seed) for seed in (3, 3, 4))
    np.testing.assert_array_equal(first.vectors, second.vectors)
    np.testing.assert_allclose(first.values, other.values, rtol=1e-12)
    # blocks that break down take random directions: these too follow from the seed
    again = [top_eigen(lambda V: 1.0 * V, 50, 6, block_size=2, random=3).vectors for _ in range(2)]
    np.testing.assert_array_equal(*again)


@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e-20, 1e20, 1e150, 1e300])
def test_scale_of_the_operator_does_not_matter(rng, scale):
    A, _ = with_spectrum(rng.random(200), rng)
    plain = top_eigen(lambda V: A @ V, 200, 4, random=0)
    scaled = top_eigen(lambda V: (A @ V) * scale, 200, 4, random=0)
    np.testing.assert_allclose(scaled.values / scale, plain.values, rtol=1e-9)
    assert scaled.converged and scaled.n_passes == plain.n_passes
    assert principal_angles(scaled.vectors, plain.vectors).max() < 1e-6
    power = power_method(lambda V: (A @ V) * scale, 200, tol=1e-3, random=0)
    assert power.converged and power.value / scale == pytest.approx(plain.values[0], rel=1e-2)


@pytest.mark.parametrize("block_size", [None, 1, 3, 7, 20])
def test_every_block_size_finds_the_same(rng, block_size):
    A, _ = with_spectrum(rng.random(150) ** 3, rng)
    found = top_eigen(lambda V: A @ V, 150, 7, block_size=block_size, random=rng)
    assert found.converged
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(A)[::-1][:7], rtol=1e-10)
    assert_orthonormal(found.vectors)


def test_float32_stays_float32_with_six_digits(rng):
    A, _ = with_spectrum(rng.random(300) ** 2, rng)
    A32 = A.astype(np.float32)

    def apply(V):
        assert V.dtype == np.float32
        return (A32 @ V).astype(np.float64)  # as sums over blocks are

    found = top_eigen(apply, 300, 5, random=rng, dtype=np.float32)
    assert found.vectors.dtype == np.float32 and found.converged
    assert_orthonormal(found.vectors)
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(A)[::-1][:5], rtol=3e-6)


def test_float32_basis_stays_orthonormal_over_many_restarts(rng):
    spectrum = np.linspace(1, 2, 400, dtype=np.float32)[:, None]
    state = lanczos_start(400, 5, rng, dtype=np.float32)
    for _ in range(150):  # without care, rounding adds up to 1e-5
        state = lanczos_step(state, spectrum * state.block, 5, basis_size=20)
    Q = np.hstack([*state.basis, state.block]).astype(np.float64)
    np.testing.assert_allclose(Q.T @ Q, np.eye(Q.shape[1]), atol=2e-6)


# ---- hard spectra --------------------------------------------------------------------------------


@pytest.mark.parametrize("rank", [0, 1, 3, 10])
def test_rank_below_k_gives_zeros_and_still_orthonormal_vectors(rng, rank):
    spectrum = np.zeros(200)
    spectrum[:rank] = np.arange(rank, 0, -1)
    A, Q = with_spectrum(spectrum, rng)
    found = top_eigen(lambda V: A @ V, 200, 12, random=rng)
    assert found.converged and found.n_passes <= 3
    np.testing.assert_allclose(found.values, spectrum[:12], atol=1e-12)
    assert_orthonormal(found.vectors)
    if rank:
        assert principal_angles(found.vectors[:, :rank], Q[:, :rank]).max() < 1e-7


def test_rounding_below_zero_is_zero(rng):
    spectrum = np.full(100, -1e-13)[:, None]  # as rounding may make it of zeros
    spectrum[0] = 1.0
    found = top_eigen(lambda V: spectrum * V, 100, 3, block_size=3, random=rng)
    np.testing.assert_array_equal(found.values[1:], [0.0, 0.0])


def test_zero_operator_has_zero_eigenvalues(rng):
    for block_size in (None, 1, 4):
        found = top_eigen(np.zeros_like, 100, 6, block_size=block_size, random=rng)
        np.testing.assert_array_equal(found.values, np.zeros(6))
        assert found.converged
        assert_orthonormal(found.vectors)
    power = power_deflation(np.zeros_like, 100, 3, random=rng)
    np.testing.assert_array_equal(power.values, np.zeros(3))
    assert power.converged
    assert_orthonormal(power.vectors)


def test_identity_breaks_every_block_down_and_is_still_found(rng):
    for block_size in (1, 3, 10):  # less than k: each pass needs fresh directions
        found = top_eigen(lambda V: V.copy(), 100, 10, block_size=block_size, random=rng)
        np.testing.assert_allclose(found.values, np.ones(10), rtol=1e-13)
        assert found.converged
        assert_orthonormal(found.vectors)


def test_all_of_a_small_space_can_be_asked_for(rng):
    A, _ = with_spectrum(rng.random(30), rng)
    for k, block_size in ((30, 4), (29, 30), (1, 30), (30, None)):
        found = top_eigen(lambda V: A @ V, 30, k, block_size=block_size, random=rng)
        np.testing.assert_allclose(found.values, np.linalg.eigvalsh(A)[::-1][:k], atol=1e-12)
        assert_orthonormal(found.vectors)
    assert top_eigen(lambda V: 7.0 * V, 1, 1).values == pytest.approx([7.0])


def test_multiplicity_up_to_the_block_size_is_found(rng):
    spectrum = np.concatenate([np.full(6, 5.0), np.full(6, 4.0), rng.random(188)])
    A, Q = with_spectrum(spectrum, rng)
    found = top_eigen(lambda V: A @ V, 200, 12, random=rng)
    np.testing.assert_allclose(found.values, spectrum[:12], rtol=1e-11)
    assert principal_angles(found.vectors[:, :6], Q[:, :6]).max() < 1e-7


def test_clustered_eigenvalues_are_captured_long_before_they_are_told_apart(rng):
    spectrum = np.concatenate([1.0 - 1e-5 * rng.random(60), 0.5 * rng.random(240)])
    A, _ = with_spectrum(spectrum, rng)
    exact = np.sort(spectrum)[::-1][:10].sum()
    found = top_eigen(lambda V: A @ V, 300, 10, tol=1e-8, stop="captured", random=rng)
    assert found.converged
    assert found.values.sum() == pytest.approx(exact, rel=1e-5)  # the width of the cluster
    assert found.n_passes < 60


# ---- two roads, one result -----------------------------------------------------------------------


def test_sparse_gram_operator_agrees_with_lapack(rng):
    X = sp.random_array((400, 150), density=0.05, rng=rng, format="csr")
    s = scipy.linalg.svdvals(X.toarray())
    found = top_eigen(lambda V: X.T @ (X @ V), 150, 5, random=rng)
    np.testing.assert_allclose(np.sqrt(found.values), s[:5], rtol=1e-10)


def gram_product(X, V, mean):
    return (X - mean).T @ ((X - mean) @ V)


def test_a_fold_over_blocks_is_an_operator(rng):
    X = rng.standard_normal((500, 120)) * np.linspace(1, 3, 120) + 5
    rows, mean = as_blocks(X, block_rows=64), X.mean(axis=0)
    found = top_eigen(lambda V: rows.fold(gram_product, V, mean), 120, 4, random=rng)
    exact = np.linalg.eigvalsh((X - mean).T @ (X - mean))[::-1]
    np.testing.assert_allclose(found.values, exact[:4], rtol=1e-11)


def test_deflation_and_lanczos_agree(rng):
    A, _ = with_spectrum(0.7 ** np.arange(100), rng)
    power = power_deflation(lambda V: A @ V, 100, 5, tol=1e-10, random=rng)
    lanczos = top_eigen(lambda V: A @ V, 100, 5, random=rng)
    assert power.converged
    np.testing.assert_allclose(power.values, lanczos.values, rtol=1e-10)
    assert principal_angles(power.vectors, lanczos.vectors).max() < 1e-7
    assert lanczos.n_passes * 5 < power.n_passes
    assert_orthonormal(power.vectors)


def test_deflation_of_a_matrix_of_low_rank_ends_with_zeros(rng):
    A, _ = with_spectrum(np.array([3.0, 1.0] + [0.0] * 48), rng)
    found = power_deflation(lambda V: A @ V, 50, 4, random=rng)
    np.testing.assert_allclose(found.values, [3.0, 1.0, 0.0, 0.0], atol=1e-13)
    assert found.converged
    assert_orthonormal(found.vectors)


def test_deflation_sorts_what_it_met_in_the_wrong_order():
    # a loose tolerance takes any mixture of the two for the first eigenvector
    spectrum = np.array([1.0, 0.995] + [0.1] * 8)[:, None]
    for seed in range(20):
        found = power_deflation(lambda V: spectrum * V, 10, 2, tol=1e-2, random=seed)
        assert found.values[0] >= found.values[1]
        products = np.sum(found.vectors * (spectrum * found.vectors), axis=0)
        np.testing.assert_allclose(found.values, products, rtol=1e-12)


def test_captured_stops_earlier_than_residuals_on_a_flat_spectrum(rng):
    spectrum = np.linspace(0, 1, 800) ** (1 / 3)
    exact = spectrum[::-1][:6].sum()
    apply = lambda V: spectrum[:, None] * V  # noqa: E731
    captured = top_eigen(apply, 800, 6, tol=1e-6, stop="captured", random=rng)
    residual = top_eigen(apply, 800, 6, tol=1e-8, random=rng)
    assert captured.converged and residual.converged
    assert captured.n_passes < residual.n_passes
    # gains are judged by a geometric series: it is right to within a factor of a few
    assert 1 - captured.values.sum() / exact < 1e-5
    assert 1 - residual.values.sum() / exact < 1e-14


def test_a_good_start_saves_passes(rng):
    A, Q = with_spectrum(np.concatenate([[10.0, 9.0, 8.0], rng.random(297)]), rng)
    start = Q[:, :3] + 1e-6 * rng.standard_normal((300, 3))
    cold = top_eigen(lambda V: A @ V, 300, 3, random=0)
    warm = top_eigen(lambda V: A @ V, 300, 3, random=0, start=start * [1e-200, 1.0, 1e200])
    assert warm.n_passes < cold.n_passes
    np.testing.assert_allclose(warm.values, [10.0, 9.0, 8.0], rtol=1e-12)


def test_a_start_with_dependent_or_zero_columns_is_filled_up(rng):
    A, _ = with_spectrum(rng.random(100), rng)
    v = rng.standard_normal(100)
    start = np.column_stack([v, 2 * v, np.zeros(100)])
    found = top_eigen(lambda V: A @ V, 100, 3, start=start, random=rng)
    np.testing.assert_allclose(found.values, np.linalg.eigvalsh(A)[::-1][:3], rtol=1e-11)


def test_fixed_number_of_passes(rng):
    A, _ = with_spectrum(np.linspace(0, 1, 300), rng)
    apply = Counted(A)
    found = top_eigen(apply, 300, 5, tol=0, max_passes=3, random=rng)
    assert len(apply.widths) == found.n_passes == 3 and not found.converged
    more = top_eigen(apply, 300, 5, tol=0, max_passes=6, random=0)
    assert more.values.sum() > found.values.sum() - 1e-12


def test_planted_subspace_is_found_in_few_passes(rng):
    # signal of variance 400 in 5 directions over noise of variance 1: gaps of 20, so each pass
    # gains more than two digits
    X = rng.standard_normal((600, 5)) @ (20 * np.linalg.qr(rng.standard_normal((400, 5)))[0].T)
    X += rng.standard_normal(X.shape)
    exact = np.linalg.svd(X)[2][:5].T
    found = top_eigen(lambda V: X.T @ (X @ V), 400, 5, random=rng)
    assert found.n_passes <= 12
    assert principal_angles(found.vectors, exact).max() < 1e-8


def test_converged_says_whether_every_pair_is_within_tol(rng):
    A, _ = with_spectrum(rng.random(120), rng)
    state = lanczos_start(120, 6, rng)
    for _ in range(60):
        state = lanczos_step(state, A @ state.block, 6, 40)
        relative = state.residuals[:6] / state.values[:6]
        assert residuals_below(state, 6, 1e-5) == (relative.max() <= 1e-5)
    assert relative.max() < 1e-5


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"k": 0}, "k=0 is too small; choose at least 1"),
        ({"k": 51}, "k=51 is more than the 50 dimensions of A; choose at most 50"),
        ({"k": 2.5}, "k=2.5 must be an int"),
        ({"dim": 0}, "dim=0 is too small"),
        ({"block_size": 0}, "block_size=0 is too small"),
        ({"block_size": 4, "basis_size": 9}, "basis_size=9 is too small .* at least 11"),
        ({"tol": -1.0}, "tol=-1.0 must be at least 0"),
        ({"tol": float("nan")}, "tol=nan must be a number"),
        ({"max_passes": 0}, "max_passes=0 is too small"),
        ({"block_size": 1, "max_passes": 2}, "max_passes=2 .* 2 directions, fewer than k=3"),
        ({"stop": "never"}, "stop='never' is not known; choose one of 'residual', 'captured'"),
        ({"dtype": "int64"}, "dtype=int64 is not possible; choose float32 or float64"),
        ({"random": -1}, "random_state=-1 is negative"),
        ({"start": np.ones((49, 2))}, "start has 49 rows; one for each of 50"),
        ({"start": np.full((50, 2), np.nan)}, "start holds NaN"),
        ({"start": np.ones(50)}, "start has 1 dimensions"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    given = {"dim": 50, "k": 3, "block_size": 3, **arguments}
    with pytest.raises(ValueError, match=message):
        top_eigen(lambda V: V, given.pop("dim"), given.pop("k"), **given)


@pytest.mark.parametrize("block_size", [None, 4])
def test_products_that_are_not_finite_or_of_wrong_shape_are_refused(block_size):
    with pytest.raises(ValueError, match="NaN or infinity in pass 1"):
        top_eigen(lambda V: V * np.nan, 20, 3, block_size=block_size)
    with pytest.raises(ValueError, match=r"apply\(V\) returned shape \(\d+,\)"):
        top_eigen(lambda V: V[:, 0], 20, 3, block_size=block_size)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"start": np.zeros(5)}, "start is zero"),
        ({"start": np.ones(4)}, r"start has shape \(4,\); shape \(5,\) is needed"),
        ({"max_iter": 0}, "max_iter=0 is too small"),
        ({"tol": -1e-3}, "tol=-0.001 must be at least 0"),
    ],
)
def test_bad_arguments_of_the_power_method_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        power_method(lambda V: V, 5, **arguments)
    with pytest.raises(ValueError, match="k=6 is more than the 5 dimensions"):
        power_deflation(lambda V: V, 5, 6)
