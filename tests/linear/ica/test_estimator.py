"""ICA: mixed sources are found again, by every algorithm and from every kind of data."""

import numpy as np
import pytest
from sklearn.decomposition import FastICA as ScikitFastICA

import lowdim
from lowdim import FastICA, amari_distance
from tests.linear.ica.sources import cocktail, laplacian

ALGORITHMS = ["auto", "parallel", "deflation", "picard", "gradient"]


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


# ---- the derivation ------------------------------------------------------------------------------


@pytest.mark.parametrize(("algorithm", "settled"), [("auto", 0), ("picard", 0), ("gradient", 20)])
def test_the_objective_never_rises(rng, algorithm, settled):
    X, _ = laplacian(rng)
    history = FastICA(algorithm=algorithm, random_state=0, max_iter=300, tol=1e-4).fit(X).history_
    assert len(history) > settled + 3
    assert np.all(np.diff(history[settled:]) <= 1e-9)


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
