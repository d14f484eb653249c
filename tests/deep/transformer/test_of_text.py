"""CausalTransformer on text: learned, scored, written, saved; text that it refuses."""

import numpy as np
import pytest

pytest.importorskip("torch")

import lowdim
from lowdim.core.loop import Loop
from tests.deep.transformer.examples import TEXT, TINY


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
