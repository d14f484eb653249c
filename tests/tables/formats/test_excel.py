"""A sheet of a workbook is read with its kinds, names and dates."""

import datetime
import sys

import pytest
import xlsxwriter

from lowdim.tables.errors import TableError
from lowdim.tables.formats import TextFormat, open_file


@pytest.fixture
def workbook():
    """Write sheets, each a list of rows, into t.xlsx."""

    def write(**sheets):
        with xlsxwriter.Workbook("t.xlsx", {"default_date_format": "yyyy-mm-dd"}) as book:
            for name, rows in sheets.items():
                sheet = book.add_worksheet(name)
                for i, row in enumerate(rows):
                    for j, value in enumerate(row):
                        sheet.write(i, j, value)
        return "t.xlsx"

    return write


DAYS = [datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 2)]


def test_kinds_and_values_are_kept(workbook, values):
    rows = [
        ["n", "t", "code", "d", "b", "mixed", "e"],
        [1, "x", "007", DAYS[0], True, 1, None],
        [2.5, None, "12", DAYS[1], False, "z", None],
    ]
    table = open_file(workbook(One=rows))
    assert values(table) == {
        "n": [1, 2.5],
        "t": ["x", None],
        "code": ["007", "12"],
        "d": DAYS,
        "b": [True, False],
        "mixed": ["1", "z"],
        "e": [None, None],
    }
    assert (table.n_rows, table.streamed, table.notes) == (2, False, [])
    assert [chunk.num_rows for chunk in table.chunks(["d"], 1)] == [1, 1]


def test_a_word_far_down_in_a_column_of_numbers_is_not_lost(workbook, values):
    rows = [["a"], *([i] for i in range(1500)), ["unknown"]]
    assert values(open_file(workbook(One=rows)))["a"][-1] == "unknown"


def test_names_that_are_missing_or_come_twice_are_made(workbook, values):
    table = open_file(workbook(One=[[None, "x", "x", None], ["r", 1, 2, 3]]))
    assert values(table) == {"index": ["r"], "x": [1], "x_2": [2], "column_4": [3]}
    assert len(table.notes) == 2


def test_a_sheet_is_chosen_by_name_or_number(workbook, values):
    name = workbook(One=[["a"], [1]], Two=[["b"], [2]])
    table = open_file(name)
    assert values(table) == {"a": [1]} and table.notes == ["sheet 'One'; there are also Two"]
    for sheet in ("Two", 1, "1"):
        assert values(open_file(name, TextFormat(sheet=sheet))) == {"b": [2]}
    with pytest.raises(TableError, match=r"t\.xlsx has no sheet 'Three'; it has One, Two.*sheet="):
        open_file(name, TextFormat(sheet="Three"))


def test_there_may_be_no_names_and_numbers_may_stay_text(workbook, values):
    table = open_file(workbook(One=[[1, 2], [3, 4]]), TextFormat(header=False))
    assert values(table) == {"column_1": [1, 3], "column_2": [2, 4]} and not table.named
    table = open_file(workbook(One=[["id", "x"], [7, 1]]), text_columns=["id"])
    assert values(table) == {"id": ["7"], "x": [1]}
    with pytest.raises(TableError, match=r"no column 'z'.*text_columns="):
        open_file("t.xlsx", text_columns=["z"])


def test_an_empty_sheet_and_names_alone_are_refused(workbook):
    with pytest.raises(TableError, match=r"t\.xlsx, sheet 'One', is empty"):
        open_file(workbook(One=[]))
    with pytest.raises(TableError, match=r"t\.xlsx has no rows"):
        open_file(workbook(One=[["a", "b"]]))


def test_a_workbook_cannot_be_streamed(workbook):
    with pytest.raises(TableError, match=r"t\.xlsx comes as a whole.*stream=.*\.csv"):
        open_file(workbook(One=[["a"], [1]]), stream=True)


def test_nothing_is_said_on_the_terminal_about_empty_columns(workbook, capfd):
    open_file(workbook(One=[["a", "b"], [1, None]]))
    assert capfd.readouterr() == ("", "")


def test_without_fastexcel_the_error_says_how_to_get_it(workbook, monkeypatch):
    name = workbook(One=[["a"], [1]])
    monkeypatch.setitem(sys.modules, "fastexcel", None)
    with pytest.raises(
        ImportError, match=r'Reading t\.xlsx needs fastexcel: pip install "lowdim\['
    ):
        open_file(name)
