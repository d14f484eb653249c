"""densMAP: rows in dense regions stay denser in the map.

    R_i = log( sum_j v_ij d_ij^2 / sum_j v_ij )              how far a row's neighbours are, in X
    r_i = log( sum_j w_ij |y_i - y_j|^2 / sum_j w_ij )       and in the map

    minimise    cross-entropy - lambda * correlation(R, r) / n * sum v    in the last epochs

The correlation's slope is a further coefficient of each edge. With phi = w_ij, Phi_i = sum_j w_ij:

    d r_i / d |y_i - y_j|^2 = phi / Phi_i [ (1 - b (1 - phi)) e^-r_i + a b d^(2b-2) phi ]
    d corr / d r_i          = (R_i - cov (r_i - mean r) / s^2) / s,   R of mean 0 and variance 1

Cost: two further looks at the edges in each of these epochs.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.kernel import kernel
from lowdim.maps.umap.curve import LONGEST, SHIFT, Curve, similarity, table_middles
from lowdim.maps.umap.layout import Edges

TINY = 1e-8  # of the mean of all: the least mean square of distances whose logarithm is taken
DIGITS = 5  # of standardised log radii: what is rounded otherwise does not matter


class Density(NamedTuple):
    """What densMAP needs beside the layout's plan."""

    R: np.ndarray  # (n,)  log radii in X, of mean 0 and variance 1
    strength: float  # lambda * sum v / (n max v)
    var_shift: float  # added to the variance of r
    phi: np.ndarray  # table of w in d^2
    bend: np.ndarray  # table of (1 - b (1 - phi))
    slope: np.ndarray  # table of a b d^(2b-2) phi


def density_of(
    graph: sp.csr_array, log_radii: np.ndarray, curve: Curve, dens_lambda: float, var_shift: float
) -> Density:
    """The constants of the layout; log radii are those of the rows of X."""
    spread = float(np.std(log_radii))
    R = (log_radii - log_radii.mean()) / (spread if spread > 0 else 1.0)
    squared = table_middles()
    phi = similarity(squared, curve)
    total = float(graph.sum()) / (graph.shape[0] * float(graph.data.max(initial=1.0)))
    return Density(
        R=np.round(R, DIGITS),
        strength=dens_lambda * total,
        var_shift=var_shift,
        phi=phi,
        bend=1.0 - curve.b * (1.0 - phi),
        slope=curve.a * curve.b * squared ** (curve.b - 1.0) * phi,
    )


def log_radii(graph: sp.csr_array, squared: np.ndarray) -> np.ndarray:
    """log of the mean squared distance of each row to its neighbours; `squared` for each edge."""
    row = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    weight = graph.data.astype(np.float64)
    sums = np.bincount(row, weight * squared, minlength=graph.shape[0])
    total = np.bincount(row, weight, minlength=graph.shape[0])
    mean = sums / np.where(total > 0, total, 1.0)
    return np.log(np.maximum(mean, max(TINY * float(mean.mean()), 1e-300)))


def edge_forces(Y: np.ndarray, edges: Edges, density: Density) -> np.ndarray:
    """The coefficients (e,) float32 by which the correlation moves y_i along y_i - y_j."""
    n = edges.n
    sums, totals = np.zeros(n), np.zeros(n)
    places = np.ascontiguousarray(Y)
    _radii(places, edges.indptr, edges.indices, density.phi, sums, totals)
    total = np.where(totals > 0, totals, 1.0)
    r = np.log(np.maximum(sums / total, TINY))
    mean, spread = r.mean(), np.sqrt(np.var(r) + density.var_shift)
    covariance = float(r @ density.R) / max(n - 1, 1)
    pull = (density.R - covariance * (r - mean) / spread**2) / spread * density.strength / total
    extra = np.empty(len(edges.indices), dtype=np.float32)
    tables = density.phi, density.bend, density.slope
    _forces(places, edges.indptr, edges.indices, *tables, np.exp(-r), pull, extra)
    return extra


@kernel
def _radii(Y, indptr, indices, phi, sums, totals):
    """sum_j w_ij d_ij^2 and sum_j w_ij of each row."""
    for i in range(Y.shape[0]):
        for edge in range(indptr[i], indptr[i + 1]):
            squared = np.float32(0.0)
            for c in range(Y.shape[1]):
                gap = Y[i, c] - Y[indices[edge], c]
                squared += gap * gap
            w = phi[np.float32(squared).view(np.uint32) >> np.uint32(SHIFT)]
            sums[i] += w * squared
            totals[i] += w


@kernel
def _forces(Y, indptr, indices, phi, bend, slope, inverse, pull, extra):
    """2 (dcorr/dr_i dr_i + dcorr/dr_j dr_j) of each edge, no longer than other forces."""
    for i in range(Y.shape[0]):
        for edge in range(indptr[i], indptr[i + 1]):
            j = indices[edge]
            squared = np.float32(0.0)
            for c in range(Y.shape[1]):
                gap = Y[i, c] - Y[j, c]
                squared += gap * gap
            place = np.float32(squared).view(np.uint32) >> np.uint32(SHIFT)
            own = pull[i] * (bend[place] * inverse[i] + slope[place])
            other = pull[j] * (bend[place] * inverse[j] + slope[place])
            force = 2.0 * phi[place] * (own + other)
            longest = LONGEST / np.sqrt(squared) if squared > 0 else 0.0
            force = longest if force > longest else force
            extra[edge] = -longest if force < -longest else force
