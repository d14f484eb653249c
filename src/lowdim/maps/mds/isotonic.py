"""Isotonic regression on threads.

    minimise over f    sum w (f - v)^2,    f does not fall

Neighbours that fall are pooled into a block, whose f is its mean, until no block falls below the
one before it (Ayer et al. 1955). In which order they are pooled is all the same: so each piece of
the list is pooled by itself, and then the blocks that are left, which are few. Blocks are compared
by products, s_a m_b >= s_b m_a, without a division for each.
"""

from __future__ import annotations

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.core.threads import shared_map
from lowdim.maps.mds.guttman import cuts_of


def isotonic(values: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The nearest values that do not fall; `weight` has an entry for each, or one for all."""
    n = len(values)
    sums, masses, stops = np.empty(n), np.empty(n), np.empty(n, np.int64)

    def work(cut: slice) -> slice:
        own = weight if len(weight) == 1 else weight[cut]
        np.multiply(values[cut], own, out=sums[cut])
        masses[cut] = own
        stops[cut] = np.arange(cut.start + 1, cut.stop + 1)
        return slice(cut.start, cut.start + pooled(sums[cut], masses[cut], stops[cut]))

    parts = shared_map(work, cuts_of(n))
    sums, masses, stops = (np.concatenate([a[p] for p in parts]) for a in (sums, masses, stops))
    count = pooled(sums, masses, stops)
    return np.repeat(sums[:count] / masses[:count], np.diff(stops[:count], prepend=0))


@kernel
def pooled(sums, masses, stops):
    """Pool blocks of these sums of w v, sums of w and ends, in place; how many are left."""
    count = 0
    for p in range(sums.shape[0]):
        s, m = sums[p], masses[p]
        while count > 0 and sums[count - 1] * m >= s * masses[count - 1]:
            count -= 1
            s += sums[count]
            m += masses[count]
        sums[count], masses[count], stops[count] = s, m, stops[p]
        count += 1
    return count
