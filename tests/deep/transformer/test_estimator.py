"""CausalTransformer on sequences whose probabilities are known, on text, and its door."""

import numpy as np
import pytest

pytest.importorskip("torch")

import lowdim
from lowdim.core.loop import Loop

TINY = {"n_layers": 1, "n_heads": 2, "width": 16, "random_state": 0}
TEXT = "the cat sat on the mat. the dog sat on the cat. " * 6


def markov(rng, n, d=8):
    """Rows of a chain of 3 symbols, and the entropy of a row in nats."""
    P = np.array([[0.8, 0.15, 0.05], [0.05, 0.8, 0.15], [0.15, 0.05, 0.8]])
    X = np.empty((n, d), dtype=np.int64)
    X[:, 0] = rng.integers(0, 3, n)
    for i in range(1, d):
        X[:, i] = (P[X[:, i - 1]].cumsum(axis=1) < rng.random((n, 1))).sum(axis=1)
    return X.astype(float), np.log(3) - (d - 1) * (P[0] * np.log(P[0])).sum()


@pytest.fixture(scope="module")
def text_model():
    return lowdim.CausalTransformer(context=8, max_iter=2, **TINY).fit(TEXT)


# ---- numbers -------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [None, "random"])
def test_a_markov_chain_is_learned_to_its_entropy(order, rng):
    X, entropy = markov(rng, 1000)
    passes = 12 if order is None else 30  # neighbours must be found first
    model = lowdim.CausalTransformer(order=order, learning_rate=1e-2, max_iter=passes, **TINY)
    model.fit(X)
    new, _ = markov(rng, 2000)
    assert -model.score(new) < entropy + 0.15
    assert model.perplexity(new) == pytest.approx(np.exp(-model.score(new) / 8), rel=1e-6)
    drawn = model.sample(1500, random_state=1)
    assert (drawn[:, 1:] == drawn[:, :-1]).mean() == pytest.approx(0.8, abs=0.04)


def test_the_perplexity_of_rows_that_cannot_be_is_infinite(rng):
    X = rng.normal(size=(30, 3))
    model = lowdim.CausalTransformer(max_iter=1, **TINY).fit(X)
    assert model.perplexity(1e300 * X) == np.inf
    with pytest.raises(ValueError, match="X has no observed value; bits of an entry need"):
        model.perplexity(np.full((2, 3), np.nan))


def test_samples_with_and_without_a_cache_are_equal(rng):
    X = rng.normal(size=(60, 4))
    model = lowdim.CausalTransformer(levels=6, order=[2, 0, 3, 1], max_iter=2, **TINY).fit(X)
    np.testing.assert_array_equal(
        model.sample(40, random_state=3), model.sample(40, random_state=3, cache=False)
    )
    np.testing.assert_array_equal(model.order_, [2, 0, 3, 1])


def test_what_comes_later_is_heard_when_holes_are_filled(rng):
    X = rng.integers(0, 3, size=(400, 3)).astype(float)
    X[:, 2] = X[:, 0] + X[:, 1]
    model = lowdim.CausalTransformer(learning_rate=1e-2, max_iter=15, **TINY).fit(X)
    holes = X[:40].copy()
    holes[:, 0] = np.nan
    filled, std = model.impute(holes, return_std=True)
    assert np.abs(filled - X[:40]).mean() < 0.05
    assert std[:, 0].mean() < 0.3 and not std[:, 1:].any()
    assert (model.draw_imputations(holes, 3, random_state=0)[:, :, 0] == X[:40, 0]).mean() > 0.9


def test_numbers_have_a_density(rng):
    """Columns of different units: near the Gaussian's own log-density."""
    unit = np.array([1.0, 100.0, 0.01])
    A = np.array([[1, 0.8, 0], [0, 0.6, 0], [0, 0, 1]])
    X, new = (rng.normal(size=(n, 3)) @ A * unit for n in (800, 800))
    model = lowdim.CausalTransformer(levels=12, learning_rate=1e-2, **TINY).fit(X)
    exact = -1.5 * (1 + np.log(2 * np.pi)) - np.log(0.6) - np.log(unit).sum()
    assert exact - 0.6 < model.score(new) < exact + 0.1
    assert not model.whole_.any()


