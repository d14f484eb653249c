"""Rows that are equal, found by a key of 128 bits for each row.

    key(x) = sum_f mix(bits of x_f, column f)   in whole numbers modulo 2^64, twice

Zeros add nothing, so a sparse row has the key of the dense one; float32 rows have the keys of the
same numbers in float64, and all NaN are one value. Two rows that differ have the same key with a
chance of 2^-128: nobody meets one.

Cost: one look at each value. Memory: 16 bytes for each row.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.kernel import kernel
from lowdim.core.threads import shared_map

NUMBERS = 2**14  # of rows whose keys are made at once: they stay in the cache


class Groups(NamedTuple):
    """Rows by their keys."""

    keys: np.ndarray  # (g, 2) uint64  of the groups, in rising order
    first: np.ndarray  # (g,)  the first row of each group
    group: np.ndarray  # (n,)  the group of each row

    @property
    def all_differ(self) -> bool:
        return len(self.first) == len(self.group)


def row_keys(X: Any) -> np.ndarray:
    """The keys (n, 2) uint64 of the rows of a float array or csr_array."""
    keys = np.zeros((X.shape[0], 2), np.uint64)
    if sp.issparse(X):
        if not X.has_canonical_format:  # an entry that is stored twice is their sum
            X = X.copy()
            X.sum_duplicates()
        bits = _bits(X.data)
        _add_stored_keys(X.indptr.astype(np.int64), X.indices.astype(np.int64), bits, keys)
    else:
        size = max(1, NUMBERS // max(1, X.shape[1]))

        def work(first: int) -> None:
            rows = slice(first, first + size)
            _add_keys(_bits(X[rows]), keys[rows])

        shared_map(work, range(0, len(X), size))
    return keys


def grouped(keys: np.ndarray) -> Groups:
    """Equal keys in groups."""
    order = np.argsort(keys[:, 0])
    if (np.diff(keys[order, 0]) == 0).any():  # else the second half of the keys decides nothing
        order = np.lexsort((keys[:, 1], keys[:, 0]))
    ordered = keys[order]
    starts = np.ones(len(keys), bool)
    starts[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    group = np.empty(len(keys), np.int64)
    group[order] = np.cumsum(starts) - 1
    return Groups(ordered[starts], order[starts], group)  # lexsort is stable: the first row leads


def found_among(keys: np.ndarray, groups: Groups) -> np.ndarray:
    """The first row with each key, or -1."""
    place = np.searchsorted(groups.keys[:, 0], keys[:, 0])
    place = np.minimum(place, len(groups.keys) - 1)
    return np.where((groups.keys[place] == keys).all(axis=1), groups.first[place], -1)


def _bits(values: np.ndarray) -> np.ndarray:
    """The bits of numbers in float64, with one zero and one NaN, in C order."""
    wide = values.astype(np.float64, order="C")
    wide += 0.0  # -0 becomes 0
    wide[np.isnan(wide)] = np.nan
    return wide.view(np.uint64)


@kernel(within=True)
def _mixed(h):
    """splitmix64: every bit of what comes out depends on every bit of what goes in."""
    h = (h ^ (h >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    h = (h ^ (h >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return h ^ (h >> np.uint64(31))


@kernel
def _add_keys(bits, keys):
    """Keys of dense rows."""
    n, d = bits.shape
    for i in range(n):
        for f in range(d):
            if bits[i, f] != 0:
                step = np.uint64(f + 1) * np.uint64(0x9E3779B97F4A7C15)
                h = _mixed(bits[i, f] ^ _mixed(step))
                keys[i, 0] += h
                keys[i, 1] += _mixed(h + step)


@kernel
def _add_stored_keys(indptr, indices, bits, keys):
    """Keys of sparse rows."""
    for i in range(len(keys)):
        for e in range(indptr[i], indptr[i + 1]):
            if bits[e] != 0:
                step = np.uint64(indices[e] + 1) * np.uint64(0x9E3779B97F4A7C15)
                h = _mixed(bits[e] ^ _mixed(step))
                keys[i, 0] += h
                keys[i, 1] += _mixed(h + step)
