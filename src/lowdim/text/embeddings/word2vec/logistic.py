"""sigma(x) = 1 / (1 + e^-x) and log(1 + e^x) of many scores, in vector instructions."""

from __future__ import annotations

import numpy as np

from lowdim.core.kernel import kernel

# float32: what is computed with them stays in single precision
_0, _1, _2 = np.float32(0.0), np.float32(1.0), np.float32(2.0)
FARTHEST = np.float32(80.0)  # e^-80 is still a number of single precision
ROOT = np.float32(-1.0 / 64.0)
E2, E3, E4, E5, E6 = (np.float32(1.0 / n) for n in (2, 6, 24, 120, 720))
L3, L5, L7, L9, L11 = (np.float32(1.0 / n) for n in (3, 5, 7, 9, 11))


@kernel(any_order=True, within=True)
def logistic(x, n, sigma, cost):
    """sigma(x) and log(1 + e^x) of the first n numbers.

    e^-|x| is the 64th power of a short series; log(1 + e) = 2 artanh(e / (2 + e)).
    """
    for i in range(n):
        above = x[i] if x[i] > _0 else _0
        far = x[i] if x[i] > _0 else -x[i]
        y = (far if far < FARTHEST else FARTHEST) * ROOT
        e = _1 + y * (_1 + y * (E2 + y * (E3 + y * (E4 + y * (E5 + y * E6)))))
        e = e * e
        e = e * e
        e = e * e
        e = e * e
        e = e * e
        e = e * e
        s = _1 / (_1 + e)
        sigma[i] = s if x[i] > _0 else e * s
        z = e / (_2 + e)
        z2 = z * z
        series = _1 + z2 * (L3 + z2 * (L5 + z2 * (L7 + z2 * (L9 + z2 * L11))))
        cost[i] = above + _2 * z * series
