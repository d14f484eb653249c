"""Which rows a step looks at."""

import numpy as np
import pytest

from lowdim.report.explore.sampling import LEAST_RANK_ROWS, RANK_ROWS, rank_rows, sample_rows


def test_few_rows_are_all_taken():
    np.testing.assert_array_equal(sample_rows(5, 5, seed=0), np.arange(5))
    np.testing.assert_array_equal(sample_rows(5, 9, seed=0), np.arange(5))


def test_a_sample_is_distinct_in_order_and_the_same_for_the_same_seed(seed):
    rows = sample_rows(1000, 100, seed)
    assert len(rows) == 100 and np.all(np.diff(rows) > 0) and rows[-1] < 1000
    np.testing.assert_array_equal(rows, sample_rows(1000, 100, seed))
    assert not np.array_equal(rows, sample_rows(1000, 100, seed + 1))


@pytest.mark.parametrize(
    ("n_columns", "rows"), [(2, RANK_ROWS), (50, 2_000), (100, 1_000), (10_000, LEAST_RANK_ROWS)]
)
def test_wide_tables_have_their_rank_chosen_on_fewer_rows(n_columns, rows):
    assert rank_rows(n_columns) == rows
