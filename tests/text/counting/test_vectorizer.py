"""`CountVectorizer`: the matrix of scikit-learn, in any cut of the documents."""

from unittest import mock

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from sklearn.feature_extraction import text as sk

import lowdim
from lowdim.text.counting import base, tally
from tests.text.counting.test_cutting import random_texts

STRANGE = [
    "NUL\0in a word, a lone \ud800 surrogate, \ufeffBOM",
    "emoji \N{GRINNING FACE}\N{GRINNING FACE} العربية עברית 中文字 ελληνικά ΟΔΟΣ ΟΔΟΣ. İstanbul",
    "</script><script>alert(1)</script> $$x$$ {{y}}",
    "a" * 10**5,
    "",
    "Ǆ ǅ ß ẞ ﬁ ⅷ ① ² x² 東京 क्षि",
]


def same(ours, theirs, docs):
    X, Y = ours.fit_transform(docs), theirs.fit_transform(docs)
    assert ours.vocabulary_ == theirs.vocabulary_
    assert X.dtype == Y.dtype and X.shape == Y.shape and X.has_sorted_indices
    np.testing.assert_array_equal(X.toarray(), Y.toarray())
    ours.fit(docs)
    for few in (0, len(docs)):  # by kernels, and by Python
        with mock.patch.multiple(base, FEW_DOCUMENTS=few, FEW_LETTERS=2**62):
            again = ours.transform(docs)
        assert (again != X).nnz == 0 and again.dtype == X.dtype and again.has_sorted_indices
    return X


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"lowercase": False},
        {"token_pattern": r"\w+", "ngram_range": (1, 2)},
        {"token_pattern": "[a-z]{2,}"},
        {"token_pattern": r"\b\w\b"},
        {"analyzer": "char", "ngram_range": (1, 2)},
        {"analyzer": "char_wb", "ngram_range": (2, 3)},
        {"strip_accents": "unicode"},
        {"strip_accents": "ascii", "ngram_range": (2, 3)},
        {"stop_words": ["ab", "a"], "token_pattern": r"\b\w+\b", "ngram_range": (1, 3)},
        {"min_df": 2, "max_df": 0.5},
        {"max_features": 20},
        {"max_features": 20, "binary": True, "dtype": np.float32},
        {"vocabulary": ["ab", "zz", "a1"]},
        {"vocabulary": {"ab a1": 1, "ab": 0}, "ngram_range": (1, 2)},
        {"preprocessor": str.upper},
    ],
    ids=repr,
)
def test_the_matrix_is_that_of_scikit_learn(rng, arguments, monkeypatch):
    monkeypatch.setattr(tally, "CHUNK_CHARACTERS", 300)
    docs = random_texts(rng) + STRANGE + random_texts(rng)
    same(lowdim.CountVectorizer(**arguments), sk.CountVectorizer(**arguments), docs)


def test_parts_merged_are_the_whole(rng, monkeypatch):
    monkeypatch.setattr(tally, "CHUNK_CHARACTERS", 300)
    docs = random_texts(rng, 90)
    for arguments in (
        {},
        {"min_df": 3, "max_features": 15, "ngram_range": (1, 2)},
        {"analyzer": "char", "max_df": 0.7, "ngram_range": (1, 2)},
        {"vocabulary": ["ab", "zz"]},
    ):
        new = lowdim.CountVectorizer(**arguments)
        whole = lowdim.CountVectorizer(**arguments).fit(docs)
        left = lowdim.CountVectorizer(**arguments).partial_fit(docs[:50])
        right = lowdim.CountVectorizer(**arguments).partial_fit(docs[50:])
        merged = left.merge(right)
        assert merged is left
        for part in (docs[:20], docs[20:21], docs[21:]):
            new.partial_fit(part)
        for other in (merged, new):
            assert other.vocabulary_ == whole.vocabulary_
            assert other.n_documents_ == 90
            assert (other.transform(docs) != whole.transform(docs)).nnz == 0


def test_the_first_parts_need_no_terms():
    vectorizer = lowdim.CountVectorizer(min_df=2)
    for part in ([], ["-"], ["aa bb"]):
        assert vectorizer.partial_fit(part).vocabulary_ == {}
    with pytest.raises(ValueError, match="Vocabulary is empty"):
        vectorizer.transform(["aa"])
    assert vectorizer.partial_fit(["aa cc"]).vocabulary_ == {"aa": 0}
    assert vectorizer.n_documents_ == 3


