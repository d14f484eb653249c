"""How a half-step of NMF lowers its small problems, one for each row and all with one G.

minimise over z >= 0     1/2 z'Gz - p'z          for every row z of Z and p of P

"cd"     some sweeps over the coordinates                     (`hals.py`)
"bpp"    the minimiser, by block principal pivoting           (`exact.py`)
"als"    the minimiser without z >= 0, then its positive part: it may raise the objective
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from lowdim.linalg.products import dense_times
from lowdim.linear.nmf.exact import nonnegative_rows, with_ridge
from lowdim.linear.nmf.hals import Improved, descend


def pivot(
    G: np.ndarray, P: np.ndarray, Z: np.ndarray, sweeps: int, order: np.ndarray | None = None
) -> Improved:
    """The minimisers; `sweeps` and `order` are those of "cd", and not used."""
    found = nonnegative_rows(G, P, Z).astype(P.dtype)
    return Improved(found, slopes(G, P, Z))


def project(
    G: np.ndarray, P: np.ndarray, Z: np.ndarray, sweeps: int, order: np.ndarray | None = None
) -> Improved:
    """Least squares, and 0 for what is negative."""
    inverse = np.linalg.inv(with_ridge(G))
    found = np.maximum(dense_times(P.astype(np.float64, copy=False), inverse), 0.0)
    return Improved(found.astype(P.dtype), slopes(G, P, Z))


def slopes(G: np.ndarray, P: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """Sum of |projected gradient| of each row at Z."""
    return projected(P - dense_times(Z, np.ascontiguousarray(G, Z.dtype)), Z)


def projected(down: np.ndarray, Z: np.ndarray) -> np.ndarray:
    """The sum of |down| of each row, but where z = 0 would become negative."""
    allowed = np.where(Z > 0, np.abs(down), np.maximum(down, 0))
    return np.asarray(allowed.sum(axis=1, dtype=np.float64))


SOLVERS: dict[str, Callable[..., Improved]] = {"cd": descend, "bpp": pivot, "als": project}
