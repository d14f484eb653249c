"""`impute`: one door for all models that fill missing values."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import lowdim
from lowdim.core.estimator import Estimator
from lowdim.core.imputation import ImputeMixin


def filled(X, value):
    return np.where(np.isnan(X), value, X)


def filled_with_std(X, value):
    return filled(X, value), np.where(np.isnan(X), 0.5, 0.0)


class Constant(ImputeMixin, Estimator):
    """Every missing value is 7, give or take a half."""

    accepts_nan = True

    def fit(self, X):
        self.open_rows(X)
        self.value_ = 7.0
        return self

    def _filling(self, return_std):
        return filled_with_std if return_std else filled, self.value_


X = np.array([[1.0, np.nan], [np.nan, 4.0], [5.0, 6.0]])


def test_missing_values_are_filled_and_the_others_stay():
    model = Constant().fit(X)
    np.testing.assert_array_equal(model.impute(X), [[1.0, 7.0], [7.0, 4.0], [5.0, 6.0]])
    both = model.impute(X, return_std=True)
    np.testing.assert_array_equal(both[0], model.impute(X))
    np.testing.assert_array_equal(both[1], [[0.0, 0.5], [0.5, 0.0], [0.0, 0.0]])


def test_streams_and_dask_are_filled_alike():
    da = pytest.importorskip("dask.array")
    model = Constant().fit(X)
    expected = model.impute(X, return_std=True)
    for source in (
        lowdim.stream(lambda: iter(np.split(X, [1]))),
        da.from_array(X, chunks=(2, 2)),
    ):
        for part, want in zip(model.impute(source, return_std=True), expected, strict=True):
            np.testing.assert_array_equal(np.asarray(part), want)


def test_how_uncertain_a_value_is_costs_no_further_pass():
    model, passes = Constant().fit(X), []

    def counted(**arguments):
        del passes[:]
        model.impute(lowdim.stream(lambda: passes.append(1) or iter(np.split(X, [1]))), **arguments)
        return len(passes)

    assert counted(return_std=True) == counted()


def test_a_model_must_be_fitted_and_say_how_it_fills():
    with pytest.raises(NotFittedError):
        Constant().impute(X)
    with pytest.raises(TypeError, match="_filling"):
        type("Unfinished", (ImputeMixin, Estimator), {})()
