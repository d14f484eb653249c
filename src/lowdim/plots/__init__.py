"""Figures from plain arrays, in one style.

Each function draws on `ax`, or on a new figure, and returns the Axes: change what you like
afterwards, or `ax.figure.savefig(...)`. matplotlib is imported when the first one is drawn.
"""

from lowdim.plots.attention import attention_map
from lowdim.plots.clusters import cluster_map, voronoi_map
from lowdim.plots.curves import comparison, curve_with_errors, loss, noise_levels, scree, trace
from lowdim.plots.labelled import map
from lowdim.plots.loadings import biplot, correlation_circle, loadings_heatmap
from lowdim.plots.maps import scatter_map
from lowdim.plots.missing import missing_map
from lowdim.plots.phases import phase_diagram
from lowdim.plots.pictures import parts
from lowdim.plots.quality import kept_neighbors, sample_shares, shepard
from lowdim.plots.signals import coefficient_decay, pyramid, rate_distortion, side_by_side
from lowdim.plots.style import PALETTE as PALETTE
from lowdim.plots.style import group_colors, house_style
from lowdim.plots.walls import (
    filled_rows,
    latent_plane,
    noise_chain,
    reconstructions,
    traversals,
    wall,
)

__all__ = [
    "attention_map",
    "biplot",
    "cluster_map",
    "coefficient_decay",
    "comparison",
    "correlation_circle",
    "curve_with_errors",
    "filled_rows",
    "group_colors",
    "house_style",
    "kept_neighbors",
    "latent_plane",
    "loadings_heatmap",
    "loss",
    "map",
    "missing_map",
    "noise_chain",
    "noise_levels",
    "parts",
    "phase_diagram",
    "pyramid",
    "rate_distortion",
    "reconstructions",
    "sample_shares",
    "scatter_map",
    "scree",
    "shepard",
    "side_by_side",
    "trace",
    "traversals",
    "voronoi_map",
    "wall",
]