def test_rows_of_a_class(rng):
    y = rng.integers(0, 2, size=200)
    X = (rng.random((200, 5)) < np.where(y == 1, 0.1, 0.9)[:, None]).astype(np.uint8)
    model = lowdim.CausalTransformer(conditional=True, learning_rate=1e-2, **TINY).fit(X, y)
    drawn = model.sample(200, y=np.repeat([0, 1], 100), random_state=0)
    assert drawn[:100].mean() > 0.8 > 0.2 > drawn[100:].mean()
    assert model.attention(X[:3], y=y[:3]).shape == (3, 1, 2, 5, 5)
    with pytest.raises(ValueError, match="conditional=True has learned rows given y"):
        model.transform(X)


def test_max_steps_ends_a_fit_within_a_pass(rng):
    X = rng.integers(0, 3, size=(64, 3)).astype(float)
    arguments = {**TINY, "batch_size": 8, "schedule": "constant"}
    whole = lowdim.CausalTransformer(max_iter=2, **arguments).fit(X)
    same = lowdim.CausalTransformer(max_iter=9, max_steps=16, **arguments).fit(X)
    part = lowdim.CausalTransformer(max_iter=9, max_steps=11, **arguments).fit(X)
    np.testing.assert_array_equal(whole.history_, same.history_)
    for name, w in whole.weights_.items():
        np.testing.assert_array_equal(w, same.weights_[name])
    assert part.n_iter_ == 2 and part.history_[0] == whole.history_[0]
    assert part.history_[1] != whole.history_[1]
    assert lowdim.CausalTransformer(max_steps=3, **arguments).fit(X).n_iter_ == 1


# ---- text ----------------------------------------------------------------------------------------


def test_text_is_learned_and_written():
    text = "to be or not to be, " * 30
    model = lowdim.CausalTransformer(context=16, learning_rate=1e-2, max_iter=80, **TINY).fit(text)
    assert model.perplexity(text) < 1.15
    assert model.generate("to be or", 32, temperature=0) == ("to be or not to be, " * 2)
    assert model.score(text) == pytest.approx(-np.log(model.perplexity(text)), rel=1e-9)
    assert model.bits_per_dim(text) == pytest.approx(-model.score(text) / np.log(2), rel=1e-9)


def test_documents_begin_anew():
    """Only what stands first is told apart from what comes later."""
    texts = ["abab", "aba", "ababab", "ab"] * 30
    model = lowdim.CausalTransformer(context=8, learning_rate=1e-2, max_iter=20, **TINY).fit(texts)
    first, second = model.score_samples(["a", "b"])
    assert first > np.log(0.95) > np.log(0.2) > second
    assert all(text.startswith("a") for text in model.sample(20, random_state=0))


def test_sums_of_tokens_are_scores_of_texts(text_model):
    texts = ["the cat", "sat on the mat. the dog", ""]
    log_p = text_model.score_samples(texts)
    lengths = np.array([len(text) for text in texts])
    assert text_model.score(texts) == pytest.approx(log_p.sum() / lengths.sum(), rel=1e-6)
    P = text_model.conditionals(texts[1])
    known = text_model.vocabulary_
    own = sum(np.log(P[i, known.index(c)]) for i, c in enumerate(texts[1]))
    assert own == pytest.approx(log_p[1], rel=1e-5) and log_p[2] == 0
    assert text_model.transform(texts).shape == (3, 16)
    assert text_model.attention("the cat").shape == (1, 2, 7, 7)


