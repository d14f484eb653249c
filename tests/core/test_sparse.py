"""Sparse matrices from outside are looked at before anything follows their indices."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.core.sparse import check_declared, checked_sparse
from tests.core.lying import lies, too_wide

TRUE = sp.csr_array(np.arange(1.0, 61.0).reshape(12, 5) * (np.arange(60).reshape(12, 5) % 4 != 1))
LIES = lies(TRUE)
FORMATS = ("csr", "csc", "bsr", "coo", "dia", "lil", "dok")


@pytest.mark.parametrize("kind", LIES)
def test_a_wrong_index_is_found_and_said(kind):
    matrix, message = LIES[kind]
    with pytest.raises(ValueError, match=message):
        checked_sparse(matrix)


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("container", ["array", "matrix"])
def test_true_matrices_pass_as_they_are(form, container):
    X = getattr(sp, f"{form}_{container}")(TRUE)
    assert checked_sparse(X) is X
    empty = getattr(sp, f"{form}_{container}")((4, 3))
    assert checked_sparse(empty) is empty


def test_arrays_may_be_longer_than_what_they_hold():
    X = TRUE.copy()
    X.data, X.indices = np.append(X.data, 7.0), np.append(X.indices, np.int32(-1))
    assert checked_sparse(X) is X


@pytest.mark.parametrize("kind", [np.int8, np.uint16, np.uint32, np.uint64, ">i4", ">i8"])
def test_indices_of_other_integers_become_those_of_scipy(kind):
    X, Y = TRUE.copy(), TRUE.tocoo()
    X.indices, X.indptr = X.indices.astype(kind), X.indptr.astype(kind)
    Y.coords = tuple(numbers.astype(kind) for numbers in Y.coords)
    for found in (checked_sparse(X), checked_sparse(Y)):
        np.testing.assert_array_equal(found.toarray(), TRUE.toarray())
    assert checked_sparse(X).indices.dtype == checked_sparse(X).indptr.dtype == np.int32


def test_indices_and_indptr_of_two_types_become_one():
    X = TRUE.copy()
    X.indptr = X.indptr.astype(np.int64)
    found = checked_sparse(X)
    assert found.indptr.dtype == found.indices.dtype == np.int32
    np.testing.assert_array_equal(found.toarray(), TRUE.toarray())


def test_what_is_no_matrix_of_numbers_is_refused():
    with pytest.raises(ValueError, match=r"1 dimensions \(shape \(3,\)\); expected a 2D"):
        checked_sparse(sp.coo_array(np.arange(3.0)))
    X = TRUE.copy()
    X.data = X.data.tolist()
    with pytest.raises(ValueError, match="its data are a list"):
        checked_sparse(X)
    X.data = np.array(["a"] * X.indptr[-1])
    with pytest.raises(ValueError, match="dtype <U1; numbers are needed"):
        checked_sparse(X, "Z")


def test_more_columns_than_the_entries_make_likely_are_refused():
    wide = too_wide(TRUE)
    with pytest.raises(ValueError, match=r"2147483647 columns that stores 45 values.* 16\.0 GB"):
        check_declared(wide.shape[1], wide.nnz, "columns")
    check_declared(2**26, 0, "columns")
    check_declared(2**27, 2**23, "columns")