def test_only_what_is_alike_is_merged():
    left, docs = lowdim.CountVectorizer().fit(["aa bb"]), ["aa bb"]
    with pytest.raises(ValueError, match="the same arguments; min_df is 2 there and 1 here"):
        left.merge(lowdim.CountVectorizer(min_df=2).fit(docs * 2))
    with pytest.raises(TypeError, match="another CountVectorizer, not TfidfVectorizer"):
        left.merge(lowdim.TfidfVectorizer().fit(docs))
    with pytest.raises(NotFittedError):
        left.merge(lowdim.CountVectorizer())


def test_stems_and_long_words():
    vectorizer = lowdim.CountVectorizer(
        stop_words=["argues"], stemmer=lambda word: word[:4], max_word_length=6
    )
    X = vectorizer.fit_transform(["argue argued argues argument", "dogs dog cat"])
    assert vectorizer.vocabulary_ == {"argu": 0, "cat": 1, "dog": 2, "dogs": 3}
    np.testing.assert_array_equal(X.toarray(), [[2, 0, 0, 0], [0, 1, 1, 1]])


def test_a_stem_of_two_words_is_one_term():
    def stem(word):
        return "new york" if word == "ny" else word

    vectorizer = lowdim.CountVectorizer(stemmer=stem, ngram_range=(1, 2))
    X = vectorizer.fit_transform(["ny new york"])
    terms = ["new", "new york", "new york new", "york"]
    assert list(vectorizer.vocabulary_) == terms and X.toarray().tolist() == [[1, 2, 1, 1]]


def test_a_word_may_stem_to_a_stop_word():
    vectorizer = lowdim.CountVectorizer(stop_words=["the"], stemmer=lambda word: word[:3])
    assert list(vectorizer.fit(["theory the"]).vocabulary_) == ["the"]


def test_the_number_of_threads_changes_nothing(rng, monkeypatch):
    monkeypatch.setattr(tally, "CHUNK_CHARACTERS", 100)
    docs, found = random_texts(rng), []
    for threads in (1, 3):
        with lowdim.config_context(threads=threads):
            vectorizer = lowdim.CountVectorizer()
            X = vectorizer.fit_transform(docs)
            found.append((X.data, X.indices, X.indptr, vectorizer._seen.terms))
    for left, right in zip(*found, strict=True):
        np.testing.assert_array_equal(left, right)


def test_a_saved_vectorizer_goes_on(rng, tmp_path):
    docs = random_texts(rng)
    for model in (
        lowdim.CountVectorizer(min_df=2, ngram_range=(1, 2), stop_words=["ab"]),
        lowdim.TfidfVectorizer(dtype=np.float32),
    ):
        model.fit(docs[:20]).save(tmp_path / "model.lowdim")
        back = lowdim.load(tmp_path / "model.lowdim")
        assert (back.transform(docs) != model.transform(docs)).nnz == 0
        back.partial_fit(docs[20:])
        whole = type(model)(**model.get_params()).fit(docs)
        assert back.vocabulary_ == whole.vocabulary_


def test_terms_of_rows_come_back():
    vectorizer = lowdim.CountVectorizer()
    X = vectorizer.fit_transform(["the cat", "", "a dog the"])
    terms = [part.tolist() for part in vectorizer.inverse_transform(X)]
    assert terms == [["cat", "the"], [], ["dog", "the"]]
    dense = [part.tolist() for part in vectorizer.inverse_transform(X.toarray())]
    assert dense == terms


def test_an_empty_vocabulary_says_why():
    for arguments, docs, message in (
        ({}, [], "there are no documents"),
        ({}, ["a", "-"], r"none of 2 documents has a word that counts. Words are what token_patt"),
        ({"stop_words": "english"}, ["the"], "perhaps the documents only contain stop words"),
        ({"max_word_length": 2}, ["abc"], "longer than max_word_length=2"),
        ({"analyzer": "char"}, [""], "analyzer='char' found nothing"),
        ({"min_df": 2}, ["ab", ""], "Of 1 terms, 1 are in fewer than 2 documents"),
    ):
        with pytest.raises(ValueError, match=message):
            lowdim.CountVectorizer(**arguments).fit(docs)


def test_without_a_vocabulary_there_is_no_matrix():
    with pytest.raises(NotFittedError, match="Vocabulary not fitted"):
        lowdim.CountVectorizer().transform(["a"])
    X = lowdim.CountVectorizer(vocabulary=["cat"]).transform(["cat cat", ""])
    np.testing.assert_array_equal(X.toarray(), [[2], [0]])


@pytest.mark.parametrize(
    ("argument", "value"),
    [("max_word_length", 0), ("stemmer", 3), ("stop_words", 5), ("min_df", -1), ("input", "x")],
)
def test_arguments_are_checked(argument, value):
    with pytest.raises(ValueError, match=f"'{argument}' parameter"):
        lowdim.CountVectorizer(**{argument: value}).fit(["aa"])
