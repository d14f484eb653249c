"""Files of word vectors, in and out, and unknown words."""

import numpy as np
import pytest

from lowdim.cli.vector_files import (
    check_vector_outputs,
    known_words,
    read_vectors,
    write_vectors,
)
from lowdim.tables.errors import TableError
from tests.report.words.planted import planted_vectors


@pytest.mark.parametrize("name", ["v.txt", "v.VEC", "v.bin", "v.bin.gz", "v.lowdim"])
def test_what_was_written_is_read(tmp_path, name):
    vectors = planted_vectors()
    write_vectors(vectors, str(tmp_path / name))
    found = read_vectors(tmp_path / name)
    assert found.index_to_key == vectors.index_to_key
    np.testing.assert_allclose(found.vectors, vectors.vectors, rtol=1e-6)


def test_unknown_words_name_the_file():
    with pytest.raises(TableError, match=r"v\.txt: 'shap' is not one of the 46 words; near"):
        with known_words("v.txt"):
            planted_vectors()["shap"]
    with pytest.raises(TableError, match=r"^v\.txt: plain$"):
        with known_words("v.txt"):
            raise KeyError("plain")


def test_outputs_are_checked_before_any_work(tmp_path):
    here = str(tmp_path / "v.txt")
    check_vector_outputs({"output": here}, {"page": None}, ["nowhere.txt"])
    with pytest.raises(TableError, match="would be written twice"):
        check_vector_outputs({"output": here, "other": here}, {}, [])
    (tmp_path / "v.txt").write_text("")
    with pytest.raises(TableError, match="is read"):
        check_vector_outputs({"output": here}, {}, [here])
