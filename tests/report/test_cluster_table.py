"""A table of clusters for people."""

import numpy as np

from lowdim.cluster.profiles import cluster_profiles
from lowdim.core.opening import as_blocks
from lowdim.report.cluster_table import cluster_table


def test_the_table_names_what_is_high_and_low():
    X = np.array([[0.0, 1.0, 3.0], [0.1, 1.1, 3.0], [9.0, 0.9, 3.0], [9.1, 1.0, 3.0], [9.2, 1, 3]])
    found = cluster_profiles(as_blocks(X), np.array([0, 0, 1, 1, 1]), 2)
    lines = cluster_table(found, ["mass", "size", "same"], ["row a", "row b"]).splitlines()
    assert lines[0].split() == ["cluster", "rows", "share"]
    assert lines[1].split()[:5] == ["1", "3", "60.0%", "high", "mass"]  # the largest comes first
    assert any(line.split() == ["typical", "row", "a"] for line in lines)
    assert not any("same" in line for line in lines)


def test_at_most_so_many_columns_are_named(rng):
    X = np.vstack([np.zeros((5, 6)), np.ones((5, 6))]) + 0.01 * rng.normal(size=(10, 6))
    found = cluster_profiles(as_blocks(X), np.repeat([0, 1], 5), 2)
    text = cluster_table(found, list("abcdef"), most=2)
    assert text.count("+") == 2 and text.count(" -") == 2


def test_columns_of_the_text_are_aligned():
    X = np.vstack([np.zeros((1200, 1)), np.ones((3, 1))])
    found = cluster_profiles(as_blocks(X), np.repeat([0, 1], [1200, 3]), 2)
    lines = cluster_table(found, ["mass"], ["row a", "row b"]).splitlines()
    assert lines[:2] == [
        "cluster  rows    share",
        "0        1200    99.8%  typical  row a",
    ]
    assert lines[2].startswith("1           3     0.2%  high     mass +")
    assert lines[3] == " " * 24 + "typical  row b"


def test_a_cluster_without_contrast_has_its_size_only():
    found = cluster_profiles(as_blocks(np.ones((4, 2))), np.zeros(4, dtype=int), 1)
    assert cluster_table(found, ["a", "b"]).splitlines()[1] == "0           4   100.0%"
