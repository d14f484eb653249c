"""Where values are missing, and whether that has a pattern."""

import numpy as np
import pytest

from lowdim.report.explore.missingness import missingness, observed_correlations
from tests.report.explore.tables import (
    encoded_of,
    storms,
)


def test_observed_correlations_are_pearson_where_observed():
    random = np.random.default_rng(0)
    H = (random.random((50, 2)) < 0.4).astype(float)
    X = random.normal(size=(50, 3))
    X[random.random(X.shape) < 0.2] = np.nan
    r, _ = observed_correlations(H, X)
    for j in range(2):
        for f in range(3):
            o = ~np.isnan(X[:, f])
            assert r[j, f] == pytest.approx(np.corrcoef(H[o, j], X[o, f])[0, 1], abs=1e-12)


def test_missingness_that_depends_on_a_column_is_reported(rng):
    X = rng.normal(size=(300, 4))
    X[X[:, 0] > 0.5, 1] = np.nan
    found = missingness(encoded_of(X))
    assert (found.patterns[0].column, found.patterns[0].other) == ("1", "0")
    assert found.patterns[0].correlation > 0.5


def test_missingness_at_random_has_no_pattern():
    random = np.random.default_rng(0)
    X = random.normal(size=(500, 5))
    X[random.random(X.shape) < 0.1] = np.nan
    assert missingness(encoded_of(X)).patterns == []


def test_cells_that_do_not_apply_are_not_missing():
    table = storms()
    found = missingness(encoded_of(table))
    assert found.n_missing == table["pressure"].isna().sum() + 1
    found = missingness(encoded_of(table, fill_not_applicable=True))
    assert found.n_missing == table["pressure"].isna().sum() + table["category"].isna().sum()
