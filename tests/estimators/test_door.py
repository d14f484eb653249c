"""What people give instead of rows or weights is refused by every class, in words that help."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from sklearn.base import clone

from tests.core.test_numeric import Elsewhere, Tensor, Tracked
from tests.estimators.examples import (
    METHODS,
    assert_same_model,
    case,
    each_class,
    quiet,
    short,
    small,
    table,
)

pytestmark = quiet

X = table(n=30)
ROWS_OF = (
    *("fit", "partial_fit", "transform", "fit_transform", "predict", "fit_predict"),
    *("predict_proba", "score", "score_samples", "impute"),
)
TAKES_TABLES = (
    "MixedMixture",
)  # text, dates and files are columns to it, as they are in TableModel


def with_value(value):
    objects = X.astype(object)
    objects[7, 3] = value
    return objects


def ragged():
    rows = X.tolist()
    rows[4] = rows[4][:3]
    return rows


def with_list():
    rows = X.tolist()
    rows[4][2] = [1.0]
    return rows


REFUSED = {
    "None": (lambda: None, TypeError, "X is None"),
    "a generator": (lambda: (row for row in X), TypeError, "X is a generator, which gives its"),
    "a set": (lambda: {1.0, 2.0}, TypeError, "X is a set"),
    "bytes": (lambda: b"abc", TypeError, "X is bytes"),
    "ragged lists": (ragged, ValueError, "row 4 has 3 values, and row 0 has 5 values"),
    "a list in a list": (with_list, ValueError, "X has a list in row 4, column 2"),
    "text in objects": (
        lambda: with_value("abc"),
        ValueError,
        "X has the text 'abc' in row 7, column 3; .*lowdim.TableEncoder",
    ),
    "a dict in objects": (
        lambda: with_value({}),
        TypeError,
        "X has the value of type 'dict' in row 7, column 3",
    ),
    "a complex number in objects": (
        lambda: with_value(1j),
        TypeError,
        "'complex' in row 7, column",
    ),
    "a huge int": (lambda: with_value(10**400), ValueError, "'int' in row 7, column 3"),
    "complex numbers": (lambda: X.astype(complex), ValueError, "Complex data not supported"),
    "texts": (lambda: X.astype(str), ValueError, "which are not numbers"),
    "dates": (lambda: X.astype("M8[s]"), ValueError, "not numbers but times.*TableEncoder"),
    "a structured array": (
        lambda: np.zeros(30, [("a", float), ("b", int)]),
        ValueError,
        "a structured array with the fields a, b",
    ),
    "a 0-d array": (lambda: np.array(3.0), ValueError, "Expected 2D array, got scalar array"),
    "a number": (lambda: 3.0, ValueError, "Expected 2D array, got scalar array"),
    "a matrix of the old kind": (
        lambda: X.view(np.matrix),
        TypeError,
        "np.matrix is not supported",
    ),
    "a tensor that is not in memory": (Elsewhere, TypeError, "cannot be made an array"),
}


@each_class
def test_what_is_no_rows_is_refused_by_every_method(name):
    if name in TAKES_TABLES:
        return
    fitted = short(small(name)).fit(X)
    for method in ROWS_OF:
        if hasattr(fitted, method):
            for kind, (make, error, message) in REFUSED.items():
                with case(f"{method}, {kind}"), pytest.raises(error, match=message):
                    getattr(copy.deepcopy(fitted), method)(make())


FRAMES = {
    "text": (
        lambda n: ["u", "v"] * (n // 2),
        "columns that are not numbers .*first: 'c'.*TableEnc",
    ),
    "categories": (
        lambda n: __import__("pandas").Categorical(["u", "v"] * (n // 2)),
        "columns that are not numbers .*first: 'c', Categorical.*lowdim.TableModel",
    ),
    "dates": (
        lambda n: __import__("pandas").date_range("2020-01-01", periods=n),
        "columns that are not numbers .*first: 'c', Datetime",
    ),
    "text among objects": (
        lambda n: np.array([1.0] * (n - 1) + ["zz"], dtype=object),
        "Column 'c' of X has the text 'zz' in row 29",
    ),
    "lists": (lambda n: [[1, 2]] * n, "Column 'c' of X has the value of type 'list' in row 0"),
}


@each_class
def test_columns_of_a_frame_that_are_no_numbers_are_named(name):
    pd = pytest.importorskip("pandas")
    if name in TAKES_TABLES:
        return
    frame = pd.DataFrame(X, columns=list("abcde"))
    fitted = short(small(name)).fit(frame)
    for kind, (make, message) in FRAMES.items():
        other = frame.assign(c=make(30))
        for method in ROWS_OF:
            if hasattr(fitted, method):
                refused = pytest.raises((ValueError, TypeError), match=message)
                with case(f"{method}, {kind}"), refused:
                    getattr(copy.deepcopy(fitted), method)(other)


@each_class
def test_two_columns_of_one_name_are_refused(name):
    pd = pytest.importorskip("pandas")
    with pytest.raises(ValueError, match="X has 2 columns with the name 'a'"):
        small(name).fit(pd.DataFrame(X, columns=list("aabcd")))


@each_class
def test_tensors_masked_arrays_and_memoryviews_go_in(name):
    model = short(small(name))
    reference = clone(model).fit(X)
    for given in (Tensor(X), Tracked(X), memoryview(X), np.ma.masked_array(X)):
        if name not in TAKES_TABLES or isinstance(given, np.ndarray):
            assert_same_model(clone(model).fit(given), reference)
    if METHODS[name].nan:
        missing = np.where(X > 16, np.nan, X)
        masked = np.ma.masked_array(X, X > 16)
        assert_same_model(clone(model).fit(masked), clone(model).fit(missing))


@each_class
def test_tensors_of_torch_go_in(name):
    torch = pytest.importorskip("torch")
    if name in TAKES_TABLES:
        return
    model = short(small(name))
    reference = clone(model).fit(X)
    for tensor in (torch.tensor(X), torch.tensor(X, requires_grad=True)):
        assert_same_model(clone(model).fit(tensor), reference)
        if METHODS[name].transform:
            np.testing.assert_array_equal(reference.transform(tensor), reference.transform(X))
    with pytest.raises(TypeError, match="Tensor that cannot be made an array"):
        small(name).fit(torch.tensor(X).to(torch.bfloat16))


def weights(**changed):
    w = np.ones(30)
    for row, value in changed.items():
        w[int(row[3:])] = value
    return w


BAD_WEIGHTS = {
    "text": (["a"] * 30, ValueError, "sample_weight has the text 'a' in row 0.*could not convert"),
    "a word": ("heavy", TypeError, r"sample_weight is a text \('heavy'\)"),
    "text in objects": (
        np.array([1.0] * 29 + ["x"], dtype=object),
        ValueError,
        "sample_weight has the text 'x' in row 29",
    ),
    "NaN": (weights(row3=np.nan), ValueError, r"sample_weight contains NaN \(for row 3\)"),
    "infinity": (weights(row3=np.inf), ValueError, r"contains infinity \(for row 3\)"),
    "negative": (weights(row3=-1.0), ValueError, r"negative value \(-1 for row 3\)"),
    "too few": (np.ones(29), ValueError, r"sample_weight.shape == \(29,\), expected \(30,\)"),
    "a matrix": (np.ones((30, 1)), ValueError, "Sample weights must be 1D"),
    "zeros": (np.zeros(30), ValueError, "at least one non-zero number"),
    "beyond the largest sum": (np.full(30, 1e308), ValueError, "as large as 1e\\+308"),
    "a dict": ({"a": 1.0}, TypeError, "sample_weight is a dict"),
    "complex": (np.ones(30) * 1j, ValueError, "Complex data not supported: sample_weight"),
    "ragged": ([[1.0], [1.0, 2.0]] * 15, ValueError, "rows of sample_weight differ in length"),
    "dates": (np.arange(30).astype("M8[D]"), ValueError, "sample_weight holds .* times"),
}


@each_class
def test_what_is_no_weight_is_refused(name):
    if METHODS[name].weights:
        for kind, (weight, error, message) in BAD_WEIGHTS.items():
            with case(kind), pytest.raises(error, match=message):
                small(name).fit(X, sample_weight=weight)


BAD_CODES = {
    "None": (None, TypeError, "Z is None"),
    "text": ([["a", "b"]], ValueError, "Z has the text 'a' in row 0, column 0"),
    "ragged": ([[1.0, 2.0], [1.0]], ValueError, "The rows of Z differ in length: row 1"),
    "a dict": ({"a": 1.0}, TypeError, "Z is a dict"),
    "NaN": ([[np.nan, 1.0]], ValueError, "Z contains NaN"),
}


@each_class
def test_what_is_no_codes_is_refused(name):
    if METHODS[name].inverse_transform:
        fitted = short(small(name)).fit(X)
        for kind, (codes, error, message) in BAD_CODES.items():
            with case(kind), pytest.raises(error, match=message):
                fitted.inverse_transform(codes)
