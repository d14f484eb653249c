"""Maps fitted to some rows, and the places of all."""

import numpy as np
import scipy.sparse as sp

from lowdim.report import placing
from lowdim.report.placing import fit_and_place, rows_with_values


class FirstColumns:
    """A map whose places are the first two columns; of the rows it has seen, below zero."""

    def __init__(self, X):
        self.seen = X
        self.embedding_ = -X[:, :2]

    def transform(self, rows):
        self.names = rows.feature_names
        return np.vstack(list(rows.map(lambda X: X[:, :2]).reshape(-1, 1, 2)))


def test_rows_that_were_seen_keep_their_places_and_the_others_are_placed(rng, monkeypatch):
    monkeypatch.setattr(placing, "ROWS_AT_A_TIME", 7)
    X = rng.normal(size=(50, 3)).astype(np.float32)
    model, Y, fitted = fit_and_place(FirstColumns, X, 20, 0, ["a", "b", "c"])
    assert len(fitted) == 20 and (np.diff(fitted) > 0).all() and model.names == ["a", "b", "c"]
    np.testing.assert_array_equal(model.seen, X[fitted])
    rest = np.setdiff1d(np.arange(50), fitted)
    np.testing.assert_array_equal(Y[fitted], -X[fitted, :2])
    np.testing.assert_array_equal(Y[rest], X[rest, :2])


def test_the_same_seed_draws_the_same_rows(rng):
    X = rng.normal(size=(50, 3))
    first, second, other = (fit_and_place(FirstColumns, X, 20, s)[2] for s in (1, 1, 2))
    assert (first == second).all() and (first != other).any()


def test_rows_without_values_have_no_place(rng):
    X = rng.normal(size=(12, 3))
    X[4], X[5, 0] = np.nan, np.nan
    _, Y, fitted = fit_and_place(FirstColumns, X, None, 0)
    assert 4 not in fitted and 5 in fitted and np.isnan(Y[4]).all()
    np.testing.assert_array_equal(rows_with_values(X), np.delete(np.arange(12), 4))
    np.testing.assert_array_equal(rows_with_values(sp.csr_array(np.zeros((3, 2)))), np.arange(3))
