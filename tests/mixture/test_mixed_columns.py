"""Tables of every library for MixedMixture: labels as numbers and back, types as they were."""

import json
import runpy
from decimal import Decimal
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

import lowdim
from lowdim import MixedMixture
from lowdim.mixture.mixed_columns import families_of, filled_table, labels_of, rows_of
from lowdim.tables.opening import open_columns, open_table

FIXTURES = Path(__file__).parent.parent / "fixtures"


def fruit(n=60):
    """Two kinds of fruit; every column has a missing value, and tells the kinds apart."""
    kind = np.arange(n) % 2
    frame = pd.DataFrame(
        {
            "mass": 100.0 + 50.0 * kind + np.arange(n) % 7,
            "seeds": pd.array(3 + 5 * kind + np.arange(n) % 3, dtype="Int64"),
            "color": np.where(kind == 1, "red", "green").astype(object),
            "ripe": pd.array((np.arange(n) % 10 > 7) ^ (kind == 1), dtype="boolean"),
            "size": pd.Categorical(
                np.where(kind == 1, "large", "small"), ["small", "large"], ordered=True
            ),
            "grade": pd.Categorical(1 + kind),  # categories that are numbers
        }
    )
    for row, name in enumerate(frame.columns):
        frame.loc[[2 * row + 4, 2 * row + 31], name] = None
    return frame


def model(**arguments):
    return MixedMixture(2, random_state=0, **arguments)


def values(table):
    """A table as lists of plain values."""
    frame = table if isinstance(table, dict) else open_table(table)
    if isinstance(frame, dict):
        return {name: column.tolist() for name, column in frame.items()}
    (chunk,) = frame.chunks()
    chunk = pl.from_pandas(chunk) if isinstance(chunk, pd.DataFrame) else pl.DataFrame(chunk)
    return {name: chunk[name].to_list() for name in chunk.columns}


# ---- golden values -------------------------------------------------------------------------------


def test_labels_are_sorted_and_numbers_are_their_places():
    table = open_columns(
        pd.DataFrame(
            {
                "x": [1.5, None, 2.0],
                "word": ["pear", None, "apple"],
                "flag": [True, False, True],
                "size": pd.Categorical(["small", "large", None], ["small", "large"]),
                "code": pd.Categorical([30, 10, None]),
            }
        )
    )
    labels = labels_of(table)
    assert {f: known.tolist() for f, known in labels.items()} == {
        "1": ["apple", "pear"],
        "2": [False, True],
        "3": ["large", "small"],
    }
    nan = np.nan
    assert_array_equal(
        rows_of(table, labels).in_memory,
        [[1.5, 1, 1, 1, 30], [nan, nan, 0, 0, 10], [2, 0, 1, nan, nan]],
    )


def test_an_unknown_label_is_missing_and_a_label_that_looks_missing_is_not():
    labels = labels_of(open_columns({"word": np.array(["NA", "?", "a"], dtype=object)}))
    assert labels["0"].tolist() == ["?", "NA", "a"]
    table = open_columns({"word": np.array(["NA", "b", None, "?"], dtype=object)})
    assert_array_equal(rows_of(table, labels).in_memory[:, 0], [1, np.nan, np.nan, 0])


def test_filled_numbers_are_what_the_type_can_hold():
    frame = pd.DataFrame(
        {
            "float": [1.5, None],
            "whole": pd.array([3, None], dtype="Int16"),
            "grade": pd.Categorical([7, None], [7, 3, 20]),
            "price": [Decimal("1.25"), None],
        }
    )
    filled = filled_table(
        open_columns(frame), np.array([[1.5, 3, 7, 1.25], [2.3, 4.6, 5.5, 2.125]]), {}
    )
    assert filled.iloc[1].tolist() == [2.3, 5, 7, Decimal("2.12")]
    assert filled.iloc[0].tolist() == [1.5, 3, 7, Decimal("1.25")]
    assert filled.dtypes.tolist() == frame.dtypes.tolist()


