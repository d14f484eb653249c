"""Kernels for small dense systems, of which there is one for each row of a large table.

LAPACK's overhead would exceed the work, and kernels cannot call it without one. All matrices are
symmetric; only upper triangles are read, and factors U with U'U = A are written there.

    solve_semidefinite    A z = b, once, where A may be singular
    solve_nonnegative     the same under z >= 0
    factor_block          U'U = A[index, index]; then any number of right-hand sides by
                          solve_factored (U'U), solve_upper (U), solve_lower (U')

The two factorisations differ on purpose: the first makes four rows of U at a time and drops what
the other components explain, the second is for matrices that are definite up to rounding, keeps
every pivot above it, and gives the determinant.
"""

from __future__ import annotations

import numpy as np

from lowdim.core.kernel import kernel

PANEL = 4  # rows of a Cholesky factor that are made together
EXPLAINED = 1e-13  # a pivot below this part of the diagonal: the other components explain this one
LEAST_PIVOT = float(np.finfo(np.float64).eps)  # as a part of the diagonal; less is rounding
CD_SWEEPS = 1000  # of coordinate descent, at the most
CD_TOL = 1e-12  # a sweep that moves no coordinate by more than this part of the largest ends it


@kernel
def solve_semidefinite(A, b, z):
    """Solve A z = b; A (its upper triangle) is overwritten by U with U'U = A.

    A component that the others explain to the last digits gets 0. Four rows of U at a time: the
    rows below them are read and written once for all four.
    """
    q = len(b)
    for j in range(q):
        z[j] = b[j]
    for first in range(0, q, PANEL):
        last = min(first + PANEL, q)
        for j in range(first, last):
            for r in range(first, j):
                z[j] -= A[r, j] * z[r]
                for s in range(j, q):
                    A[j, s] -= A[r, j] * A[r, s]
            _scale_pivot(A, z, j)
        if last == q:
            break
        U0, U1, U2, U3 = A[first], A[first + 1], A[first + 2], A[first + 3]
        for r in range(last, q):
            f0, f1, f2, f3 = U0[r], U1[r], U2[r], U3[r]
            z[r] -= (f0 * z[first] + f1 * z[first + 1]) + (f2 * z[first + 2] + f3 * z[first + 3])
            row = A[r]
            for s in range(r, q):
                row[s] -= (f0 * U0[s] + f1 * U1[s]) + (f2 * U2[s] + f3 * U3[s])
    solve_upper(A, z, q)


@kernel
def _scale_pivot(A, z, j):
    """Make row j, from which those before are taken, a row of U; 0 where they explain it."""
    q = len(z)
    diagonal = A[j, j]
    for r in range(j):
        diagonal += A[r, j] * A[r, j]  # what it was
    if A[j, j] <= EXPLAINED * diagonal or diagonal == 0.0:
        scale = 0.0
    else:
        scale = 1.0 / np.sqrt(A[j, j])
    for s in range(j, q):
        A[j, s] *= scale
    z[j] *= scale


@kernel
def solve_nonnegative(A, b, z):
    """Minimise z'Az - 2 b'z over z >= 0 by coordinate descent from z, in place; A is filled up."""
    q = len(b)
    for r in range(q):
        for s in range(r):
            A[r, s] = A[s, r]
        z[r] = max(z[r], 0.0)
    for _ in range(CD_SWEEPS):
        moved = 0.0
        largest = 0.0
        for r in range(q):
            if A[r, r] <= 0.0:
                continue
            slope = b[r]
            for s in range(q):
                slope -= A[r, s] * z[s]
            new = max(z[r] + slope / A[r, r], 0.0)
            moved = max(moved, abs(new - z[r]))
            z[r] = new
            largest = max(largest, new)
        if moved <= CD_TOL * largest:
            break


@kernel
def factor_block(A, index, U):
    """Write U of U'U = A[index, index] into the upper triangle of U; returns log |U'U|."""
    n = len(index)
    for a in range(n):
        for b in range(a, n):
            U[a, b] = A[index[a], index[b]]
    log_det = 0.0
    for a in range(n):
        pivot = max(U[a, a], LEAST_PIVOT * A[index[a], index[a]])
        log_det += np.log(pivot)
        root = np.sqrt(pivot)
        for b in range(a, n):
            U[a, b] /= root
        U[a, a] = root
        for e in range(a + 1, n):
            f = U[a, e]
            for b in range(e, n):
                U[e, b] -= f * U[a, b]
    return log_det


@kernel
def solve_factored(U, z, n):
    """z = (U'U)^-1 z in place, for the first n entries; returns z' (U'U)^-1 z of the z before."""
    square = 0.0
    for a in range(n):
        z[a] /= U[a, a]
        square += z[a] * z[a]
        for b in range(a + 1, n):
            z[b] -= z[a] * U[a, b]
    solve_upper(U, z, n)
    return square


@kernel
def solve_upper(U, z, n):
    """z = U^-1 z in place, for the first n entries; 0 where U has no pivot."""
    for a in range(n - 1, -1, -1):
        if U[a, a] == 0.0:
            z[a] = 0.0
            continue
        total = z[a]
        for b in range(a + 1, n):
            total -= U[a, b] * z[b]
        z[a] = total / U[a, a]


@kernel
def solve_lower(U, B, n, k):
    """B = U'^-1 B in place, for the first n rows and k columns of B."""
    for a in range(n):
        for b in range(k):
            B[a, b] /= U[a, a]
        for e in range(a + 1, n):
            f = U[a, e]
            for b in range(k):
                B[e, b] -= f * B[a, b]
