"""Matching pursuit: in each step the atom that takes most of the rest, once or again.

    j = argmax |c_m| / |d_m|,    z_j += c_j / G_jj,    c -= (c_j / G_jj) G_j

The error falls by c_j^2 / G_jj in each step, and goes to 0 if the atoms span the row; unlike in
orthogonal matching pursuit, not in finitely many steps. O(k) time for each step of a row.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map
from lowdim.sparse.pursuit.greedy import Codes, as_csr, joined_codes, rows_at_a_time
from lowdim.sparse.pursuit.scan import bits_of, first_of_ties


def mp(
    gram: np.ndarray,
    correlations: np.ndarray,
    squares: np.ndarray,
    n_steps: int,
    n_nonzero: int | None = None,
    max_squared_error: Any = None,
) -> Codes:
    """Codes of matching pursuit; the arguments are those of `greedy.omp`, and how many steps.

    `ended_early` says which rows did not get as near as max_squared_error.
    """
    gram = np.require(gram, requirements=["C", "W"])
    n, k = correlations.shape
    enough = np.full(n, -1.0) if max_squared_error is None else max_squared_error
    enough = np.broadcast_to(np.asarray(enough, gram.dtype), (n,))
    limits = np.array([n_steps, k if n_nonzero is None else n_nonzero], np.int64)
    own = np.diag(gram)
    inverse = np.divide(1.0, own, out=np.zeros_like(own), where=own > 0)
    size = rows_at_a_time(n, k, k)

    def work(start: int) -> Codes:
        rows = slice(start, start + size)
        C = np.array(correlations[rows], gram.dtype, order="C")
        left, Z = np.array(squares[rows], gram.dtype), np.zeros_like(C)
        tiny = np.array([np.finfo(gram.dtype).eps ** 2], gram.dtype)
        score = np.empty(k, gram.dtype)
        given = (gram, inverse, np.sqrt(inverse), np.array(enough[rows]), limits, tiny)
        _match(*given, C, left, score, bits_of(score), Z)
        i, j = np.nonzero(Z)
        count = np.bincount(i, minlength=len(Z))
        used = np.arange(count.max(initial=0)) < count[:, None]
        index, value = np.zeros(used.shape, np.int64), np.zeros(used.shape, gram.dtype)
        index[used], value[used] = j, Z[i, j]
        return Codes(as_csr(index, value, count, k), left > enough[rows])

    parts = list(ordered_map(work, range(0, n, size)))
    return joined_codes([part.codes for part in parts], [part.ended_early for part in parts])


@kernel(views=("score", "bits"))
def _match(G, inverse, scale, enough, limits, tiny, C, left, score, bits, Z):
    for r in range(len(C)):
        c, z = C[r], Z[r]
        nothing, used, steps = tiny[0] * left[r], 0, 0
        while steps < limits[0] and left[r] > enough[r]:
            for m in range(len(c)):
                score[m] = abs(c[m]) * scale[m]
            j = first_of_ties(bits)
            step = c[j] * inverse[j]
            gain = step * c[j]
            if gain <= nothing or (z[j] == 0 and used == limits[1]):
                break
            used += z[j] == 0
            z[j] += step
            g = G[j]
            for m in range(len(c)):
                c[m] -= step * g[m]
            left[r] -= gain
            steps += 1
