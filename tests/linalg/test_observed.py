"""Mean and spread of the observed entries of columns."""

import numpy as np

from lowdim.core.blocks import as_blocks
from lowdim.linalg.observed import observed_columns
from tests.linear.missing.models import planted


def test_a_column_that_the_first_rows_do_not_show_keeps_its_digits(rng):
    """The pilot of such a column is 0, and its squares at 1e8 have no digits left."""
    X, _ = planted(rng, 600, 4, 1)
    X[:, 3] += 1e8
    X[:300, 3] = np.nan
    columns = observed_columns(as_blocks(X))
    np.testing.assert_allclose(columns.std, np.nanstd(X, axis=0), rtol=1e-6)
    np.testing.assert_allclose(columns.mean, np.nanmean(X, axis=0), rtol=1e-12)


def test_a_column_that_varies_by_rounding_is_constant():
    X = np.where(np.arange(10) % 2, 0.3, 0.1 + 0.2)[:, None]
    assert np.ptp(X) > 0
    assert observed_columns(as_blocks(X)).std[0] == 0
