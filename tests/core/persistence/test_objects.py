"""What is no model is saved by its fields, alone and as a part of a model."""

import json
import zipfile

import numpy as np
import pytest

import lowdim
from lowdim.core.persistence import LoadError, read_state, write_state


@pytest.fixture
def saved(tmp_path):
    vectors = np.array([[1.0, 0.0], [0.6, 0.8]], np.float32)
    lowdim.WordVectors(["tea", "thé"], vectors, [3, 2]).save(tmp_path / "a.lowdim")
    return tmp_path / "a.lowdim"


def test_an_object_comes_back_bit_for_bit(saved):
    again = lowdim.load(saved)
    assert again.index_to_key == ["tea", "thé"] and again.counts.tolist() == [3, 2]
    assert again.vectors.dtype == np.float32
    np.testing.assert_array_equal(again.vectors, np.array([[1.0, 0.0], [0.6, 0.8]], np.float32))


def test_an_object_may_be_a_part_of_other_values(tmp_path):
    wv = lowdim.WordVectors(["a"], [[1.0]])
    write_state(tmp_path / "b", {}, {"start": [wv, None]})
    tree = read_state(tmp_path / "b")[1]
    assert tree["start"][0].index_to_key == ["a"] and tree["start"][0].counts is None


def rewritten(path, change):
    """The file with another document."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    document = json.loads(parts["lowdim.json"])
    change(document)
    parts["lowdim.json"] = json.dumps(document).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("counts", "many", "it is no WordVectors"),
        ("letters", {"$": "array", "entry": "1.npy"}, "is no WordVectors|no entry"),
    ],
)
def test_fields_that_make_no_object_are_refused(saved, field, value, message):
    def change(document):
        document["tree"]["fields"][field] = value

    rewritten(saved, change)
    with pytest.raises(LoadError, match=message):
        lowdim.load(saved)


@pytest.mark.parametrize("name", ["PCA", "corpus", "nothing", "os"])
def test_other_names_than_those_of_objects_are_refused(saved, name):
    def change(document):
        document["tree"]["name"] = name

    rewritten(saved, change)
    with pytest.raises(LoadError, match=f"has no class '{name}'"):
        lowdim.load(saved)


def test_a_class_of_others_is_not_saved(tmp_path):
    class Own(lowdim.WordVectors):
        pass

    with pytest.raises(TypeError, match="Own is not a class that lowdim exports"):
        Own(["a"], [[1.0]]).save(tmp_path / "c")
