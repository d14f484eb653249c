"""Vectors from pointwise mutual information."""

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim import PMIVectors
from lowdim.core.loop import Loop
from lowdim.text.embeddings.pmi_vectors import information, log_shares, powers

# 002 s.17.3: cherry, strawberry, digital, information; computer, data, result, pie, sugar
NOTES = np.array(
    [[2.0, 8, 9, 442, 25], [0, 0, 1, 60, 19], [1670, 1683, 85, 5, 4], [3325, 3982, 378, 5, 13]]
)


def texts(rng, n=60, size=30):
    """Words of two groups, which keep company within their group."""
    groups = [["cat", "dog", "pet", "fur"], ["law", "tax", "vote", "court"]]
    both = ["the", "a", "of"]
    return [
        " ".join(rng.choice([*groups[int(rng.integers(2))] * 2, *both], size=size))
        for _ in range(n)
    ]


def counts(rng, n=40, d=30):
    return rng.poisson(rng.gamma(0.5, size=(n, 1)) * rng.gamma(0.5, 4.0, size=(1, d))) * 1.0


# ---- golden values -------------------------------------------------------------------------------


def test_all_components_give_the_table_of_the_notes():
    """002 s.17.8, in bits, to two decimals."""
    model = PMIVectors(4, context_smoothing=1.0).fit(NOTES)
    product = model.vectors_ @ model.context_vectors_.T / np.log(2.0)
    printed = [
        [0, 0, 0, 4.38, 3.30],
        [0, 0, 0, 4.10, 5.51],
        [0.18, 0.01, 0, 0, 0],
        [0.02, 0.09, 0.28, 0, 0],
    ]
    np.testing.assert_allclose(product, printed, atol=0.005 + 1e-9)


@pytest.mark.parametrize("negative", [2, 5])
def test_the_shift_is_the_logarithm_of_the_negative_samples(negative):
    model = PMIVectors(4, negative=negative, context_smoothing=1.0, positive=False).fit(NOTES)
    expected = lowdim.text.pmi(NOTES, shift=np.log(negative), base=np.e)
    np.testing.assert_allclose(model.vectors_ @ model.context_vectors_.T, expected, atol=1e-12)


# ---- the derivation ------------------------------------------------------------------------------


@pytest.mark.parametrize("p", [0.0, 0.5, 1.0])
def test_vectors_are_those_of_the_svd(rng, p):
    X = counts(rng)
    X[3] = 0
    A = lowdim.text.pmi(X, positive=True, smoothing=0.75, base=np.e)
    U, s, Vt = np.linalg.svd(A)
    model = PMIVectors(5, eigenvalue_weight=p, tol=0.0).fit(X)
    np.testing.assert_allclose(model.singular_values_, s[:5], rtol=1e-6)
    best = (U[:, :5] * s[:5]) @ Vt[:5]
    np.testing.assert_allclose(model.vectors_ @ model.context_vectors_.T, best, atol=1e-5 * s[0])
    squares = model.vectors_.T @ model.vectors_
    np.testing.assert_allclose(squares, np.diag(s[:5] ** (2 * p)), atol=1e-5 * s[0] ** (2 * p))
    assert not model.vectors_[3].any()


def test_information_of_blocks_is_that_of_the_function(rng):
    X = counts(rng)
    logs = log_shares(X.sum(axis=0), 0.75)
    for positive in (False, True):
        expected = lowdim.text.pmi(X, positive=positive, smoothing=0.75, shift=0.5, base=np.e)
        given = sp.csr_array(X)
        twice = sp.csr_array((X[X > 0] / 2, np.nonzero(X)), shape=X.shape)
        twice = sp.csr_array(sp.vstack([twice, twice]))  # the same rows again
        for block in (X, given):
            found = information(block, logs, 0.5, positive, "float64")
            np.testing.assert_allclose(found.toarray(), expected, atol=1e-12)
        np.testing.assert_array_equal(given.toarray(), X)  # not written into
        halves = information(twice, logs, 0.5, positive, "float64").toarray()
        np.testing.assert_allclose(halves[:40], expected, atol=1e-12)


def test_stored_zeros_and_doubled_entries_count_as_what_they_are():
    X = sp.csr_array(([1.0, 0.0, 2.0, 3.0], ([0, 0, 1, 1], [0, 1, 1, 1])), shape=(2, 2))
    X = sp.csr_array((np.array([1.0, 0.0, 2.0, 3.0]), np.array([0, 1, 1, 1]), np.array([0, 2, 4])))
    found = information(X, np.log([0.5, 0.5]), 0.0, False, "float64")
    np.testing.assert_allclose(found.toarray(), np.log(2.0) * np.eye(2), rtol=1e-15)


