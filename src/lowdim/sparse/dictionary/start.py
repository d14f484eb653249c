"""The first atoms.

    principal    right singular vectors of X; where more atoms are asked for, rows at random
    random       directions, all equally likely                        (the notes' A)
    data         rows at random                                        (B)
    dct          cosines of a signal of d numbers                      (C)

All of length 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from lowdim.core.blocks import Blocks
from lowdim.linalg.subspace import leading_directions
from lowdim.sparse.bases.axes import cosine_atoms
from lowdim.sparse.dictionary.learning import MORE, distinct_rows

FOR_SCATTER = 2048  # columns: of more, only the leading directions are found
PIECE = 2048  # rows that are held in float64
LOTS = 1e4  # cosines that differ by less than one in so many draw unlike lots


def principal_atoms(
    rows: Blocks, weight: np.ndarray | None, k: int, random: np.random.Generator
) -> np.ndarray:
    """Right singular vectors (k, d), the largest singular value first, then rows at random."""
    d = rows.n_columns
    few = min(k, d)

    def gram_times(Q: np.ndarray) -> np.ndarray:
        return np.asarray(rows.fold(_scatter_times, Q.astype(rows.dtype), along=(weight,)))

    if d <= FOR_SCATTER:
        squares, V = np.linalg.eigh(rows.fold(_scatter, along=(weight,)))
        squares, V = squares[::-1][:few], V[:, ::-1][:, :few]
        V = V * np.where(V[np.abs(V).argmax(axis=0), np.arange(few)] < 0, -1.0, 1.0)
    else:
        squares, V = leading_directions(gram_times, d, few, random)
    V = V[:, squares > np.finfo(rows.dtype).eps * max(squares[0], 0.0)]
    return _with_rows(V.T.astype(rows.dtype), rows, weight, k, random)


def data_atoms(
    rows: Blocks, weight: np.ndarray | None, k: int, random: np.random.Generator
) -> np.ndarray:
    """Different rows at random, (k, d); directions at random where there are too few."""
    return _with_rows(np.zeros((0, rows.n_columns), rows.dtype), rows, weight, k, random)


def random_atoms(k: int, d: int, random: np.random.Generator) -> np.ndarray:
    """Directions, all equally likely, (k, d)."""
    U = random.normal(size=(k, d))
    return np.asarray(U / np.linalg.norm(U, axis=1, keepdims=True))


def cosines(k: int, d: int) -> np.ndarray:
    """The discrete cosine transform of d numbers, overcomplete where k > d, (k, d)."""
    return np.asarray(cosine_atoms(d, max(k, d)).T[:k])


def _with_rows(
    atoms: np.ndarray, rows: Blocks, weight: np.ndarray | None, k: int, random: np.random.Generator
) -> np.ndarray:
    """Atoms, and rows at random until there are k."""
    lacking = k - len(atoms)
    if lacking > 0:
        direction = random.normal(size=rows.n_columns)
        n = min(4 * lacking + MORE, rows.shape[0])
        drawn = rows.top(_lot, n, direction, along=(weight,))
        found = np.asarray(drawn.rows)[drawn.score >= 0]
        found = distinct_rows(np.where(np.isnan(found), 0.0, found), atoms, lacking)
        atoms = np.concatenate([atoms, found.astype(rows.dtype)])
    if len(atoms) < k:
        more = random_atoms(k - len(atoms), rows.n_columns, random)
        atoms = np.concatenate([atoms, more.astype(rows.dtype)])
    return atoms


def given_atoms(dict_init: Any, k: int, d: int, dtype: Any) -> np.ndarray:
    """What the user gave, checked: (k, d)."""
    atoms = np.array(dict_init, dtype=dtype)
    if atoms.shape != (k, d):
        raise ValueError(
            f"dict_init has shape {atoms.shape}; ({k}, {d}) is needed: n_components atoms (rows), "
            "each as long as a row of X."
        )
    if not np.isfinite(atoms).all():
        raise ValueError("dict_init has NaN or infinite entries; atoms must be finite.")
    return atoms


def _lot(X: np.ndarray, direction: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    """A number from 0 to 1 for each row, as if at random, that depends on where it points alone.

    So rows are drawn alike wherever they stand, and however often; -1 for those not to be drawn.
    """
    direction = direction / np.linalg.norm(direction)
    parts = []
    for _, P in _pieces(X):
        P = np.where(np.isnan(P), 0.0, P) if np.isnan(P).any() else P
        parts.append((P @ direction, np.sqrt(np.einsum("if,if->i", P, P))))
    products, sizes = (np.concatenate(part) for part in zip(*parts, strict=True))
    cosine = products / np.where(sizes > 0, sizes, 1.0)
    drawn = sizes > 0 if weight is None else (sizes > 0) & (weight > 0)
    return np.where(drawn, (LOTS * cosine) % 1.0, -1.0)


# ---- what a block adds up ------------------------------------------------------------------------


def _scatter(X: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    total = np.zeros((X.shape[1], X.shape[1]))
    for rows, P in _pieces(X):
        total += P.T @ (P if weight is None else P * weight[rows, None])
    return total


def _pieces(X: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """A block in float64, some rows at a time: it may have been large already."""
    for start in range(0, len(X), PIECE):
        rows = slice(start, start + PIECE)
        yield rows, X[rows].astype(np.float64, copy=False)


def _scatter_times(X: np.ndarray, Q: np.ndarray, weight: np.ndarray | None) -> np.ndarray:
    Y = X @ Q
    return X.T @ (Y if weight is None else Y * weight[:, None].astype(Y.dtype))
