"""One door: whatever holds a table becomes a Table."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.tables import Table, TableError, open_table


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("a;b\n1,5;x\n2,5;y\n")
    return file


@pytest.mark.parametrize("kind", [str, Path])
def test_paths_are_files(path, kind):
    table = open_table(kind(path))
    assert isinstance(table, Table)
    assert (table.names, table.backend) == (["a", "b"], "file")
    assert table.notes == ["read as: ';' between columns, ',' for decimals"]


@pytest.mark.parametrize(
    "source",
    [
        {"a": [1.0], "b": ["x"]},
        pd.DataFrame({"a": [1.0], "b": ["x"]}),
        np.ones((1, 2)),
        [[1.0, 2.0]],
        sp.csr_array(np.ones((1, 2))),
        lowdim.stream(lambda: iter([np.ones((3, 2))])),
    ],
    ids=lambda source: type(source).__name__,
)
def test_what_is_in_memory_is_a_table(source):
    table = open_table(source)
    assert isinstance(table, Table) and len(table.names) == 2
    assert open_table(table) is table


def test_the_form_of_a_text_file_can_be_said(path):
    assert open_table(path, header=False).names == ["column_1", "column_2"]
    assert open_table(path, stream=True).streamed


def test_a_form_is_for_text_files():
    with pytest.raises(TypeError, match="separator= is for text files; the table is in memory"):
        open_table(np.ones((2, 2)), separator=";")


def test_what_is_no_table_is_refused(tmp_path):
    with pytest.raises(TypeError, match="A table cannot be made from int"):
        open_table(3)
    with pytest.raises((TableError, FileNotFoundError), match="There is no file"):
        open_table(tmp_path / "nothing.csv")
