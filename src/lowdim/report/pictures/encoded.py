"""Pictures as PNG in the page, 8 bits, no larger than a screen shows."""

from __future__ import annotations

import base64
import io

import numpy as np

MOST = 1600  # pixels along a side
COLUMNS = 16  # atoms in a row


def data_uri(values: np.ndarray, peak: float) -> str:
    """A picture as text: data:image/png;base64,..."""
    from PIL import Image

    step = max(1, -(-max(values.shape[:2]) // MOST))
    x = values[::step, ::step].astype(np.float64) * (255.0 / peak)
    x = np.clip(np.rint(np.nan_to_num(x, nan=255.0)), 0, 255).astype(np.uint8)
    x = x[:, :, 0] if x.ndim == 3 and x.shape[2] == 1 else x
    file = io.BytesIO()
    Image.fromarray(x).save(file, "PNG")
    return f"data:image/png;base64,{base64.b64encode(file.getvalue()).decode('ascii')}"


def atoms_picture(atoms: np.ndarray) -> np.ndarray:
    """(k, h, w) as one picture of grey levels between 0 and 1, each on its own scale."""
    k, h, w = atoms.shape
    rows = -(-k // COLUMNS)
    canvas = np.ones((rows * (h + 1) - 1, min(k, COLUMNS) * (w + 1) - 1))
    for j, atom in enumerate(atoms):
        low, high = atom.min(), atom.max()
        top, left = (j // COLUMNS) * (h + 1), (j % COLUMNS) * (w + 1)
        canvas[top : top + h, left : left + w] = (atom - low) / ((high - low) or 1.0)
    return canvas
