"""Rows are drawn in the table's kinds, under conditions, chunk by chunk."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_array_equal

import lowdim
from lowdim.cli import drawn_rows
from lowdim.tables.errors import TableError


@pytest.fixture
def model(rng):
    group = rng.integers(2, size=200)
    table = pd.DataFrame(
        {
            "x": (5 * group + rng.normal(size=200)).round(2),
            "count": 3 + 4 * group + rng.integers(3, size=200),
            "kind": np.array(["u", "v"])[group],
            "same": (5 * group) % 7,
        }
    )
    return lowdim.TableModel(lowdim.GaussianMixture(2, random_state=0)).fit(table)


def test_values_are_rounded_as_the_table_is(model, rng):
    values = drawn_rows.drawn_values(model, 50, rng)
    x = values["x"].numbers
    assert_array_equal(x, np.round(x, 2))
    assert_array_equal(values["count"].numbers, np.rint(values["count"].numbers))


def test_rows_do_not_come_by_component(model, rng):
    kind = drawn_rows.drawn_values(model, 400, rng)["kind"].places
    assert 120 < np.sum(kind[1:] != kind[:-1]) < 280


def test_numbers_are_those_of_what_would_be_written(model, rng):
    encoding = model.encoder_.encoding_
    Z = drawn_rows.drawn_numbers(model, 30, encoding, rng)
    assert Z.shape == (30, encoding.width)
    again = model.encoder_.transform(model.encoder_.inverse_transform(Z))
    assert np.abs(again - Z).max() < 1e-8


def test_chunks_make_the_number_of_rows(model, tmp_path, monkeypatch):
    monkeypatch.setattr(drawn_rows, "CHUNK", 7)
    path = str(tmp_path / "s.csv")
    names = drawn_rows.write_drawn(model, 40, path, 0, given={"kind": "v"})
    rows = pd.read_csv(path)
    assert list(rows.columns) == names and len(rows) == 40
    assert set(rows["kind"]) == {"v"} and rows["x"].mean() > 3


def test_each_row_gets_the_holes_of_one_row(model, tmp_path):
    path = str(tmp_path / "s.csv")
    patterns = np.zeros((2, len(model.encoder_.encoding_.used)), dtype=bool)
    patterns[1, [0, 2]] = True  # x and kind are empty together
    drawn_rows.write_drawn(model, 100, path, 0, given={}, patterns=patterns)
    rows = pd.read_csv(path)
    assert_array_equal(rows["x"].isna(), rows["kind"].isna())
    assert 25 < rows["x"].isna().sum() < 75
    drawn_rows.write_drawn(model, 50, path, 0, given={"kind": "u"}, patterns=patterns)
    assert set(pd.read_csv(path)["kind"]) == {"u"}  # what is given is there


def test_what_hardly_ever_comes_is_refused(model, tmp_path, monkeypatch):
    monkeypatch.setattr(drawn_rows, "FEW", 3000)
    with pytest.raises(TableError, match=r"count=1000: 0 of \d.* drawn rows"):
        drawn_rows.write_drawn(model, 5, str(tmp_path / "s.csv"), 0, given={"count": "1000"})
    assert not (tmp_path / "s.csv").exists()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"kind": "w"}, "has no such level"),
        ({"x": "1.5"}, "which no drawn row has exactly"),
        ({"count": "few"}, "holds whole numbers"),
        ({"count": "3.5"}, "holds whole numbers"),
        ({"count": "nan"}, "holds whole numbers"),
        ({"y": "1"}, "'y'"),
    ],
)
def test_impossible_values_are_named(model, given, words):
    with pytest.raises(TableError, match=words):
        drawn_rows.check_given(model.encoder_.encoding_, given, "the table")
    drawn_rows.check_given(model.encoder_.encoding_, {"kind": "u", "count": "4"}, "the table")