def test_columns_of_objects_are_what_all_of_them_are():
    mixed = np.array([1, "a", None, 2], dtype=object)
    labels = labels_of(open_columns(pd.DataFrame({"c": mixed})))
    assert labels["0"].tolist() == ["1", "2", "a"]
    later = open_columns(pd.DataFrame({"c": np.array([2, 1], dtype=object)}))
    assert_array_equal(rows_of(later, labels).in_memory[:, 0], [1, 0])
    assert (
        labels_of(open_columns(pd.DataFrame({"c": np.array([1, None, 2.5], dtype=object)}))) == {}
    )


def test_families_go_by_labels_and_by_what_is_said():
    labels = {"1": np.array(["a", "b"], dtype=object)}
    found = families_of({"poisson": "visits"}, 3, ["x", "word", "visits"], labels)
    assert {name: columns.tolist() for name, columns in found.items()} == {
        "gaussian": [0],
        "poisson": [2],
        "categorical": [1],
    }


# ---- every library -------------------------------------------------------------------------------

LIBRARIES = {
    "pandas": lambda frame: frame,
    "pandas nullable": lambda frame: frame.convert_dtypes(),
    "pandas on pyarrow": lambda frame: frame.astype(
        {"mass": "double[pyarrow]", "seeds": "int64[pyarrow]", "color": "string[pyarrow]"}
    ),
    "polars": lambda frame: pl.from_pandas(frame.astype({"grade": "Int64"})),
    "polars enum": lambda frame: pl.from_pandas(frame.astype({"grade": "Int64"})).with_columns(
        pl.col("size").cast(pl.String).cast(pl.Enum(["small", "large"]))
    ),
    "pyarrow": lambda frame: pa.Table.from_pandas(frame, preserve_index=False),
}


def types(frame):
    return frame.schema.types if isinstance(frame, pa.Table) else list(frame.dtypes)


@pytest.mark.parametrize("library", LIBRARIES)
def test_types_come_back_as_they_were_and_the_model_is_the_same(library):
    frame = LIBRARIES[library](fruit())
    fitted = model().fit(frame)
    filled, std = fitted.impute(frame, return_std=True)
    assert type(filled) is type(frame)
    assert types(filled) == types(frame)
    before, after = values(frame), values(filled)
    for name, column in before.items():
        missing = [row for row, value in enumerate(column) if value is None or value != value]
        assert len(missing) == 2
        kept = [row for row in range(60) if row not in missing]
        assert [after[name][row] for row in kept] == [column[row] for row in kept]
        assert all(after[name][row] is not None for row in missing)
        f = list(before).index(name)
        assert_array_equal(np.flatnonzero(std[:, f]), missing)
    # of each kind all rows have one color, size and grade
    kind = np.arange(60) % 2
    assert after["color"] == np.where(kind == 1, "red", "green").tolist()
    assert after["size"] == np.where(kind == 1, "large", "small").tolist()
    assert list(map(int, after["grade"])) == (1 + kind).tolist()
    assert {f: known.tolist() for f, known in fitted._labels.items()} == {
        "2": ["green", "red"],
        "3": [False, True],
        "4": ["large", "small"],
    }
    assert_allclose(fitted.predict_proba(frame), model().fit(fruit()).predict_proba(fruit()))


def test_a_dict_of_arrays_is_a_table_and_comes_back_as_one():
    frame = fruit()
    table = {name: frame[name].to_numpy() for name in ("mass", "color", "ripe")}
    fitted = model().fit(table)
    assert fitted.feature_names_in_.tolist() == ["mass", "color", "ripe"]
    filled = fitted.impute(table)
    assert list(filled) == list(table)
    assert all(isinstance(column, np.ndarray) for column in filled.values())
    assert filled["color"].tolist() == np.where(np.arange(60) % 2, "red", "green").tolist()
    assert set(filled["ripe"].tolist()) == {True, False}
    assert_array_equal(fitted.predict(table), fitted.predict(frame[["mass", "color", "ripe"]]))


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_files_are_tables_in_memory_and_in_parts(tmp_path, ending):
    frame = fruit().astype({"size": str, "grade": float, "seeds": float})
    path = tmp_path / f"fruit.{ending}"
    frame.to_csv(path, index=False) if ending == "csv" else frame.to_parquet(path)
    fitted = model().fit(path)
    proba = fitted.predict_proba(str(path))
    assert_allclose(proba, model().fit(frame).predict_proba(frame), rtol=1e-9)
    filled = fitted.impute(path)
    assert list(filled["color"]) == np.where(np.arange(60) % 2, "red", "green").tolist()
    parts = open_table(path, stream=True)
    assert parts.streamed
    again = model().fit(parts)
    assert_allclose(again.predict_proba(parts), proba, rtol=1e-9)
    pd.testing.assert_frame_equal(again.impute(parts), filled)


