"""What all readers share: chunks, and a fresh start where a file turns out otherwise."""

import pytest

from lowdim.tables.errors import TableError
from lowdim.tables.formats import base, fold_chunks, open_file
from tests.tables.formats.pieces import deep, small_pieces


def test_a_fold_begins_again_from_a_fresh_start(write, monkeypatch):
    small_pieces(monkeypatch)
    table = open_file(write("t.csv", deep("unknown,1,x\n")), stream=True)
    starts = []

    def start():
        starts.append(0)
        return 0

    assert fold_chunks(table, start, lambda n, chunk: n + chunk.num_rows) == 201
    assert len(starts) == 2
    assert fold_chunks(table, start, lambda n, chunk: n + chunk.num_rows, ["c"]) == 201
    assert len(starts) == 3


def test_steady_chunks_give_each_row_once_also_when_reading_begins_again(write, monkeypatch):
    small_pieces(monkeypatch)
    table = open_file(write("t.csv", deep("unknown,1.5,x\n")), stream=True)
    chunks = list(base.steady_chunks(table, ["a", "c"], 10))
    assert sum(chunk.num_rows for chunk in chunks) == 201
    found = [str(v).removesuffix(".0") for chunk in chunks for v in chunk["a"].to_pylist()]
    assert found == [*map(str, range(100)), "unknown", *map(str, range(100))]


def test_columns_come_in_the_order_that_is_asked_for(write):
    table = open_file(write("t.csv", "a,b,c\n1,2,3\n"))
    assert next(table.chunks(["c", "a"])).column_names == ["c", "a"]
    with pytest.raises(TableError, match=r"t\.csv has no column 'aa'; did you mean 'a'\?"):
        table.chunks(["aa"])
    assert list(table.chunks([])) == []
    with pytest.raises(TableError, match=r"no column 'z'.*text_columns="):
        open_file("t.csv", text_columns=["z"])


def test_the_base_of_all_readers_is_abstract():
    with pytest.raises(TypeError):
        base.ArrowTable()
