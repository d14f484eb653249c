"""The skeleton of a method's test: golden values, derivation, properties, the door."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.checks import assert_checks_pass

PATH = Path(__file__).resolve().parents[2] / "docs" / "developer" / "method_skeleton.py"
spec = importlib.util.spec_from_file_location("method_skeleton", PATH)
skeleton = importlib.util.module_from_spec(spec)
sys.modules["method_skeleton"] = skeleton  # where pickle looks for its classes
spec.loader.exec_module(skeleton)


def test_four_weighted_points_have_the_centers_worked_out_by_hand():
    X, weight = np.array([[0.0], [1.0], [9.0], [10.0]]), np.array([1.0, 3.0, 1.0, 1.0])
    model = skeleton.SkeletonKMeans(2).fit(X, sample_weight=weight)
    # means (0 + 3) / 4 and (9 + 10) / 2; squares 1 * 0.75^2 + 3 * 0.25^2 + 2 * 0.5^2 = 1.25
    np.testing.assert_array_equal(np.sort(model.cluster_centers_.ravel()), [0.75, 9.5])
    assert model.inertia_ == 1.25


def test_the_objective_never_rises(rng):
    X = rng.normal(size=(200, 3))
    model = skeleton.SkeletonKMeans(5, tol=0, max_iter=30).fit(X)
    slack = 1e-14 * model.history_[0]  # rounding of a mean of 200 squares
    assert np.all(np.diff(model.history_) <= slack)


def test_update_minimises_the_cost_of_a_given_assignment(rng):
    X, centers = rng.normal(size=(50, 2)), rng.normal(size=(4, 2))
    label = skeleton.nearest(X, centers)
    best = skeleton.update(skeleton.statistics(X, centers, None), centers)

    def cost(C):
        return np.sum((X - C[label]) ** 2)

    for _ in range(20):
        assert cost(best) <= cost(best + 0.1 * rng.normal(size=best.shape))


def test_a_center_without_rows_stays():
    X, centers = np.zeros((3, 1)), np.array([[0.0], [5.0]])
    moved = skeleton.update(skeleton.statistics(X, centers, None), centers)
    np.testing.assert_array_equal(moved, [[0.0], [5.0]])


def test_more_clusters_than_rows_are_refused():
    with pytest.raises(ValueError, match="n_clusters=4 is more than the 3 rows of X"):
        skeleton.SkeletonKMeans(4).fit(np.zeros((3, 2)))


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_scikit_learn_checks_pass():
    assert_checks_pass(skeleton.SkeletonKMeans(n_clusters=3))
