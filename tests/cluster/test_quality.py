"""Quality of clusters: silhouettes worked by hand, with missing values, and on a sample."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import silhouette_score

import lowdim
from lowdim.cluster import quality


def two_groups(rng, n=200, d=4):
    labels = np.arange(n) % 2
    return rng.normal(size=(n, d)) + 4.0 * labels[:, None], labels


# ---- golden values -------------------------------------------------------------------------------


def test_the_silhouette_of_four_numbers():
    # for 0: a = 1, b = (10 + 11) / 2; for 1: a = 1, b = (9 + 10) / 2; the others mirror them
    expected = np.mean([9.5 / 10.5, 8.5 / 9.5])
    X = np.array([[0.0], [1.0], [10.0], [11.0]])
    assert lowdim.silhouette(X, [0, 0, 1, 1]) == pytest.approx(expected, rel=1e-12)


def test_missing_values_leave_the_distances_of_what_is_common():
    # the second column says nothing where it is observed, and is scaled up where it is not
    X = np.array([[0.0, 0.0], [1.0, np.nan], [10.0, 0.0], [11.0, np.nan]])
    root = np.sqrt(2.0)
    a, b0, b1 = root, (10 + 11 * root) / 2, root * (9 + 10) / 2
    expected = np.mean(
        [1 - a / b0, 1 - a / b1, 1 - a / ((10 + 9 * root) / 2), 1 - a * 2 / (root * 21)]
    )
    assert lowdim.silhouette(X, [0, 0, 1, 1]) == pytest.approx(expected, rel=1e-12)


def test_rows_that_share_no_column_are_at_the_mean_distance():
    X = np.array([[0.0, np.nan], [np.nan, 0.0], [5.0, 5.0], [6.0, 6.0]])
    assert np.isfinite(lowdim.silhouette(X, [0, 0, 1, 1]))


# ---- properties ----------------------------------------------------------------------------------


def test_all_kinds_of_rows_give_one_silhouette(rng):
    da = pytest.importorskip("dask.array")
    X, labels = two_groups(rng)
    expected = silhouette_score(X, labels)
    stream = lowdim.stream(lambda: iter(np.split(X, [3, 120])))
    chunked, chunked_labels = da.from_array(X, chunks=(60, 4)), da.from_array(labels, chunks=60)
    for rows, of_rows in [
        (X, labels),
        (sp.csr_array(X), labels),
        (stream, labels),
        (chunked, chunked_labels),
        (X.tolist(), labels.tolist()),
    ]:
        assert lowdim.silhouette(rows, of_rows) == pytest.approx(expected, rel=1e-9)


def test_a_sample_estimates_the_silhouette_of_all(rng):
    X, labels = two_groups(rng, n=2000)
    sampled = lowdim.silhouette(X, labels, sample_size=500, random_state=0)
    # one row's silhouette has a standard deviation of about 0.15; 6 standard errors of 500
    assert sampled == pytest.approx(silhouette_score(X, labels), abs=0.04)
    assert sampled == lowdim.silhouette(X, labels, sample_size=500, random_state=0)


def test_scikit_learns_measures_are_at_hand():
    assert quality.adjusted_rand_score([0, 0, 1], [1, 1, 0]) == 1.0
    assert quality.adjusted_mutual_info_score([0, 0, 1], [1, 1, 0]) == 1.0


# ---- the door ------------------------------------------------------------------------------------


def test_labels_must_fit_the_rows(rng):
    X, labels = two_groups(rng, n=20)
    with pytest.raises(ValueError, match=r"labels has shape \(19,\); X has 20 rows"):
        lowdim.silhouette(X, labels[:-1])
    with pytest.raises(ValueError, match="1 clusters among the 20 rows"):
        lowdim.silhouette(X, np.zeros(20))
    with pytest.raises(ValueError, match="20 clusters among the 20 rows"):
        lowdim.silhouette(X, np.arange(20))
    with pytest.raises(ValueError, match="sample_size=2 is too small"):
        lowdim.silhouette(X, labels, sample_size=2)
