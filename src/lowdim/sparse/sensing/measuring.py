"""What is measured: y = W x, fewer numbers than the signal has.

    gaussian, bernoulli     W is drawn: normal numbers, or signs
    dct, dft, pixels        random rows of an orthonormal basis, never written down

Entries have mean square 1/M, so that |W x|^2 is |x|^2 on average, as restricted isometry wants it.
W W' = D/M for rows of a basis. W itself is random in all directions: in any orthonormal basis U
the atoms W U of a Gaussian W are Gaussian again.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator

from lowdim.core.estimator import SameBits
from lowdim.core.random import random_generator
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_most, check_choice
from lowdim.linalg.products import dense_times
from lowdim.sparse.bases.making import basis
from lowdim.sparse.bases.operator import LARGEST_MATRIX, Basis
from lowdim.sparse.bases.shapes import checked_shape

DRAWN = ("gaussian", "bernoulli")
ROWS = {"dct": "dct", "dft": "dft", "pixels": "identity"}
KINDS = (*DRAWN, *ROWS)


@single_threaded_blas()
def measurement(kind, m, shape, *, random_state=None):
    """Random measurements of a signal, as an operator: y = W x.

    Parameters
    ----------
    kind : {'gaussian', 'bernoulli', 'dct', 'dft', 'pixels'}
        Normal numbers, random signs, or random rows of a basis: cosines, waves, single numbers. The
        last three need no memory and are fast.
    m : int
        How many measurements M, at most D.
    shape : int or (int, int)
        The length of a signal, or the height and width of a picture.
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    Measurement
        A `scipy.sparse.linalg.LinearOperator` of shape (M, D) whose entries have mean square 1/M,
        with `measure(X)` for rows of signals.

    See Also
    --------
    measurements_needed : how many are enough.
    CompressiveSensing : measures and reconstructs.

    Examples
    --------
    >>> from lowdim import sparse
    >>> W = sparse.measurement("dct", 16, 64, random_state=0)
    >>> W.shape, round(float((W @ W.T.matmat(__import__("numpy").eye(16)))[0, 0]), 6)
    ((16, 64), 4.0)
    """
    check_choice("kind", kind, KINDS)
    size = checked_shape(shape)
    D = int(np.prod(size))
    m = check_at_most("m", m, D, "numbers of a signal")
    random = random_generator(random_state)
    if kind in ROWS:
        return Measurement(kind, size, chosen=np.sort(random.choice(D, m, replace=False)))
    if m * D > LARGEST_MATRIX:
        raise ValueError(
            f"kind={kind!r} would need {m:,} x {D:,} random numbers; 'dct', 'dft' and 'pixels' "
            "need no memory."
        )
    normal = random.standard_normal((m, D))
    W = normal if kind == "gaussian" else np.sign(normal)
    return Measurement(kind, size, matrix=W / np.sqrt(m))


class Measurement(SameBits, LinearOperator):
    """M measurements of signals of D numbers: an operator W of shape (M, D).

    Attributes
    ----------
    kind : str
    signal_shape : tuple of int
    chosen : ndarray of shape (M,) or None
        The rows of the basis that are measured.
    """

    def __init__(
        self,
        kind: str,
        signal_shape: tuple[int, ...],
        *,
        matrix: np.ndarray | None = None,
        chosen: np.ndarray | None = None,
    ):
        self.kind, self.signal_shape, self.chosen = kind, signal_shape, chosen
        self._W = matrix
        self._basis: Basis | None = None
        m = len(matrix if matrix is not None else chosen)  # type: ignore[arg-type]
        D = int(np.prod(signal_shape))
        if chosen is not None:
            self._basis = basis(ROWS[kind], signal_shape)
            self._scale = float(np.sqrt(D / m))
        super().__init__(np.dtype(np.float64), (m, D))

    def measure(self, X: np.ndarray) -> np.ndarray:
        """X W' (n, M): the measurements of rows of signals (n, D)."""
        if self._W is not None:
            return dense_times(X, np.ascontiguousarray(self._W.T.astype(X.dtype, copy=False)))
        return np.asarray(self.whole(X)[:, self.chosen] * X.dtype.type(self._scale))

    def whole(self, X: np.ndarray) -> np.ndarray:
        """Products (n, D) of rows of signals with all rows of the basis that is measured in."""
        assert self._basis is not None
        return X if self.kind == "pixels" else np.asarray(self._basis.products(X))

    def back(self, Y: np.ndarray) -> np.ndarray:
        """Y W (n, D): the adjoint, of rows of measurements (n, M)."""
        if self._W is not None:
            return dense_times(Y, self._W.astype(Y.dtype, copy=False))
        assert self._basis is not None
        Z = np.zeros((len(Y), self.shape[1]), Y.dtype)
        Z[:, self.chosen] = Y * Y.dtype.type(self._scale)
        return Z if self.kind == "pixels" else self._basis.synthesize(Z)

    def matrix(self) -> np.ndarray:
        """W, written down."""
        return self._W.copy() if self._W is not None else self.back(np.eye(self.shape[0]))

    def _matvec(self, x: np.ndarray) -> np.ndarray:
        return self.measure(np.asarray(x, self.dtype).reshape(1, -1))[0]

    def _rmatvec(self, y: np.ndarray) -> np.ndarray:
        return self.back(np.asarray(y, self.dtype).reshape(1, -1))[0]

    def _matmat(self, X: np.ndarray) -> np.ndarray:
        return self.measure(np.ascontiguousarray(np.asarray(X, self.dtype).T)).T

    def _rmatmat(self, Y: np.ndarray) -> np.ndarray:
        return self.back(np.ascontiguousarray(np.asarray(Y, self.dtype).T)).T

    def __repr__(self) -> str:
        M, D = self.shape
        return f"<Measurement {self.kind}: {M:,} of {D:,} numbers>"


class Sensed(SameBits, LinearOperator):
    """W U (M, L): what is measured of each atom."""

    def __init__(self, W: Measurement, U: Basis):
        self._W, self._U = W, U
        super().__init__(np.dtype(np.float64), (W.shape[0], U.shape[1]))

    def _matvec(self, z: np.ndarray) -> np.ndarray:
        return self._matmat(np.reshape(z, (-1, 1)))[:, 0]

    def _rmatvec(self, y: np.ndarray) -> np.ndarray:
        return self._rmatmat(np.reshape(y, (-1, 1)))[:, 0]

    def _matmat(self, Z: np.ndarray) -> np.ndarray:
        return self._W.measure(self._U.synthesize(np.asarray(Z, self.dtype).T)).T

    def _rmatmat(self, Y: np.ndarray) -> np.ndarray:
        return self._U.products(self._W.back(np.ascontiguousarray(np.asarray(Y, self.dtype).T))).T


def sensed(W: Measurement, U: Basis) -> Any:
    """W U: a matrix where W is one, else an operator."""
    return U.products(W.matrix()) if W.chosen is None else Sensed(W, U)
