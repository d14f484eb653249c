"""What `lowdim cluster` says of clusters is in the table's own values, and safe to print."""

import numpy as np
import pyarrow as pa
import pytest

from lowdim import KMeans
from lowdim.cli.cluster_summary import MOST_DECIMALS, RowNames, model_line, shown
from lowdim.tables.frames.values import DAY, Values, words
from lowdim.tables.opening import open_table


def test_typical_rows_are_shown_in_the_values_of_the_table(run, write):
    lines = ["day,price,size,kind"]
    for i in range(40):
        day, size = f"2024-0{1 + i % 2}-{i // 2 + 1:02d}", f"{i % 2 * 100 + i}.50"
        lines.append(f"{day},${1 + i % 2},{size},{'xy'[i % 2]}")
    result = run("cluster", write("t.csv", "\n".join(lines) + "\n"), "-k", "2", "--id", "size")
    typical = [line.split("typical")[1] for line in result.stdout.splitlines() if "typical" in line]
    assert len(typical) == 2
    assert all("kind=" in line and "day 2024-0" in line and "price $" in line for line in typical)
    assert all(line.strip().startswith("size ") for line in typical)


def test_control_characters_of_a_table_do_not_reach_the_terminal(run, write):
    rows = "".join(f"{i % 2 * 9 + i / 10},{'ab'[i % 2]}\x1b[31m\n" for i in range(20))
    result = run("cluster", write("t.csv", "x\x1b[2J,t\n" + rows), "-k", 2)
    assert "\x1b" not in result.output and "\N{REPLACEMENT CHARACTER}" in result.output


@pytest.mark.parametrize(
    ("values", "digits", "text"),
    [
        (Values("number", np.array([18.75])), 2, "18.75"),
        (Values("number", np.array([18.75])), 1, "18.8"),
        (Values("number", np.array([3.0])), 2, "3"),
        (Values("number", np.array([1 / 3])), MOST_DECIMALS + 1, "0.3333"),
        (Values("number", np.array([np.nan])), 2, ""),
        (Values("number", np.array([np.inf])), 2, ""),
        (Values("flag", np.array([1.0])), 0, "true"),
        (Values("moment", np.array([DAY])), 0, "1970-01-02"),
        (Values("moment", np.array([1.5e6])), 0, "1970-01-01T00:00:01"),
        (words(np.array([0]), ["a\x1b"]), 0, "a\N{REPLACEMENT CHARACTER}"),
        (words(np.array([-1]), ["a"]), 0, ""),
    ],
)
def test_a_value_is_shown_as_its_column_is_written(values, digits, text):
    assert shown(values, 0, digits) == text


def test_rows_go_by_their_ids_or_by_their_numbers():
    table = open_table(pa.table({"who": ["ann", "bob", None], "x": [1.0, 2.0, 3.0]}))
    assert RowNames(table, None).of([2, 0]) == ["row 2", "row 0"]
    assert RowNames(table, "who").of([1, 2]) == ["who bob", "who "]


def test_a_model_is_named_with_its_clusters():
    assert model_line(KMeans(), 1) == "method   KMeans, 1 cluster"
    assert model_line(KMeans(), 3) == "method   KMeans, 3 clusters"
