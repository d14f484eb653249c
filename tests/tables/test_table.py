"""How many rows of a table are in work at a time."""

import pytest

from lowdim.tables.table import (
    CHUNK_BYTES,
    ENOUGH_ROWS,
    LARGEST_CHUNK,
    LEAST_ROWS,
    Table,
    rows_at_a_time,
)


@pytest.mark.parametrize(
    ("n_columns", "rows"),
    [(0, 2**20), (1, 2**20), (8, 2**17), (500, ENOUGH_ROWS), (4096, 1024), (10**6, LEAST_ROWS)],
)
def test_a_chunk_has_about_so_many_bytes_but_never_too_few_rows(n_columns, rows):
    assert rows_at_a_time(n_columns) == rows
    most = CHUNK_BYTES if rows > ENOUGH_ROWS else LARGEST_CHUNK
    assert rows * 8 * n_columns <= most or rows == LEAST_ROWS


def test_a_table_has_its_own_notes():
    class Empty(Table):
        def chunks(self, columns=None, size=None):
            return iter(())

    one, other = Empty(), Empty()
    one.notes.append("read as: cp1252")
    one.asked["sheet"] = 1
    assert other.notes == [] and other.asked == {}


def test_the_base_of_all_tables_is_abstract():
    with pytest.raises(TypeError, match="abstract"):
        Table()
