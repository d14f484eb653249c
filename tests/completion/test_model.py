"""What all completers share: codes, predictions, filling and scores follow from three arrays."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from lowdim import ALS, SVP, SVT, Entries, GradientFactorization, IterativeSVD, SoftImpute
from lowdim.completion.entries import observed
from lowdim.completion.model import Completer
from tests.completion.planted import low_rank, with_missing

each_completer = pytest.mark.parametrize(
    "completer",
    [ALS, GradientFactorization, IterativeSVD, SVP, SVT, SoftImpute],
    ids=lambda cls: cls.__name__,
)
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


# What follows from components, mean and codes


def test_a_row_is_coded_by_ridge_regression_on_what_it_has_observed(rng):
    X = with_missing(low_rank(rng, noise=0.1), rng)
    model = SoftImpute(0.1).fit(X)
    here = ~np.isnan(X[3])
    F = model.components_[:, here].T / model.scale_
    y = (X[3, here] - model.mean_[here]) / model.scale_
    A = F.T @ F + model.code_penalty_ * np.eye(model.rank_)
    np.testing.assert_allclose(model.transform(X[[3]])[0], np.linalg.solve(A, F.T @ y), rtol=1e-9)


@each_completer
def test_of_codes_that_explain_a_row_equally_well_the_smallest_is_taken(rng, completer):
    """A row with one entry and two components, or with NaN where the others are: no wild codes."""
    X = with_missing(low_rank(rng, n=40, d=6, noise=0.3), rng, 0.4) + 5.0
    model = completer().set_params(**({"penalty": 1e-12} if "penalty" in vars(completer()) else {}))
    filled = model.fit(X).impute(X)
    assert np.abs(filled).max() < 10 * np.nanmax(np.abs(X))
    noisy = X + 1e-12 * rng.normal(size=X.shape)
    np.testing.assert_allclose(model.impute(noisy), filled, rtol=0, atol=1e-4)


def test_predictions_of_entries_are_those_of_the_completed_matrix(rng):
    X = with_missing(low_rank(rng), rng)
    model = ALS(2, random_state=0).fit(X)
    full = model.complete()
    i, j = rng.integers(0, 60, size=50), rng.integers(0, 25, size=50)
    np.testing.assert_allclose(model.predict_entries(i, j), full[i, j], atol=1e-12)
    np.testing.assert_allclose(model.predict_entries(3, np.arange(25)), full[3], atol=1e-12)
    assert model.predict_entries(3, 4) == pytest.approx(full[3, 4])


def test_imputing_keeps_what_is_observed_dense_or_sparse(rng):
    X = with_missing(low_rank(rng), rng)
    model = ALS(2, random_state=0).fit(X)
    filled = model.complete(X)
    np.testing.assert_array_equal(filled[~np.isnan(X)], X[~np.isnan(X)])
    np.testing.assert_array_equal(model.impute(observed(X)), filled)


def test_scores_are_errors_of_observed_entries(rng):
    X = with_missing(low_rank(rng, noise=0.3), rng)
    model = ALS(2, random_state=0).fit(X)
    left = (X - model.inverse_transform(model.transform(X)))[~np.isnan(X)]
    assert model.score(X) == pytest.approx(-np.sqrt(np.mean(left**2)), rel=1e-10)
    assert model.score_entries(X) == pytest.approx(-np.sqrt(np.mean(left**2)), rel=1e-8)


@each_completer
def test_the_door_is_the_same_for_all(rng, completer):
    X = with_missing(low_rank(rng, noise=0.1), rng)
    assert completer.fit.__doc__ and "X : array with NaN, sparse matrix" in completer.fit.__doc__
    made = {"max_iter": 5} | ({"random_state": 0} if "random_state" in vars(completer()) else {})
    dense = completer(**made).fit(X)
    assert dense.fit(X) is dense and dense.n_features_in_ == 25
    sparse, entries = completer(**made).fit(observed(X)), completer(**made).fit(Entries(X))
    for other in (sparse, entries):
        np.testing.assert_array_equal(other.components_, dense.components_)
        np.testing.assert_array_equal(other.row_factors_, dense.row_factors_)


def test_a_method_says_how_it_opens_learns_and_publishes(rng):
    class Means(Completer):
        _parameter_constraints = {}  # noqa: RUF012

        def _open(self, X):
            return self.open_entries(X).in_memory

        def _learn(self, opened):
            return np.nanmean(opened, axis=0)

        def _publish(self, opened, learned):
            n, d = opened.shape
            self.components_, self.row_factors_ = np.zeros((1, d)), np.zeros((n, 1))
            self.mean_, self.scale_ = learned, 1.0

    X = with_missing(low_rank(rng), rng, 0.2)
    filled = Means().fit(X).complete(X)
    means = np.broadcast_to(np.nanmean(X, axis=0), X.shape)
    np.testing.assert_array_equal(filled, np.where(np.isnan(X), means, X))


@each_completer
def test_the_plot_is_the_history(rng, completer):
    model = completer(max_iter=4).fit(with_missing(low_rank(rng, noise=0.1), rng))
    ax = model.plot()
    np.testing.assert_array_equal(ax.lines[0].get_ydata(), model.history_)
    fresh = plt.figure().add_subplot()
    assert model.plot(fresh) is fresh
    plt.close("all")


# The door


def test_a_nan_that_is_stored_is_refused():
    with pytest.raises(ValueError, match="1 of its 2 stored entries are NaN"):
        ALS().fit(sp.csr_array([[np.nan, 1.0]]))


def test_numbers_outside_the_matrix_are_refused(rng):
    model = ALS(2, random_state=0).fit(low_rank(rng))
    with pytest.raises(ValueError, match="rows has the number 60; the fitted matrix has 60 rows"):
        model.predict_entries([0, 60], 1)
    with pytest.raises(ValueError, match="columns has the number -1"):
        model.predict_entries(0, -1)
    with pytest.raises(TypeError, match="rows must be integers"):
        model.predict_entries(0.5, 1)
    with pytest.raises(ValueError, match="X has 3 rows, the model was fitted to 60"):
        model.score_entries(np.ones((3, 25)))


def test_a_completed_matrix_that_does_not_fit_points_to_single_entries(rng, monkeypatch):
    model = ALS(2, random_state=0).fit(low_rank(rng))
    monkeypatch.setattr("lowdim.completion.model.LARGEST_DENSE_BYTES", 1000)
    with pytest.raises(MemoryError, match="predict"):
        model.complete()


@each_completer
def test_an_all_missing_matrix_is_refused(completer):
    for nothing in (np.full((4, 3), np.nan), sp.csr_array((4, 3))):
        with pytest.raises(
            ValueError, match=f"no observed entries.*{completer.__name__} needs at least 1"
        ):
            completer().fit(nothing)
    with pytest.raises(NotFittedError):
        completer().plot()
