"""A dictionary, whatever it was given as: written down, or by its products alone."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator

from lowdim.core.numeric import numeric_array
from lowdim.linalg.products import dense_times
from lowdim.sparse.bases.making import basis
from lowdim.sparse.bases.operator import Basis
from lowdim.sparse.promises.products import as_matrix

MOST_ATOMS = 8192  # whose Gram matrix is written down
PRODUCT = 5  # what a product of all atoms with one row costs beside its share of the Gram matrix
MOST_NUMBERS = 2**26  # of atoms that are written down where only products were given


class Dictionary(NamedTuple):
    """Atoms as rows, x = z D; either they, a basis or an operator is there."""

    atoms: np.ndarray | None  # (k, d)
    gram: np.ndarray | None  # (k, k), beside atoms that are not too many
    basis: Basis | None  # orthonormal
    operator: LinearOperator | None  # (d, k)
    shape: tuple[int, int]  # (k, d)

    @property
    def may_have_gram(self) -> bool:
        """Whether a Gram matrix is there, or can be written down."""
        return self.gram is not None or (self.atoms is not None and self.shape[0] <= MOST_ATOMS)

    def correlations(self, X: np.ndarray) -> np.ndarray:
        """The products of rows with all atoms, (n, k)."""
        if self.atoms is not None:
            return dense_times(X, self.atoms.T)
        if self.basis is not None:
            return self.basis.products(X)
        assert self.operator is not None
        return np.asarray(self.operator.rmatmat(X.T).T, X.dtype)

    def some_atoms(self, index: np.ndarray) -> np.ndarray:
        """These atoms, as rows."""
        if self.atoms is not None:
            return self.atoms[index]
        codes = np.zeros((len(index), self.shape[0]))
        codes[np.arange(len(index)), index] = 1.0
        return self.signals(codes)

    def signals(self, Z: Any) -> np.ndarray:
        """Z D, (n, d), of dense or sparse codes."""
        if self.atoms is not None:
            return np.asarray(Z @ self.atoms)
        dense = Z.toarray() if sp.issparse(Z) else Z
        if self.basis is not None:
            return self.basis.synthesize(dense)
        assert self.operator is not None
        return np.asarray(self.operator.matmat(dense.T).T, dense.dtype)

    def written_down(self) -> Dictionary:
        """The same with atoms and Gram matrix; as it is, if there are too many numbers."""
        k, d = self.shape
        if self.atoms is not None or self.basis is None or k > MOST_ATOMS or k * d > MOST_NUMBERS:
            return self
        return without_gram(self.basis.matrix().T)

    def to(self, dtype: Any) -> Dictionary:
        """The same, in one kind of floating point numbers."""
        if self.atoms is None or self.atoms.dtype == dtype:
            return self
        gram = None if self.gram is None else self.gram.astype(dtype)
        return self._replace(atoms=self.atoms.astype(dtype), gram=gram)


def open_dictionary(dictionary: Any, d: int, *, gram: Any = None, check: bool = True) -> Dictionary:
    """A dictionary for signals of d numbers.

    Parameters
    ----------
    dictionary : array of shape (k, d), Basis, LinearOperator of shape (d, k), or str
        A name is that of a basis.
    d : int
        Columns of X.
    gram : array of shape (k, k), default=None
        D D', if it is known.
    check : bool, default=True
        Whether to look at the numbers of an array.
    """
    if isinstance(dictionary, str):
        dictionary = basis(dictionary, d)
    if isinstance(dictionary, LinearOperator):
        return _of_operator(dictionary, d)
    atoms = numeric_array(dictionary, "dictionary", "sparse coding")
    atoms = atoms if atoms.dtype in (np.float32, np.float64) else atoms.astype(np.float64)
    if atoms.ndim != 2 or not atoms.size:
        raise ValueError(
            f"dictionary has the shape {atoms.shape}; an array of atoms as rows is needed, with "
            "one number for each column of X."
        )
    if atoms.shape[1] != d:
        raise ValueError(
            f"Dictionary and X have different numbers of features: dictionary.shape: {atoms.shape} "
            f"X.shape: (n, {d}). Give atoms as rows; those of a Basis are its columns."
        )
    if check:
        _check_atoms(atoms)
    return without_gram(atoms) if gram is None else of_atoms(atoms, gram)


def of_atoms(atoms: np.ndarray, gram: Any = None) -> Dictionary:
    """Atoms as rows, with their Gram matrix, unless there are too many."""
    atoms = np.ascontiguousarray(atoms)
    k = len(atoms)
    if k > MOST_ATOMS and gram is None:
        return without_gram(atoms)
    gram = atoms @ atoms.T if gram is None else _checked_gram(gram, k, atoms.dtype)
    return Dictionary(atoms, gram, None, None, atoms.shape)


def without_gram(atoms: np.ndarray) -> Dictionary:
    """Atoms as rows, without a Gram matrix."""
    return Dictionary(atoms, None, None, None, atoms.shape)


def gram_pays(n: int, n_nonzero: int, k: int) -> bool:
    """Whether codes of n rows by orthogonal matching pursuit are quicker with a Gram matrix."""
    return PRODUCT * n * n_nonzero > k


def _of_operator(U: LinearOperator, d: int) -> Dictionary:
    if U.shape[0] != d:
        raise ValueError(
            f"Dictionary and X have different numbers of features: the dictionary, of shape "
            f"{U.shape}, makes signals of {U.shape[0]:,} numbers, X has {d:,} columns."
        )
    k = U.shape[1]
    if isinstance(U, Basis) and U.orthonormal:
        return Dictionary(None, None, U, None, (k, d))
    if k <= MOST_ATOMS and k * d <= MOST_NUMBERS:
        atoms = np.ascontiguousarray(as_matrix(U).T)
        _check_atoms(atoms)
        return without_gram(atoms)
    return Dictionary(None, None, None, U, (k, d))


def _check_atoms(atoms: np.ndarray) -> None:
    largest = np.maximum(atoms.max(axis=1), -atoms.min(axis=1))
    if not np.isfinite(largest).all():
        j = int(np.argmax(~np.isfinite(largest)))
        raise ValueError(f"dictionary contains NaN or infinity (in atom {j}); atoms are complete.")
    if (largest == 0).any():
        raise ValueError(
            f"dictionary has {np.count_nonzero(largest == 0)} of {len(atoms)} atoms that are all "
            f"0 (first: {int(np.argmax(largest == 0))}); they make no signal. Drop them."
        )


def _checked_gram(gram: Any, k: int, dtype: np.dtype) -> np.ndarray:
    gram = numeric_array(gram, "gram", "sparse coding")
    if gram.shape != (k, k):
        raise ValueError(f"gram has the shape {gram.shape}; {k} atoms need ({k}, {k}).")
    return np.ascontiguousarray(gram, dtype)