def test_shares_of_any_scale():
    sums = np.array([4.0, 0.0, 12.0])
    np.testing.assert_allclose(log_shares(sums, 1.0), [np.log(0.25), 0.0, np.log(0.75)])
    np.testing.assert_allclose(log_shares(sums * 1e200, 0.75), log_shares(sums, 0.75))
    assert log_shares(np.zeros(2), 1.0).tolist() == [0.0, 0.0]
    assert powers(np.array([4.0, 0.0]), -0.5).tolist() == [0.5, 0.0]


# ---- properties ----------------------------------------------------------------------------------


def test_rows_of_the_fit_are_folded_in_where_they_are(rng):
    X = counts(rng)
    model = PMIVectors(6).fit(X)
    np.testing.assert_allclose(model.transform(X), model.vectors_, atol=1e-12)
    np.testing.assert_allclose(model.transform(7 * X[:3]), model.vectors_[:3], atol=1e-12)
    np.testing.assert_array_equal(model.transform(np.zeros((1, 30))), np.zeros((1, 6)))


def test_text_is_what_its_pairs_are(rng):
    docs = texts(rng)
    tokens = lowdim.text.read_tokens(docs)
    for window, weighting in ((3, "flat"), ((0, 2), "harmonic")):
        N = lowdim.text.cooccurrence(tokens, window=window, weighting=weighting)
        of_text = PMIVectors(4, window=window, weighting=weighting).fit(docs)
        of_matrix = PMIVectors(4).fit(N)
        assert of_text.words_ == tokens.words and of_text.vectors_.dtype == np.float32
        left, right = (m.vectors_ @ m.context_vectors_.T for m in (of_text, of_matrix))
        np.testing.assert_allclose(left, right, atol=1e-4)
        assert of_text.n_features_in_ == len(tokens.words)


@pytest.mark.parametrize("combine", ["sum", "context", "average"])
def test_vectors_are_combined(rng, combine):
    docs = texts(rng)
    word = PMIVectors(3, random_state=0).fit(docs)
    W, C = word.vectors_, word.context_vectors_
    expected = {"sum": W + C, "context": C, "average": (W + C) / 2}[combine]
    model = PMIVectors(3, combine=combine, random_state=0).fit(docs)
    np.testing.assert_array_equal(model.vectors_, expected)


def test_one_result_whatever_holds_the_text(rng, tmp_path):
    bag = pytest.importorskip("dask.bag")
    docs = texts(rng)
    (tmp_path / "text.txt").write_text("\n".join(docs))
    reference = PMIVectors(4, random_state=0).fit(docs)
    for source in (
        iter(docs),
        tmp_path / "text.txt",
        [doc.split() for doc in docs],
        lowdim.corpus(docs),
        bag.from_sequence(docs, npartitions=3),
        lowdim.text.read_tokens(docs),
    ):
        model = PMIVectors(4, random_state=0).fit(source)
        assert model.words_ == reference.words_
        np.testing.assert_array_equal(model.vectors_, reference.vectors_)
    for threads in (1, 2, 5):
        with lowdim.config_context(threads=threads):
            model = PMIVectors(4, random_state=0).fit(docs)
            np.testing.assert_array_equal(model.vectors_, reference.vectors_)


def test_sentences_are_windows():
    docs = ["One cat. Two dogs! One cat. Two dogs. Two dogs."]
    model = PMIVectors(2, window="sentence", min_count=1).fit(docs)
    X = np.zeros((4, 4))
    for a, b, times in (("one", "cat", 2), ("two", "dogs", 3)):
        i, j = model.words_.index(a), model.words_.index(b)
        X[i, j] = X[j, i] = times
    expected = lowdim.text.pmi(X, positive=True, smoothing=0.75, base=np.e)
    U, s, Vt = np.linalg.svd(expected)
    best = (U[:, :2] * s[:2]) @ Vt[:2]
    found = model.vectors_ @ model.context_vectors_.T
    np.testing.assert_allclose(np.linalg.norm(found), np.linalg.norm(best), rtol=1e-5)


def test_a_model_of_text_comes_back_from_its_file(rng, tmp_path):
    docs = texts(rng)
    cut = lowdim.CountVectorizer(stop_words=["of"])
    for window, tokenizer in (((1, 2), "split"), ([-1, 1], cut)):
        model = PMIVectors(3, window=window, tokenizer=tokenizer).fit(docs)
        model.save(tmp_path / "words.lowdim")
        back = lowdim.load(tmp_path / "words.lowdim")
        assert back.words_ == model.words_ and back.window == window
        np.testing.assert_array_equal(back.transform(docs), model.transform(docs))


