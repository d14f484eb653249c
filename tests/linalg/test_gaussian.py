"""Gaussians: conditioning, densities, divergence; covariance of low rank plus diagonal."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from lowdim.linalg import (
    condition,
    kl_divergence,
    log_density,
    low_rank_log_density,
    low_rank_log_determinant,
    low_rank_solve,
    schur_complement,
)


def random_covariance(d, rng):
    B = rng.standard_normal((d, d + 2))
    return B @ B.T


# ---- golden values -------------------------------------------------------------------------------


def test_conditional_of_two_correlated_variables():
    # correlation 1/2: E[y | x = 4] = 2, Var[y | x] = 2 (1 - 1/4)
    mean, covariance = condition([0.0, 0.0], [[2.0, 1.0], [1.0, 2.0]], [0], [4.0])
    np.testing.assert_allclose(mean, [2.0], rtol=1e-15)
    np.testing.assert_allclose(covariance, [[1.5]], rtol=1e-15)


def test_schur_complement_worked_by_hand():
    # eliminating the first: [[3, 1], [1, 5]] - [2, 4]'[2, 4] / 4
    A = [[4.0, 2.0, 4.0], [2.0, 3.0, 1.0], [4.0, 1.0, 5.0]]
    np.testing.assert_allclose(schur_complement(A, [0]), [[2.0, -1.0], [-1.0, 1.0]], rtol=1e-15)


def test_density_of_the_standard_normal():
    found = log_density([[0.0, 0.0], [3.0, 4.0]], [0.0, 0.0], np.eye(2))
    np.testing.assert_allclose(found, [-np.log(2 * np.pi), -np.log(2 * np.pi) - 12.5], rtol=1e-15)


def test_divergence_of_known_gaussians():
    assert kl_divergence([1.0], [[1.0]], [0.0], [[1.0]]) == pytest.approx(0.5, rel=1e-15)
    # 1/2 (s - 1 - log s) for variances s and 1
    assert kl_divergence([0.0], [[4.0]], [0.0], [[1.0]]) == pytest.approx(1.5 - np.log(2.0))
    assert kl_divergence([2.0, 3.0], np.eye(2), [2.0, 3.0], np.eye(2)) == 0.0


def test_low_rank_plus_diagonal_worked_by_hand():
    # C = [[2, 1], [1, 2]]: determinant 3, inverse [[2, -1], [-1, 2]] / 3
    W, noise = [[1.0], [1.0]], [1.0, 1.0]
    assert low_rank_log_determinant(W, noise) == pytest.approx(np.log(3.0), rel=1e-15)
    np.testing.assert_allclose(low_rank_solve(W, noise, [1.0, 0.0]), [2 / 3, -1 / 3], rtol=1e-14)
    assert low_rank_log_density([[1.0, 0.0]], [0.0, 0.0], W, noise)[0] == pytest.approx(
        -np.log(2 * np.pi) - 0.5 * np.log(3.0) - 1 / 3, rel=1e-14
    )


# ---- the derivation ------------------------------------------------------------------------------


def test_joint_density_is_marginal_times_conditional(rng):
    d, o, r = 5, [3, 0], [1, 2, 4]
    m, C = rng.standard_normal(d), random_covariance(d, rng)
    x = rng.standard_normal(d)
    given = condition(m, C, o, x[o])
    joint = log_density(x[None], m, np.linalg.cholesky(C))
    marginal = log_density(x[None, o], m[o], np.linalg.cholesky(C[np.ix_(o, o)]))
    conditional = log_density(x[None, r], given.mean, np.linalg.cholesky(given.covariance))
    np.testing.assert_allclose(joint, marginal + conditional, rtol=1e-12)


def test_determinant_is_the_product_with_the_schur_complement(rng):
    A = rng.standard_normal((6, 6)) + 6 * np.eye(6)
    index = [1, 4]
    product = np.linalg.det(A[np.ix_(index, index)]) * np.linalg.det(schur_complement(A, index))
    assert np.linalg.det(A) == pytest.approx(product, rel=1e-11)


def test_inverse_holds_the_inverse_of_the_schur_complement(rng):
    A = rng.standard_normal((6, 6)) + 6 * np.eye(6)
    rest = [0, 2, 3, 5]
    np.testing.assert_allclose(
        np.linalg.inv(A)[np.ix_(rest, rest)],
        np.linalg.inv(schur_complement(A, [1, 4])),
        atol=1e-12,
    )


# ---- properties ----------------------------------------------------------------------------------


def test_conditioning_in_two_steps_is_conditioning_once(rng):
    m, C, x = rng.standard_normal(5), random_covariance(5, rng), rng.standard_normal(5)
    first = condition(m, C, [0], x[[0]])  # leaves 1, 2, 3, 4
    second = condition(first.mean, first.covariance, [2], x[[3]])  # variable 3
    once = condition(m, C, [0, 3], x[[0, 3]])
    np.testing.assert_allclose(second.mean, once.mean, rtol=1e-10)
    np.testing.assert_allclose(second.covariance, once.covariance, atol=1e-10)


def test_observed_as_numbers_or_as_truth_values_and_in_any_order(rng):
    m, C, x = rng.standard_normal(4), random_covariance(4, rng), rng.standard_normal(4)
    expected = condition(m, C, [1, 3], x[[1, 3]])
    for index in ([3, 1], [-1, 1]):
        other = condition(m, C, index, x[index])
        np.testing.assert_allclose(other.mean, expected.mean, rtol=1e-10)
        np.testing.assert_allclose(other.covariance, expected.covariance, rtol=1e-10)
    same = condition(m, C, [False, True, False, True], x[[1, 3]])
    np.testing.assert_array_equal(same.mean, expected.mean)


def test_many_cases_at_once(rng):
    m, C = rng.standard_normal(4), random_covariance(4, rng)
    cases = rng.standard_normal((6, 2))
    together = condition(m, C, [0, 2], cases)
    assert together.mean.shape == (6, 2)
    for case, mean in zip(cases, together.mean, strict=True):
        np.testing.assert_allclose(condition(m, C, [0, 2], case).mean, mean, rtol=1e-12)


def test_nothing_or_everything_observed(rng):
    m, C = rng.standard_normal(3), random_covariance(3, rng)
    prior = condition(m, C, [], [])
    np.testing.assert_array_equal(prior.mean, m)
    np.testing.assert_array_equal(prior.covariance, C)
    assert condition(m, C, [], np.zeros((5, 0))).mean.shape == (5, 3)
    certain = condition(m, C, [0, 1, 2], m)
    assert certain.mean.shape == (0,) and certain.covariance.shape == (0, 0)


def test_singular_covariance_uses_what_is_there():
    # x_1 = x_0 exactly, both observed: C_oo is singular; x_2 = x_0 follows
    mean, covariance = condition([0.0] * 3, np.ones((3, 3)), [0, 1], [2.0, 2.0])
    np.testing.assert_allclose(mean, [2.0], rtol=1e-12)
    np.testing.assert_allclose(covariance, [[0.0]], atol=1e-12)


def test_divergence_is_positive_and_not_symmetric(rng):
    for _ in range(20):
        m0, m1 = rng.standard_normal((2, 4))
        C0, C1 = random_covariance(4, rng), random_covariance(4, rng)
        assert kl_divergence(m0, C0, m1, C1) > 0
    assert kl_divergence(m0, C0, m1, C1) != pytest.approx(kl_divergence(m1, C1, m0, C0))


def test_divergence_of_nearby_gaussians_keeps_its_digits():
    # 1/2 (s - 1 - log s) = e^2 / 4 for s = 1 + e
    tiny = kl_divergence([0.0], [[1.0 + 1e-6]], [0.0], [[1.0]])
    assert tiny == pytest.approx(0.25e-12, rel=1e-3)


def test_divergence_does_not_depend_on_coordinates(rng):
    m0, m1 = rng.standard_normal((2, 3))
    C0, C1, B = random_covariance(3, rng), random_covariance(3, rng), rng.standard_normal((3, 3))
    moved = kl_divergence(B @ m0 + 1, B @ C0 @ B.T, B @ m1 + 1, B @ C1 @ B.T)
    assert moved == pytest.approx(kl_divergence(m0, C0, m1, C1), rel=1e-6)


def test_a_singular_gaussian_is_infinitely_far():
    assert kl_divergence([0.0, 0.0], np.ones((2, 2)), [0.0, 0.0], np.eye(2)) == np.inf
    assert kl_divergence([0.0], [[0.0]], [0.0], [[1.0]]) == np.inf


@pytest.mark.parametrize("scale", [1e-100, 1e100])
def test_densities_at_extreme_scales(scale, rng):
    X, m, L = rng.standard_normal((4, 3)), rng.standard_normal(3), np.tril(rng.random((3, 3)) + 1)
    shift = 3 * np.log(scale)
    np.testing.assert_allclose(
        log_density(X * scale, m * scale, L * scale), log_density(X, m, L) - shift, rtol=1e-12
    )
    W, noise = rng.standard_normal((3, 2)), rng.random(3) + 0.1
    np.testing.assert_allclose(
        low_rank_log_density(X * scale, m * scale, W * scale, noise * scale**2),
        low_rank_log_density(X, m, W, noise) - shift,
        rtol=1e-12,
    )


# ---- two roads, one result -----------------------------------------------------------------------


def test_density_agrees_with_scipy(rng):
    X, m, C = rng.standard_normal((7, 3)), rng.standard_normal(3), random_covariance(3, rng)
    expected = multivariate_normal(m, C).logpdf(X)
    np.testing.assert_allclose(log_density(X, m, np.linalg.cholesky(C)), expected, rtol=1e-11)
    found = log_density(X.astype(np.float32), m, np.linalg.cholesky(C))
    assert found.dtype == np.float64
    np.testing.assert_allclose(found, expected, rtol=1e-5)


def test_what_is_above_the_diagonal_of_the_factor_is_not_looked_at(rng):
    X, L = rng.standard_normal((4, 3)), np.tril(rng.random((3, 3)) + 1)
    garbage = L + np.triu(np.full((3, 3), 99.0), 1)
    np.testing.assert_array_equal(log_density(X, np.zeros(3), garbage), log_density(X, [0] * 3, L))


def test_divergence_agrees_with_a_sample(rng):
    m0, m1 = rng.standard_normal((2, 2))
    C0, C1 = random_covariance(2, rng), random_covariance(2, rng)
    L0, L1 = np.linalg.cholesky(C0), np.linalg.cholesky(C1)
    X = m0 + rng.standard_normal((20_000, 2)) @ L0.T
    ratio = log_density(X, m0, L0) - log_density(X, m1, L1)
    error = ratio.std() / np.sqrt(len(X))
    assert abs(kl_divergence(m0, C0, m1, C1) - ratio.mean()) < 6 * error


@pytest.mark.parametrize(("d", "k"), [(6, 2), (6, 6), (3, 5), (1, 1), (5, 0)])
def test_low_rank_agrees_with_dense(d, k, rng):
    W, noise = rng.standard_normal((d, k)), rng.random(d) + 0.1
    C = W @ W.T + np.diag(noise)
    X, m, B = rng.standard_normal((5, d)), rng.standard_normal(d), rng.standard_normal((d, 3))
    assert low_rank_log_determinant(W, noise) == pytest.approx(np.linalg.slogdet(C)[1], abs=1e-12)
    np.testing.assert_allclose(low_rank_solve(W, noise, B), np.linalg.solve(C, B), atol=1e-11)
    np.testing.assert_allclose(
        low_rank_log_density(X, m, W, noise), log_density(X, m, np.linalg.cholesky(C)), rtol=1e-11
    )


def test_one_noise_variance_for_all_columns(rng):
    W, X = rng.standard_normal((5, 2)), rng.standard_normal((4, 5))
    np.testing.assert_array_equal(
        low_rank_log_density(X, np.zeros(5), W, 0.3),
        low_rank_log_density(X, np.zeros(5), W, np.full(5, 0.3)),
    )


def test_tiny_noise_keeps_the_digits(rng):
    # rows within the span of W: the quadratic form is about z'z, of terms about 1e12 times larger
    W = np.linalg.qr(rng.standard_normal((6, 2)))[0]
    Z = rng.standard_normal((4, 2))
    found = low_rank_log_density(Z @ W.T, np.zeros(6), W, 1e-12)
    expected = -0.5 * (
        np.sum(Z**2, axis=1) / (1 + 1e-12)
        + 6 * np.log(2 * np.pi)
        + 2 * np.log1p(1e-12)
        + 4 * np.log(1e-12)
    )
    np.testing.assert_allclose(found, expected, rtol=1e-9)


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: condition([0, 0], np.eye(3), [0], [1]),
            r"covariance has shape \(3, 3\); \(2, 2\)",
        ),
        (lambda: condition([0, 0], [[1, 2], [0, 1]], [0], [1]), "covariance is not symmetric"),
        (lambda: condition([0, 0], np.eye(2), [2], [1]), "observed has numbers beyond the 2"),
        (lambda: condition([0, 0], np.eye(2), [0, 0], [1, 1]), "observed names a variable twice"),
        (lambda: condition([0, 0], np.eye(2), [0.5], [1]), "observed must be a list of variable"),
        (lambda: condition([0, 0], np.eye(2), [0], [1, 2]), r"values has shape \(2,\); \(1,\)"),
        (lambda: condition([0, 0], np.eye(2), [0], [np.nan]), "values holds NaN"),
        (lambda: condition([0, np.inf], np.eye(2), [0], [1]), "mean holds infinity"),
        (lambda: schur_complement(np.ones((2, 3)), [0]), r"A has shape \(2, 3\); \(2, 2\)"),
        (lambda: schur_complement([[0, 1], [1, 0]], [0]), "A restricted to index is singular"),
        (lambda: log_density([[1, 2]], [0], np.eye(2)), r"mean has shape \(1,\); shape \(2,\)"),
        (lambda: log_density([[1, 2]], [0, 0], np.zeros((2, 2))), "cholesky has entries on its"),
        (lambda: kl_divergence([0], [[1]], [0], [[0]]), "cov1 is not positive definite"),
        (lambda: kl_divergence([0], [[-1]], [0], [[1]]), "cov0 has negative eigenvalues"),
        (lambda: kl_divergence([0], [[1]], [0, 0], [[1]]), r"mean1 has shape \(2,\)"),
        (lambda: low_rank_solve([[1.0]], [0.0], [1.0]), "noise has the value 0; variances"),
        (lambda: low_rank_solve([[1.0]], [1.0, 1.0], [1.0]), r"noise has shape \(2,\)"),
        (lambda: low_rank_solve([[1.0]], [1.0], [1.0, 2.0]), r"B has shape \(2,\); \(1,\) or"),
        (lambda: low_rank_log_density([[1.0]], [0], np.eye(2), 1.0), "W has 2 rows; one for each"),
        (lambda: low_rank_log_determinant([[np.nan]], 1.0), "W holds NaN"),
    ],
)
def test_bad_arguments_are_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()
