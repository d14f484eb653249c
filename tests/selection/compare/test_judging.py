"""One model on one split: errors, likelihoods, seeds and interruptions."""

import warnings

import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.base import BaseEstimator

import lowdim
from lowdim.core.session import InterruptedFitWarning
from lowdim.selection.compare.judging import relative_error
from tests.selection.compare.shared import ROWS, Spy, low_rank


class Interrupted(BaseEstimator):
    """Ctrl-C is pressed while it is fitted: another's model stops, ours ends early and warns."""

    def __init__(self, ours=False):
        self.ours = ours

    def fit(self, X, y=None):
        if not self.ours:
            raise KeyboardInterrupt
        warnings.warn("interrupted", InterruptedFitWarning, stacklevel=2)
        return self

    def impute(self, X):
        return np.zeros(X.shape)


def test_error_is_relative_to_zero_the_mean_of_standardised_columns():
    assert relative_error(np.array([1.0, 1.0]), np.array([2.0, -1.0])) == (1 + 4) / (4 + 1)


def test_a_cell_of_several_columns_counts_as_one():
    """Of a held-out category with three columns and a number, both count the same."""
    guess, truth = np.array([0.0, 1.0, 1.0, 1.0]), np.array([2.0, 0.0, 3.0, 0.0])
    weight = np.array([1.0, 1 / 3, 1 / 3, 1 / 3])
    assert relative_error(guess, truth, weight) == pytest.approx((4 + 6 / 3) / (4 + 9 / 3))


@pytest.mark.parametrize("ours", [True, False])
def test_ctrl_c_ends_the_comparison(rng, ours):
    with pytest.raises(KeyboardInterrupt):
        lowdim.compare(low_rank(rng, 20, 4), [Interrupted(ours)])


def test_likelihood_of_a_normal_column_is_its_formula(rng):
    X = rng.normal(size=(60, 1))
    table = lowdim.compare(
        X, [lowdim.GaussianMixture(1)], hold_out=ROWS, criterion="likelihood", random_state=0
    )
    assert_allclose(table.losses[:, 0], table.losses[:, 1], atol=1e-4)  # reg_covar=1e-6
    assert table.ties == (table.names[1],)


def test_likelihoods_do_not_depend_on_the_units_a_model_sees(rng):
    X = low_rank(rng, 80, 4) * [1.0, 10.0, 100.0, 0.1]
    rule = {"hold_out": ROWS, "criterion": "likelihood", "random_state": 1}
    one, two = (
        lowdim.compare(X, [lowdim.FactorAnalysis(1, tol=1e-8)], standardize=standardize, **rule)
        for standardize in (True, False)
    )
    assert_allclose(one.losses, two.losses, rtol=1e-4)  # a fit by EM ends a little earlier or later


def test_models_without_a_seed_get_one(rng):
    log, own = [], []
    lowdim.compare(low_rank(rng, 30, 4), [Spy(log), Spy(own, 5)], random_state=0)
    seeds = [seed for what, seed in log if what == "seed"]
    assert all(isinstance(seed, int) for seed in seeds) and len(set(seeds)) == 5
    assert {seed for what, seed in own if what == "seed"} == {5}