def test_a_fit_of_text_goes_on_from_its_checkpoint(rng, tmp_path, monkeypatch):
    words = [f"w{i}" for i in range(700)]
    docs = [" ".join(rng.choice(words, size=40)) for _ in range(300)]
    arguments = {"vector_size": 4, "min_count": 1, "random_state": 0, "tol": 1e-3}
    whole = PMIVectors(**arguments).fit(docs)
    assert whole.n_iter_ > 3
    plain, recorded = Loop.record, []

    def crash(self, *args, **kwargs):
        recorded.append(args)
        if len(recorded) == 3:
            raise RuntimeError("power cut")
        plain(self, *args, **kwargs)

    with lowdim.config_context(checkpoint=tmp_path, checkpoint_seconds=0):
        with monkeypatch.context() as patch, pytest.raises(RuntimeError, match="power cut"):
            patch.setattr(Loop, "record", crash)
            PMIVectors(**arguments).fit(docs)
        assert list(tmp_path.iterdir())
        other = PMIVectors(**arguments).fit(docs[:-1])  # begins anew
        again = PMIVectors(**arguments).fit(iter(docs))
    np.testing.assert_array_equal(again.vectors_, whole.vectors_)
    assert not np.array_equal(other.vectors_, whole.vectors_)


def test_a_fit_after_one_of_a_frame_forgets_its_names(rng):
    pd = pytest.importorskip("pandas")
    model = PMIVectors(2).fit(pd.DataFrame(NOTES, columns=list("abcde"), index=list("wxyz")))
    assert model.words_ == list("wxyz") and list(model.feature_names_in_) == list("abcde")
    model.fit(texts(rng))
    assert not hasattr(model, "feature_names_in_")


# ---- a planted truth -----------------------------------------------------------------------------


def test_words_that_keep_company_are_neighbours(rng):
    model = PMIVectors(3, window=5, random_state=0).fit(texts(rng, n=150))
    of_group = [model.wv.similarity("cat", word) for word in ("dog", "pet", "fur")]
    of_other = [model.wv.similarity("cat", word) for word in ("law", "tax", "vote", "court")]
    assert min(of_group) > max(of_other)
    Z = model.transform(["dog fur", "tax court", "nothing known"])
    cosine = Z[:2] @ model.wv["pet"]
    assert cosine[0] > cosine[1] and not Z[2].any()


@pytest.mark.data
def test_vectors_of_brown_know_what_words_are_alike(data_dir):
    import gzip

    lines = gzip.open(data_dir / "brown_corpus.tsv.gz", "rt", encoding="utf-8")
    sentences = [line.rstrip("\n").split("\t")[2].lower().split() for line in lines]
    model = PMIVectors(50, max_final_vocab=4000, random_state=0).fit(sentences)
    for word, near in (("man", "woman"), ("two", "three"), ("june", "july")):
        assert near in {found for found, _ in model.wv.most_similar(word, topn=10)}


# ---- the door ------------------------------------------------------------------------------------


def test_the_door(rng):
    with pytest.raises(ValueError, match="'negative' parameter"):
        PMIVectors(negative=0).fit(NOTES)
    with pytest.raises(ValueError, match="'window' parameter"):
        PMIVectors(window=0).fit(["a b"])
    with pytest.raises(ValueError, match="'combine' parameter"):
        PMIVectors(combine="both").fit(NOTES)
    with pytest.raises(ValueError, match="Negative values in data passed to PMIVectors"):
        PMIVectors().fit(-NOTES)
    with pytest.raises(ValueError, match="Negative values"):
        PMIVectors(2).fit(NOTES).transform(-NOTES)
    with pytest.raises(ValueError, match="window='sentence' has no distances"):
        PMIVectors(window="sentence", weighting="harmonic").fit(["a b"])
    with pytest.raises(ValueError, match="X has 4 features, but PMIVectors is expecting 5"):
        PMIVectors(2).fit(NOTES).transform(NOTES[:, :4])


def test_a_matrix_of_zeros_has_vectors_of_zeros():
    model = PMIVectors(2).fit(np.zeros((3, 4)))
    assert not model.vectors_.any() and model.vectors_.shape == (3, 2)


@pytest.mark.parametrize("window", [3, (0, 2), {-1, 4}], ids=str)
@pytest.mark.parametrize("weighting", ["flat", "harmonic"])
def test_text_gives_the_vectors_of_its_counts(rng, window, weighting):
    sentences = texts(rng)
    how = {"context_smoothing": 0.75, "random_state": 0}
    model = PMIVectors(4, window=window, weighting=weighting, **how).fit(sentences)
    tokens = lowdim.text.read_tokens(sentences)
    N = lowdim.text.cooccurrence(tokens, window=window, weighting=weighting)
    same = PMIVectors(4, **how).fit(N)
    assert model.words_ == tokens.words and model.n_features_in_ == len(tokens.words)
    left, right = (m.vectors_ @ m.context_vectors_.T for m in (model, same))
    np.testing.assert_allclose(left, right, atol=1e-4)
