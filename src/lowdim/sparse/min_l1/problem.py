"""A dictionary with weights, and what a dual vector proves.

    primal    min over z  sum_j w_j |z_j|         with  |x - U z| <= noise
    dual      max over y  x'y - noise |y|         with  |u_j'y| <= w_j for all atoms

Every y that keeps its bounds proves that no code costs less than x'y - noise |y|. The gap is what a
code costs more than that.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from lowdim.core.numeric import numeric_array
from lowdim.core.sparse import checked_sparse
from lowdim.sparse.bases.operator import Basis
from lowdim.sparse.promises.products import as_matrix

WRITTEN_DOWN = 2**22  # numbers of an operator that is taken as a matrix
SAFE = 1e10  # atoms of larger or smaller numbers are brought to 1: powers of them stay numbers
SPANNED = 1e-9  # of |x|, that rounding leaves of a signal


class BasisPursuit(NamedTuple):
    """The code of least cost, and the proof."""

    coef: np.ndarray  # (L,)
    dual: np.ndarray  # (D,)  |U'dual| <= weights
    gap: float  # sum w|coef| less what `dual` proves; infinity where coef misses x
    n_iter: int
    solver: str


class Problem:
    """A dictionary U (D, L) with a positive weight for each atom, checked."""

    def __init__(self, U: Any, weights: Any = None):
        self.rounding = rounding_of(U)  # of signals, relative to their length
        self.matrix: np.ndarray | None
        self.operator: LinearOperator | None
        if sp.issparse(U):
            U = aslinearoperator(checked_sparse(U, "U").astype(np.float64))
        if isinstance(U, LinearOperator):
            if 0 in U.shape:
                raise ValueError(f"U has the shape {U.shape}; it must have atoms.")
            small = U.shape[0] * U.shape[1] <= WRITTEN_DOWN
            self.operator = U
            self.matrix = as_matrix(U) if small else None
        else:
            self.operator = None
            self.matrix = as_matrix(U)
        self.shape: tuple[int, int] = tuple(U.shape if self.matrix is None else self.matrix.shape)
        self.unit = 1.0  # U is kept divided by it
        self.solved: Any = (
            None  # for `support.only_code`: how to solve for the code, if there is one
        )
        if self.matrix is not None:
            self._check_atoms(self.matrix)
        self.weights = self._checked_weights(weights)

    def _check_atoms(self, A: np.ndarray) -> None:
        largest = np.maximum(A.max(axis=0), -A.min(axis=0))
        if not np.isfinite(largest).all():
            raise ValueError("U has NaN or infinity; atoms must be finite.")
        if not largest.all():
            raise ValueError(
                f"Atom {int(np.argmin(largest))} of U is zero; leave it out: it explains nothing."
            )
        if largest.max() > SAFE or largest.max() < 1 / SAFE:
            self.unit = float(largest.max())
            self.matrix, self.operator = A / self.unit, None

    def _checked_weights(self, weights: Any) -> np.ndarray:
        L = self.shape[1]
        if weights is None:
            return np.ones(L)
        w = np.asarray(numeric_array(weights, "weights", "basis_pursuit"), np.float64)
        if w.shape != (L,):
            raise ValueError(f"weights have the shape {w.shape}; U has {L} atoms, one for each.")
        if not (np.isfinite(w).all() and w.min() > 0):
            j = int(np.argmin(np.where(np.isfinite(w), w, -np.inf)))
            raise ValueError(
                f"weights[{j}]={w[j]:g}; weights must be positive and finite. Leave out atoms that "
                "must not be used; give a small weight to those that cost little."
            )
        return w

    def signal(self, x: Any) -> np.ndarray:
        """x as an array of D finite numbers."""
        D = self.shape[0]
        x = np.asarray(numeric_array(x, "x", "basis_pursuit"), np.float64)
        if x.shape != (D,):
            raise ValueError(f"x has the shape {x.shape}; U makes signals of {D} numbers.")
        if not np.isfinite(x).all():
            raise ValueError(
                f"x has NaN or infinity (first: number {int(np.argmin(np.isfinite(x)))}). Where "
                "numbers are missing, leave out these rows of U and x."
            )
        return x

    def times(self, z: np.ndarray) -> np.ndarray:
        """U z"""
        if self._fast is not None:
            return np.asarray(self._fast.matvec(z))
        assert self.matrix is not None
        return np.asarray(self.matrix @ z)

    def products(self, y: np.ndarray) -> np.ndarray:
        """U'y"""
        if self._fast is not None:
            return np.asarray(self._fast.rmatvec(y))
        assert self.matrix is not None
        return np.asarray(y @ self.matrix)

    @property
    def _fast(self) -> LinearOperator | None:
        """The operator, where there is no matrix or a transform is quicker than one."""
        if self.matrix is None or isinstance(self.operator, Basis):
            return self.operator
        return None

    def atoms(self, chosen: np.ndarray) -> np.ndarray:
        """The atoms (D, k) as columns."""
        if self.matrix is not None:
            return np.asarray(self.matrix[:, chosen])
        assert self.operator is not None
        codes = np.zeros((self.shape[1], len(chosen)))
        codes[chosen, np.arange(len(chosen))] = 1.0
        return np.asarray(self.operator.matmat(codes))

    def proved(
        self, x: np.ndarray, noise: float, z: np.ndarray, y: np.ndarray
    ) -> tuple[np.ndarray, float]:
        """y within its bounds, and the gap; infinity if U z misses x by more than the noise."""
        largest = float(np.max(np.abs(self.products(y)) / self.weights))
        y = y / max(largest, 1.0)
        left = float(np.linalg.norm(x - self.times(z)))
        if left > noise + SPANNED * float(np.linalg.norm(x)):
            return y, np.inf
        return y, float(self.weights @ np.abs(z) - (x @ y - noise * np.linalg.norm(y)))


def rounding_of(*arrays: Any) -> float:
    """How well numbers are known that came in float32 or less; 0 for others."""
    dtypes = [np.dtype(getattr(A, "dtype", None) or np.float64) for A in arrays]
    short = [d for d in dtypes if d.kind == "f" and d.itemsize < np.dtype(np.float64).itemsize]
    return float(max((np.finfo(d).eps for d in short), default=0.0))


class OutsideError(Exception):
    """No sum of atoms is near enough to x: the nearest one misses it by `left`."""

    def __init__(self, left: float):
        self.left = left
        super().__init__(f"x is missed by {left:g}")

    def explained(self, x: np.ndarray, noise: float, size: float) -> ValueError:
        """In words, for the signal that was given: x and the noise times their size."""
        left, noise = self.left * size, noise * size
        what = f"Choose noise={1.01 * left:.3g} or more, or add atoms."
        if noise == 0.0:
            return ValueError(
                f"x is no sum of the atoms of U: the nearest one misses it by {left:.3g} (|x| is "
                f"{np.linalg.norm(x) * size:.3g}). {what}"
            )
        return ValueError(
            f"noise={noise:.3g} is too small: the nearest sum of atoms misses x by {left:.3g}. "
            f"{what}"
        )
