"""What turns rows into points: filled, as codes, and again for new rows."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal
from sklearn.base import clone

import lowdim
from lowdim.core.opening import as_blocks
from lowdim.maps.points import metric_of
from lowdim.maps.reading import completed, filled, has_nan, learned_reading, read, sees_codes

EUCLIDEAN = metric_of("euclidean")


def incomplete(rng, n=60):
    X = rng.normal(size=(n, 2)) @ rng.normal(size=(2, 6)) + 0.1 * rng.normal(size=(n, 6))
    X[rng.random(X.shape) < 0.15] = np.nan
    X[np.isnan(X).all(axis=1), 0] = 0.0
    return X


def test_missing_values_are_seen(rng):
    X = rng.normal(size=(5, 3))
    assert not has_nan(X) and not has_nan(sp.csr_array(X))
    X[4, 2] = np.nan
    assert has_nan(X) and has_nan(sp.csr_array(X))


def test_filled_rows_are_expectations_with_their_variances(rng):
    X = incomplete(rng)
    points, reading = learned_reading(X, EUCLIDEAN, "expected")
    expected, std = reading.filler.impute(X, return_std=True)
    back = points.rows * points.unit + reading.frame.center
    assert_allclose(back, expected, atol=1e-14)
    assert_allclose(points.spread * points.unit**2, (std**2).sum(axis=1), rtol=1e-12)
    complete = ~np.isnan(X).any(axis=1)
    assert (points.spread[complete] == 0).all() and (points.spread[~complete] > 0).all()


def test_rows_are_left_as_they_were(rng):
    X = incomplete(rng)
    before = X.copy()
    _, reading = learned_reading(X, EUCLIDEAN, "expected")
    filled(X, reading.filler)
    assert_array_equal(X, before)


@pytest.mark.parametrize("missing", ["expected", "pairwise"])
def test_training_rows_are_read_again_as_the_same_points(rng, missing):
    X = incomplete(rng)
    points, reading = learned_reading(X, EUCLIDEAN, missing)
    again = read(X[10:20], reading, EUCLIDEAN, points)
    assert_array_equal(again.rows, points.rows[10:20])
    assert_array_equal(again.spread, points.spread[10:20])
    assert again.unit == points.unit


def test_new_rows_may_miss_what_training_rows_have(rng):
    X = rng.normal(size=(60, 2)) @ rng.normal(size=(2, 6)) + 5.0
    points, reading = learned_reading(X, EUCLIDEAN, "expected")
    assert reading.filler is None
    new = X[:4].copy()
    new[:, 1] = np.nan
    found = read(new, reading, EUCLIDEAN, points)
    assert_allclose(found.rows, points.rows[:4], atol=1e-3)  # rows lie in a plane
    assert (found.spread > 0).all()


def test_codes_stand_for_rows(rng):
    X = rng.normal(size=(50, 8))
    codes, keys, coder = sees_codes(as_blocks(X), 3, 0)
    assert_allclose(codes, lowdim.PCA(3, random_state=0).fit(X).transform(X))
    assert keys.shape == (50, 2)
    points, reading = learned_reading(codes, EUCLIDEAN, "expected", coder)
    assert_allclose(read(X[:5], reading, EUCLIDEAN, points).rows, points.rows[:5], atol=1e-14)
    with pytest.raises(ValueError, match="pca_components=9 is more than the 8"):
        sees_codes(as_blocks(X), 9, 0)


def test_a_metric_gets_what_it_needs_of_the_table(rng):
    X = rng.normal(size=(50, 3))
    assert_allclose(completed(metric_of("seuclidean"), X).params["V"], X.var(axis=0, ddof=1))
    inverse = completed(metric_of("mahalanobis"), X).params["VI"]
    assert_allclose(inverse @ np.cov(X.T), np.eye(3), atol=1e-12)
    given = metric_of("seuclidean", {"V": np.ones(3)})
    assert completed(given, X) is given


@pytest.mark.parametrize(
    "model",
    [
        lowdim.TSNE(perplexity=5, max_iter=10),
        lowdim.UMAP(n_epochs=10),
        lowdim.SNE(perplexity=5, max_iter=10),
        lowdim.SymmetricSNE(perplexity=5, max_iter=10),
        lowdim.MDS(max_iter=10),
        lowdim.Sammon(max_iter=10),
    ],
    ids=lambda model: type(model).__name__,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_rows_beyond_all_distances_are_refused(model, rng):
    X = rng.normal(size=(20, 3))
    model = clone(model).set_params(random_state=0).fit(X)
    with pytest.raises(ValueError, match=r"e\+\d+ times as large .* units of the training rows"):
        model.transform(1e200 * X / np.abs(X).max())


def test_rows_of_float32_are_within_reach(rng):
    X = rng.normal(size=(20, 3)).astype(np.float32)
    points, reading = learned_reading(X, EUCLIDEAN, "model")
    far = read(np.float32(1e30) * X, reading, EUCLIDEAN, points)
    assert far.rows.dtype == np.float32 and np.isfinite(far.rows).all()
