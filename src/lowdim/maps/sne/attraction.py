"""What pulls points of a map together: a spring for each pair, as stiff as its affinity.

    force_i = sum_j a_ij (y_i - y_j)          energy_i = sum_j a_ij |y_i - y_j|^2

Cost: one look at each stored affinity.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map

PIECE = 2**17  # stored affinities that one thread takes at a time, about


class Pull(NamedTuple):
    force: np.ndarray  # (n, k)
    energy: float  # sum_i energy_i


def spring_sums(A: sp.csr_array, Y: np.ndarray) -> Pull:
    """Forces of the springs at the points Y (n, k), and their energy."""
    n = len(Y)
    force, energy = np.empty_like(Y), np.empty(n)
    step = max(1, n * PIECE // max(A.nnz, 1))

    def work(first: int) -> None:
        last = min(first + step, n)
        _sum_springs(A.indptr, A.indices, A.data, Y, first, last, force, energy)

    for _ in ordered_map(work, range(0, n, step)):
        pass
    return Pull(force, float(energy.sum()))


@kernel
def _sum_springs(indptr, indices, data, Y, first, last, force, energy):
    k = Y.shape[1]
    for i in range(first, last):
        for f in range(k):
            force[i, f] = 0.0
        total = 0.0
        for e in range(indptr[i], indptr[i + 1]):
            j, a = indices[e], data[e]
            for f in range(k):
                d = Y[i, f] - Y[j, f]
                force[i, f] += a * d
                total += a * d * d
        energy[i] = total
