"""Small pictures and signals with edges, waves and a little noise."""

import numpy as np


def picture(rng, h=40, w=56, channels=None, dtype=np.uint8):
    """A disc, a gradient and stripes."""
    y, x = np.mgrid[0:h, 0:w]
    base = 90 + 1.5 * x + 60 * ((y - h / 2) ** 2 + (x - w / 2) ** 2 < (h / 3) ** 2)
    base = base + 15 * np.sin(x / 2.0) * (y > h / 2)
    planes = [base * (1 - 0.15 * c) + 10 * c for c in range(channels or 1)]
    out = np.stack(planes, axis=2) + rng.normal(0, 2, (h, w, channels or 1))
    out = out if channels else out[:, :, 0]
    dtype = np.dtype(dtype)
    if dtype.kind == "f":
        return (out / 255).astype(dtype)
    scale = np.iinfo(dtype).max / 255
    return np.clip(np.rint(out * scale), 0, np.iinfo(dtype).max).astype(dtype)
