"""The command line of `explore`, from a file to a page."""

import csv
import re

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import lowdim
from lowdim.cli import main

pytestmark = pytest.mark.usefixtures("few_models")


def run(*arguments):
    return CliRunner().invoke(main, ["explore", *map(str, arguments)])


def test_the_verb_writes_page_table_and_models(tmp_path, planted):
    table = planted()
    table.to_csv(tmp_path / "table.csv", index=False)
    page, filled, models = tmp_path / "page.html", tmp_path / "filled.csv", tmp_path / "models"
    result = run(
        tmp_path / "table.csv", "-o", page, "--id", "name", "--filled", filled, "--models", models
    )
    assert result.exit_code == 0, result.output
    assert page.stat().st_size < 5e6
    with filled.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == list(table.columns)
    assert all(value != "" for row in rows for value in row.values())
    known = table["a"].notna()
    np.testing.assert_array_equal(
        [float(row["a"]) for row in rows] * known, table["a"].fillna(0).to_numpy()
    )
    for name in ("factors", "clusters", "filling"):
        assert isinstance(lowdim.load(models / f"{name}.lowdim"), lowdim.TableModel)
    compile((models / "explore.py").read_text(), "explore.py", "exec")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"a,b\n", "no rows"),
        (b"a\n1.5\n2\n3\n4\n5\n7\n", "one column of numbers only"),
        (b"a,b\n1,2\n2,3\n3,5\n", "3 rows; at least 5"),
        (b"a,b\n1,2\n2,3\n3,5,7\n" * 9, "3 fields where 2 are expected"),
    ],
)
def test_bad_files_are_refused_in_one_line(tmp_path, content, message):
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    result = run(path, "-o", tmp_path / "page.html")
    assert result.exit_code == 2
    assert message in result.output and "Traceback" not in result.output


@pytest.mark.parametrize(("wish", "taken"), [("auto", "b"), ("none", ""), ("a,b", "a, b")])
def test_the_verb_takes_logarithms_as_asked(tmp_path, wish, taken):
    random = np.random.default_rng(0)
    table = pd.DataFrame({"a": random.uniform(1, 2, 60), "b": np.exp(3 * random.normal(size=60))})
    table.to_csv(tmp_path / "table.csv", index=False)
    page = tmp_path / "page.html"
    result = run(tmp_path / "table.csv", "-o", page, "--log", wish)
    assert result.exit_code == 0, result.output
    found = re.search("Logarithms stand for ([^:]*):", page.read_text())
    assert (found[1] if found else "") == taken


def test_bad_outputs_are_refused_before_any_work(tmp_path):
    (tmp_path / "table.csv").write_text("a,b\n1,2\n")
    result = run(tmp_path / "table.csv", "-o", tmp_path / "page.pdf")
    assert result.exit_code == 2 and ".html" in result.output
