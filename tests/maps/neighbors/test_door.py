"""`lowdim.neighbors`: kinds of data, missing values, units, and bad input."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.metrics.pairwise import nan_euclidean_distances
from sklearn.neighbors import NearestNeighbors

import lowdim
from tests.maps.examples import recall, sorted_neighbors


def test_the_nearest_rows_of_a_small_table():
    X = np.array([[0.0], [1.0], [3.0], [7.0]])
    found = lowdim.neighbors(X, 2)
    assert_array_equal(found.indices, [[1, 2], [0, 2], [1, 0], [2, 1]])
    assert_array_equal(found.distances, [[1, 3], [1, 2], [2, 3], [4, 6]])
    assert found.indices.dtype == np.int32


def test_they_are_scikit_learns(rng):
    X = rng.normal(size=(200, 10))
    distance, index = NearestNeighbors(n_neighbors=15).fit(X).kneighbors()
    found = lowdim.neighbors(X)
    assert_array_equal(found.indices, index)
    assert_allclose(found.distances, distance)


@pytest.mark.parametrize("factor", [1e-300, 1e-150, 1e150, 1e300])
def test_units_do_not_matter(rng, factor):
    X = rng.normal(size=(50, 3))
    found, scaled = lowdim.neighbors(X, 5), lowdim.neighbors(X * factor, 5)
    assert_array_equal(scaled.indices, found.indices)
    assert_allclose(scaled.distances / factor, found.distances)


def test_every_holder_of_rows_gives_the_same(rng):
    pd, da = pytest.importorskip("pandas"), pytest.importorskip("dask.array")
    X = rng.normal(size=(60, 4))
    expected = lowdim.neighbors(X, 5)
    holders = [
        pd.DataFrame(X),
        X.tolist(),
        sp.csr_array(X),
        sp.coo_array(X),
        da.from_array(X, chunks=(17, 4)),
        lowdim.stream(lambda: iter(np.split(X, [11, 40]))),
    ]
    for holder in holders:
        found = lowdim.neighbors(holder, 5)
        assert_array_equal(found.indices, expected.indices)
        assert_allclose(found.distances, expected.distances, rtol=1e-15)


def test_metrics_that_need_the_whole_table_get_it(rng):
    X = rng.normal(size=(80, 3)) @ rng.normal(size=(3, 3))
    whitened = np.linalg.solve(np.linalg.cholesky(np.cov(X.T)), X.T).T
    found = lowdim.neighbors(X, 5, metric="mahalanobis")
    assert_array_equal(found.indices, sorted_neighbors(whitened, 5)[0])
    standard = lowdim.neighbors(X, 5, metric="seuclidean")
    assert_array_equal(standard.indices, sorted_neighbors(X / X.std(axis=0), 5)[0])


# ---- missing values ------------------------------------------------------------------------------


def with_holes(rng, n=300, share=0.2):
    X = rng.normal(size=(n, 4)) @ rng.normal(size=(4, 20)) + 0.2 * rng.normal(size=(n, 20))
    holes = X.copy()
    holes[rng.random(X.shape) < share] = np.nan
    return X, holes


def test_expected_distances_find_more_of_the_true_neighbours_than_pairwise_ones(rng):
    X, holes = with_holes(rng)
    true = lowdim.neighbors(X, 10).indices
    expected = recall(lowdim.neighbors(holes, 10).indices, true)
    pairwise = recall(lowdim.neighbors(holes, 10, missing="pairwise").indices, true)
    means = recall(
        lowdim.neighbors(np.where(np.isnan(holes), np.nanmean(holes, 0), holes), 10).indices, true
    )
    assert expected > 0.8 and expected > pairwise + 0.1 > means


def test_the_expected_square_is_that_over_draws_of_what_is_missing(rng):
    _, holes = with_holes(rng, n=200)
    found = lowdim.neighbors(holes, 3)
    model = lowdim.ProbabilisticPCA(9, tol=1e-5, random_state=0).fit(holes)
    filled, std = model.impute(holes, return_std=True)
    spread = (std**2).sum(axis=1)
    for i in range(0, 200, 37):
        j = found.indices[i]
        squares = ((filled[i] - filled[j]) ** 2).sum(axis=1) + spread[i] + spread[j]
        assert_allclose(found.distances[i] ** 2, squares, rtol=1e-8)


def test_pairwise_is_nan_euclidean(rng):
    _, holes = with_holes(rng, n=60)
    D = nan_euclidean_distances(holes) + np.diag(np.full(60, np.inf))
    for arguments in ({"missing": "pairwise"}, {"metric": "nan_euclidean"}):
        found = lowdim.neighbors(holes, 4, **arguments)
        assert_array_equal(found.indices, np.argsort(D, axis=1)[:, :4])
        assert_allclose(found.distances, np.sort(D, axis=1)[:, :4])


def test_missing_values_in_sparse_rows_are_refused(rng):
    _, holes = with_holes(rng, n=30)
    for missing in ("expected", "pairwise"):
        with pytest.raises(ValueError, match=r"X is sparse and has NaN; .* give X.toarray"):
            lowdim.neighbors(sp.csr_array(holes), 5, missing=missing)


# ---- the door ------------------------------------------------------------------------------------


def bad():
    X = np.arange(40.0).reshape(10, 4) ** 1.5
    hole, empty = X.copy(), X.copy()
    hole[2, 1] = np.nan
    empty[4] = np.nan
    return {
        "too many": ((X, 10), {}, ValueError, r"n_neighbors=10 needs at least 11 rows.* at most 9"),
        "none": ((X, 0), {}, ValueError, "n_neighbors=0 is too small"),
        "a fraction": ((X, 2.5), {}, ValueError, r"n_neighbors=2.5 must be an int"),
        "a method": ((X, 2), {"method": "fast"}, ValueError, "method='fast' is not known"),
        "a metric": ((X, 2), {"metric": "near"}, ValueError, "metric='near' is not known"),
        "a seed": ((X, 2), {"random_state": "a"}, ValueError, "random_state='a' is a str"),
        "a treatment": ((X, 2), {"missing": "drop"}, ValueError, "missing='drop' is not known"),
        "infinity": ((X + np.inf, 2), {}, ValueError, "infinity"),
        "an empty row": ((empty, 2), {}, ValueError, "Row 4 of X has no observed value"),
        "NaN for cosines": (
            (hole, 2),
            {"metric": "cosine"},
            ValueError,
            r"NaN in 1 of 4 columns \(first: 1\); metric='cosine' needs complete rows",
        ),
        "not square": ((X, 2), {"metric": "precomputed"}, ValueError, "square distance matrix"),
        "text": (("rows.csv", 2), {}, TypeError, "X is a text"),
        "one row": ((X[:1], 1), {}, ValueError, "needs at least 2 rows"),
    }


@pytest.mark.parametrize("kind", bad())
def test_bad_input_is_refused_with_a_reason(kind):
    given, arguments, error, message = bad()[kind]
    with pytest.raises(error, match=message):
        lowdim.neighbors(*given, **arguments)
