"""What the tests of the command line share: a folder to work in, and a way to call `lowdim`."""

import csv

import numpy as np
import pytest
from click.testing import CliRunner

from lowdim.cli import main


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Call `lowdim` with these arguments in an empty folder; the exit code must be the expected."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments, code=0, stdin=None):
        result = CliRunner().invoke(
            main, [str(a) for a in arguments], input=stdin, prog_name="lowdim"
        )
        assert result.exit_code == code, f"{result.output}\n{result.exception!r}"
        return result

    return call


@pytest.fixture
def refused(run):
    """Call `lowdim` with bad input: exit code 2, one line on standard error; gives that line."""

    def call(*arguments, stdin=None):
        result = run(*arguments, code=2, stdin=stdin)
        lines = [line for line in result.stderr.splitlines() if line.startswith("Error: ")]
        assert len(lines) == 1 and result.stderr.endswith(f"{lines[0]}\n")
        assert "Traceback" not in result.output
        return lines[0]

    return call


@pytest.fixture
def read(tmp_path):
    """A csv file as a dict of columns; numbers become arrays."""

    def file(name, delimiter=","):
        with (tmp_path / name).open(newline="", encoding="utf-8") as lines:
            header, *rows = csv.reader(lines, delimiter=delimiter)
        columns = zip(*rows, strict=True)
        return {name: _numbers(values) for name, values in zip(header, columns, strict=True)}

    return file


def _numbers(values):
    try:
        return np.array([float(value) for value in values])
    except ValueError:
        return list(values)


MIXED = """\
name,mass,length,sex,adult,born,nothing
Ann,4.1,10.5,f,true,2001-05-01,
Bob,5.3,11.0,m,true,2001-06-01,
Cid,,12.5,m,false,2003-05-01,
Dee,3.9,9.5,f,true,2004-05-01,
Eve,4.6,,,false,2005-05-01,
Fay,6.0,13.5,f,false,2006-05-01,
Gus,5.1,12.0,m,true,2007-05-01,
Hal,4.4,9.0,m,false,2008-05-01,
"""


@pytest.fixture
def mixed(write):
    """A table with every kind of column, and missing values."""
    return write("mixed.csv", MIXED)


@pytest.fixture
def small_chunks(monkeypatch):
    """Tables come a few rows at a time."""
    monkeypatch.setattr("lowdim.tables.table.CHUNK_BYTES", 7 * 5 * 8)


@pytest.fixture
def fitted(run, mixed):
    """A model of the mixed table, m.lowdim, and the codes of its rows, codes.csv."""
    run("reduce", mixed, "--id", "name", "--ignore", "born", "-o", "codes.csv",
        "--model", "m.lowdim")  # fmt: skip
    return "m.lowdim"


@pytest.fixture
def incomplete(tmp_path, numbers, rng):
    """The table of numbers with missing values, as csv and npy, beside ids; gives X with NaN."""
    X = numbers.copy()
    X[rng.random(X.shape) < 0.1] = np.nan
    X[0] = numbers[0]
    lines = ["name,a,b,c,d,e"]
    for i, row in enumerate(X):
        fields = ["" if np.isnan(x) else repr(float(x)) for x in row]
        lines.append(",".join([f"0{i}", *fields]))
    (tmp_path / "incomplete.csv").write_text("\n".join(lines) + "\n")
    np.save(tmp_path / "incomplete.npy", X)
    return X
