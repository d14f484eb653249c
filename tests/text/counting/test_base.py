"""Documents and vocabularies at the door of vectorizers."""

import os

import numpy as np
import pytest

import lowdim
from lowdim.text.counting.base import counter_of, given_vocabulary, open_documents
from lowdim.text.counting.tally import PythonCounter

DOCS = ["the cat", "a dog and the cat", ""]


def test_what_is_no_documents_is_refused():
    with pytest.raises(ValueError, match=r"string object received.*lowdim.corpus"):
        open_documents("the cat")
    for given in (None, 3, b"cat"):
        with pytest.raises(TypeError, match="Documents cannot be read from"):
            open_documents(given)
    with pytest.raises(TypeError, match="Document 1 is of type int"):
        lowdim.CountVectorizer().fit(["aa", 3])


def test_steps_of_the_users_run_in_python():
    class Own(lowdim.CountVectorizer):
        def build_tokenizer(self):
            return str.split

    by_kernels = counter_of(lowdim.CountVectorizer(), None)
    assert not isinstance(by_kernels, PythonCounter)
    for vectorizer in (
        Own(),
        lowdim.CountVectorizer(token_pattern=r"(\w)\w"),
        lowdim.CountVectorizer(tokenizer=str.split),
    ):
        assert isinstance(counter_of(vectorizer, None), PythonCounter)
    assert list(Own().fit(["a-b c"]).vocabulary_) == ["a-b", "c"]


def test_few_texts_wait_for_no_table_of_the_vocabulary():
    vectorizer = lowdim.CountVectorizer()
    vocabulary = {f"w{i}": i for i in range(10_000)}
    for few in (["w1 w2"], ["w1"] * 100, ()):
        assert isinstance(counter_of(vectorizer, vocabulary, few), PythonCounter)
    for many in (["w1 " * 20_000], ["w1"] * 300, [b"w1"], iter(["w1"]), None):
        assert not isinstance(counter_of(vectorizer, vocabulary, many), PythonCounter)
    assert not isinstance(counter_of(vectorizer, None, ["w1"]), PythonCounter)


def test_vocabularies_are_mappings_sets_or_lists():
    assert given_vocabulary(None) is None
    assert given_vocabulary({"b", "a"}) == {"a": 0, "b": 1}
    assert given_vocabulary(iter(["b", "a"])) == {"b": 0, "a": 1}
    for wrong, message in (
        (["a", "a"], "Duplicate term"),
        ({"a": 0, "b": 0}, "repeated indices"),
        ({"a": 0, "b": 2}, "doesn't contain index 1"),
        ([], "empty vocabulary"),
    ):
        with pytest.raises(ValueError, match=message):
            given_vocabulary(wrong)


def test_rows_go_to_a_folder_and_come_back_as_a_stream(tmp_path, monkeypatch):
    from lowdim.text.counting import base, tally

    monkeypatch.setattr(base, "PART_VALUES", 2)
    monkeypatch.setattr(tally, "CHUNK_DOCUMENTS", 1)
    for vectorizer in (lowdim.CountVectorizer(), lowdim.TfidfVectorizer()):
        X = vectorizer.fit_transform(DOCS)
        folder = tmp_path / type(vectorizer).__name__
        rows = vectorizer.transform(DOCS, folder=folder)
        assert sorted(os.listdir(folder)) == ["part-00000.npz", "part-00001.npz", "part-00002.npz"]
        np.testing.assert_array_equal(rows.take(np.arange(3)).toarray(), X.toarray())
        with pytest.raises(ValueError, match=r"has .npz files already"):
            vectorizer.transform(DOCS, folder=folder)


def test_a_dask_bag_becomes_blocks():
    bag = pytest.importorskip("dask.bag").from_sequence(DOCS, npartitions=2)
    vectorizer = lowdim.TfidfVectorizer().fit(bag)
    X = vectorizer.fit_transform(DOCS)
    Z = vectorizer.transform(bag)
    assert Z.shape[1] == X.shape[1] and Z.dtype == X.dtype
    np.testing.assert_array_equal(Z.compute().toarray(), X.toarray())
