"""Axes in which colours are worked on.

    rgb         as they are
    opponent    lightness, red against blue, green against both: orthonormal, so noise stays white
    ycc         lightness and two differences, as JPEG has them (ITU-R BT.601)

An alpha channel stays what it is.
"""

from __future__ import annotations

import numpy as np

OPPONENT = np.array([[1.0, 1.0, 1.0], [1.0, 0.0, -1.0], [1.0, -2.0, 1.0]]) / np.sqrt(
    [[3.0], [2.0], [6.0]]
)
YCC = np.array(
    [
        [0.299, 0.587, 0.114],
        [-0.299 / 1.772, -0.587 / 1.772, 0.5],
        [0.5, -0.587 / 1.402, -0.114 / 1.402],
    ]
)
AXES = {"rgb": np.eye(3), "opponent": OPPONENT, "ycc": YCC}


def color_matrix(color: str, channels: int) -> np.ndarray:
    """(c, c): what makes working planes of channels."""
    M = np.eye(channels)
    if channels >= 3:
        M[:3, :3] = AXES[color]
    return M


def mixed(M: np.ndarray, planes: np.ndarray) -> np.ndarray:
    """M times the channels of each pixel, (c, ...).

    Summed plane by plane: the last bits of a product of matrices depend on how many pixels it has
    and on the machine's BLAS, and with them whether a coefficient passes a threshold.
    """
    if np.array_equal(M, np.eye(len(M))):
        return planes
    out = np.zeros((len(M), *planes.shape[1:]), dtype=np.result_type(M, planes))
    for mixture, weights in zip(out, M, strict=True):
        for weight, plane in zip(weights, planes, strict=True):
            if weight:
                mixture += weight * plane
    return out
