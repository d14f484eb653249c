"""ICA: mixed sources are found again, by every algorithm and from every kind of data."""

import numpy as np
import pytest
from sklearn.decomposition import FastICA as ScikitFastICA

import lowdim
from lowdim import FastICA, amari_distance
from lowdim.linear.ica import Contrast, _basis_with, _quasi_newton, decorrelated, statistics

ALGORITHMS = ["auto", "parallel", "deflation", "picard", "gradient"]


def cocktail(n=4000):
    """Sine, square and sawtooth waves, and a mixing matrix (of full rank, well conditioned)."""
    time = np.linspace(0, 40, n)
    sources = np.column_stack([np.sin(2 * time), np.sign(np.sin(3 * time)), (time % 1.37) - 0.685])
    sources /= sources.std(axis=0)
    A = np.array([[1.0, 0.5, 0.3], [0.4, 1.0, 0.6], [0.2, 0.3, 1.0]])
    return sources @ A.T, sources, A


def laplacian(rng, n=5000, d=6):
    S = rng.laplace(size=(n, d))
    A = rng.normal(size=(d, d))
    return S @ A.T, A


# ---- golden values and planted truth -------------------------------------------------------------


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_the_voices_of_a_cocktail_party_are_told_apart(algorithm):
    X, sources, A = cocktail()
    model = FastICA(algorithm=algorithm, random_state=0, max_iter=1000, tol=1e-5)
    found = model.fit_transform(X)
    correlation = np.abs(np.corrcoef(sources.T, found.T)[:3, 3:])
    assert (correlation.max(axis=1) > 0.99).all()
    assert amari_distance(model.components_, A) < 0.1


@pytest.mark.parametrize("algorithm", ["auto", "parallel", "picard"])
@pytest.mark.parametrize("fun", ["logcosh", "exp", "cube"])
def test_peaked_and_flat_sources_are_found_together(rng, algorithm, fun):
    S = np.column_stack([rng.laplace(size=(8000, 3)), rng.uniform(-1, 1, size=(8000, 3))])
    A = rng.normal(size=(6, 6))
    model = FastICA(algorithm=algorithm, fun=fun, random_state=0, max_iter=500).fit(S @ A.T)
    # errors of angles about 1 / sqrt(n) times a few
    assert amari_distance(model.components_, A) < 0.06


def test_the_amari_distance_of_a_scaled_permutation_is_zero_and_of_equal_entries_one():
    P = np.array([[0.0, 2.0, 0.0], [0.0, 0.0, -1.0], [0.5, 0.0, 0.0]])
    assert amari_distance(P, np.eye(3)) == 0.0
    assert amari_distance(np.ones((3, 3)), np.eye(3)) == pytest.approx(1.0)


# ---- the derivation ------------------------------------------------------------------------------


@pytest.mark.parametrize("fun", ["logcosh", "exp", "cube"])
def test_contrasts_have_their_derivatives(fun):
    contrast = Contrast.of(fun, None)
    y = np.linspace(-3, 3, 13)[:, None]
    _, g, slope = contrast.evaluate(y)
    step = 1e-6
    above, below = contrast.evaluate(y + step), contrast.evaluate(y - step)
    np.testing.assert_allclose((above[0] - below[0]) / (2 * step), g, atol=1e-8)
    np.testing.assert_allclose((above[1] - below[1]) / (2 * step), slope, atol=1e-7)


def test_the_contrast_of_a_gaussian_is_the_integral():
    # E log cosh v = 0.374567 (Hyvarinen 1999), E v^4 / 4 = 3/4, E -exp(-v^2/2) = -1/sqrt 2
    assert Contrast.of("logcosh", None).gaussian == pytest.approx(0.374567, abs=1e-6)
    assert Contrast.of("cube", None).gaussian == pytest.approx(0.75, abs=1e-12)
    assert Contrast.of("exp", None).gaussian == pytest.approx(-1 / np.sqrt(2), abs=1e-9)


