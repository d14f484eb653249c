"""The door of linalg: what comes in, and what is refused with a reason."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import aslinearoperator

from lowdim.linalg.checks import (
    as_covariance,
    as_dense,
    as_matrix,
    as_operand,
    as_square,
    as_vector,
    power_of_two,
)


@pytest.mark.parametrize(
    ("given", "dtype"),
    [
        ([[1, 2]], np.float64),
        (np.ones((2, 2), np.float32), np.float32),
        (np.ones((2, 2), bool), np.float64),
        (np.array([[1, 2.5]], dtype=object), np.float64),
    ],
    ids=["integers", "float32", "bools", "objects"],
)
def test_matrices_become_floats(given, dtype):
    A = as_matrix("A", given)
    assert A.dtype == dtype and A.ndim == 2
    np.testing.assert_array_equal(A, np.asarray(given, dtype=float))


@pytest.mark.parametrize(("given", "wanted"), [("csc", "csc"), ("csr", "csr"), ("coo", "csr")])
def test_sparse_matrices_keep_a_format_that_multiplies_fast(given, wanted):
    A = as_matrix("A", sp.eye_array(3).asformat(given))
    assert A.format == wanted
    assert isinstance(A, sp.sparray)


def test_operators_go_through_where_products_are_enough():
    operator = aslinearoperator(np.eye(2))
    assert as_operand("A", operator) is operator
    with pytest.raises(ValueError, match="A is a complex operator"):
        as_operand("A", aslinearoperator(1j * np.eye(2)))


@pytest.mark.parametrize(
    ("A", "message"),
    [
        (np.ones(3), "A has 1 dimensions"),
        (np.ones((0, 3)), r"A is empty \(shape \(0, 3\)\)"),
        ([[1.0, np.nan]], "A holds NaN"),
        ([[1.0, np.inf]], "A holds infinity"),
        ([["a", "b"]], "A holds values of dtype"),
        (1j * np.eye(2), "A holds values of dtype complex128"),
        (np.array([["a", 1]], dtype=object), "A holds objects that are not numbers"),
    ],
)
def test_what_is_no_matrix_of_real_numbers_is_refused(A, message):
    with pytest.raises(ValueError, match=message):
        as_matrix("A", A)


def test_finite_values_whose_sum_overflows_are_fine():
    A = np.full((2, 2), 1e308)
    np.testing.assert_array_equal(as_matrix("A", A), A)


@pytest.mark.parametrize(
    ("A", "kind"), [(sp.eye_array(2), "sparse"), (aslinearoperator(np.eye(2)), "a LinearOperator")]
)
def test_only_arrays_are_dense(A, kind):
    with pytest.raises(TypeError, match=f"A is {kind}; all of its singular values"):
        as_dense("A", A)


def test_shapes_are_held_to_what_is_needed():
    assert as_vector("x", [1, 2], 2).dtype == np.float64
    with pytest.raises(ValueError, match=r"x has shape \(2,\); shape \(3,\) is needed"):
        as_vector("x", [1, 2], 3)
    with pytest.raises(ValueError, match="one dimension is needed"):
        as_vector("x", np.eye(2))
    with pytest.raises(ValueError, match=r"A has shape \(2, 3\); \(2, 2\) is needed"):
        as_square("A", np.ones((2, 3)))


def test_a_covariance_is_symmetric_up_to_rounding():
    C = np.array([[2.0, 1.0], [1.0 + 1e-9, 2.0]])
    assert as_covariance("C", C) is C
    with pytest.raises(ValueError, match=r"C is not symmetric.*\(C \+ its \.T\) / 2"):
        as_covariance("C", np.array([[2.0, 1.0], [0.5, 2.0]]))


@pytest.mark.parametrize("largest", [1.0, 3.0, 1e-200, 1e200])
def test_units_are_powers_of_two_just_below(largest):
    unit = power_of_two(largest)
    assert np.log2(unit).is_integer() and unit <= largest < 2 * unit
    assert power_of_two(0.0) == 1.0
