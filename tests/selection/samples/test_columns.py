"""What is said of single columns."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lowdim.selection.samples.columns import column_table
from lowdim.selection.samples.input import open_sides


def columns_of(real, fake, standardize=True):
    return column_table(open_sides(real, fake, None, standardize, 5000, np.random.default_rng(0)))


def test_wasserstein_is_the_shift_in_deviations_of_real_values(rng):
    X = rng.normal(size=(200, 2)) * [1.0, 50.0]
    Y = X + np.array([0.0, 7.0])
    assert_allclose(columns_of(X, Y)["wasserstein"], [0, 7 / X[:, 1].std()], atol=1e-9)
    found = columns_of(X, Y, standardize=False)["wasserstein"]
    assert_allclose(found, [0, 7], atol=1e-9)


def test_of_a_category_it_is_the_share_of_rows_to_change():
    real = {"kind": ["a"] * 50 + ["b"] * 30 + ["c"] * 20, "x": np.arange(100.0)}
    fake = {"kind": ["a"] * 40 + ["b"] * 30 + ["new"] * 30, "x": np.arange(100.0)}
    found = columns_of(real, fake)
    assert_array_equal(found["column"], ["kind", "x"])
    assert_allclose(found["wasserstein"], [0.3, 0.0], atol=1e-9)
    assert_allclose(found["new_levels"], [0.3, np.nan])


def test_new_levels_of_few_numbers_are_counted(rng):
    X = np.column_stack([rng.integers(3, size=150), rng.normal(size=150)]) * 1.0
    Y = X.copy()
    Y[:15, 0] += 0.5
    assert_allclose(columns_of(X, Y)["new_levels"], [0.1, np.nan])


def test_a_changed_correlation_is_found_with_its_column(rng):
    z, other = rng.normal(size=(2, 2000))
    X = np.column_stack([z, other, z])
    Y = np.column_stack([z, other, -z])
    found = columns_of(X, Y)
    assert found["correlation"][0] == pytest.approx(2.0)
    assert_array_equal(found["with"][[0, 2]], ["2", "0"])


def test_levels_of_one_category_have_no_correlations_of_their_own(rng):
    kind = np.array(list("abc"))[rng.integers(3, size=300)]
    real, fake = {"kind": kind}, {"kind": kind[::-1]}
    found = columns_of(real, fake)
    assert found["correlation"][0] == 0 and found["with"][0] == ""
    both = columns_of(
        {"kind": kind, "x": 1.0 * (kind == "b")}, {"kind": kind, "x": 1.0 * (kind == "c")}
    )
    assert both["correlation"][0] > 1 and both["with"][0] == "x"


def test_a_constant_column_is_no_error(rng):
    X, Y = np.ones((20, 2)), rng.normal(size=(30, 2))
    assert np.isfinite(columns_of(X, Y)["wasserstein"]).all()
    assert (columns_of(X, Y)["new_levels"] == 1).all()
