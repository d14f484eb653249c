"""The quadratic part of stress, and solving with it.

    sum over pairs of w_ij |y_i - y_j|^2 = tr(Y' V Y),      V = diag(sum_j w_ij) - W

V is a Laplacian: what is common to all rows costs nothing, and V^+ is asked for right sides whose
columns sum to 0. Equal weights of all pairs: V^+ g = g / (w n). Up to 3,000 rows V + c 11' is
factored once; beyond, conjugate gradients, in which a product with V is a pass over the pairs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map
from lowdim.maps.mds.guttman import cuts_of

LARGEST_FACTORED = 3000  # rows: 9 million numbers, and n^3 / 3 multiplications
RESIDUAL = 1e-8  # of the right side, at which conjugate gradients end
MOST_PRODUCTS = 300


def solver_of(
    first: np.ndarray, second: np.ndarray, weight: np.ndarray, n: int, factored: bool = True
) -> Callable[[np.ndarray], np.ndarray]:
    """A function that gives V^+ g for g (n, k) with columns that sum to 0.

    `weight` has an entry for each pair, or one for all. `factored` is whether V may be.
    """
    if len(weight) == 1 and len(first) == n * (n - 1) // 2:
        whole = float(weight[0]) * n
        return lambda g: g / whole
    if factored and n <= LARGEST_FACTORED:
        V = laplacian(first, second, weight, n)
        V += np.trace(V) / n**2  # the common part, as large as the others
        factor = scipy.linalg.cho_factor(V, lower=True, overwrite_a=True)
        return lambda g: scipy.linalg.cho_solve(factor, g)
    of_row = row_weights(first, second, weight, n)
    return lambda g: conjugate_gradients(
        lambda Y: laplacian_times(first, second, weight, Y), g, of_row
    )


def laplacian(first: np.ndarray, second: np.ndarray, weight: np.ndarray, n: int) -> np.ndarray:
    """V as an array (n, n)."""
    V = np.zeros((n, n))
    V[first, second] = -weight
    V += V.T
    V[np.diag_indices(n)] = -V.sum(axis=1)
    return V


def row_weights(first: np.ndarray, second: np.ndarray, weight: np.ndarray, n: int) -> np.ndarray:
    """The sum of weights of each row (n,): the diagonal of V."""
    each = None if len(weight) == 1 else weight
    sums = np.bincount(first, each, minlength=n) + np.bincount(second, each, minlength=n)
    return sums * weight[0] if each is None else sums


def laplacian_times(
    first: np.ndarray, second: np.ndarray, weight: np.ndarray, Y: np.ndarray
) -> np.ndarray:
    """V Y (n, k)."""
    Y = np.ascontiguousarray(Y, dtype=np.float64)

    def work(cut: slice) -> np.ndarray:
        product = np.zeros_like(Y)
        own = weight if len(weight) == 1 else weight[cut]
        add_differences(first[cut], second[cut], own, Y, product)
        return product

    return sum(ordered_map(work, cuts_of(len(first))), np.zeros_like(Y))


def conjugate_gradients(
    times: Callable[[np.ndarray], np.ndarray], b: np.ndarray, diagonal: np.ndarray
) -> np.ndarray:
    """x with V x = b, column by column, preconditioned by the diagonal of V."""
    x, rest = np.zeros_like(b), b.copy()
    ahead = rest / diagonal[:, None]
    direction, slope = ahead.copy(), np.einsum("ij,ij->j", rest, ahead)
    enough = RESIDUAL**2 * slope
    for _ in range(MOST_PRODUCTS):
        if np.all(slope <= enough):
            break
        product = times(direction)
        bend = np.einsum("ij,ij->j", direction, product)
        step = np.divide(slope, bend, out=np.zeros_like(slope), where=bend > 0)
        x += step * direction
        rest -= step * product
        ahead = rest / diagonal[:, None]
        new = np.einsum("ij,ij->j", rest, ahead)
        carried = np.divide(new, slope, out=np.zeros_like(slope), where=slope > 0)
        direction, slope = ahead + carried * direction, new
    return x - x.mean(axis=0)


def parts_of(first: np.ndarray, second: np.ndarray, n: int) -> np.ndarray:
    """Which part each row belongs to (n,), where pairs join rows."""
    degree = np.bincount(first, minlength=n) + np.bincount(second, minlength=n)
    if n > 1 and degree.min() >= n / 2:  # any two rows share a partner
        return np.zeros(n, dtype=np.int32)
    graph = sp.coo_array((np.ones(len(first), dtype=bool), (first, second)), shape=(n, n))
    return connected_components(graph, directed=False)[1]


@kernel(any_order=True)
def add_differences(first, second, weight, Y, product):
    """Add w (y_i - y_j) to row i, and its negative to row j, for each pair."""
    k = Y.shape[1]
    one = weight.shape[0] == 1
    for p in range(first.shape[0]):
        i, j = first[p], second[p]
        w = weight[0] if one else weight[p]
        for c in range(k):
            push = w * (Y[i, c] - Y[j, c])
            product[i, c] += push
            product[j, c] -= push