def test_generated_text_follows_the_seed(text_model):
    drawn = text_model.generate("the ", 30, random_state=1)
    assert len(drawn) == 34 and drawn.startswith("the ")
    assert drawn == text_model.generate("the ", 30, random_state=1)
    assert drawn != text_model.generate("the ", 30, random_state=2)
    narrow = text_model.generate("the ", 30, top_k=1, random_state=1)
    assert narrow == text_model.generate("the ", 30, temperature=0)
    assert len(text_model.generate(length=5, top_p=0.5)) == 5
    texts = text_model.sample(3, random_state=0)
    assert [len(text) for text in texts] == [8, 8, 8]
    assert texts == text_model.sample(3, random_state=0, cache=False)


@pytest.mark.parametrize("tokens", ["byte", "bpe"])
def test_bytes_and_pairs_know_all_text(tokens, tmp_path):
    if tokens == "bpe":
        pytest.importorskip("tokenizers")
    model = lowdim.CausalTransformer(tokens, context=8, vocabulary_size=270, max_iter=1, **TINY)
    model.fit(TEXT).save(tmp_path / "model.lowdim")
    back = lowdim.load(tmp_path / "model.lowdim")
    assert back.score("the naïve cat") == model.score("the naïve cat") < 0
    assert back.generate("é", 5, random_state=0) == model.generate("é", 5, random_state=0)
    assert model.tokens_ == tokens and model.vocabulary_ is None


def test_a_saved_model_of_text_comes_back(text_model, tmp_path):
    text_model.save(tmp_path / "model.lowdim")
    back = lowdim.load(tmp_path / "model.lowdim")
    assert back.vocabulary_ == text_model.vocabulary_
    assert back.score(TEXT) == text_model.score(TEXT)
    np.testing.assert_array_equal(back.transform([TEXT]), text_model.transform([TEXT]))


def test_whatever_holds_a_text_and_on_any_threads_it_is_the_same(tmp_path):
    texts = ["the cat sat", "on the mat", "a dog ran away"] * 20
    for i, text in enumerate(texts):
        (tmp_path / f"{i:03d}.txt").write_text(text)
    small = {**TINY, "context": 8, "max_iter": 2, "batch_size": 96}
    held = (texts, lowdim.corpus(tmp_path), tmp_path, lambda: iter(texts))
    fits = [lowdim.CausalTransformer(**small).fit(source) for source in held]
    with lowdim.config_context(threads=1):
        fits.append(lowdim.CausalTransformer(**small).fit(texts))
        alone = fits[0].score(texts)
    with lowdim.config_context(threads=2):
        assert fits[0].score(texts) == alone
    for other in fits[1:]:
        np.testing.assert_array_equal(fits[0].history_, other.history_)
        for name, w in fits[0].weights_.items():
            np.testing.assert_array_equal(w, other.weights_[name])


def test_a_fit_of_text_goes_on_from_its_checkpoint(tmp_path, monkeypatch):
    model = lowdim.CausalTransformer(context=8, max_iter=4, **TINY)
    whole = model.fit(TEXT).weights_
    record, n = Loop.record, 0

    def crashing(self, *args, **kwargs):
        nonlocal n
        n += 1
        record(self, *args, **kwargs)
        if n == 3:
            raise KeyboardInterrupt("the machine stops")

    with lowdim.config_context(checkpoint=tmp_path, checkpoint_seconds=0):
        with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
            patch.setattr(Loop, "record", crashing)
            model.fit(TEXT)
        assert list(tmp_path.glob("*.checkpoint"))
        again = model.fit(TEXT).weights_
    for name, w in whole.items():
        np.testing.assert_array_equal(w, again[name])


def test_one_more_pass_over_more_text(text_model):
    model = lowdim.CausalTransformer(context=8, max_iter=1, **TINY).fit(TEXT)
    before = model.score(TEXT)
    for _ in range(3):
        model.partial_fit(TEXT)
    assert model.score(TEXT) > before and model.n_iter_ == 4
    with pytest.raises(ValueError, match="'#'"):
        model.partial_fit("the #")


