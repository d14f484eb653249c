"""Sparse matrices whose arrays of indices are not true, by what is wrong with them."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp


def _with(X, **arrays):
    """The matrix with other arrays than SciPy would let it have."""
    X = X.copy()
    for name, array in arrays.items():
        setattr(X, name, array)
    return X


def _changed(array, place, value):
    array = array.copy()
    array[place] = value
    return array


def lying_csr(X):
    """(matrix, what is said about it) by the kind of lie; X is a csr_array with a full row 3."""
    d, e, last = X.shape[1], int(X.indptr[3]), X.nnz
    short = X.astype(np.float64)
    return {
        "beyond the columns": (
            _with(X, indices=_changed(X.indices, e, d)),
            f"row 3 has an entry in column {d}, and there are {d} columns",
        ),
        "negative": (_with(X, indices=_changed(X.indices, e, -1)), "row 3 has .* column -1"),
        "huge": (
            _with(X, indices=_changed(X.indices, e, 2**31 - 1)),
            "row 3 has .* column 2147483647",
        ),
        "huge, in 64 bits": (
            _with(
                X,
                indices=_changed(X.indices.astype(np.int64), e, 2**62),
                indptr=X.indptr.astype(np.int64),
            ),
            "row 3 has .* column 4611686018427387904",
        ),
        "falling indptr": (
            _with(X, indptr=_changed(X.indptr, 4, 0)),
            f"row 3 begins at entry {e} and ends before, at 0",
        ),
        "indptr from 1": (_with(X, indptr=_changed(X.indptr, 0, 1)), "row 0 begins at entry 1"),
        "indptr below 0": (_with(X, indptr=_changed(X.indptr, 0, -9)), "row 0 begins at entry -9"),
        "indptr beyond the entries": (
            _with(X, indptr=_changed(X.indptr, -1, last + 10**6)),
            f"row {X.shape[0] - 1} ends at entry {last + 10**6}, and there are {last}",
        ),
        "indptr too short": (_with(X, indptr=X.indptr[:-2]), "an indptr of length"),
        "fewer indices": (_with(X, indices=X.indices[:-1]), f"and there are {last - 1}"),
        "fewer values": (_with(X, data=X.data[:-1]), f"and there are {last - 1}"),
        "values in a matrix": (_with(short, data=short.data[:, None]), "its data have 2 dim"),
        "indices of floats": (
            _with(X, indices=X.indices.astype(np.float64)),
            "its indices are of dtype float64",
        ),
        "indptr of floats": (
            _with(X, indptr=X.indptr.astype(np.float64)),
            "its indptr are of dtype float64",
        ),
        "another shape": (_with(X, _shape=(X.shape[0] + 5, d)), "an indptr of length"),
        "fewer columns": (_with(X, _shape=(X.shape[0], 1)), "row . has an entry in column"),
    }


def lying_others(X):
    """Lies in other formats than csr."""
    csc, coo, bsr = X.tocsc(), X.tocoo(), sp.bsr_array(X, blocksize=(1, 1))
    n, d = X.shape
    rows, columns = (index.astype(np.int32) for index in coo.coords)
    lil, dok, dia = X.tolil(), X.todok(), X.todia()
    lil_data = X.tolil()
    lil.rows[3] = [*lil.rows[3][:-1], d]
    lil_data.data[3] = [*lil_data.data[3], 1.0, 2.0]
    dok._dict[(3, d + 7)] = 1.0
    return {
        "csc, beyond the rows": (
            _with(csc, indices=_changed(csc.indices, 0, n)),
            f"column 0 has an entry in row {n}, and there are {n} rows",
        ),
        "csc, negative": (_with(csc, indices=_changed(csc.indices, 0, -4)), "row -4"),
        "csc, falling": (_with(csc, indptr=_changed(csc.indptr, 1, -1)), "column 0 begins"),
        "coo, beyond the rows": (
            _with(coo, coords=(_changed(rows, 0, n), columns)),
            f"entry 0 lies in row {n}",
        ),
        "coo, beyond the columns": (
            _with(coo, coords=(rows, _changed(columns, -1, d))),
            f"row {n - 1} has an entry in column {d}",
        ),
        "coo, negative": (_with(coo, coords=(_changed(rows, 0, -5), columns)), "in row -5"),
        "coo, fewer values": (_with(coo, data=coo.data[:-1]), "places for data of shape"),
        "bsr, beyond the columns": (
            _with(bsr, indices=_changed(bsr.indices, 0, 10**6)),
            "block of rows 0 has an entry in block of columns 1000000",
        ),
        "bsr, falling": (_with(bsr, indptr=_changed(bsr.indptr, 2, 0)), "block of rows 1 begins"),
        "bsr, another block": (
            _with(bsr, data=np.ones((bsr.data.shape[0], 2, d + 1))),
            "do not fill its shape",
        ),
        "lil, beyond the columns": (lil, f"row 3 has an entry in column {d}"),
        "lil, more values": (lil_data, "row 3 has .* columns for"),
        "dok, beyond the columns": (dok, f"row 3 has an entry in column {d + 7}"),
        "dia, outside": (
            _with(dia, offsets=_changed(dia.offsets, 0, 2**30)),
            "its diagonal 1073741824 lies outside",
        ),
        "dia, fewer offsets": (_with(dia, offsets=dia.offsets[:-1]), "offsets for diagonals"),
        "a wrong number of rows": (
            sp.coo_array(([1.0, 2.0], ([0, 2**31 - 2], [0, 1])), shape=(2**31 - 1, d)),
            "2147483647 rows that stores 2 values; one number for each would take 16.0 GB",
        ),
    }


def lies(X):
    """All of them: by kind, (matrix, what is said about it)."""
    X = sp.csr_array(X)
    return {**lying_csr(X), **lying_others(X)}


def too_wide(X):
    """A matrix that declares so many columns that a number for each takes 16 GB."""
    X = sp.csr_array(X)
    return sp.csr_array((X.data, X.indices, X.indptr), shape=(X.shape[0], 2**31 - 1))
