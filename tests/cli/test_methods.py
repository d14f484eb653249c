"""`lowdim methods` says what `lowdim.methods()` says."""

import json
from dataclasses import asdict

import lowdim


def test_the_table_is_that_of_python(run):
    assert run("methods").stdout == f"{lowdim.methods()!r}\n"


def test_json_is_a_list_of_rows(run):
    assert json.loads(run("methods", "--json").stdout) == [asdict(row) for row in lowdim.methods()]