def test_statistics_are_plain_sums(rng):
    X, B, weight = rng.normal(size=(40, 3)), rng.normal(size=(2, 3)), rng.random(40)
    sums = statistics(X, np.ones(3), B, Contrast.of("logcosh", None), weight)
    Y = (X - 1) @ B.T
    np.testing.assert_allclose(sums.gy, (weight[:, None] * np.tanh(Y)).T @ Y, rtol=1e-10)
    np.testing.assert_allclose(sums.slope, weight @ (1 - np.tanh(Y) ** 2), rtol=1e-10)
    np.testing.assert_allclose(sums.G, weight @ np.log(np.cosh(Y)), rtol=1e-10)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_quick_sums_are_the_plain_ones(rng, dtype):
    X, B = 3 * rng.normal(size=(350, 4)).astype(dtype), rng.normal(size=(3, 4)).astype(dtype)
    contrast = Contrast.of("logcosh", {"alpha": 1.5})
    quick = statistics(X, np.zeros(4, dtype), B, contrast, None)
    plain = statistics(X, np.zeros(4, dtype), B, contrast, np.ones(350))
    for one, other in zip(quick, plain, strict=True):
        np.testing.assert_allclose(
            one, other, rtol=350 * np.finfo(dtype).eps, atol=1e-3 * (dtype == np.float32)
        )


@pytest.mark.parametrize(("algorithm", "settled"), [("auto", 0), ("picard", 0), ("gradient", 20)])
def test_the_objective_never_rises(rng, algorithm, settled):
    X, _ = laplacian(rng)
    history = FastICA(algorithm=algorithm, random_state=0, max_iter=300, tol=1e-4).fit(X).history_
    assert len(history) > settled + 3
    assert np.all(np.diff(history[settled:]) <= 1e-9)


def test_quasi_newton_without_memory_is_a_scaled_gradient_step(rng):
    gradient, none = rng.normal(size=(3, 3)), np.empty((0, 3, 3))
    direction = _quasi_newton(gradient, np.full((3, 3), 2.0), none, none)
    np.testing.assert_allclose(direction, -gradient / 2)


def test_a_basis_begins_with_the_vector_it_is_given(rng):
    for w in (rng.normal(size=5), np.eye(5)[0], -np.eye(5)[0]):
        w = w / np.linalg.norm(w)
        basis = _basis_with(w)
        np.testing.assert_allclose(basis[0], w, atol=1e-14)
        np.testing.assert_allclose(basis @ basis.T, np.eye(5), atol=1e-14)


def test_decorrelated_rows_are_orthonormal(rng):
    W = decorrelated(rng.normal(size=(4, 4)))
    np.testing.assert_allclose(W @ W.T, np.eye(4), atol=1e-13)


# ---- two roads -----------------------------------------------------------------------------------


@pytest.mark.parametrize("fun", ["logcosh", "exp", "cube"])
def test_scikit_learn_finds_the_same_sources_from_the_same_start(rng, fun):
    X, _ = laplacian(rng)
    start = rng.normal(size=(6, 6))
    ours = FastICA(algorithm="parallel", fun=fun, w_init=start, tol=1e-10, max_iter=500).fit(X)
    theirs = ScikitFastICA(
        fun=fun, w_init=start, tol=1e-10, max_iter=500, whiten="unit-variance"
    ).fit(X)
    assert amari_distance(ours.components_, theirs.mixing_) < 1e-4
    np.testing.assert_allclose(ours.transform(X).std(axis=0), 1.0, rtol=1e-9)


def test_picard_and_the_fixed_point_end_together(rng):
    X, _ = laplacian(rng)
    one = FastICA(algorithm="picard", random_state=0, tol=1e-12, max_iter=500).fit(X)
    other = FastICA(algorithm="parallel", random_state=0, tol=1e-12, max_iter=500).fit(X)
    assert amari_distance(one.components_, other.mixing_) < 1e-3
    assert one.history_[-1] == pytest.approx(other.history_[-1], rel=1e-6)


