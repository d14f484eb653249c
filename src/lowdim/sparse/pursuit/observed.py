"""Orthogonal matching pursuit of rows with missing values: codes of what is observed.

    minimise over z     sum_f m_f (x_f - (z D)_f)^2     with few non-zeros, one more atom at a time

Of each atom only the observed part counts, so its length differs from row to row: the next atom is
argmax c_j^2 / |m d_j|^2, with c = D rest. The parts of the chosen atoms are kept as Q R; a step
takes O(k d) time, since each row has a Gram matrix of its own, which would take O(k^2 d).
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from lowdim.core.kernel import kernel
from lowdim.sparse.pursuit.greedy import DEPENDENT, as_csr


def omp_observed(
    X: np.ndarray,
    observed: np.ndarray,
    atoms: np.ndarray,
    n_nonzero: int,
    max_squared_error: np.ndarray | None = None,
) -> sp.csr_array:
    """Codes (n, k) of rows X (n, d), which are 0 where they are not observed.

    A row is done with n_nonzero atoms, with as many as it has observed entries, or when its squared
    error is at most `max_squared_error`.
    """
    n, (k, d) = len(X), atoms.shape
    dtype, most = atoms.dtype, min(n_nonzero, k, d)
    D, observed = (np.require(part, requirements=["C", "W"]) for part in (atoms, observed))
    sizes = np.ascontiguousarray(observed.astype(dtype) @ (D * D).T)  # |m d_j|^2
    products = np.ascontiguousarray(X @ D.T)
    rest = np.array(X, dtype, order="C")
    enough = np.full(n, -1.0) if max_squared_error is None else max_squared_error
    enough = np.array(np.broadcast_to(enough, (n,)), dtype)
    limit = np.minimum(observed.sum(axis=1), most)
    index, value = np.zeros((n, most), np.int64), np.zeros((n, most), dtype)
    count = np.zeros(n, np.int64)
    tiny = np.asarray([DEPENDENT * np.finfo(dtype).eps], dtype)
    Q, R = np.zeros((most, d), dtype), np.zeros((most, most), dtype)
    _pursue(D, observed, sizes, products, rest, enough, limit, tiny, Q, R, index, value, count)
    return as_csr(index, value, count, k)


@kernel(any_order=True)
def _pursue(D, observed, sizes, C, rest, enough, limit, tiny, Q, R, index, value, count):
    """Rows one after the other; C and rest become what is left of each."""
    k, d = D.shape
    for r in range(len(C)):
        x, c, m, y = rest[r], C[r], observed[r], value[r]
        left = tiny[0] - tiny[0]
        for f in range(d):
            left += x[f] * x[f]
        nothing = tiny[0] * tiny[0] * left
        s = 0
        while s < limit[r] and left > enough[r]:
            best, j = nothing, -1
            for l in range(k):
                good = c[l] * c[l] / sizes[r, l] if sizes[r, l] > tiny[0] else nothing
                if good - best > tiny[0] * best:  # the first of those that tie
                    best, j = good, l
            if j < 0:
                break
            q = Q[s]
            for f in range(d):
                q[f] = D[j, f] if m[f] else tiny[0] - tiny[0]
            for i in range(s):
                common = tiny[0] - tiny[0]
                for f in range(d):
                    common += Q[i, f] * q[f]
                for f in range(d):
                    q[f] -= common * Q[i, f]
                R[i, s] = common
            squares = tiny[0] - tiny[0]
            for f in range(d):
                squares += q[f] * q[f]
            if squares <= tiny[0] * sizes[r, j]:
                break
            scale = np.sqrt(squares) / squares
            step = tiny[0] - tiny[0]
            for f in range(d):
                q[f] *= scale
                step += q[f] * x[f]
            left = tiny[0] - tiny[0]
            for f in range(d):
                x[f] -= step * q[f]
                left += x[f] * x[f]
            for l in range(k):
                c[l] = tiny[0] - tiny[0]
                for f in range(d):
                    c[l] += D[l, f] * x[f]
            R[s, s] = squares * scale
            y[s], index[r, s] = step, j
            s += 1
        count[r] = s
        _solve(R, y, s)


@kernel(within=True)
def _solve(R, y, s):
    """R z = y of the first s; z takes the place of y."""
    for i in range(s - 1, -1, -1):
        y[i] /= R[i, i]
        for t in range(i):
            y[t] -= y[i] * R[t, i]