def test_a_matrix_in_a_file_is_a_matrix(tmp_path):
    X = np.random.default_rng(0).normal(size=(30, 3))
    X[0, 1] = np.nan
    np.save(tmp_path / "x.npy", X)
    fitted = model().fit(tmp_path / "x.npy")
    assert_array_equal(fitted.predict_proba(tmp_path / "x.npy"), model().fit(X).predict_proba(X))
    assert_array_equal(fitted.impute(tmp_path / "x.npy"), fitted.impute(X))
    assert not hasattr(fitted, "feature_names_in_")


def test_frames_of_numbers_keep_float32_and_labels_that_are_no_text():
    X = np.random.default_rng(0).normal(size=(30, 3)).astype(np.float32)
    fitted = model().fit(pd.DataFrame(X))  # its columns are called 0, 1, 2
    assert not hasattr(fitted, "feature_names_in_")
    assert fitted.open_rows(pd.DataFrame(X), reset=False).dtype == np.float32
    assert_array_equal(fitted.predict(X), fitted.predict(pd.DataFrame(X)))


# ---- files of earlier releases -------------------------------------------------------------------


def test_a_model_of_an_earlier_release_fills_and_samples_labels():
    table = runpy.run_path(str(FIXTURES / "make_fixtures.py"))["words_and_numbers"]()
    old = lowdim.load(FIXTURES / "format1" / "mixed_mixture.lowdim")
    filled = old.impute(table)
    assert filled.dtypes.tolist() == table.dtypes.tolist()
    # what the release that wrote it filled in
    assert filled.loc[[8, 17], ["color", "shop"]].to_numpy().tolist() == [
        ["red", "north"],
        ["yellow", "north"],
    ]
    assert filled.loc[3, "mass"] == pytest.approx(124.75310136703236, rel=1e-9)
    assert set(old.sample(50, random_state=0)[0][:, 1]) == {"green", "red", "yellow"}
    expected = json.loads((FIXTURES / "format1" / "mixed_mixture.json").read_text())["outputs"]
    assert_allclose(old.predict_proba(pl.from_pandas(table)), expected["predict_proba"], atol=1e-9)


# ---- the door ------------------------------------------------------------------------------------


def test_what_can_only_hold_numbers_is_no_table():
    for X in (
        np.eye(3),
        [[1.0]],
        sp.dok_array(np.eye(3)),
        lowdim.stream(lambda: iter([np.eye(3)])),
    ):
        assert open_columns(X) is None


@pytest.mark.parametrize(
    ("column", "what"),
    [
        (pd.Timestamp("2024-03-01"), "'z' holds dates"),
        (pd.Timedelta("1h"), "'z' holds durations"),
        ([[1, 2]] * 60, "'z' holds values that are neither numbers nor words"),
    ],
)
def test_what_no_family_describes_is_refused(column, what):
    with pytest.raises(ValueError, match=f"columns that are not numbers: {what}"):
        model().fit(fruit().assign(z=column))


def test_later_tables_have_the_columns_of_fit():
    frame = fruit()
    fitted = model().fit(frame)
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict({name: frame[name].to_numpy() for name in frame.columns[::-1]})
    with pytest.raises(ValueError, match="'mass' holds text"):
        fitted.predict(frame.assign(mass="heavy"))
    with pytest.raises(ValueError, match=r"'color' holds numbers.*such as 'green'"):
        fitted.predict(frame.assign(color=1))
    # no value at all, of whatever type, is missing
    assert_array_equal(
        fitted.predict_proba(frame.assign(color=np.nan)),
        fitted.predict_proba(frame.assign(color="blue")),
    )
    with pytest.raises(ValueError, match="X has infinity"):
        fitted.predict(frame.assign(mass=np.inf))
