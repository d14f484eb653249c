import numpy as np
import pytest
from sklearn.base import clone

import lowdim
from lowdim import Word2Vec
from lowdim.core.loop import Loop
from lowdim.text.embeddings.word2vec import training
from lowdim.text.tokens import read_tokens

ANIMALS, LAW = "cat dog horse cow".split(), "tax law court judge".split()


def texts(rng, n=300):
    """Two subjects; words of one stand near each other."""
    found = []
    for i in range(n):
        words = rng.choice(ANIMALS if i % 2 else LAW, size=8)
        found.append("the " + " ".join(words) + " and")
    return found


def small(**arguments):
    usual = {"vector_size": 8, "window": 3, "sample": 0, "epochs": 3, "random_state": 0}
    return Word2Vec(**(usual | arguments))


def assert_same(one, other):
    assert one.words_ == other.words_
    for name in ("vectors_", "context_vectors_", "history_", "counts_"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)


def contrast(model):
    """How much more alike words of one subject are than words of two."""
    alike, other = model.wv.similarity("cat", "dog"), model.wv.similarity("cat", "tax")
    return alike - other


# ---- what is learned -----------------------------------------------------------------------------


@pytest.mark.parametrize("sg", [0, 1])
@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"bias": True},
        {"window": (1, 2)},
        {"window": {-1, 2}},
        {"window": "sentence"},
        {"shrink_windows": False, "combine": "sum"},
        {"cbow_mean": False, "alpha": 0.025},
        {"negative": 12, "ns_exponent": 0.0},
        {"sample": 0.05},
    ],
    ids=str,
)
def test_words_that_stand_near_each_other_become_alike(sg, arguments, rng):
    model = small(sg=sg, epochs=6, **arguments).fit(texts(rng))
    assert contrast(model) > 0.2
    assert model.vectors_.dtype == np.float32
    assert model.history_.dtype == np.float64
    assert model.history_[-1] < model.history_[0]
    assert hasattr(model, "bias_") == arguments.get("bias", False)


def test_words_come_by_falling_count_then_by_name(rng):
    model = small(min_count=1).fit(["b a b c a b", "zz"])
    assert model.words_ == ["b", "a", "c", "zz"]
    assert model.counts_.tolist() == [3, 2, 1, 1]
    assert model.wv.get_vecattr("a", "count") == 2


def test_vectors_are_combined_as_asked(rng):
    docs = texts(rng, 60)
    W = small().fit(docs)
    C = W.context_vectors_
    for combine, expected in (
        ("sum", W.vectors_ + C),
        ("context", C),
        ("average", (W.vectors_ + C) / 2),
    ):
        model = small(combine=combine).fit(docs)
        np.testing.assert_array_equal(model.vectors_, expected)
        np.testing.assert_array_equal(model.word_vectors_, W.vectors_)


def test_a_fit_starts_from_given_vectors(rng):
    docs = texts(rng, 60)
    first = small().fit(docs).wv
    start = small(init=first, alpha=1e-9, min_alpha=0.0, epochs=1).fit(docs)
    np.testing.assert_allclose(start.vectors_, first.vectors, atol=1e-6)
    some = lowdim.WordVectors(["cat", "other"], np.ones((2, 8), dtype=np.float32))
    start = small(init=some, alpha=1e-9, min_alpha=0.0, epochs=1).fit(docs)
    np.testing.assert_allclose(start.wv["cat"], 1, atol=1e-6)
    assert np.abs(start.wv["dog"]).max() < 0.5


# ---- the same bits -------------------------------------------------------------------------------


@pytest.mark.parametrize("sg", [0, 1])
def test_threads_and_what_holds_the_text_change_no_bit(sg, rng, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "FEW_WORDS", 8)
    monkeypatch.setattr(training, "WORDS_FOR_THREADS", 0)
    monkeypatch.setattr(training, "PLACES_FOR_THREADS", 0)
    docs = texts(rng, 80)
    path = tmp_path / "text.txt"
    path.write_text("\n".join(docs))
    reference = small(sg=sg).fit(docs)
    for threads in (1, 2, 5):
        with lowdim.config_context(threads=threads):
            assert_same(reference, small(sg=sg).fit(doc for doc in docs))
    assert_same(reference, small(sg=sg).fit(lowdim.corpus(docs)))
    assert_same(reference, small(sg=sg).fit([doc.split() for doc in docs]))
    assert_same(reference, small(sg=sg).fit(path))


@pytest.mark.parametrize("sg", [0, 1])
def test_a_fit_that_was_cut_short_goes_on_to_the_same_bits(sg, rng, tmp_path, monkeypatch):
    monkeypatch.setattr(training, "SLICE", 512)
    monkeypatch.setattr(training, "ROUND", 256)
    docs = texts(rng, 100)
    whole = small(sg=sg).fit(docs)
    recorded, record = 0, Loop.record

    def crashing(self, *args, **kwargs):
        nonlocal recorded
        recorded += 1
        if recorded == 4:
            raise RuntimeError("power cut")
        record(self, *args, **kwargs)

    with lowdim.config_context(checkpoint=tmp_path, checkpoint_seconds=0):
        with monkeypatch.context() as patch:
            patch.setattr(Loop, "record", crashing)
            with pytest.raises(RuntimeError, match="power cut"):
                small(sg=sg).fit(docs)
        assert list(tmp_path.iterdir())
        assert_same(whole, small(sg=sg).fit(docs))
        assert not list(tmp_path.iterdir())


