"""A picture in a file, for the verbs for pictures."""

import numpy as np
from PIL import Image


def saved(tmp_path, name="x.png", channels=3):
    """A small picture with edges and waves, and where it is."""
    y, x = np.mgrid[0:40, 0:48]
    base = 90 + x + 60 * ((y - 20) ** 2 + (x - 24) ** 2 < 150) + 10 * np.sin(x / 2)
    values = np.stack([base * (1 - 0.1 * c) for c in range(channels)], axis=2).astype(np.uint8)
    values = values[..., 0] if channels == 1 else values
    Image.fromarray(values).save(tmp_path / name)
    return values