def test_a_model_may_be_fitted_to_text_and_then_to_numbers(rng):
    model = lowdim.CausalTransformer(context=8, max_iter=1, **TINY)
    X = rng.normal(size=(20, 3))
    fresh = lowdim.CausalTransformer(context=8, max_iter=1, **TINY).fit(X)
    assert model.fit(TEXT).fit(X).score(X) == fresh.score(X)
    assert vars(model).keys() == vars(fresh).keys()
    text = model.fit("ab" * 20)
    assert text.score("ab") < 0 and not hasattr(text, "n_features_in_")


def test_a_text_of_one_character():
    model = lowdim.CausalTransformer(max_iter=1, **TINY).fit("a")
    assert model.score("aaa") == pytest.approx(0.0, abs=1e-6) and model.generate("a", 3) == "aaaa"


def test_pictures(text_model, rng):
    pytest.importorskip("matplotlib")
    ax = text_model.plot("attention", "the cat")
    assert [t.get_text() for t in ax.get_yticklabels()] == list("the cat")
    assert [t.get_text() for t in ax.get_xticklabels()] == ["start", *"the ca"]
    assert text_model.plot("attention", "the", head=1, layer=0).figure is not ax.figure
    assert text_model.plot().get_lines()
    for name, value in (("layer", 9), ("layer", -9), ("head", 9), ("head", 0.5)):
        with pytest.raises(ValueError, match=f"{name}={value}"):
            text_model.plot("attention", "the", **{name: value})


# ---- what is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"width": 10, "n_heads": 4}, r"width=10 cannot be divided among n_heads=4"),
        ({"levels": 1}, "levels"),
        ({"order": [0, 0, 1]}, r"order=\[0, 0, 1\] must hold each of the 3 columns"),
        ({"tokens": "char"}, "tokens='char' is for text, and X holds numbers"),
        ({"tokens": "word"}, "tokens"),
        ({"positions": "rotary"}, "positions"),
        ({"max_steps": 0}, "max_steps"),
        ({"conditional": True}, "requires y"),
    ],
)
def test_bad_arguments(given, says, rng):
    with pytest.raises(ValueError, match=says):
        lowdim.CausalTransformer(**{**TINY, **given}).fit(rng.normal(size=(20, 3)))


@pytest.mark.parametrize(
    ("X", "given", "says"),
    [
        ("", {}, "without a single character"),
        (["", ""], {}, "without a single character"),
        ("abc", {"order": "random"}, "order='random' is for rows of numbers"),
        ("abc", {"conditional": True}, "conditional=True is for rows of numbers"),
    ],
)
def test_bad_text(X, given, says):
    with pytest.raises(ValueError, match=says):
        lowdim.CausalTransformer(**TINY, **given).fit(X)


def test_bad_questions(text_model, rng):
    with pytest.raises(ValueError, match=r"2 characters .*: 'X', 'é'"):
        text_model.score("the éX")
    with pytest.raises(ValueError, match="'#'"):
        text_model.generate("#")
    for name, value in {"length": 0, "temperature": -1.0, "top_k": 0, "top_p": 0.0}.items():
        with pytest.raises(ValueError, match=f"{name}="):
            text_model.generate("the", **{name: value})
    with pytest.raises(ValueError, match="n_samples=0"):
        text_model.sample(0)
    with pytest.raises(ValueError, match="without a single token"):
        text_model.score("")
    with pytest.raises(ValueError, match="11 tokens, and attention is drawn of at most 8"):
        text_model.attention("the cat sat")
    for ask in (text_model.score, text_model.impute, text_model.transform):
        with pytest.raises(TypeError, match="has learned from text"):
            ask(np.ones((2, 3)))
    for ask in (text_model.impute, text_model.draw_imputations):
        with pytest.raises(TypeError, match="has learned from text"):
            ask("the cat")
    numbers = lowdim.CausalTransformer(max_iter=1, **TINY).fit(rng.normal(size=(20, 3)))
    for ask in (numbers.score, numbers.generate, numbers.impute):
        with pytest.raises(TypeError, match="has learned from rows of numbers"):
            ask("the cat")
