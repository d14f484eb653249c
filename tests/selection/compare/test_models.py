"""How any estimator is asked for entries that it has not seen."""

import numpy as np
from numpy.testing import assert_array_equal
from sklearn.cluster import KMeans as TheirKMeans
from sklearn.decomposition import PCA as TheirPCA

import lowdim
from lowdim.selection.compare.models import nearest_in_observed
from tests.selection.compare.shared import ROWS, low_rank


def test_the_nearest_center_is_that_of_the_observed_columns():
    centers = np.array([[0.0, 100.0], [3.0, 0.0]])
    X = np.array([[1.0, np.nan], [2.0, np.nan], [2.0, 90.0]])
    assert_array_equal(nearest_in_observed(X, centers, np.array([1.0, 1.0])), [0, 1, 0])


def test_means_stand_for_missing_values_only_where_there_are_some(rng):
    X = low_rank(rng, 60, 4)
    table = lowdim.compare(X, [TheirKMeans(2), TheirPCA(1)], hold_out=ROWS, random_state=rng)
    remark = dict(zip(table.names, table["remark"], strict=True))
    assert remark["KMeans"] == ""
    assert remark["PCA"] == "column means stand for missing values"
