"""Skip-gram as people use it."""

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim import SkipGram
from tests.text.embeddings.examples import FOUR_WORDS, cosines, poisson_counts

P = FOUR_WORDS / FOUR_WORDS.sum()


def fitted(*args, N=FOUR_WORDS, seed=0, **arguments):
    return SkipGram(*args, random_state=seed, **arguments).fit(N)


def scores(model):
    return model.word_vectors_ @ model.context_vectors_.T + model.bias_


# ---- golden values -------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [3, 4, 50])
def test_from_three_dimensions_on_j_is_the_conditional_entropy(d, seed):
    given = P / P.sum(axis=1, keepdims=True)
    assert -(P * np.log(given)).sum() == pytest.approx(0.8337926, abs=5e-8)
    model = fitted(d, seed=seed)
    assert model.history_[-1] == pytest.approx(0.8337926, abs=5e-8)
    np.testing.assert_allclose(model.context_probabilities(["0", "1"]), given[:2], atol=1e-4)


@pytest.mark.parametrize(
    ("d", "bias", "objective"), [(2, True, 0.8339060), (1, True, 0.8355183), (1, False, 0.8385924)]
)
def test_fewer_dimensions_lose_what_they_must(d, bias, objective, seed):
    assert fitted(d, bias=bias, seed=seed).history_[-1] == pytest.approx(objective, abs=1e-7)


def test_biases_alone_lose_the_entropy_of_contexts():
    """Which a penalty that leaves no vectors shows."""
    assert fitted(1, penalty=1e3).history_[-1] == pytest.approx(1.0111189, abs=1e-7)


@pytest.mark.parametrize(
    ("exponent", "h", "objective"),
    [
        (1.0, [-5.8542, -4.8824, -2.3004, 1.4120, 0.6482], 2.5731845),
        (0.75, [-5.7942, -4.7907, -2.8278, 0.9042, -0.3775], 2.5439575),
    ],
)
def test_with_negative_samples_h_is_the_shifted_log_ratio(exponent, h, objective, seed):
    model = fitted(5, loss="negative", ns_exponent=exponent, seed=seed)
    assert model.history_[-1] == pytest.approx(objective, abs=1e-7)
    np.testing.assert_allclose(scores(model)[0], h, atol=1e-4)
    q = P.sum(axis=0) ** exponent
    np.testing.assert_allclose(model.noise_, q / q.sum())


def test_nce_models_the_probability_itself():
    model = fitted(5, loss="nce")
    np.testing.assert_allclose(scores(model), np.log(P / P.sum(axis=1, keepdims=True)), atol=1e-3)
    assert model.history_[-1] == pytest.approx(2.5439575, abs=1e-7)


def test_noise_of_pairs_is_told_from_pairs():
    noise = np.ones((4, 5))
    noise[0, 0] = 7.0
    model = fitted(5, loss="negative", noise=noise, negative=2)
    expected = np.log(P / (2 * noise / noise.sum()))
    np.testing.assert_allclose(scores(model), expected, atol=5e-3)


# ---- the derivation ------------------------------------------------------------------------------


@pytest.mark.parametrize("loss", ["softmax", "negative", "nce"])
def test_j_never_rises(rng, loss):
    model = fitted(3, N=poisson_counts(rng), loss=loss, penalty=1e-4, tol=0, max_iter=60)
    assert np.all(np.diff(model.history_) <= 0)


@pytest.mark.parametrize("loss", ["softmax", "negative"])
def test_cosines_do_not_depend_on_the_start(loss, seed):
    one, two = (fitted(2, loss=loss, seed=s) for s in (seed, seed + 100))
    assert one.history_[-1] == pytest.approx(two.history_[-1], abs=1e-6)
    np.testing.assert_allclose(cosines(one.vectors_), cosines(two.vectors_), atol=2e-3)


def test_vectors_are_balanced():
    model = fitted(3)
    W, C = model.word_vectors_, model.context_vectors_
    np.testing.assert_allclose(W.T @ W, C.T @ C, atol=1e-10)
    np.testing.assert_allclose(W.mean(axis=0), 0, atol=1e-12)


def test_a_penalty_balances_by_itself_and_shortens_vectors():
    free, costly = fitted(2), fitted(2, penalty=1e-2)
    assert (costly.vectors_**2).sum() < (free.vectors_**2).sum()
    np.testing.assert_allclose(costly.transform(FOUR_WORDS), costly.word_vectors_, atol=1e-5)


def test_tied_words_have_one_vector():
    S = FOUR_WORDS[:, :4] + FOUR_WORDS[:, :4].T
    model = fitted(2, N=S, tied=True)
    np.testing.assert_array_equal(model.word_vectors_, model.context_vectors_)
    assert model.history_[-1] >= fitted(2, N=S).history_[-1] - 1e-9


# ---- two roads, one result -----------------------------------------------------------------------


