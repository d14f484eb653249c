"""Codes from measurements by greedy pursuit: atom by atom, where basis pursuit weighs all of them.

    omp, ols        atoms join one by one, until  |y - W U z| <= noise
    cosamp, iht     the n_nonzero largest of a better and better code

The columns of W U are brought to length 1: a pursuit goes by products with them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.sparse.min_l1.problem import rounding_of
from lowdim.sparse.pursuit.coding import Plan, code_block, prepared
from lowdim.sparse.pursuit.dictionaries import Dictionary, open_dictionary, without_gram

GREEDY = ("omp", "ols", "cosamp", "iht")
COUNTED = ("cosamp", "iht")  # need to know how many non-zeros there are
EXACT = 1e-10  # of |y|, left by a code that makes it
STEPS = 1000


class Pursuit(NamedTuple):
    """A dictionary W U for measurements, and how codes are looked for in it."""

    dictionary: Dictionary  # columns of length 1 as rows
    lengths: np.ndarray | None  # (L,) that they had
    plan: Plan


def open_pursuit(sensed: Any, algorithm: str, n_nonzero: int | None) -> Pursuit:
    """Of the matrix or operator W U (M, L); n_nonzero None: as many as it takes."""
    M, L = sensed.shape
    given = sensed.T if isinstance(sensed, np.ndarray) else sensed
    dictionary, lengths = open_dictionary(given, M), None
    most = min(M, L) if n_nonzero is None else min(n_nonzero, M, L)
    written = dictionary.may_have_gram or dictionary.basis is not None
    if algorithm != "omp" and not written:
        raise ValueError(
            f"solver={algorithm!r} needs a matrix, and {M:,} measurements of {L:,} atoms are too "
            "many to be written down; choose 'omp' or 'admm'."
        )
    plan = Plan(algorithm, most, 0.0, None, STEPS, False, sparse_output=True, warns=False)
    if dictionary.atoms is not None:
        lengths = np.linalg.norm(dictionary.atoms, axis=1)
        dictionary = prepared(without_gram(dictionary.atoms / lengths[:, None]), plan, None)
    return Pursuit(dictionary, lengths, plan)


def coded(Y: np.ndarray, pursuit: Pursuit, noise: float) -> np.ndarray:
    """Codes (n, L) of rows of measurements, each within the noise if the pursuit gets there."""
    least = max(EXACT, rounding_of(Y))
    if noise == 0.0:
        Z = _found(Y, pursuit, least)
    else:
        size = np.linalg.norm(Y.astype(np.float64), axis=1)
        share = np.divide(noise, size, out=np.ones_like(size), where=size > noise)
        Z = np.concatenate(
            [_found(Y[i : i + 1], pursuit, max(share[i], least)) for i in range(len(Y))]
        )
    return Z if pursuit.lengths is None else (Z / pursuit.lengths).astype(Y.dtype)


def _found(Y: np.ndarray, pursuit: Pursuit, max_error: float) -> np.ndarray:
    plan = pursuit.plan._replace(max_error=float(max_error))
    return np.asarray(code_block(Y, pursuit.dictionary, plan).toarray())
