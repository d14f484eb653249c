"""The skeleton of a function's test: golden values, properties, two roads, the door."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

import lowdim

PATH = Path(__file__).resolve().parents[2] / "docs" / "developer" / "function_skeleton.py"
spec = importlib.util.spec_from_file_location("function_skeleton", PATH)
skeleton = importlib.util.module_from_spec(spec)
sys.modules["function_skeleton"] = skeleton
spec.loader.exec_module(skeleton)


def test_a_row_two_standard_deviations_off_in_one_of_two_columns():
    # the column 0, 0, 0, 0, 5: mean 1, standard deviation 2; the other one is constant
    X = np.array([[0.0, 7.0]] * 4 + [[5.0, 7.0]])
    far = skeleton.far_rows(X, 2)
    np.testing.assert_array_equal(far.index, [4, 0])
    np.testing.assert_allclose(far.distance, [np.sqrt(2.0), np.sqrt(1 / 8)], rtol=1e-15)
    np.testing.assert_array_equal(far.rows, X[[4, 0]])


def test_units_do_not_matter(rng):
    X = rng.normal(size=(50, 3))
    plain, scaled = skeleton.far_rows(X), skeleton.far_rows(X * [1e-9, 1.0, 1e9] + [0, 5, -7])
    np.testing.assert_array_equal(plain.index, scaled.index)
    np.testing.assert_allclose(plain.distance, scaled.distance, rtol=1e-9)


def test_missing_values_are_left_out():
    X = np.array([[0.0, np.nan], [0.0, 1.0], [6.0, np.nan], [0.0, -1.0], [np.nan, np.nan]])
    far = skeleton.far_rows(X, 5)
    # the first column has mean 1.5 and variance 6.75 over what was observed
    assert far.index[0] == 2 and far.index[-1] == 4
    assert far.distance[0] == pytest.approx(4.5 / np.sqrt(6.75), rel=1e-15)
    assert far.distance[-1] == 0.0


def test_streams_and_dask_agree_with_memory(rng):
    da = pytest.importorskip("dask.array")
    X = rng.normal(size=(90, 4))
    reference = skeleton.far_rows(X)
    for other in (lowdim.stream(lambda: iter(np.split(X, [3, 50]))), da.from_array(X, (31, 4))):
        far = skeleton.far_rows(other)
        np.testing.assert_array_equal(far.index, reference.index)
        # sums of 90 numbers in another order
        np.testing.assert_allclose(far.distance, reference.distance, rtol=1e-13)


def test_it_prints_as_a_table():
    X = np.array([[0.0], [0.0], [0.0], [4.0]])
    assert "row" in repr(skeleton.far_rows(X, 1)) and "3" in repr(skeleton.far_rows(X, 1))


def test_bad_input_is_refused_by_name():
    with pytest.raises(ValueError, match="n=0 is too small; choose at least 1"):
        skeleton.far_rows(np.zeros((3, 2)), 0)
    with pytest.raises(ValueError, match="far_rows needs finite values"):
        skeleton.far_rows(np.array([[np.inf], [1.0]]))