def test_a_saved_model_comes_back_bit_by_bit(rng, tmp_path):
    docs = texts(rng, 60)
    model = small(pooling="sif", bias=True, combine="average").fit(docs)
    model.save(tmp_path / "model.lowdim")
    back = lowdim.load(tmp_path / "model.lowdim")
    assert_same(model, back)
    np.testing.assert_array_equal(model.transform(docs), back.transform(docs))
    np.testing.assert_array_equal(model.bias_, back.bias_)


# ---- more text -----------------------------------------------------------------------------------


@pytest.mark.parametrize("sg", [0, 1])
def test_new_words_join_with_more_text(sg, rng):
    model = small(sg=sg, epochs=6, bias=True).fit(texts(rng))
    before = dict(zip(model.words_, model.counts_, strict=True))
    more = [" ".join(rng.permutation([*ANIMALS, "goat", "goat"])) for _ in range(100)]
    model.partial_fit([*more, "rare cat"])
    assert "goat" in model.wv and "rare" not in model.wv
    after = dict(zip(model.words_, model.counts_, strict=True))
    assert after["cat"] == before["cat"] + 101 and after["goat"] == 200
    assert after["tax"] == before["tax"]
    assert (np.diff(model.counts_) <= 0).all()
    assert len(model.history_) == model.n_iter_ == 12
    assert model.wv.similarity("goat", "horse") > model.wv.similarity("goat", "tax")
    assert contrast(model) > 0


def test_the_first_part_of_a_text_is_a_fit(rng):
    docs = texts(rng, 60)
    assert_same(small().fit(docs), small().partial_fit(docs))


def test_max_final_vocab_holds_for_all_parts(rng):
    model = small(max_final_vocab=4).fit(texts(rng, 60))
    assert len(model.words_) == 4
    known = set(model.words_)
    assert set(model.partial_fit([*texts(rng, 20), *["new words here"] * 9]).words_) == known


# ---- texts ---------------------------------------------------------------------------------------


def test_a_text_is_the_mean_of_its_known_words(rng):
    model = small().fit(texts(rng, 60))
    Z = model.transform(["Cat, dog: xyz", "xyz", ""])
    np.testing.assert_allclose(Z[0], (model.wv["cat"] + model.wv["dog"]) / 2, rtol=1e-5)
    assert not Z[1:].any()
    assert Z.dtype == np.float32
    assert model.get_feature_names_out()[0] == "word2vec0"


def test_sif_leaves_out_what_all_texts_have_in_common(rng):
    docs = texts(rng, 60)
    model = small(pooling="sif").fit(docs)
    Z = model.transform([*docs, "xyz"])
    np.testing.assert_allclose(Z @ model.common_direction_, 0, atol=1e-6)
    assert not Z[-1].any()


def test_fit_transform_reads_a_generator_once(rng):
    docs = texts(rng, 60)
    Z = small().fit_transform(doc for doc in docs)
    np.testing.assert_array_equal(Z, small().fit(docs).transform(docs))


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.parametrize("sg", [0, 1])
def test_a_rate_that_is_too_large_is_named(sg, rng):
    with pytest.raises(ValueError, match=r"alpha=50 is too large.*Choose a smaller alpha"):
        small(sg=sg, alpha=50).fit(texts(rng))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"negative": 0}, "'negative' parameter of Word2Vec"),
        ({"sg": 2}, "'sg' parameter"),
        ({"vector_size": 0}, "'vector_size' parameter"),
        ({"window": 0}, "'window' parameter"),
        ({"window": (0, 0)}, "window="),
        ({"alpha": -1.0}, "'alpha' parameter"),
        ({"sample": 2.0}, "'sample' parameter"),
        ({"init": np.ones(3)}, "'init' parameter"),
    ],
    ids=str,
)
def test_arguments_that_mean_nothing_are_named(arguments, message, rng):
    with pytest.raises(ValueError, match=message):
        small(**arguments).fit(texts(rng, 20))


@pytest.mark.parametrize(
    ("docs", "error", "message"),
    [
        ([], ValueError, "no words"),
        (["a b c"], ValueError, "min_count=5"),
        (["a a a a a a"], ValueError, "only one word"),
        (["a", "b"] * 9, ValueError, "stand near each other"),
        ([[1, 2, 3]] * 9, TypeError, "words are text"),
        (np.ones((3, 3)), TypeError, "text"),
    ],
    ids=["nothing", "rare", "one word", "single words", "numbers", "a matrix"],
)
def test_what_is_no_text_is_refused(docs, error, message):
    with pytest.raises(error, match=message):
        small().fit(docs)


def test_vectors_of_another_size_are_refused(rng):
    docs = texts(rng, 20)
    model = small().fit(docs)
    with pytest.raises(ValueError, match="vector_size=8"):
        small(vector_size=9, init=model.wv).fit(docs)
    with pytest.raises(ValueError, match="`fit` begins anew"):
        model.set_params(vector_size=9).partial_fit(docs)


def test_sif_needs_a_fit_that_learned_it(rng):
    docs = texts(rng, 20)
    model = small().fit(docs).set_params(pooling="sif")
    with pytest.raises(ValueError, match="Fit it with pooling='sif'"):
        model.transform(docs)


def test_a_sample_that_leaves_nothing_is_named():
    with pytest.raises(ValueError, match=r"sample=1e-09 leaves out.*Choose sample=0"):
        small(sample=1e-9, sg=1).fit(["a b c d"] * 9)


def test_a_long_sentence_is_not_cut(rng):
    ids = rng.integers(0, 20, size=30_000)
    model = small(vector_size=2, epochs=1, shrink_windows=False, sg=1)
    model.fit([[f"w{i}" for i in ids]])
    tokens = read_tokens([[f"w{i}" for i in ids]])
    assert tokens.n_sentences == 1
    assert clone(model).get_params()["sg"] == 1