def test_a_contrast_of_ones_own_is_that_of_the_name(rng):
    X, _ = laplacian(rng)

    def cube(y):
        return y**3, (3 * y**2).mean(axis=-1)

    own = FastICA(fun=cube, random_state=0, tol=1e-8).fit(X)
    named = FastICA(fun="cube", algorithm="parallel", random_state=0, tol=1e-8).fit(X)
    np.testing.assert_allclose(own.components_, named.components_, atol=1e-6)


# ---- properties ----------------------------------------------------------------------------------


def test_arbitrary_variance_is_one_over_n(rng):
    X, _ = laplacian(rng, n=2000)
    Z = FastICA(whiten="arbitrary-variance", random_state=0).fit_transform(X)
    np.testing.assert_allclose(Z.var(axis=0), 1 / 2000, rtol=1e-9)


def test_white_rows_can_be_taken_as_they_are(rng):
    S = rng.laplace(size=(5000, 3))
    S = (S - S.mean(axis=0)) / S.std(axis=0)
    R, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    model = FastICA(whiten=False, random_state=0).fit(S @ R.T)
    assert amari_distance(model.components_, R) < 0.1
    assert not hasattr(model, "mean_")


@pytest.mark.parametrize("algorithm", ["auto", "parallel", "picard"])
@pytest.mark.parametrize("fun", ["logcosh", "cube"])
def test_a_start_at_a_saddle_is_left(rng, algorithm, fun):
    S = rng.laplace(size=(2000, 2))
    S = np.vstack([S, S[:, ::-1], S * [1, -1], S[:, ::-1] * [1, -1]])  # as if exchanged, reflected
    S /= S.std(axis=0)
    # so E g(u) v = 0 exactly for the sum u and the difference v of the sources
    start = np.array([[1.0, 1.0], [1.0, -1.0]]) / np.sqrt(2)
    model = FastICA(algorithm=algorithm, fun=fun, whiten=False, w_init=start, random_state=0).fit(S)
    assert amari_distance(model.components_, np.eye(2)) < 0.01


def test_fewer_sources_than_columns_reconstruct_what_they_span(rng):
    S = rng.laplace(size=(3000, 2))
    X = S @ rng.normal(size=(2, 5)) + 1.0
    model = FastICA(2, random_state=0).fit(X)
    np.testing.assert_allclose(model.inverse_transform(model.transform(X)), X, atol=1e-9)


def test_weights_are_repetitions(rng):
    X, _ = laplacian(rng, n=500, d=3)
    weight = rng.integers(0, 3, size=500)
    weighted = FastICA(random_state=0, tol=1e-10).fit(X, sample_weight=weight)
    repeated = FastICA(random_state=0, tol=1e-10).fit(np.repeat(X, weight, axis=0))
    np.testing.assert_allclose(weighted.components_, repeated.components_, atol=1e-6)


def test_streams_agree(rng):
    X, _ = laplacian(rng, n=1000, d=4)
    streamed = FastICA(random_state=0).fit(lowdim.stream(lambda: iter(np.split(X, [10, 600]))))
    np.testing.assert_allclose(
        streamed.components_, FastICA(random_state=0).fit(X).components_, atol=1e-7
    )


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"n_components": 9}, "n_components=9 is more than the 6"),
        ({"algorithm": "guess"}, "algorithm"),
        ({"fun_args": {"alpha": 3.0}}, r"alpha=3.0 in fun_args must be in \[1, 2\]"),
        ({"w_init": np.eye(2)}, r"w_init has shape \(2, 2\)"),
        ({"algorithm": "picard", "fun": np.tanh}, "needs the contrast G itself"),
        ({"algorithm": "gradient", "fun": "cube"}, "fun='logcosh'"),
    ],
)
def test_bad_arguments_are_named(rng, arguments, message):
    with pytest.raises(ValueError, match=message):
        FastICA(**arguments).fit(laplacian(rng)[0])


def test_more_sources_than_the_rank_are_cut_with_a_warning(rng):
    X = rng.laplace(size=(200, 2)) @ rng.normal(size=(2, 4))
    with pytest.warns(UserWarning, match="more than the rank 2 of X"):
        model = FastICA(3, random_state=0).fit(X)
    assert model.components_.shape == (2, 4)
