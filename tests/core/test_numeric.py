"""Whatever holds numbers becomes an array of them; what does not is named, with its place."""

from __future__ import annotations

import datetime
import decimal

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.core.numeric import as_array, numeric_array, shown

X = np.arange(12.0).reshape(4, 3)


class Arraylike:
    """Gives an array when asked."""

    def __init__(self, array):
        self.array = array

    def __array__(self, dtype=None, copy=None):
        return self.array


class Tensor:
    """Gives its memory away by DLPack alone."""

    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class Tracked:
    """A tensor that remembers what was done to it, as those of torch do."""

    requires_grad = True

    def __init__(self, array):
        self.array = array

    def detach(self):
        return Arraylike(self.array)

    def __array__(self, dtype=None, copy=None):
        raise RuntimeError("Can't call numpy() on Tensor that requires grad.")


class Elsewhere:
    """A tensor that is not in the memory of this machine."""

    def __array__(self, dtype=None, copy=None):
        raise TypeError("can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu()")


def numbers(given):
    return numeric_array(given, "X", "PCA")


@pytest.mark.parametrize("make", [np.asarray, Arraylike, Tensor, Tracked, memoryview])
def test_what_holds_numbers_is_taken_without_a_copy(make):
    found = numbers(make(X))
    np.testing.assert_array_equal(found, X)
    assert np.shares_memory(found, X)


@pytest.mark.parametrize(
    "given",
    [
        X.tolist(),
        tuple(map(tuple, X)),
        list(X),
        X.astype(object),
        X.astype(int),
        [["0", "1", "2"], *X[1:].tolist()],
        [[decimal.Decimal(int(x)) for x in row] for row in X],
        X.astype(">f8"),
    ],
)
def test_lists_objects_and_other_numbers_are_taken(given):
    np.testing.assert_array_equal(numbers(given), X)


def test_masked_values_are_nan():
    masked = np.ma.masked_array(X.astype(int), X == 4)
    np.testing.assert_array_equal(numbers(masked), np.where(X == 4, np.nan, X))
    single = np.ma.masked_array(X.astype(np.float32), X == 4)
    assert numbers(single).dtype == np.float32
    assert numbers(np.ma.masked_array(X)).dtype == np.float64


def other(place, value):
    objects = X.astype(object)
    objects[place] = value
    return objects


RAGGED = X.tolist()
RAGGED[2] = RAGGED[2][:2]
NO_ROW = [[1.0, 2.0], 3.0]
DEEP = [[1.0, [2.0, 3.0]], [4.0, 5.0]]


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        (None, TypeError, "X is None; PCA needs an array"),
        ("data.csv", TypeError, r"X is a text \('data.csv'\), not numbers"),
        (b"ab", TypeError, "X is bytes, not numbers"),
        ({"a": 1}, TypeError, r"X is a dict; PCA needs .* pandas\.DataFrame\(X\)"),
        ({1.0}, TypeError, "X is a set"),
        (iter(X), TypeError, "which gives its values only once"),
        (int, TypeError, "X is a type, not an array"),
        (decimal.Decimal(2), TypeError, "X is a Decimal, not an array"),
        (RAGGED, ValueError, "row 2 has 2 values, and row 0 has 3 values"),
        (NO_ROW, ValueError, "row 1 has one value that is no row, and row 0 has 2 values"),
        (DEEP, ValueError, "X has a list in row 0, column 1"),
        (other((2, 1), "abc"), ValueError, "X has the text 'abc' in row 2, column 1; PCA"),
        ([[1.0, "abc"]], ValueError, "the text 'abc' in row 0, column 1.*lowdim.TableEncoder"),
        (["a", "b"], ValueError, "X has the text 'a' in row 0; "),
        (other((0, 2), {}), TypeError, "type 'dict' in row 0, column 2; .*must be a string"),
        (other((1, 0), 1 + 2j), TypeError, "value of type 'complex' in row 1, column 0"),
        (other((3, 0), datetime.date(2020, 1, 1)), TypeError, "type 'date' in row 3, column 0"),
        (other((1, 1), 10**400), ValueError, "value of type 'int' in row 1, column 1.*too large"),
        (X.astype(complex), ValueError, "Complex data not supported: X has dtype complex128"),
        (X.astype(str), ValueError, "dtype <U32, which are not numbers.*astype"),
        (X.astype("M8[D]"), ValueError, "datetime64.*not numbers but times.*TableEncoder"),
        (np.zeros(3, [("a", float), ("b", int)]), ValueError, "with the fields a, b"),
        (Elsewhere(), TypeError, r"X is a Elsewhere that cannot be made an array .*Tensor\.cpu"),
    ],
)  # fmt: skip
def test_what_is_no_array_of_numbers_is_named_with_its_place(given, error, message):
    with pytest.raises(error, match=message):
        numbers(given)


def test_an_array_of_any_dtype_is_left_to_the_caller():
    assert as_array([["a", 1]], "X", "a stream").dtype == object
    assert as_array(X.astype("M8[D]"), "X", "a stream").dtype.kind == "M"


def test_a_message_shows_a_value_in_one_short_line():
    table = np.arange(150.0).reshape(30, 5)
    for value, expected in (
        (table, "<ndarray of shape (30, 5)>"),
        (sp.csr_array(table), "<csr_array of shape (30, 5)>"),
        (list(range(100)), "<list>"),
        ("two\nlines", r"'two\nlines'"),
        (np.float64(2.5), repr(np.float64(2.5))),
        (None, "None"),
    ):
        assert shown(value) == expected
