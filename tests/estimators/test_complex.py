"""Complex numbers are refused in one line that says what to do, in whatever they come."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from tests.estimators.examples import METHODS, case, each_class, small, table

X = table(n=30) + 1j


COMPLEX = {
    "an array": lambda: X,
    "single precision": lambda: X.astype(np.complex64),
    "lists": lambda: X.tolist(),
    "a sparse matrix": lambda: sp.csr_array(X),
    "a sparse matrix by columns": lambda: sp.csc_array(X),
    "a data frame": lambda: __import__("pandas").DataFrame(X),
    "on Dask": lambda: __import__("dask.array").array.from_array(X, chunks=(10, 5)),
}
TAKES_TABLES = "MixedMixture"  # it names the column, in words of tables


@each_class
def test_complex_numbers_are_refused_in_one_line(name):
    pytest.importorskip("pandas")
    pytest.importorskip("dask.array")
    for kind, make in COMPLEX.items():
        if kind == "a data frame" and name == TAKES_TABLES:
            continue
        if kind == "on Dask" and not METHODS[name].dask:
            continue
        with case(kind), pytest.raises(ValueError, match="Complex data not supported") as found:
            small(name).fit(make())
        message = str(found.value)
        assert "\n" not in message and "imaginary parts as columns" in message, kind


def test_functions_refuse_complex_matrices_in_one_line():
    for make in (
        lambda: lowdim.Entries(sp.csr_array(X)),
        lambda: lowdim.choose_rank(sp.csr_array(X)),
        lambda: lowdim.TableEncoder().fit(X),
        lambda: lowdim.linalg.svd(sp.csr_array(X), 1),
        lambda: lowdim.stream(lambda: iter([X])),
    ):
        with pytest.raises(ValueError, match=r"has dtype complex128.*imaginary parts") as found:
            make()
        assert "\n" not in str(found.value)
