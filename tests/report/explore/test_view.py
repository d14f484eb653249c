"""Cells as the page shows them."""

import pytest

from lowdim.report.explore.view import date_text, number_text
from tests.report.explore.tables import (
    encoded_of,
    frame,
)


def test_cells_are_shown_as_what_they_are():
    table = frame()
    used = {column.name: column for column in encoded_of(table).used}
    assert used["when"].show(3) == "2024-01-04"
    assert used["count"].show(5) == str(table["count"][5])
    assert used["price"].show(7) == table["price"][7]  # as it is written
    assert used["size"].show(2) == "medium"
    assert used["done"].show(0) == "True"
    assert used["mass"].show(1) == f"{table['mass'][1]:.5g}"
    table.loc[4, ["price", "count", "when", "size"]] = None
    used = {column.name: column for column in encoded_of(table).used}
    assert all(used[name].show(4) == "" for name in ("price", "count", "when", "size"))


@pytest.mark.parametrize("row", [0, 7])
def test_what_a_row_is_decoded_to_is_shown_as_its_cells_are(row):
    table = frame().assign(mass=lambda t: t["mass"].round(1))
    encoded = encoded_of(table)
    for column, span in zip(encoded.used, encoded.spans, strict=True):
        if column.name != "income":  # of which four digits are shown
            assert column.show_decoded(encoded.X[row, span]) == column.show(row)


def test_numbers_and_dates_as_text():
    assert number_text(12.0) == "12"
    assert number_text(1234.5678) == "1234.6"
    assert number_text(float("nan")) == ""
    assert date_text(1.5) == "1970-01-02"
    assert date_text(1.5, 3_600_000_000) == "1970-01-02 12:00"
    assert date_text(float("nan")) == ""
