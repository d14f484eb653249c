"""Sparse matrices come back as they are; no index of a file leads outside of them."""

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.core.persistence import read_state
from tests.core.persistence.handmade import (
    SPARSE,
    array_node,
    cannot_save,
    refused,
    round_trip,
    same,
    write_tree,
)


@pytest.mark.parametrize("name", SPARSE)
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_sparse_arrays_are_kept_as_they_are(name, index):
    if name.startswith("coo"):
        names = ["row", "col"]
        matrix = getattr(sp, name)(([1.0, 2.0, 3.0], ([0, 2, 0], [3, 1, 3])), shape=(3, 4))
        matrix.coords = matrix.row.astype(index), matrix.col.astype(index)
    else:
        names = ["indices", "indptr"]  # with unsorted and repeated indices
        matrix = getattr(sp, name)((3, 4) if name.startswith("csr") else (4, 3))
        matrix.data = np.array([1.0, 2.0, 3.0])
        matrix.indices = np.array([3, 1, 3], dtype=index)
        matrix.indptr = np.array([0, 2, 2, 3], dtype=index)
    again = round_trip(matrix)
    assert same(again, matrix)
    assert all(getattr(again, array).dtype == index for array in names)
    assert np.array_equal(again.toarray(), matrix.toarray())


def test_room_to_spare_in_a_sparse_matrix_is_not_written():
    matrix = sp.csr_array(np.eye(3))
    matrix.data, matrix.indices = np.append(matrix.data, [7, 7]), np.append(matrix.indices, [9, 9])
    again = round_trip(matrix)
    assert len(again.data) == 3
    assert np.array_equal(again.toarray(), np.eye(3))


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (sp.lil_array((2, 2)), "it is a scipy.sparse._lil.lil_array"),
        (sp.coo_array(np.ones(3)), "it has 1 dimensions, not 2"),
    ],
)
def test_sparse_arrays_of_other_forms_are_not_saved(path, value, message):
    cannot_save(path, value, message)


I32 = np.int32

GOOD_CSR = {
    "name": "csr_array",
    "shape": [2, 3],
    "data": np.ones(2),
    "indices": np.array([0, 2], I32),
    "indptr": np.array([0, 1, 2], I32),
}

GOOD_COO = {
    "name": "coo_matrix",
    "shape": [2, 3],
    "data": np.ones(2),
    "row": np.array([0, 1], I32),
    "col": np.array([0, 2], I32),
}


def sparse_file(path, fields):
    arrays = [value for value in fields.values() if isinstance(value, np.ndarray)]
    tag = "compressed" if "indptr" in fields else "coordinate"
    node = {"$": tag}
    for name, value in fields.items():
        is_array = isinstance(value, np.ndarray)
        node[name] = array_node([a is value for a in arrays].index(True)) if is_array else value
    write_tree(path, node, *arrays)


@pytest.mark.parametrize(
    ("good", "change", "message"),
    [
        (GOOD_CSR, {"indices": np.array([0, 3], I32)}, "an index is outside its shape"),
        (GOOD_CSR, {"indices": np.array([0, -1], I32)}, "an index is outside its shape"),
        (GOOD_CSR, {"name": "csc_array"}, "an index is outside its shape"),
        (GOOD_CSR, {"indices": np.array([0, 2], np.int16)}, "its indices are int16"),
        (GOOD_CSR, {"indices": np.array([0, 2], np.int64)}, "its indptr does not rise"),
        (GOOD_CSR, {"indices": np.array([0, 2, 1], I32)}, "one index for each number"),
        (GOOD_CSR, {"indices": np.array([[0, 2]], I32)}, "one index for each number"),
        (GOOD_CSR, {"indptr": np.array([0, 2, 1], I32)}, "its indptr does not rise"),
        (GOOD_CSR, {"indptr": np.array([0, 3, 2], I32)}, "its indptr does not rise"),
        (GOOD_CSR, {"indptr": np.array([1, 1, 2], I32)}, "its indptr does not rise"),
        (GOOD_CSR, {"indptr": np.array([0, 1, 1], I32)}, "its indptr does not rise"),
        (GOOD_CSR, {"indptr": np.array([0, 1, 9], I32)}, "its indptr does not rise"),
        (GOOD_CSR, {"indptr": np.array([0, 2], I32)}, "its indptr does not rise"),
        (GOOD_CSR, {"data": np.ones((2, 1))}, "its data are not a list of numbers"),
        (GOOD_CSR, {"data": np.array(["a", "b"])}, "its data are not a list of numbers"),
        (GOOD_CSR, {"shape": [2]}, "it has 1 dimensions, not 2"),
        (GOOD_CSR, {"shape": [2, -3]}, "its shape is impossible"),
        (GOOD_CSR, {"shape": [2, "3"]}, "its shape is impossible"),
        (GOOD_CSR, {"shape": [2, 2**40]}, "its indices are int32, which does not fit"),
        (GOOD_CSR, {"shape": [2**40, 3]}, "its indices are int32, which does not fit"),
        (GOOD_CSR, {"name": "dok_array"}, "unknown class of sparse matrices"),
        (GOOD_CSR, {"name": "coo_array"}, "unknown class of sparse matrices"),
        (GOOD_COO, {"row": np.array([0, 2], I32)}, "an index is outside its shape"),
        (GOOD_COO, {"col": np.array([-1, 2], I32)}, "an index is outside its shape"),
        (GOOD_COO, {"row": np.array([0], I32)}, "one index for each number"),
        (GOOD_COO, {"col": np.array([0.0, 1.0])}, "its indices are float64"),
    ],
)
def test_wrong_sparse_matrices(path, good, change, message):
    sparse_file(path, good)
    assert read_state(path)[1].sum() == 2
    sparse_file(path, good | change)
    refused(path, message)


def test_sparse_matrix_of_the_other_byte_order_is_turned(path):
    fields = {
        name: value.astype(value.dtype.newbyteorder()) if isinstance(value, np.ndarray) else value
        for name, value in GOOD_CSR.items()
    }
    sparse_file(path, fields)
    assert np.array_equal(read_state(path)[1].toarray(), [[1, 0, 0], [0, 0, 1]])
