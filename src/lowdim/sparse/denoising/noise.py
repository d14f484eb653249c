"""How much noise there is: the median of the finest details, which are mostly noise."""

from __future__ import annotations

import numpy as np

from lowdim.sparse.compression.plan import TILE
from lowdim.sparse.pictures.colors import OPPONENT, mixed
from lowdim.sparse.pictures.signals import Signal
from lowdim.sparse.pictures.strips import tiles

NORMAL_MEDIAN = 0.6744897501960817  # of |g|, for normal g of variance 1
WAVELET = "db2"
MOST_TILES = 16


def estimate_sigma(signal: Signal) -> float:
    """Standard deviation of white noise; of a colour picture, the same in all channels."""
    import pywt

    cut = tiles(signal.size, TILE)
    some = cut[:: -(-len(cut) // MOST_TILES)]
    found = []
    for tile in some:
        planes = signal.planes(tile)[: signal.visible]
        if signal.colored:
            planes = mixed(OPPONENT, planes)
        for plane in planes:
            if len(signal.size) == 1:
                details = pywt.dwt(plane, WAVELET, "reflect" if plane.size > 1 else "symmetric")[1]
            else:
                details = pywt.dwt2(plane, WAVELET, "symmetric")[1][2]
            found.append(np.abs(details[details != 0]).ravel())  # 0: flat or clipped, no noise
    sizes = np.concatenate(found)
    return float(np.median(sizes) / NORMAL_MEDIAN) if sizes.size else 0.0
