"""A matrix as a table again, in the values, labels and types that came in."""

import numpy as np
import pandas as pd
import pytest

import lowdim
from lowdim.tables.applicable import Rule
from lowdim.tables.codecs import CategoryCodec, FlagCodec, NumberCodec
from lowdim.tables.decoding import (
    WIDTH,
    Origin,
    decoded_columns,
    decoded_frame,
    decoded_ranges,
    emptied,
    natural_dtype,
)
from lowdim.tables.encoding import Encoding
from lowdim.tables.frames.dtypes import dtype_of
from lowdim.tables.frames.values import Values
from lowdim.tables.kinds import ColumnInfo

NUMBER = NumberCodec("number", -10.0, 10.0, center=4.0, scale=2.0)
COUNT = NumberCodec("whole number", 0.0, 9.0)
LEVELS = CategoryCodec(("a", "b"), np.array([0.25, 0.75]), scaled=False)
COLUMNS = (
    ColumnInfo("x", "number", 0, None, "", NUMBER, form="number"),
    ColumnInfo("n", "whole number", 0, None, "", COUNT, form="number"),
    ColumnInfo("k", "category", 0, 2, "", LEVELS, form="words"),
    ColumnInfo("unit", "constant", 0, 1, "", value="cm", form="words"),
    ColumnInfo("one", "constant", 0, 1, "", value=1.0, form="number"),
    ColumnInfo("again", "copy", 0, None, "", copy_of="x", form="number"),
    ColumnInfo("remark", "text", 0, None, "left out", form="words"),
)
ENCODING = Encoding(COLUMNS, named=True)
Z = np.array([[0.0, 2.4, 0.9, 0.1], [1.0, 2.6, 0.2, 0.8]])  # x, n, k=a, k=b


def listed(values):
    if values.numbers is not None:
        return values.numbers.tolist()
    return [values.levels[j] if j >= 0 else None for j in values.places]


def test_columns_come_back_in_the_order_of_the_table():
    found = decoded_columns(ENCODING, Z, "kind")
    assert {name: listed(values) for name, values in found.items()} == {
        "x": [4.0, 6.0],
        "n": [2.0, 3.0],
        "k": ["a", "b"],
        "unit": ["cm", "cm"],
        "one": [1.0, 1.0],
        "again": [4.0, 6.0],
    }


def test_a_frame_has_the_labels_types_and_index_that_came_in():
    frame = pd.DataFrame(
        {"x": np.float32([1]), 7: [1], "k": pd.Categorical(["b"], ["b", "a"]), "unit": ["cm"],
         "one": [1], "again": np.float32([1]), "remark": ["?"]}
    )  # fmt: skip
    origin = Origin(
        "pandas", tuple(frame.columns), tuple(dtype_of(frame[name]) for name in frame.columns)
    )
    index = pd.Index(["r", "s"], name="row")
    found = decoded_frame(ENCODING, origin, Z, "kind", index=("row", index))
    assert list(found.columns) == ["x", 7, "k", "unit", "one", "again"]
    assert found.index.equals(index)
    assert found["x"].dtype == np.float32 and found[7].tolist() == [2, 3]
    assert found[7].dtype == np.int64
    assert found["k"].dtype == frame["k"].dtype and found["k"].tolist() == ["a", "b"]


@pytest.mark.parametrize("dtype", ["object", "float64", "Int64", "boolean", "string", "category"])
def test_a_column_without_values_stays_empty_and_of_its_type(dtype, rng):
    X = pd.DataFrame({"x": rng.normal(size=30), "none": pd.Series([None] * 30, dtype=dtype)})
    encoder = lowdim.TableEncoder().fit(X)
    found = encoder.inverse_transform(encoder.transform(X))
    assert list(found.columns) == ["x", "none"]
    assert found["none"].isna().all() and found["none"].dtype == X["none"].dtype


def test_a_matrix_has_as_many_columns_as_it_had(rng):
    X = np.column_stack([rng.normal(size=20), np.full(20, np.nan), rng.normal(size=20)])
    encoder = lowdim.TableEncoder().fit(X)
    np.testing.assert_allclose(encoder.inverse_transform(encoder.transform(X)), X)


def test_cells_that_do_not_apply_stay_empty_unless_asked():
    rule = Rule("k", ("a",), ("b",))
    columns = (COLUMNS[0]._replace(not_applicable=rule), *COLUMNS[1:])
    encoding = ENCODING._replace(columns=columns)
    found = decoded_columns(encoding, Z, "kind")["x"].missing
    filled = decoded_columns(encoding, Z, "kind", fill_not_applicable=True)["x"]
    assert found.tolist() == [True, False]
    assert listed(filled) == [4.0, 6.0]


def test_values_are_emptied_without_a_change_of_the_others():
    where = np.array([True, False])
    numbers = Values("number", np.array([1.0, 2.0]))
    words = Values("words", places=np.array([0, 0], np.int32), levels=("a",))
    assert listed(emptied(words, where)) == [None, "a"]
    np.testing.assert_array_equal(emptied(numbers, where).numbers, [np.nan, 2.0])
    assert numbers.numbers.tolist() == [1.0, 2.0]


@pytest.mark.parametrize(
    ("form", "codec", "native"),
    [
        ("number", NUMBER, "float64"),
        ("number", COUNT, "int64"),
        ("flag", FlagCodec(0.5), "bool"),
        ("words", LEVELS, "str"),
        ("moment", None, "datetime64[us]"),
        ("span", None, "timedelta64[us]"),
    ],
)
def test_columns_without_a_type_get_the_one_that_suits_their_kind(form, codec, native):
    info = ColumnInfo("x", "", 0, None, "", codec)
    assert natural_dtype(Values(form, np.zeros(1)), info).native == native


def test_ranges_reach_as_far_as_the_standard_deviations_say():
    origin = Origin("pandas", tuple(c.name for c in COLUMNS), (None,) * len(COLUMNS))
    S = np.full(Z.shape, 0.5)
    ranges = decoded_ranges(ENCODING, origin, Z, S)
    np.testing.assert_allclose(ranges.low["x"], [4 - WIDTH, 6 - WIDTH])
    np.testing.assert_allclose(ranges.high["x"], [4 + WIDTH, 6 + WIDTH])
    assert list(ranges.levels) == ["k"] and list(ranges.levels["k"].columns) == ["a", "b"]
    np.testing.assert_allclose(ranges.levels["k"].sum(axis=1), 1.0)
