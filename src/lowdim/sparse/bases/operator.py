"""`Basis`: a dictionary U that makes signals of codes, x = U z, without being written down.

    synthesize    X = Z U'        rows of codes to rows of signals
    analyze       a code of each signal, of least length: synthesize(analyze(X)) is X
    matvec        U z
    rmatvec       U'x             the exact adjoint, whatever `analyze` does

In an orthonormal basis `analyze` is the adjoint; in a basis that is not (biorthogonal wavelets) it
is the inverse; where there are more atoms than numbers in a signal it is the pseudo-inverse.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from scipy.sparse.linalg import LinearOperator, cg

from lowdim.core.estimator import SameBits
from lowdim.core.numeric import numeric_array

LARGEST_MATRIX = 2**28  # numbers that `matrix` writes down
SMALL = 2**22  # numbers: of smaller ones the pseudo-inverse is found at once
SOLVED, NOT_SPANNED, MOST_STEPS = 1e-13, 1e-8, 2000  # of conjugate gradients


class Basis(SameBits, LinearOperator):
    """A dictionary of L atoms for signals of D numbers: an operator of shape (D, L).

    Attributes
    ----------
    kind : str
        What it is called.
    signal_shape : tuple of int
        (D,) of a signal, (h, w) of a picture.
    orthonormal : bool
        Whether U'U = U U' = 1.
    tight : float or None
        The number c with U U' = c, if there is one.
    """

    def __init__(
        self,
        kind: str,
        signal_shape: tuple[int, ...],
        n_atoms: int,
        *,
        orthonormal: bool = False,
        tight: float | None = None,
    ):
        self.kind, self.signal_shape = kind, signal_shape
        self.orthonormal, self.tight = orthonormal, 1.0 if orthonormal else tight
        super().__init__(np.dtype(np.float64), (int(np.prod(signal_shape)), n_atoms))

    # ---- what a kind of basis says ---------------------------------------------------------------

    @abstractmethod
    def _signals(self, Z: np.ndarray) -> np.ndarray:
        """(n, L) -> (n, *signal_shape)"""

    @abstractmethod
    def _products(self, X: np.ndarray) -> np.ndarray:
        """(n, *signal_shape) -> (n, L): x'u with every atom."""

    def _codes(self, X: np.ndarray) -> np.ndarray:
        """(n, *signal_shape) -> (n, L): codes of least length."""
        if self.tight is not None:
            return self._products(X) / X.dtype.type(self.tight)
        if self.shape[0] * self.shape[1] <= SMALL:
            return self._least(X)
        return self._products(self._solved(X))

    def _least(self, X: np.ndarray) -> np.ndarray:
        """Codes of least length from all atoms, written down."""
        U = self.matrix()
        R = X.astype(np.float64).reshape(len(X), -1)
        Z = np.linalg.lstsq(U, R.T, rcond=None)[0].T
        left = np.linalg.norm(R - Z @ U.T, axis=1)
        for i in np.flatnonzero(~(left <= NOT_SPANNED * np.linalg.norm(R, axis=1))):
            self._refuse(int(i))
        return Z.astype(X.dtype)

    def _solved(self, X: np.ndarray) -> np.ndarray:
        """(U U')^-1 x of each signal, by conjugate gradients: U'y is then the code."""
        Y = np.empty(X.shape, np.float64)
        D = self.shape[0]

        def gram(y: np.ndarray) -> np.ndarray:
            return self._signals(self._products(y.reshape(1, *self.signal_shape))).reshape(D)

        operator = LinearOperator((D, D), matvec=gram, dtype=np.float64)
        for i, x in enumerate(X.astype(np.float64).reshape(len(X), D)):
            with np.errstate(divide="ignore", invalid="ignore"):  # where U U' is singular
                y, _ = cg(operator, x, rtol=SOLVED, atol=0.0, maxiter=MOST_STEPS)
                left = np.linalg.norm(x - gram(y))
            if not left <= NOT_SPANNED * np.linalg.norm(x):
                self._refuse(i)
            Y[i] = y.reshape(self.signal_shape)
        return Y.astype(X.dtype)

    def _refuse(self, i: int) -> None:
        raise ValueError(
            f"The atoms of this {self.kind} dictionary do not span all signals: signal {i} "
            "is no sum of them. Add atoms, for instance with "
            "lowdim.sparse.union(dictionary, lowdim.sparse.basis('identity', shape))."
        )

    # ---- rows ------------------------------------------------------------------------------------

    def synthesize(self, Z: Any) -> np.ndarray:
        """The signals (n, D) of codes (n, L); one signal (D,) of one code (L,)."""
        Z, alone = self._rows("Z", Z, self.shape[1])
        X = self._signals(Z).reshape(len(Z), self.shape[0])
        return X[0] if alone else X

    def analyze(self, X: Any) -> np.ndarray:
        """The codes (n, L) of signals (n, D), of least length; one code of one signal."""
        X, alone = self._rows("X", X, self.shape[0])
        Z = self._codes(X.reshape(len(X), *self.signal_shape)).reshape(len(X), self.shape[1])
        return Z[0] if alone else Z

    def products(self, X: Any) -> np.ndarray:
        """X U (n, L): the products of signals (n, D) with all atoms."""
        X, alone = self._rows("X", X, self.shape[0])
        Z = self._products(X.reshape(len(X), *self.signal_shape)).reshape(len(X), self.shape[1])
        return Z[0] if alone else Z

    def matrix(self) -> np.ndarray:
        """The atoms, written down as the columns of an array (D, L)."""
        D, L = self.shape
        if D * L > LARGEST_MATRIX:
            raise ValueError(
                f"The matrix of this basis would have {D:,} x {L:,} numbers; use it as an operator "
                "(U @ z, U.rmatvec(x), analyze, synthesize)."
            )
        if D < L:
            return np.ascontiguousarray(self.products(np.eye(D)))
        return np.ascontiguousarray(self.synthesize(np.eye(L)).T)

    def _rows(self, name: str, A: Any, width: int) -> tuple[np.ndarray, bool]:
        """(n, width) of one kind of floating point numbers, and whether it was a single row."""
        A = np.asarray(numeric_array(A, name, type(self).__name__))
        A = A if A.dtype in (np.float32, np.float64) else A.astype(np.float64)
        if A.ndim not in (1, 2) or A.shape[-1] != width:
            raise ValueError(
                f"{name} has the shape {A.shape}; rows of {width:,} numbers are needed, as this "
                f"basis is of shape {self.shape}."
            )
        return np.atleast_2d(A), A.ndim == 1

    # ---- as an operator --------------------------------------------------------------------------

    def _matvec(self, z: np.ndarray) -> np.ndarray:
        return self.synthesize(np.asarray(z, self.dtype).reshape(-1))

    def _rmatvec(self, x: np.ndarray) -> np.ndarray:
        return self.products(np.asarray(x, self.dtype).reshape(-1))

    def _matmat(self, Z: np.ndarray) -> np.ndarray:
        return self.synthesize(np.asarray(Z, self.dtype).T).T

    def _rmatmat(self, X: np.ndarray) -> np.ndarray:
        return self.products(np.asarray(X, self.dtype).T).T

    def __repr__(self) -> str:
        D, L = self.shape
        size = " x ".join(map(str, self.signal_shape))
        how = "orthonormal" if self.orthonormal else f"{L / D:.3g} times as many atoms as numbers"
        return f"<Basis {self.kind}: {L:,} atoms for signals of {size}, {how}>"
