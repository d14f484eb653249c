"""Kernels for small dense systems, of which there is one for each row of a large table.

LAPACK's overhead would exceed the work, and kernels cannot call it without one. All matrices are
symmetric; only upper triangles are read, and factors U with U'U = A are written there.

    solve_semidefinite    A z = b, once, where A may be singular
    solve_nonnegative     the same under z >= 0
    factor_block          U'U = a block of A; then any number of right-hand sides by
    solve_factored

The two factorisations differ on purpose: the first makes four rows of U at a time and drops what
the other components explain, the second is for matrices that are definite up to rounding, keeps
every pivot above it, and gives the determinant.
"""

from __future__ import annotations

import numpy as np

from lowdim.core.kernel import kernel

EXPLAINED = 1e-13  # a pivot below this part of the diagonal: the other components explain this one
LEAST_PIVOT = float(np.finfo(np.float64).eps)  # as a part of the diagonal; less is rounding
CD_SWEEPS = 1000  # of coordinate descent, at the most
CD_TOL = 1e-12  # a sweep that moves no coordinate by more than this part of the largest ends it


@kernel
def solve_semidefinite(A, b, Z):
    """Solve A_i z_i = b_i for every i; A_i (its upper triangle) is overwritten by U with U'U = A_i.

    A component that the others explain to the last digits gets 0. Rows of U are taken from the
    rows after them four at a time: such a row is read and written once for all four.
    """
    n, q = b.shape
    for i in range(n):
        for j in range(q):
            diagonal, total = A[i, j, j], b[i, j]
            r = 0
            while r + 3 < j:
                f0, f1, f2, f3 = A[i, r, j], A[i, r + 1, j], A[i, r + 2, j], A[i, r + 3, j]
                total -= (f0 * Z[i, r] + f1 * Z[i, r + 1]) + (f2 * Z[i, r + 2] + f3 * Z[i, r + 3])
                for s in range(j, q):
                    near = f0 * A[i, r, s] + f1 * A[i, r + 1, s]
                    A[i, j, s] -= near + (f2 * A[i, r + 2, s] + f3 * A[i, r + 3, s])
                r += 4
            while r < j:
                f0 = A[i, r, j]
                total -= f0 * Z[i, r]
                for s in range(j, q):
                    A[i, j, s] -= f0 * A[i, r, s]
                r += 1
            scale = 0.0 if A[i, j, j] <= EXPLAINED * diagonal else 1.0 / np.sqrt(A[i, j, j])
            for s in range(j, q):
                A[i, j, s] *= scale
            Z[i, j] = total * scale
        for j in range(q - 1, -1, -1):
            total = Z[i, j]
            for s in range(j + 1, q):
                total -= A[i, j, s] * Z[i, s]
            Z[i, j] = 0.0 if A[i, j, j] == 0.0 else total / A[i, j, j]


@kernel
def solve_nonnegative(A, b, Z):
    """Minimise z'A_i z - 2 b_i'z over z >= 0 from Z_i, in place, by coordinates; A is filled up."""
    n, q = b.shape
    for i in range(n):
        for r in range(q):
            for s in range(r):
                A[i, r, s] = A[i, s, r]
            Z[i, r] = Z[i, r] if Z[i, r] > 0.0 else 0.0
        for _ in range(CD_SWEEPS):
            moved = 0.0
            largest = 0.0
            for r in range(q):
                if A[i, r, r] <= 0.0:
                    continue
                slope = b[i, r]
                for s in range(q):
                    slope -= A[i, r, s] * Z[i, s]
                new = Z[i, r] + slope / A[i, r, r]
                new = new if new > 0.0 else 0.0
                step = abs(new - Z[i, r])
                moved = step if step > moved else moved
                largest = new if new > largest else largest
                Z[i, r] = new
            if moved <= CD_TOL * largest:
                break


@kernel(within=True)
def factor_block(A, index, i, first, last, U):
    """U'U = A[o, o] for o = index[i, first:last], in the upper triangle of U; returns log |U'U|."""
    n = last - first
    for a in range(n):
        for b in range(a, n):
            U[a, b] = A[index[i, first + a], index[i, first + b]]
    log_det = 0.0
    for a in range(n):
        own = index[i, first + a]
        least = LEAST_PIVOT * A[own, own]
        pivot = U[a, a] if U[a, a] > least else least
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


@kernel(within=True)
def solve_factored(U, z, n):
    """z = (U'U)^-1 z in place, for the first n entries; returns z' (U'U)^-1 z of the z before."""
    square = 0.0
    for a in range(n):
        z[a] /= U[a, a]
        square += z[a] * z[a]
        for b in range(a + 1, n):
            z[b] -= z[a] * U[a, b]
    for a in range(n - 1, -1, -1):
        for b in range(a + 1, n):
            z[a] -= U[a, b] * z[b]
        z[a] /= U[a, a]
    return square
