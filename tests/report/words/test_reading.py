"""Word vectors from files and models."""

from types import SimpleNamespace

import numpy as np
import pytest

import lowdim
from lowdim.report.words.reading import read_vectors, source_of, vectors_of
from lowdim.tables.errors import TableError
from tests.report.words.planted import planted_vectors


@pytest.mark.parametrize("name", ["v.txt", "v.vec", "v.bin", "v.txt.gz", "v.bin.gz", "v.lowdim"])
def test_every_kind_of_file_gives_the_same_vectors(tmp_path, name):
    vectors = planted_vectors()
    path = tmp_path / name
    if name.endswith(".lowdim"):
        vectors.save(path)
    else:
        vectors.save_word2vec_format(path, binary=".bin" in name)
    found = source_of(path, "x")
    assert found.name == name and found.vectors.index_to_key == vectors.index_to_key
    np.testing.assert_allclose(found.vectors.vectors, vectors.vectors, rtol=1e-6)


def test_a_saved_model_has_its_vectors_taken(tmp_path):
    model = lowdim.PMIVectors(2, min_count=1, random_state=0).fit(["the cat sat", "the dog sat"])
    model.save(tmp_path / "m.lowdim")
    found = read_vectors(tmp_path / "m.lowdim")
    assert found.index_to_key == model.wv.index_to_key
    np.testing.assert_array_equal(found.vectors, model.wv.vectors)


def test_vectors_in_memory_are_called_as_usual():
    vectors = planted_vectors()
    assert source_of(vectors, "usual") == ("usual", vectors)
    assert vectors_of(SimpleNamespace(wv=vectors), "it") is vectors


def test_what_has_no_vectors_is_refused(tmp_path):
    lowdim.PCA(1).fit(np.eye(3)).save(tmp_path / "pca.lowdim")
    with pytest.raises(TableError, match="is a PCA, which has no word vectors"):
        read_vectors(tmp_path / "pca.lowdim")
    with pytest.raises(TableError, match="What was given is a list"):
        source_of([1, 2], "x")


def test_files_that_cannot_be_read_are_named(tmp_path):
    with pytest.raises(TableError, match=r"There is no file nowhere\.txt"):
        read_vectors("nowhere.txt")
    with pytest.raises(TableError, match="is a folder"):
        read_vectors(tmp_path)
    (tmp_path / "v.csv").write_text("a,1\n")
    with pytest.raises(TableError, match=r"Such files end in \.txt, \.vec \(text\), \.bin"):
        read_vectors(tmp_path / "v.csv")
