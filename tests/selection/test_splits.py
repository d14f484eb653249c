"""What is held out, and what stays to learn from."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from lowdim.selection.splits import (
    Cells,
    Split,
    columns_of,
    draw_split,
    entry_folds,
    hide_entries,
    others_left,
    spare_last,
    varies,
)
from tests.selection.compare.shared import ENTRIES, ROWS, low_rank


def test_center_and_spread_are_those_of_observed_entries():
    X = np.array([[1.0, 5.0, 2.0], [3.0, 5.0, np.nan], [np.nan, 5.0, 6.0]])
    center, spread = columns_of(X)
    assert_allclose(center, [2.0, 5.0, 4.0])
    assert_allclose(spread, [1.0, 1.0, 2.0])
    assert_array_equal(varies(X), [True, False, True])


@pytest.mark.parametrize("scale", [1e150, 1e-150])
def test_spread_neither_overflows_nor_vanishes(scale):
    center, spread = columns_of(scale * np.array([[1.0], [3.0]]))
    assert_allclose([center[0], spread[0]], [2 * scale, scale])


def test_a_level_that_is_left_nowhere_is_not_held_out(rng):
    cells = Cells(np.array([0, 0, 0, 1]))
    X = np.zeros((40, 4))
    X[np.arange(40), np.where(np.arange(40) < 38, np.arange(40) % 2, 2)] = (
        1.0  # 2 rows have level 2
    )
    X[:, 3] = rng.normal(size=40)
    asked = np.zeros(40, dtype=bool)
    for _ in range(50):
        split = draw_split(X, ENTRIES, 0.5, rng, cells)
        kept = split.training(X)
        assert varies(kept).all()
        assert_array_equal(split.held[:, 0], split.held[:, 2])
        asked |= split.held[:, 0]
        rows = draw_split(X, ROWS, 0.5, rng, cells)
        alone = ~np.isin(2, np.argmax(X[rows.fit_rows, :3], axis=1))
        assert not (alone and rows.held[38:, 0].any())
    assert asked.all()  # the two rows of level 2 in turn


def test_cells_of_one_column_each_are_entries_of_a_matrix(rng):
    X = low_rank(rng, 30, 4)
    X[3, 1] = np.nan
    for hold_out in (ENTRIES, ROWS):
        one = draw_split(X, hold_out, 0.2, np.random.default_rng(1))
        two = draw_split(X, hold_out, 0.2, np.random.default_rng(1), Cells(np.arange(4)))
        assert_array_equal(one.held, two.held)


def test_a_column_with_one_entry_does_not_go_with_held_out_rows():
    X = np.arange(40.0).reshape(10, 4)
    X[1:, 2] = np.nan
    with pytest.raises(ValueError, match="Column 2 of X has too few observed entries"):
        for seed in range(60):  # row 0 is held out in one split of ten
            draw_split(X, ROWS, 0.1, np.random.default_rng(seed))


def test_a_split_is_what_it_says():
    held = np.array([[True, False], [False, False]])
    split = Split(slice(None), slice(None), held)
    assert_array_equal(split.training(np.ones((2, 2))), [[np.nan, 1.0], [1.0, 1.0]])


def test_rows_and_columns_keep_something_to_learn_from(rng):
    X = np.full((40, 4), np.nan)
    X[np.arange(40), rng.integers(0, 3, 40)] = 1.0  # one entry a row, and then a few more
    X[:6] = rng.normal(size=(6, 4))
    X[:, 3] = np.where(np.arange(40) == 0, 2.0, 1.0)
    for _ in range(20):
        split = draw_split(X, ENTRIES, 0.5, rng)
        kept = split.training(X)
        assert (~np.isnan(kept)).any(axis=1).all()
        assert varies(kept).all()


# ---- entries of a matrix -------------------------------------------------------------------------


def test_the_last_entry_of_a_row_or_column_is_spared():
    # X O     the only entry of row 1 and of column 1 stay, the rest may go
    # O .
    row, column = np.array([0, 0, 1]), np.array([0, 1, 0])
    everything = np.array([True, True, True])
    assert_array_equal(spare_last(everything, row, column, (2, 2)), [False, False, False])
    corner = np.array([True, False, False])
    assert_array_equal(spare_last(corner, row, column, (2, 2)), corner)
    assert_array_equal(others_left(np.array([True, False, True]), row, 2), [True, True, False])


def test_hidden_entries_leave_something_in_every_row_and_column(rng):
    X = rng.normal(size=(30, 4))
    X[rng.random(X.shape) < 0.6] = np.nan
    X[np.arange(30), np.arange(30) % 4] = 1.0 + np.arange(30)
    hidden = hide_entries(X, 0.7, rng)
    assert (~np.isnan(hidden.kept)).any(axis=1).all()
    assert (~np.isnan(hidden.kept)).any(axis=0).all()
    assert_array_equal(X[hidden.row, hidden.column], hidden.truth)
    assert np.isnan(hidden.kept[hidden.row, hidden.column]).all()
    assert np.count_nonzero(np.isnan(hidden.kept) & ~np.isnan(X)) == len(hidden.truth) > 0


def test_errors_of_hidden_entries_are_relative_to_column_means(rng):
    X = rng.normal(size=(50, 3))
    hidden = hide_entries(X, 0.2, rng)
    means = np.nanmean(hidden.kept, axis=0)[hidden.column]
    assert hidden.error_of(hidden.truth) == 0.0
    assert hidden.error_of(means) == pytest.approx(1.0)
    assert hidden.error_of(hidden.truth + 2 * (means - hidden.truth)) == pytest.approx(4.0)


def test_the_hidden_share_is_the_share_asked_for(rng):
    hidden = hide_entries(rng.normal(size=(200, 50)), 0.1, rng)
    assert abs(len(hidden.truth) / 10_000 - 0.1) < 0.015  # 5 deviations


def test_every_entry_is_in_one_fold(rng):
    X = sp.csr_array(np.where(rng.random((40, 30)) < 0.5, rng.normal(size=(40, 30)), 0.0))
    total = np.zeros(X.shape)
    for train, test in entry_folds(X, 4, rng):
        assert_allclose((train + test).toarray(), X.toarray())
        total += test.toarray()
    seen = total != 0
    assert_allclose(total[seen], X.toarray()[seen])
    assert np.count_nonzero(seen) > 0.95 * X.nnz
