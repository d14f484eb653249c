"""The mean and the units of weighted entries: by hand, and in any cut."""

import numpy as np
import pytest

import lowdim
from lowdim import ALS
from lowdim.completion.als import units
from lowdim.completion.als.units import (
    WeightedEntries,
    WeightedRows,
    column_sums,
    column_units,
    entry_sums,
)
from lowdim.completion.entries import observed


def matrix(rng, n=20, d=6):
    return np.where(rng.random((n, d)) < 0.4, np.nan, rng.normal(size=(n, d)) + 3.0)


def test_sums_worked_by_hand():
    X = observed(np.array([[1.0, -2.0], [np.nan, np.nan], [np.nan, 4.0]]))
    weight = np.array([1.0, 2.0, 3.0])
    sums = entry_sums(X, weight)
    np.testing.assert_array_equal(sums.by_column, [1.0, 5.0])
    assert sums._replace(by_column=None) == (6.0, 2.0, None, 9.0, 17.0, 1)
    assert entry_sums(X, weight, by_row=np.array([1.0, 7.0, 3.0])).n_rows == 4.0
    sums = column_sums(X, weight, mean=1.0, size=3.0)  # y = 0, -1, 1
    np.testing.assert_array_equal(sums, [[1, 5], [0, 1], [0, 5]])


def test_units_are_deviations_shrunk_towards_that_of_all():
    sums = units.ColumnSums(np.array([3.0, 1.0]), np.array([0.0, 1.0]), np.array([3.0, 1.0]))
    np.testing.assert_allclose(column_units(sums, by_column=False), [1.0, 1.0])
    # squares about the column mean: 3 of 3 entries, 0 of 1; one more entry of size 1 for each
    np.testing.assert_allclose(column_units(sums, by_column=True), [1.0, np.sqrt(1 / 2)])
    nothing = units.ColumnSums(np.array([2.0]), np.zeros(1), np.zeros(1))
    assert column_units(nothing, by_column=True) == [np.sqrt(1 / 3)]


def test_pieces_add_up_to_the_whole(rng, monkeypatch):
    X = observed(matrix(rng))
    weight = rng.random(X.nnz)
    whole = entry_sums(X, weight), column_sums(X, weight, 2.0, 3.0)
    monkeypatch.setattr(units, "PIECE", 5)
    for a, b in zip(whole[0], entry_sums(X, weight), strict=True):
        np.testing.assert_allclose(b, a)
    np.testing.assert_allclose(column_sums(X, weight, 2.0, 3.0), whole[1])


@pytest.mark.parametrize("weighted", [False, True])
def test_entries_in_memory_and_rows_in_blocks_add_up_the_same(rng, weighted):
    X = matrix(rng)
    weight = rng.random(20) if weighted else None
    in_memory = WeightedEntries(observed(X), None, weight)
    rows = ALS().open_entries(lowdim.stream(lambda: iter(np.split(X, [3, 11]))))
    by_blocks = WeightedRows(rows, weight)
    assert by_blocks.n_columns == in_memory.n_columns == 6
    assert by_blocks.dtype == in_memory.dtype
    for a, b in zip(by_blocks.entry_sums(), in_memory.entry_sums(), strict=True):
        np.testing.assert_allclose(a, b)
    np.testing.assert_allclose(by_blocks.column_sums(1.0, 2.0), in_memory.column_sums(1.0, 2.0))


def test_an_entry_counts_its_weight_times_that_of_its_row():
    X = observed(np.array([[1.0, 2.0], [np.nan, 3.0]]))
    by_entry, by_row = np.array([1.0, 2.0, 3.0]), np.array([10.0, 100.0])
    np.testing.assert_array_equal(WeightedEntries(X, by_entry, by_row).weight, [10, 20, 300])
    np.testing.assert_array_equal(WeightedEntries(X, None, by_row).weight, [10, 10, 100])
    assert WeightedEntries(X, by_entry, None).weight is by_entry
