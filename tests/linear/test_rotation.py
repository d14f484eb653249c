"""Rotation of loadings: published tables, the derivation, and what every rotation keeps."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.optimize import approx_fprime
from sklearn.datasets import load_iris
from sklearn.decomposition import FactorAnalysis
from sklearn.exceptions import ConvergenceWarning

from lowdim.linear.rotation import (
    METHODS,
    OBLIQUE,
    ORTHOMAX,
    _disjoint_pairs,
    descend,
    oblimin_criterion,
    orthomax_criterion,
    planar_sweep,
    raise_contrast,
    rotate,
    row_lengths,
)

ORTHOGONAL = [method for method in METHODS if method not in OBLIQUE]
MINIMISERS = [*ORTHOMAX, "oblimin"]

# Harman's eight physical variables, centroid solution (Harman 1976, table 14.3).
HARMAN = np.array(
    [
        [0.830, -0.396],
        [0.818, -0.469],
        [0.777, -0.470],
        [0.798, -0.401],
        [0.786, 0.500],
        [0.672, 0.458],
        [0.594, 0.444],
        [0.647, 0.333],
    ]
)
# Principal components of eight personality scales, from the tests of R's GPArotation, which
# take their rotations from SPSS (psych.unl.edu/psycrs/statpage/pc_rot.pdf).
SCALES = np.array(
    [
        [0.758, 0.413, 0.001164],
        [0.693, 0.489, -0.199],
        [0.362, 0.656, -0.204],
        [0.826, 0.06589, 0.235],
        [0.540, -0.510, 0.441],
        [0.654, -0.335, 0.507],
        [-0.349, 0.539, 0.669],
        [-0.580, 0.450, 0.551],
    ]
)
# factanal(factors=2, covmat=ability.cov) of R: varimax, stopped early by R's eps of 1e-5.
ABILITY = np.array(
    [
        [0.499437829039897, 0.543449046931120],
        [0.156070079431280, 0.621537989911975],
        [0.205786989958579, 0.859925885384269],
        [0.108530754440559, 0.467761017322835],
        [0.956242470279812, 0.182096319921822],
        [0.784768183877881, 0.224822136873642],
    ]
)


def random_loadings(rng, d=12, k=4):
    """Loadings with a simple structure under noise, rotated at random."""
    simple = rng.uniform(0.4, 0.9, size=(d, k)) * (np.arange(d)[:, None] % k == np.arange(k))
    return (simple + 0.1 * rng.standard_normal((d, k))) @ random_rotation(rng, k)


def random_rotation(rng, k):
    return np.linalg.qr(rng.standard_normal((k, k)))[0]


def criterion_of(method, L, gamma=0.0):
    if method == "oblimin":
        return oblimin_criterion(L, gamma)
    return orthomax_criterion(L, {"varimax": 1, "quartimax": 0, "equamax": L.shape[1] / 2}[method])


# ---- golden values -------------------------------------------------------------------------------


def test_quartimax_of_harman_is_that_of_gparotation():
    # tests/Harman.R of GPArotation, "with eps=1e-8"
    expected = [
        [0.898754567491920, 0.194823580226859],
        [0.933943406208488, 0.129748657024604],
        [0.902131483644800, 0.103864268239046],
        [0.876508251941103, 0.171284220753555],
        [0.315572019798302, 0.876476069451083],
        [0.251123191235179, 0.773488941629976],
        [0.198007116064592, 0.714678376605717],
        [0.307857241091366, 0.659334451631046],
    ]
    rotated = rotate(HARMAN, "quartimax", kaiser=False)
    assert_allclose(rotated.loadings, expected, atol=2e-8)  # what eps=1e-8 leaves open


def test_oblimin_of_harman_is_the_quartimin_of_gparotation():
    expected = [
        [0.891821769728994, 0.056014645675818],
        [0.953679998577263, -0.023246000540667],
        [0.929149862339658, -0.046502739653185],
        [0.876682851082218, 0.033658245133872],
        [0.013698831298519, 0.925001382634939],
        [-0.017266808794596, 0.821253544494122],
        [-0.052446899817831, 0.764953638134125],
        [0.085888063009815, 0.683116095344291],
    ]
    rotated = rotate(HARMAN, "oblimin", kaiser=False)
    assert_allclose(rotated.loadings, expected, atol=2e-8)
    assert_allclose(rotated.phi, [[1, 0.472747617396915], [0.472747617396915, 1]], atol=2e-8)


def test_quartimax_with_kaiser_normalisation_is_that_of_spss():
    expected = [
        [0.814, 0.285, -0.0499],
        [0.856, 0.08321, -0.135],
        [0.746, -0.203, 0.07244],
        [0.576, 0.634, -0.0873],
        [-0.0610, 0.850, -0.142],
        [0.129, 0.882, -0.0386],
        [0.02063, -0.0415, 0.927],
        [-0.181, -0.220, 0.873],
    ]
    assert_allclose(rotate(SCALES, "quartimax").loadings, expected, atol=1e-3)  # 3 digits in


def test_oblimin_with_kaiser_normalisation_is_that_of_spss():
    pattern = [
        [0.787, 0.241, -0.0136],
        [0.848, 0.01783, -0.119],
        [0.779, -0.240, 0.06824],
        [0.507, 0.608, -0.0252],
        [-0.163, 0.858, -0.0726],
        [0.03050, 0.896, 0.03954],
        [0.07397, 0.09405, 0.949],
        [-0.113, -0.0861, 0.875],
    ]
    structure = [
        [0.829, 0.379, -0.146],
        [0.862, 0.191, -0.203],
        [0.731, -0.123, 0.051],
        [0.613, 0.701, -0.218],
        [-0.010, 0.847, -0.261],
        [0.180, 0.891, -0.176],
        [0.000, -0.118, 0.919],
        [-0.211, -0.313, 0.906],
    ]
    rotated = rotate(SCALES, "oblimin")
    # SPSS stops early: GPArotation too differs from it by up to 0.003 and 0.004
    assert_allclose(rotated.loadings, pattern, atol=3e-3)
    assert_allclose(rotated.structure, structure, atol=4e-3)


@pytest.mark.parametrize(
    ("method", "expected"),
    [
        (
            "varimax",
            [
                [0.515866523962843, 0.527879475961037],
                [0.175054634278874, 0.616460231981748],
                [0.232057748479543, 0.853211588623113],
                [0.122822468397975, 0.464213243286899],
                [0.961376376417989, 0.152689863976983],
                [0.791292800869773, 0.200653429940987],
            ],
        ),
        (
            "oblimin",
            [
                [0.386361590474082, 0.474512774149597],
                [-0.011005941876909, 0.645872076963376],
                [-0.026292627235060, 0.896114110568456],
                [-0.018020052681075, 0.488292828169541],
                [0.990094493910232, -0.037071828254433],
                [0.790565727426540, 0.052610955005500],
            ],
        ),
    ],
)
def test_ability_tests_are_rotated_as_by_gparotation(method, expected):
    # tests/rotations.R of GPArotation, eps=1e-8
    assert_allclose(rotate(ABILITY, method, kaiser=False).loadings, expected, atol=2e-8)


def test_promax_is_that_of_r():
    # factanal(factors=2, covmat=ability.cov, rotation="promax") prints these, from ABILITY
    T = raise_contrast(ABILITY, power=4)
    large = [0.364, 0.470, 0.671, 0.932, 0.508, 1.023, 0.811]
    pattern = ABILITY @ T
    assert_allclose(pattern[np.abs(pattern) > 0.1], large, atol=5e-4)
    assert_allclose(np.linalg.inv(T.T @ T), [[1, 0.557], [0.557, 1]], atol=5e-4)


def notes_loadings(max_iter=4000):
    """Iris, two factors, by the R code of the lecture notes: EM from the principal axes.

    That code takes the old W for the new noise variances (the formula above it takes the new one),
    and ends at another maximum of the likelihood than EM does. Here we want what it prints.
    """
    X = load_iris().data
    C = np.cov(X.T, bias=True)
    W, noise = np.linalg.eigh(C)[1][:, :1:-1], np.ones(4)
    for _ in range(max_iter):
        S = np.linalg.inv(np.eye(2) + W.T / noise @ W)
        encoder = S @ W.T / noise
        sum_xz = C @ encoder.T
        noise = np.diag(C) - (W * sum_xz).sum(axis=1)
        W = sum_xz @ np.linalg.inv(S + encoder @ sum_xz)
    return W


def varimax_of_r(W, eps=1e-5):
    """stats::varimax with its rule for stopping, on loadings of unit communality."""
    A = W / row_lengths(W)
    T, past, size = np.eye(W.shape[1]), -1.0, 0.0
    while size > past * (1 + eps):
        L = A @ T
        U, s, Vt = np.linalg.svd(A.T @ (L**3 - L * (L**2).mean(axis=0)))
        T, past, size = U @ Vt, size, s.sum()
    return W @ T


def test_varimax_of_iris_is_what_the_lecture_notes_print_but_converged():
    printed = [[0.756, 0.0], [0.0, -0.429], [1.683, 0.509], [0.0, 0.174]]
    shown = np.array([[1, 0], [0, 1], [1, 1], [0, 1]], dtype=bool)
    W = notes_loadings()
    theirs = varimax_of_r(W)
    theirs *= np.sign(theirs.sum(axis=0))
    assert_allclose(theirs[shown], np.array(printed)[shown], atol=6e-4)  # the printed digits
    assert_allclose((theirs**2).sum(axis=0), [3.916, 0.473], atol=6e-4)

    ours = rotate(W, "varimax")
    # the angle is still 0.2 degrees from the optimum where R stops
    assert_allclose(ours.loadings, theirs, atol=0.006)
    assert_allclose((ours.loadings**2).sum(axis=0), [3.916, 0.473], atol=0.006)
    assert ours.criterion < orthomax_criterion(theirs / row_lengths(W), 1.0)


def test_orthogonal_simple_structure_has_the_criterion_of_the_formula():
    L = np.array([[1.0, 0.0], [2.0, 0.0], [0.0, 3.0]])
    # varimax of the notes: mean of the 4th powers less the squared mean of the 2nd, per column
    by_hand = (17 / 3 - (5 / 3) ** 2) + (81 / 3 - 3.0**2)
    assert_allclose(orthomax_criterion(L, 1.0), -by_hand, rtol=1e-14)
    assert oblimin_criterion(L, 0.0) == 0.0
    assert_allclose(oblimin_criterion(L, -1.0), 5 * 9 / 3 / 3, rtol=1e-14)
    assert_allclose(rotate(L, kaiser=False).criterion, -by_hand, rtol=1e-14)


# ---- the derivation ------------------------------------------------------------------------------


@pytest.mark.parametrize("gamma", [0.0, 1.0, 2.5])
def test_a_sweep_never_raises_the_criterion(rng, gamma):
    d, k = 30, 5
    columns = np.hstack([rng.standard_normal((k, d)), np.eye(k)])
    criteria = [orthomax_criterion(columns[:, :d].T, gamma)]
    for _ in range(20):
        planar_sweep(columns, d, gamma, _disjoint_pairs(k))
        criteria.append(orthomax_criterion(columns[:, :d].T, gamma))
    assert np.all(np.diff(criteria) <= 1e-14 * np.abs(criteria).max())
    assert criteria[-1] < criteria[0] - 0.01


@pytest.mark.parametrize("gamma", [0.0, -2.0])
def test_a_step_of_descent_never_raises_the_criterion(rng, gamma):
    A = rng.standard_normal((20, 4))
    A /= row_lengths(A)
    found = [descend(A, gamma, np.eye(4), tol=1e-8, max_iter=m) for m in range(1, 60)]
    criteria = [oblimin_criterion(A, gamma), *(minimum.criterion for minimum in found)]
    assert np.all(np.diff(criteria) <= 1e-13 * criteria[0])
    assert criteria[-1] < criteria[0] - 0.01


@pytest.mark.parametrize("gamma", [0.0, 1.0, 2.0])
def test_a_pair_is_turned_to_its_best_angle(rng, gamma):
    L = rng.standard_normal((9, 2))
    columns = np.hstack([L.T, np.eye(2)])
    planar_sweep(columns, 9, gamma, _disjoint_pairs(2))
    angles = np.linspace(0, np.pi / 2, 2001)
    c, s = np.cos(angles), np.sin(angles)
    turns = np.array([[c, -s], [s, c]]).transpose(2, 0, 1)
    best = min(orthomax_criterion(L @ turn, gamma) for turn in turns)
    found = orthomax_criterion(columns[:, :9].T, gamma)
    assert found <= best + 1e-14
    assert found >= best - 1e-4 * abs(best) - 1e-4  # the grid is that fine


@pytest.mark.parametrize("method", ORTHOMAX)
@pytest.mark.parametrize("kaiser", [True, False])
def test_orthogonal_rotation_ends_at_a_stationary_point(rng, method, kaiser):
    A = random_loadings(rng)
    d, k = A.shape
    L = rotate(A, method, kaiser=kaiser).loadings
    if kaiser:
        L = L / row_lengths(A)
    gamma = {"varimax": 1, "quartimax": 0, "equamax": k / 2}[method]
    # df/dT along the rotations vanishes when L' df/dL is symmetric
    product = L.T @ (L**3 - gamma / d * L * (L**2).sum(axis=0))
    assert np.abs(product - product.T).max() <= 1e-8 * ((L**2).sum(axis=1) ** 2).sum()


@pytest.mark.parametrize("gamma", [0.0, -0.5])
def test_oblimin_ends_where_its_numerical_gradient_vanishes(rng, gamma):
    A = random_loadings(rng, d=10, k=3)
    A /= row_lengths(A)
    axes = np.linalg.inv(rotate(A, "oblimin", gamma=gamma).rotation).T

    def criterion(flat):
        U = flat.reshape(3, 3)
        return oblimin_criterion(A @ np.linalg.inv(U / np.linalg.norm(U, axis=0)).T, gamma)

    slope = approx_fprime(axes.ravel(), criterion, 1e-7)
    assert np.abs(slope).max() < 1e-6  # forward differences: 1e-7 times a curvature of order 1
    elsewhere = axes + 0.1 * rng.standard_normal((3, 3))
    assert criterion(elsewhere.ravel()) > criterion(axes.ravel())


@pytest.mark.parametrize("k", range(1, 9))
def test_every_pair_meets_once_and_nobody_plays_twice_in_a_round(k):
    rounds = _disjoint_pairs(k)
    pairs = sorted(tuple(sorted(pair)) for round_ in rounds for pair in zip(*round_, strict=True))
    assert pairs == [(j, m) for j in range(k) for m in range(j + 1, k)]
    for left, right in rounds:
        assert len({*left, *right}) == 2 * len(left)


# ---- properties ----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kaiser", [True, False])
def test_the_covariance_of_the_model_stays(rng, method, kaiser):
    A = random_loadings(rng)
    rotated = rotate(A, method, kaiser=kaiser)
    L, T, phi = rotated.loadings, rotated.rotation, rotated.phi
    assert_allclose(L @ phi @ L.T, A @ A.T, atol=1e-12)
    assert_allclose(L, A @ T, atol=1e-14)
    assert_allclose(rotated.structure, L @ phi)
    assert_allclose(T @ phi @ T.T, np.eye(4), atol=1e-12)
    assert_array_equal(np.diag(phi), 1.0)
    if method in ORTHOGONAL:
        assert_array_equal(phi, np.eye(4))


@pytest.mark.parametrize("method", ["varimax", "quartimax", "equamax", "oblimin", "promax"])
def test_the_result_does_not_depend_on_the_rotation_it_starts_from(rng, method):
    A = random_loadings(rng)
    expected = rotate(A, method)
    again = rotate(A @ random_rotation(rng, 4), method)
    assert_allclose(again.loadings, expected.loadings, atol=1e-6)
    assert_allclose(again.phi, expected.phi, atol=1e-6)
    assert_allclose(again.criterion, expected.criterion, atol=1e-12)


@pytest.mark.parametrize("method", ["ordered", "lower"])
def test_exact_forms_do_not_depend_on_where_they_start(rng, method):
    A = random_loadings(rng)
    again = rotate(A @ random_rotation(rng, 4), method)
    assert_allclose(again.loadings, rotate(A, method).loadings, atol=1e-11)


@pytest.mark.parametrize("method", METHODS)
def test_columns_have_their_order_and_sign(rng, method):
    rotated = rotate(random_loadings(rng), method)
    L = rotated.loadings
    if method == "lower":
        assert np.all(np.diag(L) > 0)
    else:
        variance = np.diag(rotated.phi @ L.T @ L)
        assert np.all(np.diff(variance) <= 0)
        assert np.all(L.sum(axis=0) > 0)


def test_a_column_without_a_sum_has_a_positive_largest_entry():
    rotated = rotate([[0.0, -1.0], [0.0, 1.0], [3.0, 0.0]], "varimax")
    assert_allclose(rotated.loadings, [[0, 1], [0, -1], [3, 0]], atol=1e-15)


@pytest.mark.parametrize("method", [method for method in METHODS if method != "lower"])
def test_permuted_variables_give_permuted_loadings(rng, method):
    A = random_loadings(rng)
    shuffle = rng.permutation(len(A))
    assert_allclose(
        rotate(A[shuffle], method).loadings, rotate(A, method).loadings[shuffle], atol=1e-6
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kaiser", [True, False])
@pytest.mark.parametrize("scale", [1e150, 1e-150, 3.0])
def test_scaled_loadings_give_scaled_loadings(rng, method, kaiser, scale):
    A = random_loadings(rng, d=8, k=2)
    expected = rotate(A, method, kaiser=kaiser)
    scaled = rotate(scale * A, method, kaiser=kaiser)
    assert_allclose(scaled.loadings / scale, expected.loadings, atol=1e-7)
    if kaiser:
        assert_allclose(scaled.criterion, expected.criterion, rtol=1e-10, atol=1e-15)
    elif scale == 3.0:
        assert_allclose(scaled.criterion, 81 * expected.criterion, rtol=1e-10, atol=1e-15)


def test_with_kaiser_normalisation_the_rotation_ignores_the_scale_of_a_variable(rng):
    A = random_loadings(rng)
    size = rng.uniform(0.1, 10, size=(12, 1))
    first, second = rotate(A), rotate(size * A)
    assert_allclose(np.abs(first.rotation.T @ second.rotation).max(axis=0), 1, atol=1e-7)
    assert_allclose(first.criterion, second.criterion, rtol=1e-12)


@pytest.mark.parametrize("size", [0.0, 1e-18])
def test_a_variable_without_communality_stays_out_of_kaisers_normalisation(rng, size):
    A = random_loadings(rng)
    empty = size * rng.standard_normal((1, 4))
    rotated = rotate(np.vstack([A, empty]), "quartimax")
    assert_allclose(rotated.loadings[:-1], rotate(A, "quartimax").loadings, atol=1e-7)
    assert_allclose(rotated.loadings[-1], 0, atol=1e-17)


@pytest.mark.parametrize("method", METHODS)
def test_one_factor_only_gets_its_sign(method):
    rotated = rotate([[-0.5], [-0.7], [0.1]], method)
    assert_allclose(rotated.loadings, [[0.5], [0.7], [-0.1]], atol=1e-15)
    assert_array_equal(rotated.phi, [[1.0]])


@pytest.mark.parametrize("method", METHODS)
def test_float32_stays_float32(rng, method):
    A = random_loadings(rng)
    single = rotate(A.astype(np.float32), method)
    assert {a.dtype for a in (single.loadings, single.rotation, single.phi)} == {
        np.dtype("float32")
    }
    assert_allclose(single.loadings, rotate(A, method).loadings, atol=1e-4)


def test_further_starts_find_no_worse_minimum_and_repeat_with_the_seed(rng, seed):
    A = rng.standard_normal((10, 5))  # no structure: many minima
    one = rotate(A, "oblimin", max_iter=10_000)
    ten = rotate(A, "oblimin", max_iter=10_000, n_starts=10, random_state=seed)
    again = rotate(A, "oblimin", max_iter=10_000, n_starts=10, random_state=seed)
    assert ten.criterion <= one.criterion + 1e-14
    assert_array_equal(ten.loadings, again.loadings)


def test_rotate_leaves_its_argument_alone(rng):
    A = random_loadings(rng)
    A.flags.writeable = False
    copy = A.copy()
    for method in METHODS:
        rotate(np.asfortranarray(A), method)
        rotate(A, method)
    assert_array_equal(A, copy)


# ---- two roads, one result -----------------------------------------------------------------------


@pytest.mark.parametrize("method", ["varimax", "quartimax"])
def test_scikit_learn_finds_the_same_rotation_without_kaiser(rng, method):
    X = rng.standard_normal((300, 3)) @ random_loadings(rng, d=9, k=3).T
    X += 0.5 * rng.standard_normal(X.shape)
    plain = FactorAnalysis(n_components=3).fit(X).components_.T
    theirs = FactorAnalysis(n_components=3, rotation=method).fit(X)
    ours = rotate(plain, method, kaiser=False).loadings
    match = np.abs(ours.T @ theirs.components_.T).argmax(axis=1)  # up to order and sign
    peer = theirs.components_.T[:, match]
    peer = peer * np.sign((peer * ours).sum(axis=0))
    # scikit-learn stops when its objective gains less than 1e-6, the square of the angle
    assert_allclose(ours, peer, atol=5e-3)
    gamma = 1.0 if method == "varimax" else 0.0
    assert orthomax_criterion(ours, gamma) <= orthomax_criterion(peer, gamma) + 1e-15


@pytest.mark.parametrize(("method", "gamma"), [("varimax", 1.0), ("quartimax", 0.0)])
def test_orthomax_and_oblimin_are_one_criterion_for_orthogonal_factors(rng, method, gamma):
    A = random_loadings(rng)
    gap = [
        oblimin_criterion(L, gamma) * 2 - orthomax_criterion(L, gamma)
        for L in (A, A @ random_rotation(rng, 4))
    ]
    assert_allclose(gap[0], gap[1], rtol=1e-12)


def test_equamax_minimises_crawford_and_fergusons_family(rng):
    """kappa = k / 2d: complexity of rows and of columns, weighted (Crawford and Ferguson 1970)."""
    A = random_loadings(rng)
    d, k = A.shape

    def crawford_ferguson(L):
        squares = L**2
        rows = (squares.sum(axis=1) ** 2).sum() - (squares**2).sum()
        columns = (squares.sum(axis=0) ** 2).sum() - (squares**2).sum()
        return (1 - k / (2 * d)) * rows + k / (2 * d) * columns

    L = rotate(A, "equamax", kaiser=False).loadings
    assert all(
        crawford_ferguson(L) <= crawford_ferguson(L @ small_turn) + 1e-12
        for small_turn in (
            np.linalg.qr(np.eye(k) + 0.1 * rng.standard_normal((k, k)))[0] for _ in range(20)
        )
    )


def test_oblimin_is_no_worse_than_its_orthogonal_special_case(rng):
    A = random_loadings(rng)
    orthogonal = rotate(A, "quartimax").loadings / row_lengths(A)
    assert rotate(A, "oblimin").criterion <= oblimin_criterion(orthogonal, 0.0)


def test_a_very_negative_gamma_makes_oblimin_factors_less_correlated(rng):
    A = random_loadings(rng) @ np.linalg.cholesky(np.full((4, 4), 0.5) + 0.5 * np.eye(4)).T
    free = rotate(A, "oblimin").phi - np.eye(4)
    held = rotate(A, "oblimin", gamma=-20, max_iter=20_000, tol=1e-6).phi - np.eye(4)
    assert np.abs(held).sum() < np.abs(free).sum()


def test_ordered_columns_are_the_principal_axes(rng):
    A = random_loadings(rng)
    L = rotate(A, "ordered").loadings
    eigenvalues = np.linalg.eigvalsh(A.T @ A)[::-1]
    assert_allclose(L.T @ L, np.diag(eigenvalues), atol=1e-12)


def test_lower_is_exactly_triangular(rng):
    A = random_loadings(rng)
    L = rotate(A, "lower").loadings
    assert_array_equal(L, np.tril(L))
    assert_allclose(L[:4], np.linalg.cholesky(A[:4] @ A[:4].T), atol=1e-7)  # its other definition


def test_lower_bears_founders_that_do_not_span_the_factors():
    A = np.array([[1.0, 1.0], [2.0, 2.0], [0.0, 3.0]])
    L = rotate(A, "lower").loadings
    assert_array_equal(L, np.tril(L))
    assert_allclose(L @ L.T, A @ A.T, atol=1e-12)


# ---- a planted truth -----------------------------------------------------------------------------


@pytest.mark.parametrize("method", [*ORTHOMAX, *OBLIQUE])
def test_a_perfect_simple_structure_is_recovered(rng, method):
    k, d = 3, 12
    planted = rng.uniform(0.3, 0.9, size=(d, k)) * (np.arange(d)[:, None] % k == np.arange(k))
    planted = planted[:, np.argsort(-(planted**2).sum(axis=0))]
    found = rotate(planted @ random_rotation(rng, k), method)
    assert_allclose(found.loadings, planted, atol=1e-6)


def test_oblimin_recovers_correlated_factors(rng):
    k, d = 3, 15
    planted = rng.uniform(0.3, 0.9, size=(d, k)) * (np.arange(d)[:, None] % k == np.arange(k))
    phi = np.array([[1.0, 0.5, 0.3], [0.5, 1.0, 0.2], [0.3, 0.2, 1.0]])
    order = np.argsort(-np.diag(phi @ planted.T @ planted))
    planted, phi = planted[:, order], phi[np.ix_(order, order)]
    given = planted @ np.linalg.cholesky(phi) @ random_rotation(rng, k)
    found = rotate(given, "oblimin")
    # where f vanishes so does its curvature along some directions: the angle is the root of tol
    assert_allclose(found.loadings, planted, atol=1e-5)
    assert_allclose(found.phi, phi, atol=1e-5)


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "vari"}, r"method='vari' is not known; choose one of 'varimax'"),
        ({"method": None}, r"method=None is not known"),
        ({"gamma": 0.5}, r"gamma=0.5 must be"),
        ({"power": 1.0}, r"power=1.0 must be more than 1"),
        ({"tol": -1e-3}, r"tol=-0.001 must be at least 0"),
        ({"max_iter": 0}, r"max_iter=0 is too small; choose at least 1"),
        ({"n_starts": 0}, r"n_starts=0 is too small; choose at least 1"),
        ({"n_starts": 2, "random_state": "x"}, r"random_state='x' is a str"),
    ],
)
def test_bad_arguments_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        rotate(HARMAN, **arguments)


@pytest.mark.parametrize(
    ("loadings", "message"),
    [
        ([0.1, 0.2], "Expected 2D array"),
        (np.empty((0, 2)), r"0 sample\(s\)"),
        (np.empty((2, 0)), r"0 feature\(s\)"),
        ([[0.1, np.nan], [0.2, 0.3]], "loadings contains NaN"),
        ([[0.1, np.inf], [0.2, 0.3]], "loadings contains infinity"),
        ([["a", "b"], ["c", "d"]], "could not convert string to float"),
    ],
)
def test_bad_loadings_are_refused(loadings, message):
    with pytest.raises(ValueError, match=message):
        rotate(loadings)


@pytest.mark.parametrize("method", OBLIQUE)
def test_dependent_columns_are_refused_where_factors_may_correlate(method):
    with pytest.raises(ValueError, match=r"2 columns but rank 1; .* needs independent columns"):
        rotate([[1.0, 1.0], [2.0, 2.0], [0.5, 0.5]], method)


@pytest.mark.parametrize("method", ORTHOGONAL)
def test_dependent_columns_are_no_trouble_where_factors_may_not(method):
    A = np.array([[1.0, 1.0], [2.0, 2.0], [0.5, 0.5]])
    rotated = rotate(A, method)
    assert_allclose(rotated.loadings @ rotated.loadings.T, A @ A.T, atol=1e-12)


@pytest.mark.parametrize("method", ORTHOGONAL)
def test_loadings_of_zero_stay_zero(method):
    rotated = rotate(np.zeros((4, 2)), method)
    assert_array_equal(rotated.loadings, 0)


@pytest.mark.parametrize("method", MINIMISERS)
def test_too_few_iterations_are_said(rng, method):
    with pytest.warns(ConvergenceWarning, match=r"stopped after 1 iterations; .* Raise max_iter"):
        rotate(rng.standard_normal((20, 6)), method, max_iter=1)
