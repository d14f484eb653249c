"""Figures of clusters: what is in the Axes."""

import numpy as np
import pytest
from matplotlib.patches import Ellipse
from numpy.testing import assert_allclose
from scipy.spatial import ConvexHull

from lowdim.plots.clusters import cluster_map, ellipse_of, voronoi_map, voronoi_regions


def ellipses(ax):
    return [patch for patch in ax.patches if isinstance(patch, Ellipse)]


# Golden values


def test_an_ellipse_has_the_standard_deviations_as_half_axes():
    width, height, angle = ellipse_of(np.diag([9.0, 4.0]), 2.0)
    assert_allclose([width, height], [12.0, 8.0])
    assert_allclose(angle % 180, 0.0, atol=1e-12)


def test_two_centers_share_a_box_at_their_middle():
    regions = voronoi_regions(np.array([[1.0, 1.0], [3.0, 1.0]]), np.zeros(2), np.array([4.0, 2.0]))
    corners = [set(map(tuple, np.round(region, 9).tolist())) for region in regions]
    assert corners[0] == {(0.0, 0.0), (2.0, 0.0), (2.0, 2.0), (0.0, 2.0)}
    assert corners[1] == {(2.0, 0.0), (4.0, 0.0), (4.0, 2.0), (2.0, 2.0)}


# Properties


@pytest.mark.parametrize("k", [1, 2, 7])
def test_regions_fill_the_box(rng, k):
    centers = rng.random((k, 2))
    regions = voronoi_regions(centers, np.full(2, -0.5), np.full(2, 1.5))
    assert len(regions) == k
    assert_allclose(sum(ConvexHull(region).volume for region in regions), 4.0)


def test_a_cluster_has_two_ellipses_about_its_mean(rng):
    Z = rng.normal(size=(200, 3))
    labels = np.repeat([0, 1], 100)
    Z[labels == 1] += 5
    ax = cluster_map(Z, labels, variance_ratio=[0.6, 0.3, 0.1])
    assert len(ellipses(ax)) == 4
    assert_allclose(ellipses(ax)[2].get_center(), Z[100:, :2].mean(axis=0))
    assert ax.get_xlabel() == "component 1 (60%)"


def test_ellipses_of_a_mixture_are_those_it_says(rng):
    Z, labels = rng.normal(size=(50, 2)), np.repeat([0, 1], 25)
    covariances = np.stack([np.eye(2), 4 * np.eye(2)])
    ax = cluster_map(Z, labels, means=[[0, 0], [1, 2]], covariances=covariances)
    assert_allclose(ellipses(ax)[2].get_center(), [1, 2])
    assert_allclose(ellipses(ax)[2].get_width(), 4.0)


def test_clusters_of_one_or_two_rows_have_no_ellipse(rng):
    ax = cluster_map(rng.normal(size=(7, 2)), [0, 0, 0, 0, 1, 1, 2])
    assert len(ellipses(ax)) == 2


def test_equal_centers_share_a_region(rng):
    ax = voronoi_map(rng.normal(size=(30, 2)), [[0, 0], [0, 0], [1, 1]])
    assert len(ax.patches) == 2


# The door


def test_regions_need_a_plane(rng):
    with pytest.raises(ValueError, match="two columns are needed"):
        voronoi_map(rng.normal(size=(10, 3)), np.zeros((2, 3)))
    with pytest.raises(ValueError, match="no rows"):
        voronoi_map(np.zeros((0, 2)), np.zeros((2, 2)))
