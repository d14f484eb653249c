"""What pushes the points of a map apart: all pairs, by one of three ways to sum them up.

"auto"         the field on a mesh, direct sums for few points
"fft"          the field on a mesh (`maps/field`)
"barnes_hut"   a tree of cells (`tree.py`)
"exact"        direct sums over all pairs
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.maps.field import Field
from lowdim.maps.field.mesh import SPACING
from lowdim.maps.tsne.tree import tree_sums

WAYS = {"auto": "auto", "fft": "mesh", "exact": "direct"}
FINE = 0.2  # spacing of the mesh where a divergence is reported


class Push(NamedTuple):
    """phi's gradients at the points (n, axes), and Z = sum over pairs of w_ij."""

    gradients: np.ndarray
    Z: float


def repulsion(
    Y: np.ndarray,
    method: str,
    dof: float,
    angle: float = 0.5,
    *,
    fine: bool = False,
) -> Push:
    """Sums over all pairs of a map.

    Parameters
    ----------
    Y : array of shape (n, axes), float32
    method : "auto", "fft", "barnes_hut" or "exact"
    dof : float
        Degrees of freedom of Student's kernel w = (1 + d^2 / dof)^(-(dof + 1) / 2).
    angle : float
        For "barnes_hut".
    fine : bool
        A finer mesh, if it is one.
    """
    if method == "barnes_hut" and angle > 0:
        values, gradients = tree_sums(Y, dof, angle)
        own = 1.0
    else:
        way = WAYS.get(method, "direct")
        spacing = FINE if fine else SPACING
        field = Field(Y, dof=dof, method=way, spacing=spacing)
        values, gradients = field.at(Y)
        own = field.own
    Z = float(values.sum(dtype=np.float64)) - own * len(Y)
    return Push(gradients, max(Z, float(np.finfo(np.float64).tiny)))
