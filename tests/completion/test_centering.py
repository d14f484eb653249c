"""Centering and scaling: reversible, regularised, and the same in any units."""

from __future__ import annotations

import numpy as np
import pytest

from lowdim.completion.centering import CENTERS, SCALES, in_units, learn_centering
from lowdim.completion.entries import observed
from lowdim.linalg.sparse import row_numbers

each_center = pytest.mark.parametrize("center", CENTERS)
each_scale = pytest.mark.parametrize("scale", SCALES)


def entries(rng, n=20, d=9, missing=0.5):
    X = 3.0 + rng.normal(size=(n, 1)) + 2 * rng.normal(size=d) + rng.normal(size=(n, d))
    X[rng.random(X.shape) < missing] = np.nan
    X[0, 0], X[1, :], X[:, 1] = 1.0, np.nan, np.nan  # a row and a column without entries
    return observed(X)


def test_biases_of_a_small_table_are_those_worked_out_by_hand():
    X = observed(np.array([[1.0, 3.0], [np.nan, 8.0]]))  # mean 4, left: -3, -1, 4
    columns = learn_centering(X, "columns", penalty=1.0)
    np.testing.assert_allclose(columns.column, [-3 / 2, 3 / 3], rtol=1e-15)
    rows = learn_centering(X, "rows", penalty=0.0)
    np.testing.assert_allclose(rows.row, [-2, 4], rtol=1e-15)
    assert rows.mean == 4 and not rows.column.any()


def test_scales_are_standard_deviations_shrunk_towards_the_overall_one():
    X = observed(np.array([[1.0, -3.0], [-1.0, np.nan]]))
    plain = learn_centering(X, None, "columns", penalty=0.0)
    np.testing.assert_allclose(plain.column_scale, [1.0, 3.0], rtol=1e-15)
    shrunk = learn_centering(X, None, "columns", penalty=1.0)  # overall variance 11 / 3
    np.testing.assert_allclose(shrunk.column_scale**2, [(2 + 11 / 3) / 3, (9 + 11 / 3) / 2])


def test_both_biases_are_the_joint_ridge_solution(rng):
    X = entries(rng)
    found = learn_centering(X, "both", penalty=2.0)
    n, d = X.shape
    design = np.zeros((X.nnz, n + d))
    e = np.arange(X.nnz)
    design[e, row_numbers(X)] = design[e, n + X.indices] = 1.0
    A = design.T @ design + 2.0 * np.eye(n + d)
    solution = np.linalg.solve(A, design.T @ (X.data - X.data.mean()))
    # the sweeps end when a sweep moves the biases by 1e-10 of the spread
    np.testing.assert_allclose(np.concatenate([found.row, found.column]), solution, atol=1e-8)


@each_center
@each_scale
def test_what_is_taken_away_comes_back(rng, center, scale):
    X = entries(rng)
    centering = learn_centering(X, center, scale)
    back = centering.restore(centering.apply(X))
    np.testing.assert_allclose(back.data, X.data, rtol=0, atol=1e-13)


@each_center
@each_scale
def test_factors_of_the_centred_entries_become_factors_of_the_entries(rng, center, scale):
    X = entries(rng)
    centering = learn_centering(X, center, scale)
    U, V = rng.normal(size=(X.shape[0], 2)), rng.normal(size=(X.shape[1], 2))
    Z, components, mean = centering.published(U, V)
    values = Z @ components + mean
    y = (U @ V.T)[row_numbers(X), X.indices]
    wanted = centering.restore(type(X)((y, X.indices, X.indptr), shape=X.shape))
    np.testing.assert_allclose(values[row_numbers(X), X.indices], wanted.data, atol=1e-12)


@each_center
@each_scale
@pytest.mark.parametrize("factor", [1e150, 1e-150])
def test_centred_and_scaled_entries_do_not_depend_on_units(rng, center, scale, factor):
    X = entries(rng)
    unit = 1.0 if scale else factor
    plain, other = learn_centering(X, center, scale), learn_centering(X * factor, center, scale)
    np.testing.assert_allclose(
        other.apply(X * factor).data / unit, plain.apply(X).data, rtol=0, atol=1e-11
    )


def test_a_weight_of_two_is_an_entry_twice(rng):
    X = entries(rng)
    weight = rng.integers(1, 4, size=X.nnz).astype(float)
    # the same rows again, with the entries of weight 2 and more, and of weight 3
    dense = np.full(X.shape, np.nan)
    dense[row_numbers(X), X.indices] = X.data
    copies = [np.where(_at(X, weight) >= times, dense, np.nan) for times in (1, 2, 3)]
    twice = learn_centering(observed(np.vstack(copies)), "columns", "columns")
    once = learn_centering(X, "columns", "columns", weight=weight)
    np.testing.assert_allclose(once.column, twice.column, atol=1e-12)
    np.testing.assert_allclose(once.column_scale, twice.column_scale, atol=1e-12)


def _at(X, values):
    dense = np.zeros(X.shape)
    dense[row_numbers(X), X.indices] = values
    return dense


def test_rows_and_columns_without_entries_are_nothing_special(rng):
    for penalty in (0.0, 5.0):
        centering = learn_centering(entries(rng), "both", "columns", penalty=penalty)
        assert centering.row[1] == 0 and centering.column[1] == 0
        assert np.isfinite(centering.column_scale).all() and (centering.column_scale > 0).all()


def test_constant_entries_are_centred_to_zero_and_not_divided_by_it():
    X = observed(np.full((4, 3), 7.0))
    centering = learn_centering(X, "both", "columns")
    np.testing.assert_array_equal(centering.apply(X).data, np.zeros(12))


def test_units_are_powers_of_two_near_the_largest_value():
    x, unit = in_units(np.array([3.0, -5e200]))
    assert np.log2(unit) == round(np.log2(unit)) and 1 <= np.abs(x).max() < 2
    assert in_units(np.zeros(3))[1] == 1.0


def test_unknown_options_are_refused():
    X = observed(np.ones((2, 2)))
    with pytest.raises(ValueError, match="center='row' is not known"):
        learn_centering(X, "row")
    with pytest.raises(ValueError, match="scale='both' is not known"):
        learn_centering(X, scale="both")
