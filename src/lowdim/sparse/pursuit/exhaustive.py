"""The best code with s non-zeros, by looking at all sets of s atoms, where these are few.

    minimise over z     |x - z D|^2     with s non-zeros

A pursuit adds one atom after the other, and misses codes of atoms that have much in common: two
planes that meet are each made of two atoms, and the atom nearest to a row may be one of the other
plane. Cost: O(n d s) for each set.
"""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import scipy.sparse as sp

from lowdim.sparse.pursuit.greedy import DEPENDENT, as_csr

MOST_SETS = 64


def are_few(k: int, s: int) -> bool:
    """Whether all sets of s of k atoms are looked at; the best single atom is found without."""
    return 1 < s < k and math.comb(k, s) <= MOST_SETS


def best_codes(X: np.ndarray, atoms: np.ndarray, s: int) -> sp.csr_array:
    """Codes (n, k) of rows X (n, d): of sets that leave the same of a row, the first one."""
    n, k = len(X), len(atoms)
    tiny = DEPENDENT * np.finfo(X.dtype).eps
    size = np.einsum("if,if->i", X, X)
    least, margin = np.full(n, np.inf, X.dtype), tiny * size
    index, value = np.zeros((n, s), np.int64), np.zeros((n, s), X.dtype)
    for chosen in combinations(range(k), s):
        some = atoms[list(chosen)]
        Z = X @ np.linalg.pinv(some, rcond=tiny).astype(X.dtype, copy=False)
        rest = X - Z @ some
        left = np.einsum("if,if->i", rest, rest)
        better = left < least - margin
        least[better], value[better], index[better] = left[better], Z[better], chosen
    used = np.abs(value) > tiny * np.sqrt(size)[:, None]
    order = np.argsort(~used, axis=1, kind="stable")  # those that are used come first
    index, value = (np.take_along_axis(part, order, 1) for part in (index, value))
    return as_csr(index, value, used.sum(axis=1), k)
