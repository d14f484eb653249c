"""`Corpus`: documents, names and columns, again and again."""

import pytest

import lowdim
from lowdim.text.corpus import documents
from lowdim.text.corpus.documents import Corpus, CorpusError, Part, Source, is_missing


class Counting(Source):
    """Three documents, and how often they were read."""

    columns = ("year",)

    def __init__(self):
        self.passes = 0
        self.texts = ["one", "two", "three"]

    def parts(self):
        self.passes += 1
        for i, text in enumerate(self.texts):
            yield Part([text], [f"n{i}"], {"year": [1990 + i]})


def test_documents_are_read_again():
    source = Counting()
    corpus = Corpus(source)
    assert source.passes == 0
    for _ in range(2):
        assert [text for text in corpus] == ["one", "two", "three"]  # list would ask for len
    assert source.passes == 2
    assert len(corpus) == 3 and source.passes == 2  # a pass has counted them
    assert corpus.ids == ["n0", "n1", "n2"]
    assert corpus.columns["year"] == [1990, 1991, 1992] and list(corpus.columns) == ["year"]
    assert repr(corpus) == "Corpus(The corpus, 3 documents)"


def test_some_documents_are_held():
    source = Counting()
    some = Corpus(source).take([2, 0, 2])
    read = source.passes
    assert list(some) == ["three", "one", "three"] and some.ids == ["n2", "n0", "n2"]
    assert some.columns["year"] == [1992, 1990, 1992]
    assert source.passes == read and len(some) == 3
    with pytest.raises(IndexError, match="no document 3; the corpus has 3"):
        Corpus(source).take([3])
    with pytest.raises(IndexError, match="numbered from 0"):
        Corpus(source).take([-1])
    with pytest.raises(TypeError, match=r"not bool; of flags, numpy.flatnonzero"):
        Corpus(source).take([True, False, True])
    assert len(Corpus(source).take([])) == 0


def test_samples_are_in_order_and_without_repeats(seed):
    corpus = lowdim.corpus([f"{i:03d}" for i in range(100)])
    some = corpus.sample(20, random_state=seed)
    assert list(some) == sorted(set(some)) and len(some) == 20
    assert list(some) == list(corpus.sample(20, random_state=seed))
    assert len(corpus.sample(1000)) == 100


def test_every_pass_must_give_the_same():
    source = Counting()
    corpus = Corpus(source)
    assert len(corpus) == 3
    source.texts = ["one"]
    with pytest.raises(CorpusError, match="had 3 documents before and gives 1"):
        list(corpus)


def test_long_documents_are_named():
    with pytest.raises(CorpusError, match=r"document 'n2' has 5 characters; at most 4.*max_charac"):
        list(Corpus(Counting(), 4))


def test_columns_that_are_not_there_are_named():
    with pytest.raises(KeyError, match="no column 'yeer'; it has year"):
        Corpus(Counting()).columns["yeer"]


def test_parts_have_so_many_characters(monkeypatch):
    monkeypatch.setattr(documents, "PART_CHARACTERS", 5)
    corpus = lowdim.corpus(["aaa", "bbb", "c"])
    assert [part.texts for part in corpus.parts()] == [["aaa", "bbb"], ["c"]]


def test_a_corpus_is_taken_where_documents_are():
    corpus = lowdim.corpus(["the cat", "the dog"])
    vectorizer = lowdim.CountVectorizer()
    X = vectorizer.fit_transform(corpus)
    assert X.shape == (2, 3) and (vectorizer.transform(corpus) != X).nnz == 0


def test_missing_values():
    assert is_missing(None) and is_missing(float("nan"))
    assert not is_missing("") and not is_missing(0) and not is_missing([1])


def test_documents_in_memory_are_no_lines_of_a_file():
    assert lowdim.corpus(["a"]).line_blocks() is None
