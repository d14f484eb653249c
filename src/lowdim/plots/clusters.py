"""Figures of clusters: ellipses in a map of the rows, and the regions of k-means in the plane."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lowdim.plots.maps import scatter_map
from lowdim.plots.style import INK, MUTED, group_colors, house_style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

RADII = (1.0, 2.0)  # standard deviations at which ellipses are drawn


@house_style()
def cluster_map(
    Z: Any,
    labels: Any,
    *,
    means: Any = None,
    covariances: Any = None,
    axes: tuple[int, int] = (0, 1),
    variance_ratio: Any = None,
    ax: Axes | None = None,
) -> Axes:
    """Rows in a plane, coloured by cluster, with ellipses at one and two standard deviations.

    Parameters
    ----------
    Z : array-like of shape (n, n_components)
        Codes of the rows, for example the first principal components.
    labels : array-like of int, shape (n,)
        The cluster of each row.
    means : array-like of shape (K, n_components) or None, default=None
    covariances : array-like of shape (K, n_components, n_components) or None, default=None
        The clusters of a mixture, in the same coordinates; None takes those of the points.
    axes : (int, int), default=(0, 1)
        The columns of Z to the right and upwards.
    variance_ratio : array-like of shape (n_components,) or None, default=None
        Shares of variance, for the names of the axes.
    ax : matplotlib Axes or None, default=None
    """
    from matplotlib.patches import Ellipse

    Z, labels = np.asarray(Z, dtype=np.float64), np.asarray(labels)
    ax = scatter_map(Z, labels, axes=axes, ax=ax)
    plane = list(axes)
    known = np.unique(labels)
    colors = group_colors(len(known))
    for place, j in enumerate(known):
        if means is None or covariances is None:
            points = Z[labels == j][:, plane]
            if len(points) < 3:
                continue
            center, spread = points.mean(axis=0), np.cov(points.T)
        else:
            center = np.asarray(means)[int(j)][plane]
            spread = np.asarray(covariances)[int(j)][np.ix_(plane, plane)]
        for radius, alpha in zip(RADII, (0.9, 0.45), strict=True):
            width, height, angle = ellipse_of(spread, radius)
            ax.add_patch(
                Ellipse(
                    (float(center[0]), float(center[1])),
                    width,
                    height,
                    angle=angle,
                    fill=False,
                    ec=colors[place],
                    lw=1.6,
                    alpha=alpha,
                    zorder=3,
                )
            )
        ax.plot(*center, "+", color=INK, ms=7, mew=1.4, zorder=4)
    for label, j in zip((ax.set_xlabel, ax.set_ylabel), axes, strict=True):
        share = "" if variance_ratio is None else f" ({np.asarray(variance_ratio)[j]:.0%})"
        label(f"component {j + 1}{share}", color=MUTED)
    ax.autoscale_view()
    return ax


@house_style()
def voronoi_map(X: Any, centers: Any, labels: Any = None, *, ax: Axes | None = None) -> Axes:
    """Points of the plane, and the region in which each center is the nearest.

    Parameters
    ----------
    X : array-like of shape (n, 2)
    centers : array-like of shape (K, 2)
        Centers of k-means.
    labels : array-like of int, shape (n,) or None, default=None
        The cluster of each point; None takes the nearest center.
    ax : matplotlib Axes or None, default=None
    """
    X, centers = np.asarray(X, dtype=np.float64), np.asarray(centers, dtype=np.float64)
    if X.ndim != 2 or X.shape[1] != 2 or centers.ndim != 2 or centers.shape[1] != 2:
        raise ValueError(
            f"regions can be drawn in the plane only: X has shape {X.shape} and centers "
            f"{centers.shape}; two columns are needed. cluster_map shows more."
        )
    if len(X) == 0:
        raise ValueError("X has no rows to draw.")
    if labels is None:
        labels = ((X[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)
    ax = scatter_map(X, labels, ax=ax)
    everything = np.vstack([X, centers])
    margin = 0.06 * np.maximum(np.ptp(everything, axis=0), np.finfo(float).tiny)
    low, high = everything.min(axis=0) - margin, everything.max(axis=0) + margin
    known = np.unique(labels)
    colors = dict(zip(known.tolist(), group_colors(len(known)), strict=True))
    distinct, first = np.unique(centers, axis=0, return_index=True)
    for j, region in zip(first, voronoi_regions(distinct, low, high), strict=True):
        ax.fill(*region.T, facecolor=colors.get(int(j), "none"), alpha=0.07, zorder=0)
        ax.plot(*np.vstack([region, region[:1]]).T, color=MUTED, lw=0.8, zorder=1)
    ax.plot(*centers.T, "+", color=INK, ms=8, mew=1.6, ls="none", zorder=4)
    ax.margins(0)
    return ax


def ellipse_of(covariance: np.ndarray, radius: float) -> tuple[float, float, float]:
    """Width, height and angle in degrees of the curve x'C^-1 x = radius^2."""
    values, axes = np.linalg.eigh(covariance)
    lengths = 2 * radius * np.sqrt(np.maximum(values, 0.0))
    angle = np.degrees(np.arctan2(axes[1, 1], axes[0, 1]))
    return float(lengths[1]), float(lengths[0]), float(angle)


def voronoi_regions(centers: np.ndarray, low: np.ndarray, high: np.ndarray) -> list[np.ndarray]:
    """The polygon of points of a box that are nearest to each of different centers, (corners, 2).

    Reflected in a side of the box, a center and its image share that side as their border: with the
    four images of all centers every region of a center is finite and ends at the box.
    """
    from scipy.spatial import Voronoi

    images = [centers]
    for column in (0, 1):
        for side in (low, high):
            image = centers.copy()
            image[:, column] = 2 * side[column] - image[:, column]
            images.append(image)
    diagram = Voronoi(np.vstack(images))
    regions = (diagram.regions[diagram.point_region[j]] for j in range(len(centers)))
    return [diagram.vertices[region] for region in regions]
