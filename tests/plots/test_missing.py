"""Where values are missing: bands, shares and names."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lowdim import plots
from lowdim.plots.missing import MAX_BANDS


def test_missing_map_shows_missing_values_and_counts_them():
    X = np.array([[1, np.nan, 2], [3, 4, 5], [6, np.nan, np.nan], [7, 8, 9]])
    ax = plots.missing_map(X, ["a", "b", "c$"])
    assert_array_equal(ax.images[0].get_array(), np.isnan(X))
    assert [t.get_text() for t in ax.get_xticklabels()] == ["a", "b  50 %", "c$  25 %"]
    assert ax.get_xlabel() == "25 % missing; 2 of 4 rows complete"
    assert ax.get_ylim() == (4, 0)


def test_bands_of_a_long_table_have_the_mean_of_their_rows(rng):
    X = np.where(rng.random((1013, 3)) < 0.3, np.nan, 1.0)
    ax = plots.missing_map(X)
    share = np.asarray(ax.images[0].get_array())
    assert share.shape == (MAX_BANDS, 3)
    assert_allclose(share[0], np.isnan(X[:2]).mean(axis=0))  # 1013 / 400 = 2.53 rows
    assert_allclose(share[1], np.isnan(X[2:5]).mean(axis=0))


def test_missing_map_takes_whole_numbers_and_booleans():
    assert plots.missing_map([[1, 2], [3, 4]]).get_xlabel() == "0 % missing; 2 of 2 rows complete"
    plots.missing_map(np.ones((3, 2), dtype=bool))


@pytest.mark.parametrize("d", [2, 20, 35, 150])
def test_names_of_columns_stand_outside_the_map(rng, d):
    X = np.where(rng.random((50, d)) < 0.3, np.nan, 1.0)
    ax = plots.missing_map(X, [f"quantity {f}" for f in range(d)])
    ax.figure.draw_without_rendering()
    top = ax.get_window_extent().y1
    assert all(label.get_window_extent().y0 >= top - 1 for label in ax.get_xticklabels())
