"""Standardized rows are blocks like any others, whatever holds the rows."""

import numpy as np
import pytest

import lowdim
from lowdim.cluster.standard_rows import StandardRows
from lowdim.core.blocks import as_blocks


def with_weight(X, factor, weight):
    return factor * X * weight[:, None]


def sums(X, weight):
    return weight @ X


@pytest.mark.parametrize("source", ["memory", "stream", "dask"])
def test_functions_see_rows_in_units_of_their_columns_and_holes_at_the_mean(source, rng):
    X = rng.normal(size=(30, 3)) * [1.0, 10.0, 0.1] + 5.0
    X[rng.random(X.shape) < 0.2] = np.nan
    mean, unit, weight = rng.normal(size=3), rng.random(3) + 0.5, rng.random(30)
    held = X
    if source == "stream":
        held = lowdim.stream(lambda: iter(np.split(X, [1, 12])))
    elif source == "dask":
        held = pytest.importorskip("dask.array").from_array(X, chunks=(11, 3))
    rows = StandardRows(as_blocks(held), mean, unit)
    Z = np.where(np.isnan(X), 0.0, (X - mean) / unit)

    assert rows.shape == (30, 3) and rows.n_columns == 3 and rows.dtype == np.float64
    np.testing.assert_array_equal(
        np.asarray(rows.map(with_weight, 2.0, along=(weight,))), 2.0 * Z * weight[:, None]
    )
    np.testing.assert_allclose(rows.fold(sums, along=(weight,)), weight @ Z, rtol=1e-12)
    np.testing.assert_array_equal(rows.take(np.array([4, 0, 29])), Z[[4, 0, 29]])
    batches = list(rows.batches(8, along=(weight,)))
    np.testing.assert_array_equal(np.vstack([Z for Z, _ in batches]), Z)
    np.testing.assert_array_equal(np.concatenate([w for _, w in batches]), weight)
