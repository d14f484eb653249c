"""JSON is read as rows, as columns, and as one object in each line."""

import datetime
import gzip
import json

import pandas as pd
import pytest

from lowdim.tables.errors import TableError
from lowdim.tables.formats import RereadNeeded, fold_chunks, open_file, sample
from lowdim.tables.formats import json as json_module
from lowdim.tables.formats.json import nested

ROWS = [{"a": 1, "b": "x", "c": True}, {"a": 2.5, "b": None, "c": False}, {"a": None, "c": None}]
COLUMNS = {"a": [1, 2.5, None], "b": ["x", None, None], "c": [True, False, None]}


@pytest.mark.parametrize(
    "content",
    [ROWS, COLUMNS, {name: dict(enumerate(column)) for name, column in COLUMNS.items()}],
    ids=["rows", "columns", "pandas"],
)
def test_rows_and_columns_are_read(write, values, content):
    table = open_file(write("t.json", json.dumps(content)))
    assert values(table) == COLUMNS and (table.n_rows, table.streamed) == (3, False)


@pytest.mark.parametrize("orient", ["columns", "records", "index"])
def test_what_pandas_writes_is_read_in_its_usual_forms(values, orient):
    frame = pd.DataFrame({"a": [1.5, 2.5], "b": ["x", "y"]})
    frame.to_json("t.json", orient=orient)
    expected = frame.T if orient == "index" else frame
    expected.columns = [str(name) for name in expected.columns]
    assert list(values(open_file("t.json"))) == list(expected.columns)


def test_values_of_several_kinds_become_text(write, values):
    table = open_file(write("t.json", '{"a": [1, "x", true, null], "b": [1, 2, 3, null]}'))
    assert values(table) == {"a": ["1", "x", "true", None], "b": [1, 2, 3, None]}


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("packed", [False, True])
def test_one_object_in_each_line_is_a_row(write, values, stream, packed):
    content = lines(ROWS).encode()
    name = write("t.jsonl.gz", gzip.compress(content)) if packed else write("t.jsonl", content)
    table = open_file(name, stream=stream)
    assert values(table) == COLUMNS and table.n_rows == 3
    assert values(table, ["c", "a"]) == {"c": COLUMNS["c"], "a": COLUMNS["a"]}


def test_dates_are_found_in_lines(write, values):
    table = open_file(write("t.jsonl", lines([{"d": "2020-01-01"}, {"d": "2020-01-02 10:00:00"}])))
    assert values(table)["d"][0] == datetime.datetime(2020, 1, 1)


@pytest.fixture
def small_pieces(monkeypatch):
    monkeypatch.setattr(sample, "SAMPLE_BYTES", 64)
    monkeypatch.setattr(json_module, "PIECE_BYTES", 64)


def test_kinds_that_change_far_down_are_found_out(write, values, small_pieces):
    rows = [{"a": 1, "d": "2020-01-01 10:00:00"}] * 50 + [{"a": 2.5, "d": "later"}] * 3
    name = write("t.jsonl", lines(rows))
    table = open_file(name, stream=True)
    with pytest.raises(RereadNeeded, match=r"t\.jsonl, from line \d+ on: column 'a' holds other"):
        list(table.chunks())
    assert values(table)["a"] == [1] * 50 + [2.5] * 3
    assert values(open_file(name))["d"][-1] == "later"
    assert fold_chunks(open_file(name, stream=True), int, lambda n, c: n + c.num_rows) == 53


def test_a_field_that_comes_far_down_is_a_column_in_memory(write, values, small_pieces):
    name = write("t.jsonl", lines([{"a": 1}] * 50 + [{"a": 2, "b": "x"}]))
    table = open_file(name)
    assert table.names == ["a", "b"] and values(table)["b"] == [None] * 50 + ["x"]
    with pytest.raises(TableError, match=r"column 'b' is not in the first rows.*stream="):
        list(open_file(name, stream=True).chunks())


@pytest.mark.parametrize(
    ("text", "depth"),
    [
        (b'{"a": 1}\n{"a": 2}\n', 1),
        (b'{"a": [1, [2]]}', 3),
        (b'{"a": "[[[["}', 1),
        (b'{"a": "]]]]", "b": [[[1]]]}', 4),
        (b'{"a": "\\"[[", "b": [1]}', 2),
        (b"[" * 500, 500),
    ],
)
def test_lists_within_lists_are_counted(text, depth):
    assert nested(text) == depth


# The door


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.json", "[1, 2]", "holds no table.*list of rows"),
        ("t.json", "{}", "holds no table"),
        ("t.json", '"text"', "holds no table"),
        ("t.json", '{"a": [1], "b": [1, 2]}', "column 'b' has 2 values and 'a' has 1"),
        ("t.json", '{"a": 1}\n{"a": 2}', r"line 2: this is not JSON \(Extra data\).*\.jsonl"),
        ("t.json", '{"a": [1,', "line 1: this is not JSON"),
        ("t.json", b'{"a": ["\xff"]}', "cannot be read as JSON"),
        ("t.json", '{"a": [' + "9" * 5000 + "]}", "cannot be read as JSON"),
        ("t.jsonl", '{"a": 1}\n{"a": "x"}\n', "line 2: column 'a' holds string here and number"),
        ("t.jsonl", '{"a": 1}\n{"a": \n', "line 2: this is not one object of JSON"),
        ("t.jsonl", "[1, 2]\n", "line 1: this is not one object"),
        ("t.jsonl", '{"a": 1, "a": 2}\n', "line 1: this is not one object"),
        ("t.jsonl", "\n\n", "has no rows"),
    ],
)
def test_what_is_no_table_is_refused(write, name, content, message):
    with pytest.raises(TableError, match=rf"t\.jsonl?\b.*{message}"):
        open_file(write(name, content))


def test_a_json_file_above_the_limit_is_refused(write, monkeypatch):
    monkeypatch.setattr(json_module, "MOST_BYTES", 100)
    with pytest.raises(TableError, match=r"t\.json is larger than 0 MB, unpacked\..*\.jsonl"):
        open_file(write("t.json", json.dumps([{"a": 1}] * 20)))


def test_a_json_file_cannot_be_streamed(write):
    with pytest.raises(TableError, match=r"t\.json comes as a whole.*\.jsonl"):
        open_file(write("t.json", '[{"a": 1}]'), stream=True)
