import numpy as np
import pytest
import scipy.sparse as sp
from scipy.optimize import nnls

from lowdim import NMF
from lowdim.linear.nmf.codes import Coding
from lowdim.linear.nmf.filling import fill, fill_with_std
from lowdim.linear.nmf.objective import Penalty
from lowdim.linear.nmf.uncertainty import Noise

quietly = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def relative_error(filled, X, hidden):
    """Squared error of hidden entries over that of column means, columns in units of their own."""
    seen = np.where(hidden, np.nan, X)
    mean, std = np.nanmean(seen, axis=0), np.nanstd(seen, axis=0)
    error = np.sum((((filled - X) / std) ** 2)[hidden])
    return error / np.sum((((X - mean) / std) ** 2)[hidden])


# ---- the derivation ------------------------------------------------------------------------------


def test_what_is_filled_in_minimises_the_sum(rng):
    V, C, m, s2 = rng.random((6, 3)), np.diag([1.0, 0.5, 2.0]), rng.random(3) + 0.5, 0.3
    x = rng.random(6) * 3
    missing = np.array([False, True, False, False, True, True])
    by = Coding(V, Penalty(), 1.0, mean=m)
    filled = fill(np.where(missing, np.nan, x)[None], by, Noise(s2, C))[0]
    # the same as least squares over z >= 0, with the prior as three more rows
    root = np.sqrt(s2) * np.linalg.inv(np.linalg.cholesky(C))
    z, _ = nnls(np.vstack([V[~missing], root]), np.concatenate([x[~missing], root @ m]))
    np.testing.assert_allclose(filled[missing], (V @ z)[missing], rtol=1e-8)
    np.testing.assert_array_equal(filled[~missing], x[~missing])


@pytest.mark.parametrize("beta", [2.0, 1.0, 0.5])
def test_without_noise_a_row_with_enough_entries_is_continued_exactly(beta, rng):
    V, z = rng.random((8, 2)) + 0.1, np.array([1.0, 3.0])
    row = (V @ z)[None]
    given = row.copy()
    given[0, 5:] = np.nan
    by = Coding(V, Penalty(), 1.0, beta, mean=np.ones(2))
    filled, std = fill_with_std(given, by, Noise(1e-14, np.eye(2)))
    np.testing.assert_allclose(filled, row, rtol=1e-6)
    assert (std[0, :5] == 0).all() and (std[0, 5:] < 1e-5).all()


@pytest.mark.parametrize("beta", [2.0, 1.0])
def test_a_row_without_entries_is_what_rows_usually_are(beta, rng):
    V, m = rng.random((5, 3)), rng.random(3) + 0.2
    by = Coding(V, Penalty(), 1.0, beta, mean=m)
    filled = fill(np.full((2, 5), np.nan), by, Noise(0.2, np.eye(3)))
    np.testing.assert_allclose(filled, np.tile(V @ m, (2, 1)), rtol=1e-9)


# ---- planted truth -------------------------------------------------------------------------------


@quietly
@pytest.mark.parametrize("k", [1, 3, 6])
def test_a_column_far_from_zero_is_filled_no_worse_than_by_its_mean(k, rng):
    # A year of 2007 to 2009: a part that holds it hardly touches the other columns, and the code
    # that explains these best says anything of the year.
    n = 200
    X = rng.gamma(2.0, size=(n, 2)) @ rng.random((2, 6)) + 0.3 * rng.random((n, 6))
    X = np.column_stack([X / X.std(axis=0), (2007 + rng.integers(0, 3, size=n)) / 0.8])
    hidden = rng.random(X.shape) < 0.1
    model = NMF(k, max_iter=100, random_state=0).fit(np.where(hidden, np.nan, X))
    filled = model.impute(np.where(hidden, np.nan, X))
    # 140 entries: the error of column means is known to about a tenth
    assert relative_error(filled, X, hidden) < 1.15


@quietly
def test_a_sparse_matrix_with_missing_values_is_filled_as_a_dense_one(rng):
    X = rng.random((20, 5)) * (rng.random((20, 5)) < 0.6)
    X[rng.random(X.shape) < 0.2] = np.nan
    model = NMF(2, max_iter=20, random_state=0).fit(X)
    filled, std = model.impute(X, return_std=True)
    for found, expected in zip(
        model.impute(sp.csr_array(X), return_std=True), (filled, std), strict=True
    ):
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)
    np.testing.assert_array_equal(model.impute(sp.csr_array(X)), filled)
