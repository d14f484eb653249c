"""NumPy's files are matrices whose columns go by their numbers."""

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.tables.errors import TableError
from lowdim.tables.formats import open_file

STREAM = [False, True]


@pytest.mark.parametrize("stream", STREAM)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16, bool, ">f8"])
def test_a_matrix_comes_as_floats_with_the_columns_asked_for(values, dtype, stream):
    X = (np.arange(12).reshape(4, 3) % 2).astype(dtype)
    np.save("t.npy", X)
    table = open_file("t.npy", stream=stream)
    assert table.names == ["0", "1", "2"] and not table.named
    assert (table.n_rows, table.streamed, table.is_sparse) == (4, stream, False)
    read = values(table, ["2", "0"])
    np.testing.assert_array_equal(read, X[:, [2, 0]])
    assert read.dtype == (np.float32 if dtype == np.float32 else np.float64)
    np.testing.assert_array_equal(values(table), X)
    assert [len(chunk) for chunk in table.chunks(size=3)] == [3, 1]
    with pytest.raises(TableError, match=r"t\.npy has no column '3'; it has 0, 1, 2"):
        table.chunks(["3"])


def test_npz_holds_one_matrix_or_a_sparse_one(values):
    X = np.array([[0.0, 1.0], [2.0, 0.0], [0.0, 0.0]])
    np.savez("dense.npz", X=X, labels=np.arange(3))
    sp.save_npz("sparse.npz", sp.csc_array(X))
    np.testing.assert_array_equal(values(open_file("dense.npz")), X)
    table = open_file("sparse.npz")
    (chunk,) = table.chunks(["1"])
    assert table.is_sparse and isinstance(chunk, sp.csr_array)
    np.testing.assert_array_equal(chunk.toarray(), X[:, [1]])


def test_large_matrices_are_streamed_unless_asked_otherwise(monkeypatch):
    np.save("t.npy", np.zeros((100, 10)))
    assert not open_file("t.npy").streamed
    monkeypatch.setattr("lowdim.tables.formats.STREAM_BYTES", 5000)
    assert open_file("t.npy").streamed
    assert not open_file("t.npy", stream=False).streamed


@pytest.mark.parametrize("stream", STREAM)
@pytest.mark.parametrize(
    ("array", "words"),
    [
        (np.zeros(3), r"an array of shape \(3,\); 2-D is needed"),
        (np.zeros((2, 2, 2)), r"an array of shape \(2, 2, 2\)"),
        (np.array([["a"]]), "values of dtype <U1; numbers are needed"),
        (np.array([[1j]]), "values of dtype complex128"),
        (np.array([[None]]), "damaged, or holds Python objects"),
    ],
)
def test_an_array_that_is_no_matrix_of_numbers_is_refused(array, words, stream):
    np.save("t.npy", array)
    with pytest.raises(TableError, match=rf"t\.npy .*{words}"):
        open_file("t.npy", stream=stream)


def test_an_npz_file_with_two_matrices_or_too_much_is_refused(monkeypatch):
    np.savez("t.npz", a=np.eye(2), b=np.eye(2))
    with pytest.raises(TableError, match=r"t\.npz holds 2 2-D arrays \(a, b\); exactly 1.*\.npy"):
        open_file("t.npz")
    with pytest.raises(TableError, match=r"t\.npz .*as a whole.*stream="):
        np.savez("t.npz", a=np.eye(2))
        open_file("t.npz", stream=True)
    monkeypatch.setattr("lowdim.tables.formats.npy.MOST_UNPACKED", 100)
    with pytest.raises(TableError, match=r"t\.npz unpacks to 0 GB; .*Save it as \.npy"):
        open_file("t.npz")
