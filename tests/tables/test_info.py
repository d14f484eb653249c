"""What was decided about columns prints as a table, whatever the names are."""

from lowdim import TableEncoder
from lowdim.tables.info import ColumnTable, explained


def fitted():
    table = {"size": [1.5, 2.5, None, 4.0], "kind": ["a", "b", "a", "b"], "<b>": ["x"] * 4}
    return TableEncoder().fit(table)


def test_a_line_for_each_column():
    lines = repr(fitted().columns_).splitlines()
    assert lines[0].split() == ["column", "kind", "missing", "levels", "what", "is", "done"]
    assert lines[1].split()[:4] == ["size", "positive", "1", "3"]
    assert lines[3].startswith("<b>") and "left out: always 'x'" in lines[3]


def test_columns_are_found_by_name_and_place():
    columns = fitted().columns_
    assert columns["kind"] == columns[1]
    assert [column.name for column in columns] == ["size", "kind", "<b>"]
    assert len(columns) == 3


def test_html_escapes_names():
    assert "&lt;b&gt;" in fitted().columns_._repr_html_()
    assert "<b>" not in fitted().columns_._repr_html_()


def test_hints_speak_python():
    column = fitted().columns_["kind"]._replace(hint="raise {max_levels}")
    assert explained(column).endswith("; raise max_levels=")


def test_long_tables_end_with_a_count(monkeypatch):
    monkeypatch.setattr(ColumnTable, "most_lines", 2)
    assert repr(ColumnTable(fitted().columns_)).splitlines()[-1] == "and 1 more columns"
    assert "and 1 more columns" in ColumnTable(fitted().columns_)._repr_html_()


def test_columns_become_a_data_frame():
    frame = fitted().columns_.to_frame("pandas")
    assert list(frame.columns) == ["column", "kind", "missing", "levels", "what is done"]
    assert frame["column"].tolist() == ["size", "kind", "<b>"]
    assert frame["missing"].tolist() == [1, 0, 0]
