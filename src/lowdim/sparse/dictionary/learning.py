"""The half of dictionary learning that codes the rows, and what both halves need of them.

    minimise over z     1/2 |x - z D|^2 + alpha |z|_1           the lasso, or
                        1/2 |x - z D|^2 with s non-zeros        orthogonal matching pursuit

A pass over the rows codes each block and adds up what the atoms follow from (`atoms.py`); the codes
themselves are forgotten. An atom that no row uses becomes the row that is coded worst.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.core.blocks import Blocks
from lowdim.core.threads import shared_map
from lowdim.linalg.moments import unit_for
from lowdim.linalg.products import dense_times
from lowdim.sparse.dictionary.atoms import Sums, rest_of_codes, squared_error, sums_of_codes
from lowdim.sparse.pursuit.greedy import Chosen, joined_choices, pursued, rows_at_a_time
from lowdim.sparse.pursuit.lasso import followed

ALIKE = 0.99  # |cos| of two atoms that are one
WORTH_A_THREAD = 2**15  # atoms, counted again for each row
RUN = 256  # rows that are compared with each other at a time
MORE = 64  # rows that are looked at beyond four for each atom, since some are alike


class Coder(NamedTuple):
    """How rows are coded while atoms are learnt."""

    alpha: float | None  # the price of |z|_1; None means matching pursuit
    n_nonzero: int  # of matching pursuit
    positive: bool = False

    def codes(self, X: np.ndarray, atoms: np.ndarray, gram: np.ndarray) -> Chosen:
        """Codes of rows X (n, d), some at a time, on our threads."""
        n, k = len(X), len(atoms)
        size = max(rows_at_a_time(n, min(self.n_nonzero or k, k), k), WORTH_A_THREAD // k)
        gram = np.require(gram, requirements=["C", "W"])

        def work(start: int) -> Chosen:
            return self._chosen(X[start : start + size], atoms, gram).cut()

        return joined_choices(shared_map(work, range(0, n, size)))

    def _chosen(self, X: np.ndarray, atoms: np.ndarray, gram: np.ndarray) -> Chosen:
        products = np.require(X @ atoms.T, gram.dtype, ["C", "W"])
        if self.alpha is None:
            squares, never = squares_of(X).astype(gram.dtype), np.full(len(X), -1.0, gram.dtype)
            return pursued(gram, products, squares, never, self.n_nonzero)[0]
        alpha = np.full(len(X), self.alpha, gram.dtype)
        return followed(gram, products, alpha, positive=self.positive)[0]

    def in_unit(self, unit: float) -> Coder:
        """The same for rows that are measured in this unit."""
        return self if self.alpha is None else self._replace(alpha=self.alpha / unit)

    def cost(self, sums: Sums, atoms: np.ndarray) -> float:
        """What is minimised, summed over the rows."""
        return self.total(squared_error(sums, atoms), sums.absolute)

    def total(self, squared_error: float, absolute: float) -> float:
        """What is minimised, of rows with this sum of |x - z D|^2 and this one of |z|_1."""
        priced = 0.0 if self.alpha is None else self.alpha * absolute
        return 0.5 * squared_error + priced


def gram_of(atoms: np.ndarray) -> np.ndarray:
    """D D', in the dtype of the atoms; an atom of all 0 has length 1 in it, and is never chosen."""
    gram = dense_times(atoms, atoms.T)
    gram[np.diag_indices(len(gram))] += np.diagonal(gram) == 0
    return gram


def squares_of(X: np.ndarray) -> np.ndarray:
    """|x|^2 of each row."""
    return np.einsum("if,if->i", X, X)


def statistics(
    X: np.ndarray, atoms: np.ndarray, gram: np.ndarray, coder: Coder, weight: np.ndarray | None
) -> Sums:
    """What one block of rows adds up."""
    return sums_of_codes(X, coder.codes(X, atoms, gram), weight)


def errors(
    X: np.ndarray, atoms: np.ndarray, gram: np.ndarray, coder: Coder, weight: np.ndarray | None
) -> np.ndarray:
    """|x - z D|^2 of each row of a block; 0 for rows that do not count."""
    left = squares_of(rest_of_codes(X, coder.codes(X, atoms, gram), atoms))
    return left if weight is None else np.where(weight > 0, left, 0.0)


# ---- atoms that are used by no row ---------------------------------------------------------------


def replaced(
    rows: Blocks,
    weight: np.ndarray | None,
    atoms: np.ndarray,
    which: np.ndarray,
    coder: Coder,
    positive: bool = False,
) -> np.ndarray:
    """Atoms, with those of these numbers replaced by the rows that are coded worst."""
    n = min(4 * len(which) + MORE, rows.shape[0])
    worst = rows.top(errors, n, atoms, gram_of(atoms), coder, along=(weight,))
    found = np.asarray(worst.rows)[worst.score > 0]
    found = np.maximum(found, 0.0) if positive else found
    new = distinct_rows(found, np.delete(atoms, which, axis=0), len(which))
    atoms = atoms.copy()
    atoms[which[: len(new)]] = new
    return atoms


def distinct_rows(candidates: np.ndarray, atoms: np.ndarray, most: int) -> np.ndarray:
    """The first rows that are like no atom and like no row before them, of length 1, (m, d)."""
    sizes = np.linalg.norm(candidates, axis=1)
    U = candidates[sizes > 0] / sizes[sizes > 0, None]
    U = U[(np.abs(U @ _unit(atoms).T) <= ALIKE).all(axis=1)]
    chosen = U[:0]
    for start in range(0, len(U), RUN):  # most runs have no rows that are alike
        run = U[start : start + RUN]
        run = run[(np.abs(run @ chosen.T) <= ALIKE).all(axis=1)]
        alike = np.tril(np.abs(run @ run.T) > ALIKE, -1)
        stays = np.ones(len(run), bool)
        for i in np.flatnonzero(alike.any(axis=1)):
            stays[i] = not alike[i, stays].any()
        chosen = np.concatenate([chosen, run[stays]])[:most]
        if len(chosen) == most:
            break
    return chosen


def _unit(atoms: np.ndarray) -> np.ndarray:
    sizes = np.linalg.norm(atoms, axis=1, keepdims=True)
    return np.divide(atoms, sizes, out=np.zeros_like(atoms), where=sizes > 0)


# ---- units ---------------------------------------------------------------------------------------


def unit_of(rows: Blocks) -> float:
    """A power of two near the largest entry if squares could overflow or vanish, else 1."""
    return unit_for(float(rows.top(_largest, 1).score[0]), rows.dtype)


def in_unit(X: np.ndarray, unit: float) -> np.ndarray:
    """X / unit."""
    return X / X.dtype.type(unit)


def measured(rows: Blocks, unit: float) -> Blocks:
    """The rows in this unit."""
    return rows if unit == 1.0 else rows.seen(in_unit, unit)


def _largest(X: np.ndarray) -> np.ndarray:
    """The largest |x| of all, for each row: that of its own takes ten times as long."""
    return np.full(len(X), np.fmax(np.fmax.reduce(X, axis=None), -np.fmin.reduce(X, axis=None)))
