import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.linalg.entries import index_type, observed, positive_entries, with_short_indices


def test_what_is_not_nan_is_observed_and_zeros_stay():
    X = observed(np.array([[1.0, np.nan], [0.0, 3.0]]))
    np.testing.assert_array_equal(X.data, [1.0, 0.0, 3.0])
    np.testing.assert_array_equal(X.indices, [0, 0, 1])
    np.testing.assert_array_equal(X.indptr, [0, 1, 3])


def test_of_a_sparse_matrix_the_stored_entries_are_observed():
    X = sp.csr_array((np.array([1.0, 2.0, 0.0]), ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    found = observed(X)
    assert found.nnz == 2  # what is stored twice is added up
    np.testing.assert_array_equal(found.toarray(), [[0, 3], [0, 0]])


def test_indices_are_short_where_that_suffices():
    X = sp.csr_array(np.eye(3))
    X.indices, X.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    assert with_short_indices(X).indices.dtype == np.int32
    assert index_type(2**31) == np.int64


@pytest.mark.parametrize(
    "make", [np.asarray, sp.csr_array, sp.coo_array], ids=["array", "csr", "coo"]
)
def test_positive_entries_leave_zeros_out_and_the_given_alone(make):
    given = make(np.array([[0, 2], [3, 0]], dtype=np.float32))
    found = positive_entries(given)
    assert (found.dtype, found.indices.dtype, found.nnz) == (np.float64, np.int32, 2)
    np.testing.assert_array_equal(found.toarray(), [[0, 2], [3, 0]])
    found.data[:] = 9.0
    assert given.max() == 3
