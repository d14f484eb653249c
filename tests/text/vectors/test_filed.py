"""Word vectors of any file, and from and to gensim."""

import os

import numpy as np
import pytest
from numpy.testing import assert_array_equal

import lowdim
from lowdim import WordVectors
from tests.text.vectors.examples import gensim_twin, random_vectors


def same(left, right):
    assert left.index_to_key == right.index_to_key
    assert left.vectors.dtype == right.vectors.dtype
    assert_array_equal(left.vectors, right.vectors)


def test_any_file_is_loaded(rng, tmp_path):
    wv = random_vectors(rng)
    wv.save(tmp_path / "a.lowdim")
    wv.save_word2vec_format(tmp_path / "a.txt")
    wv.save_word2vec_format(tmp_path / "a.bin", binary=True)
    for name in ("a.lowdim", "a.txt", "a.bin"):
        same(WordVectors.load(tmp_path / name), wv)
    assert_array_equal(WordVectors.load(tmp_path / "a.lowdim").counts, wv.counts)


def test_a_model_without_word_vectors_is_refused(tmp_path):
    lowdim.PCA(1).fit(np.eye(3)).save(tmp_path / "pca.lowdim")
    with pytest.raises(ValueError, match="holds a PCA, which has no word vectors"):
        WordVectors.load(tmp_path / "pca.lowdim")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with names here")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe.txt")
    for read in (WordVectors.load, WordVectors.load_word2vec_format):
        with pytest.raises(ValueError, match="is not a regular file"):
            read(tmp_path / "pipe.txt")


FORMS = {
    "text": ({}, {}),
    "binary": ({"binary": True}, {"binary": True}),
    "GloVe": ({"write_header": False}, {"no_header": True}),
}


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # gensim leaves files of GloVe open
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", FORMS)
def test_gensim_reads_what_is_written_and_writes_what_is_read(rng, tmp_path, name):
    wv, (writing, reading) = random_vectors(rng), FORMS[name]
    twin = gensim_twin(wv)
    wv.save_word2vec_format(tmp_path / "ours", tmp_path / "counts", **writing)
    twin.save_word2vec_format(str(tmp_path / "theirs"), str(tmp_path / "their_counts"), **writing)
    assert (tmp_path / "ours").read_bytes() == (tmp_path / "theirs").read_bytes()
    assert (tmp_path / "counts").read_bytes() == (tmp_path / "their_counts").read_bytes()
    same(type(twin).load_word2vec_format(str(tmp_path / "ours"), **reading), wv)
    same(WordVectors.load_word2vec_format(tmp_path / "theirs", tmp_path / "their_counts"), wv)


def test_gensims_vectors_come_and_go(rng):
    wv = random_vectors(rng)
    twin = gensim_twin(wv)
    same(WordVectors.from_gensim(twin), wv)
    assert_array_equal(WordVectors.from_gensim(twin).counts, wv.counts)
    again = wv.to_gensim()
    same(again, wv)
    assert again.get_vecattr("w3", "count") == wv.get_vecattr("w3", "count")
    assert again.most_similar("w3")[0][0] == wv.most_similar("w3")[0][0]


def test_a_model_that_has_vectors_will_do(rng):
    class Model:
        wv = random_vectors(rng)

    same(WordVectors.from_gensim(Model()), Model.wv)
    with pytest.raises(TypeError, match="choose KeyedVectors of gensim 4"):
        WordVectors.from_gensim({"a": [1.0]})


def test_without_gensim_the_way_out_is_said(rng, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "gensim.models", None)
    with pytest.raises(ImportError, match="pip install gensim"):
        random_vectors(rng).to_gensim()


@pytest.mark.parametrize("arguments", [{"limit": 0}, {"duplicates": "last"}])
def test_arguments_are_checked(tmp_path, arguments):
    (name, value), *_ = arguments.items()
    with pytest.raises(ValueError, match=f"{name}={value!r}"):
        WordVectors.load_word2vec_format(tmp_path / "f", **arguments)