def test_dense_sparse_streamed_and_dask_counts_agree(rng):
    da = pytest.importorskip("dask.array")
    N = poisson_counts(rng, mean=60.0) + 1.0
    model = fitted(2, N=N)
    np.testing.assert_array_equal(fitted(2, N=sp.csr_array(N)).vectors_, model.vectors_)
    stream = lowdim.stream(lambda: iter(np.split(N, [3, 11])))
    for other in (stream, da.from_array(N, chunks=(7, 12))):
        np.testing.assert_allclose(fitted(2, N=other).vectors_, model.vectors_, atol=1e-5)


def test_text_is_its_counts():
    text = ["the cat drinks milk", "the dog drinks water", "a cat and a dog eat"] * 5
    model = SkipGram(2, window=2, penalty=1e-3, random_state=0).fit(text)
    tokens = lowdim.text.read_tokens(text)
    from lowdim.text.tokens import pair_counts

    N = pair_counts(tokens, window=2)
    np.testing.assert_array_equal(fitted(2, N=N, penalty=1e-3).vectors_, model.vectors_)
    assert model.words_ == tokens.words
    np.testing.assert_array_equal(model.counts_, tokens.counts)
    assert model.score(text) == pytest.approx(model.score(N), abs=1e-2)
    assert model.score(text) == pytest.approx(
        1e-3 * 2 * (model.word_vectors_**2).sum() - model.history_[-1], abs=1e-6
    )
    vectors = model.transform(["cat dog", "nothing known"])
    middle = model.wv["cat"] + model.wv["dog"]
    np.testing.assert_allclose(vectors[0], middle / 2, rtol=1e-6)
    assert not vectors[1].any()


def test_all_losses_agree_on_whether_a_pair_is_noise():
    q = P.sum(axis=0) ** 0.75
    q /= q.sum()
    given = P / P.sum(axis=1, keepdims=True)
    for loss in ("softmax", "negative", "nce"):
        model = fitted(5, loss=loss)
        one = model.pair_probability("0", "3")
        assert isinstance(one, float)
        assert one == pytest.approx(given[0, 3] / (given[0, 3] + 5 * q[3]), abs=1e-4)
        several = model.pair_probability(["0", "2"], ["3", "1"])
        expected = given[[0, 2], [3, 1]] / (given[[0, 2], [3, 1]] + 5 * q[[3, 1]])
        np.testing.assert_allclose(several, expected, atol=1e-4)
        assert model.pair_probability("0", ["3", "4"]).shape == (2,)


def test_scores_of_the_fitted_rows_are_minus_j():
    for arguments in ({}, {"loss": "negative"}, {"loss": "nce", "vector_size": 2}):
        model = fitted(**{"vector_size": 3, **arguments})
        assert model.score(FOUR_WORDS) == pytest.approx(-model.history_[-1], abs=1e-7)


def test_combinations_are_of_words_and_contexts():
    S = FOUR_WORDS[:, :4] + 1.0
    models = {name: fitted(2, N=S, combine=name) for name in ("word", "sum", "context", "average")}
    W, C = models["word"].word_vectors_, models["word"].context_vectors_
    expected = {"word": W, "sum": W + C, "context": C, "average": (W + C) / 2}
    for name, model in models.items():
        np.testing.assert_array_equal(model.vectors_, expected[name])


# ---- a planted truth -----------------------------------------------------------------------------


def test_planted_vectors_are_found(rng):
    W, C = rng.normal(size=(40, 2)), rng.normal(size=(30, 2))
    p = np.exp(W @ C.T)
    N = rng.poisson(2000 * p / p.sum(axis=1, keepdims=True))
    model = fitted(2, N=N)
    np.testing.assert_allclose(
        model.context_probabilities(model.words_), p / p.sum(axis=1, keepdims=True), atol=0.03
    )


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "N", "message"),
    [
        ({}, np.zeros((3, 2)), "no pairs: all counts are 0"),
        ({}, -FOUR_WORDS, "Negative values in data passed to SkipGram"),
        ({}, np.where(FOUR_WORDS == 10, np.nan, FOUR_WORDS), "X has NaN in 1 of 5 columns"),
        ({"negative": 0}, FOUR_WORDS, "'negative' parameter of SkipGram"),
        ({"tied": True}, FOUR_WORDS, "tied=True needs a context for each word"),
        ({"noise": [1.0]}, FOUR_WORDS, r"noise has shape \(1,\)"),
        ({"loss": "hinge"}, FOUR_WORDS, "'loss' parameter of SkipGram"),
        ({}, ["one one one one one"], "only one word"),
        ({}, ["one two"], "min_count"),
    ],
    ids=["zeros", "negative", "NaN", "k=0", "tied", "noise", "loss", "one word", "rare"],
)
def test_what_cannot_be_learned_is_refused(arguments, N, message):
    with pytest.raises(ValueError, match=message):
        SkipGram(**arguments).fit(N)


def test_a_word_and_a_context_without_counts_do_no_harm():
    N = np.pad(FOUR_WORDS, [(0, 1), (0, 1)])
    for loss in ("softmax", "negative", "nce"):
        model = fitted(2, N=N, loss=loss, max_iter=150, tol=0)
        assert np.isfinite(model.vectors_).all() and np.isfinite(model.bias_).all()
        p = model.context_probabilities("0")
        assert p[-1] < 1e-3
        assert 0 <= model.pair_probability("0", "5") <= 1
