"""GloVe as people use it."""

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim import ALS, GloVe
from tests.text.embeddings.examples import FOUR_WORDS, cosines, poisson_counts

SOLVERS = ("adagrad", "sgd", "als", "gd")


def objective(model, N, f):
    """sum f r^2 / sum f, from what is published."""
    fit = (
        model.word_vectors_ @ model.context_vectors_.T + model.bias_[:, None] + model.context_bias_
    )
    seen = N > 0
    r = np.log(np.where(seen, N, 1.0)) - fit
    return (f * r**2)[seen].sum() / f[seen].sum()


# ---- the derivation ------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
def test_the_last_objective_is_that_of_the_published_vectors(rng, solver, bias):
    N = poisson_counts(rng)
    model = GloVe(2, solver=solver, bias=bias, random_state=0, learning_rate=0.02).fit(N)
    f = np.minimum(1.0, (N / 100.0) ** 0.75)
    assert model.history_[-1] == pytest.approx(objective(model, N, f), rel=1e-4)
    assert model.history_[-1] < model.history_[0]
    if solver in ("als", "gd"):
        assert np.all(np.diff(model.history_) <= 1e-12)
    if not bias:
        assert not model.bias_.any() and not model.context_bias_.any()


def test_all_solvers_come_down_to_the_same_objective():
    best = GloVe(1, solver="als", random_state=0, max_iter=50).fit(FOUR_WORDS).history_[-1]
    for solver, rate in (("adagrad", 0.5), ("sgd", 0.05), ("gd", 0.05)):
        model = GloVe(1, solver=solver, learning_rate=rate, random_state=0, max_iter=300)
        assert best - 1e-6 <= model.fit(FOUR_WORDS).history_[-1] <= 1.1 * best


def test_cosines_do_not_depend_on_the_start(seed):
    N = FOUR_WORDS
    one, two = (GloVe(2, solver="als", random_state=s, max_iter=100).fit(N) for s in (seed, 99))
    assert one.history_[-1] == pytest.approx(two.history_[-1], rel=1e-6)
    np.testing.assert_allclose(cosines(one.vectors_), cosines(two.vectors_), atol=1e-2)


def test_vectors_are_balanced_and_have_mean_0(rng):
    model = GloVe(3, random_state=0).fit(poisson_counts(rng))
    W, C = model.word_vectors_, model.context_vectors_
    np.testing.assert_allclose(W.T @ W, C.T @ C, atol=1e-10)
    np.testing.assert_allclose(W.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(C.mean(axis=0), 0, atol=1e-12)


# ---- two roads, one result -----------------------------------------------------------------------


def test_with_equal_weights_it_is_the_completion_of_log_counts(rng):
    """The objective of ALS without biases: in units of the root mean square of the entries."""
    N = poisson_counts(rng, 12, 8, mean=20.0)
    logs = np.where(N > 0, np.log(np.where(N > 0, N, 1.0)), np.nan)
    settings = {"penalty": 0.05, "weighted_penalty": False, "center": None, "solver": "cholesky"}
    other = ALS(2, **settings, random_state=0, tol=0, max_iter=400).fit(logs)
    scale = other.scale_[0]
    model = GloVe(
        2,
        solver="als",
        weighting="observed",
        bias=False,
        penalty=0.05 * scale,
        random_state=0,
        max_iter=400,
    ).fit(N)
    assert model.history_[-1] == pytest.approx(other.history_[-1] * scale**2, rel=1e-6)
    fit = model.word_vectors_ @ model.context_vectors_.T
    np.testing.assert_allclose(fit, other.row_factors_ @ other.components_, atol=1e-3)


def test_with_biases_and_no_penalty_it_is_als_too(rng):
    N = poisson_counts(rng, mean=40.0) + 1.0
    other = ALS(1, penalty=0.0, solver="cholesky", random_state=0, tol=0, max_iter=150)
    other.fit(np.log(N))
    model = GloVe(1, solver="als", weighting="observed", random_state=0, max_iter=150).fit(N)
    assert model.history_[-1] == pytest.approx(other.history_[-1] * other.scale_[0] ** 2, rel=1e-4)


def test_dense_sparse_streamed_and_dask_counts_agree(rng):
    da = pytest.importorskip("dask.array")
    N = poisson_counts(rng, mean=2.0)
    model = GloVe(2, random_state=0, max_iter=3).fit(N)
    stream = lowdim.stream(lambda: iter(np.split(N, [3, 11])))
    for other in (sp.csr_array(N), stream, da.from_array(N, chunks=(7, 12))):
        found = GloVe(2, random_state=0, max_iter=3).fit(other)
        np.testing.assert_array_equal(found.vectors_, model.vectors_)


def test_text_is_counted_by_distance():
    text = ["the cat drinks milk", "the dog drinks water", "a cat and a dog eat"] * 5
    model = GloVe(2, window=3, random_state=0).fit(text)
    from lowdim.text.tokens import pair_counts

    N = pair_counts(lowdim.text.read_tokens(text), window=3, weighting="harmonic")
    np.testing.assert_array_equal(GloVe(2, random_state=0).fit(N).vectors_, model.vectors_)
    assert model.score(text) == pytest.approx(-model.history_[-1], rel=1e-4)
    assert model.score(N) >= model.score(text)
    np.testing.assert_array_equal(model.vectors_, model.word_vectors_ + model.context_vectors_)


# ---- a planted truth -----------------------------------------------------------------------------


def test_planted_log_counts_are_found(rng):
    W, C = rng.normal(size=(30, 2)), rng.normal(size=(25, 2))
    N = np.exp(3.0 + W @ C.T + rng.normal(size=(30, 1)) + rng.normal(size=25))
    model = GloVe(2, solver="als", random_state=0, max_iter=100).fit(N)
    assert model.history_[-1] < 1e-8
    np.testing.assert_allclose(model.transform(N), model.word_vectors_, atol=1e-3)


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "N", "message"),
    [
        ({}, np.zeros((3, 2)), "no pairs: all counts are 0"),
        ({}, -FOUR_WORDS, "Negative values in data passed to GloVe"),
        ({}, np.where(FOUR_WORDS == 10, np.nan, FOUR_WORDS), "X has NaN in 1 of 5 columns"),
        ({"solver": "newton"}, FOUR_WORDS, "'solver' parameter of GloVe"),
        ({"x_max": 0.0}, FOUR_WORDS, "'x_max' parameter of GloVe"),
        ({"solver": "sgd", "learning_rate": 50.0}, FOUR_WORDS, "learning_rate=50 is too large"),
        ({"learning_rate": 50.0}, FOUR_WORDS, "learning_rate=50 is too large"),
        ({}, ["one one one one one"], "only one word"),
        ({"window": "sentence"}, ["one two one two"] * 5, "window='sentence' has no distances"),
    ],
    ids=["zeros", "negative", "NaN", "solver", "x_max", "sgd", "rate", "one word", "sentence"],
)
@pytest.mark.filterwarnings("ignore:overflow")
def test_what_cannot_be_learned_is_refused(arguments, N, message):
    with pytest.raises(ValueError, match=message):
        GloVe(2, random_state=0, **arguments).fit(N)


def test_words_and_contexts_without_counts_do_no_harm():
    N = np.pad(FOUR_WORDS, [(0, 1), (0, 1)])
    for solver in SOLVERS:
        model = GloVe(2, solver=solver, learning_rate=0.01, random_state=0).fit(N)
        assert np.isfinite(model.vectors_).all() and np.isfinite(model.context_bias_).all()
