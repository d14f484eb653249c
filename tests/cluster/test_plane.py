"""The plane in which clusters are drawn."""

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim import KMeans
from lowdim.cluster.plane import plane_of, rows_to_draw


def test_two_columns_are_drawn_as_they_are(rng):
    X = rng.normal(size=(20, 2)) + 7.0
    np.testing.assert_array_equal(plane_of(X).points(X), X)
    assert plane_of(X).names == ("column 0", "column 1")
    assert plane_of(X, ["age", "income"]).names == ("age", "income")


def test_more_columns_are_drawn_by_their_principal_axes(rng):
    X = rng.normal(size=(50, 4)) * [5.0, 0.1, 2.0, 0.5] + 10.0
    plane = plane_of(X)
    scores = lowdim.PCA(2).fit(X)
    np.testing.assert_allclose(
        np.abs(plane.points(X)), np.abs(scores.transform(X)), rtol=1e-9, atol=1e-9
    )
    first, second = scores.explained_variance_ratio_
    assert plane.names == (f"principal axis 1 ({first:.0%})", f"principal axis 2 ({second:.0%})")


def test_by_deviation_units_of_columns_do_not_matter(rng):
    X = rng.normal(size=(60, 3)) @ rng.normal(size=(3, 3))
    X = np.column_stack([X, np.full(60, 3.0)])  # a constant column is nowhere
    units = np.array([1.0, 1e-4, 1e6, 5.0])
    plain, other = plane_of(X, by_deviation=True), plane_of(X * units, by_deviation=True)
    np.testing.assert_allclose(plain.points(X), other.points(X * units), rtol=1e-6, atol=1e-9)
    C = np.cov(X.T)
    np.testing.assert_allclose(
        plain.axes.T @ C @ plain.axes, np.cov(plain.points(X).T), rtol=1e-9, atol=1e-12
    )


@pytest.mark.parametrize("by_deviation", [False, True])
def test_sparse_rows_are_drawn_where_dense_ones_are(rng, by_deviation):
    X = np.where(rng.random((80, 12)) < 0.3, rng.normal(size=(80, 12)) + 1.0, 0.0)
    dense, sparse = (plane_of(A, by_deviation=by_deviation) for A in (X, sp.csr_array(X)))
    np.testing.assert_allclose(sparse.points(sp.csr_array(X)), dense.points(X), atol=1e-5)
    assert sparse.names == dense.names


def test_of_many_rows_a_sample_is_drawn_in_their_order(rng):
    X = np.arange(300.0).reshape(100, 3)
    model = KMeans(2, random_state=0).fit(X)
    rows, some = rows_to_draw(model, X, 10, 0)
    assert rows.shape == (100, 3) and some.shape == (10, 3)
    assert (np.diff(some[:, 0]) > 0).all()
    np.testing.assert_array_equal(some, rows_to_draw(model, X, 10, 0)[1])
    np.testing.assert_array_equal(rows_to_draw(model, X, 100, 0)[1], X)


def test_what_cannot_be_drawn_is_refused():
    line = np.arange(6.0).reshape(-1, 1)
    with pytest.raises(ValueError, match="X has 1 column; a map of clusters needs at least 2"):
        rows_to_draw(KMeans(2, random_state=0).fit(line), line, 10, 0)
    X = np.arange(12.0).reshape(4, 3)
    model = KMeans(2, random_state=0).fit(X)
    with pytest.raises(ValueError, match="n_samples=1; KMeans needs at least 2 rows"):
        rows_to_draw(model, X[:1], 10, 0)
    with pytest.raises(ValueError, match="sample_size=1 is too small"):
        rows_to_draw(model, X, 1, 0)


def test_equal_rows_have_a_plane_too():
    plane = plane_of(np.ones((5, 3)))
    np.testing.assert_array_equal(plane.points(np.ones((5, 3))), 0.0)
    assert plane.names == ("principal axis 1 (0%)", "principal axis 2 (0%)")
