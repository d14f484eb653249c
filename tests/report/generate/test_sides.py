"""Both sides of a page have the same columns, complete and honest."""

import numpy as np
import pandas as pd
from numpy.testing import assert_allclose, assert_array_equal

from lowdim.report.generate.sides import odd_rows, plane_of, sides_of


def test_filled_cells_are_alike_on_both_sides(rng):
    X = rng.normal(size=(400, 1)) + 0.3 * rng.normal(size=(400, 3))
    real = np.where(rng.random(X.shape) < 0.3, np.nan, X)
    sides = sides_of(real, X, None, 0)
    assert sides.filled and np.isfinite(sides.both).all()
    assert np.isnan(sides.values).any()  # what the page shows stays as it was
    assert_allclose(sides.real.std(axis=0), sides.drawn.std(axis=0), atol=0.12)


def test_tables_come_back_as_they_were():
    table = pd.DataFrame({"n": [1, 2, 3, 4] * 5, "x": np.linspace(0, 1, 20).round(2),
                          "kind": ["a", "b", "b", "a"] * 5})  # fmt: skip
    sides = sides_of(table, table[:10], None, 0)
    real, drawn = sides.frames()
    assert not sides.filled
    assert_allclose(real["x"], table["x"])
    assert list(drawn["kind"]) == list(table["kind"][:10])


def test_odd_rows_are_the_farthest_and_know_the_nearest():
    real = np.array([[0.0, 0.0], [1.0, 0.0], [5.0, 5.0]])
    drawn = np.array([[0.1, 0.0], [9.0, 5.0], [1.0, 0.0]])
    first, *_, last = odd_rows(real, drawn)
    assert first.row == 1 and first.nearest == [2, 1]
    assert_allclose(first.distance, 4.0)
    assert last.row == 2 and last.distance == 0


def test_one_column_has_a_plane(rng):
    plane = plane_of(sides_of(rng.normal(size=(30, 1)), rng.normal(size=(20, 1)), None, 0))
    assert plane.shape == (50, 2)
    assert_array_equal(plane[:, 1], 0)
