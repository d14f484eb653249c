"""Waves under a bell, at many places: atoms that are local in place and in frequency.

    u(n) ~ exp(-|n - c|^2 / 2 sigma^2) cos(2 pi f t'(n - c) + phase),   |u| = 1

c: center, f: frequency in waves per number, t: direction. The dictionary has atoms at every
`step`-th place, for each frequency and direction with both phases, cosine and sine; of frequency 0,
one. All atoms of a kind are one convolution, so nothing but small windows is written down.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.signal import oaconvolve

from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_number
from lowdim.sparse.bases.operator import Basis
from lowdim.sparse.bases.shapes import checked_shape

FREQUENCIES = (0.0, 0.125, 0.25, 0.375, 0.5)
REACH = 8.5  # sigmas: beyond, an atom is below rounding
LEAST_LENGTH = (
    1e-6  # of an atom before it has length 1: a sine that vanishes at all numbers is none
)


@single_threaded_blas()
def gabor_atom(shape, center, frequency, theta, sigma, phase=0.0):
    """One wave under a bell, of length 1.

    Parameters
    ----------
    shape : int or (int, int)
        Of the signal, or of the picture: rows, columns.
    center : float or (float, float)
        Where the bell is: row, column.
    frequency : float
        Waves per number.
    theta : float
        Angle at which the wave runs, from the direction of a row; of a signal it is not used.
    sigma : float
        Width of the bell, a standard deviation.
    phase : float, default=0.0
        0: a cosine about the center; pi / 2: minus a sine.

    Returns
    -------
    ndarray of this shape

    Examples
    --------
    >>> from lowdim.sparse import gabor_atom
    >>> gabor_atom(5, 2, 0.5, 0.0, 1.0).round(3)
    array([ 0.102, -0.456,  0.751, -0.456,  0.102])
    """
    shape = checked_shape(shape)
    sigma = check_number("sigma", sigma, 0.0, np.inf, open_low=True)
    middle = np.broadcast_to(np.asarray(center, np.float64), (len(shape),))
    places = [np.arange(s) - c for s, c in zip(shape, middle, strict=True)]
    atom = _wave(places, float(frequency), float(theta), sigma, float(phase))
    length = np.linalg.norm(atom)
    if not length > 0:
        raise ValueError(
            f"The atom at center={center!r} with frequency={frequency} and phase={phase} is zero "
            "at all numbers; choose another phase, or a center within the signal."
        )
    return atom / length


class Window(NamedTuple):
    """The atoms of one frequency, direction and phase."""

    values: np.ndarray  # (2 r + 1, ...)
    scale: np.ndarray  # one over their lengths, by center; 0: too short to be an atom


class Gabor(Basis):
    """Atoms of all frequencies and directions at all places."""

    def __init__(
        self,
        shape: tuple[int, ...],
        sigma: float,
        frequencies: Sequence[float] | None,
        orientations: int,
        step: int,
    ):
        sigma = check_number("sigma", sigma, 0.0, np.inf, open_low=True)
        check_at_least("orientations", orientations, 1)
        check_at_least("step", step, 1)
        self._centers = tuple(slice(0, s, step) for s in shape)
        self._n_centers = int(np.prod([len(range(0, s, step)) for s in shape]))
        waves = _waves(_checked(frequencies), orientations if len(shape) > 1 else 1)
        windows = [_window(shape, self._centers, sigma, *wave) for wave in waves]
        self._windows = [window for window in windows if window.scale.any()]
        super().__init__("gabor", shape, len(self._windows) * self._n_centers)

    def _signals(self, Z: np.ndarray) -> np.ndarray:
        n, X = len(Z), np.zeros((len(Z), *self.signal_shape), Z.dtype)
        for number, window in enumerate(self._windows):
            part = Z[:, number * self._n_centers : (number + 1) * self._n_centers]
            at = np.zeros((n, *self.signal_shape), Z.dtype)
            at[:, *self._centers] = part.reshape(n, *window.scale.shape) * window.scale
            X += _convolved(at, window.values)
        return X

    def _products(self, X: np.ndarray) -> np.ndarray:
        flips = (slice(None, None, -1),) * (X.ndim - 1)
        found = [
            (_convolved(X, window.values[flips])[:, *self._centers] * window.scale).reshape(
                len(X), -1
            )
            for window in self._windows
        ]
        return np.concatenate(found, axis=1).astype(X.dtype, copy=False)


def _window(
    shape: tuple[int, ...],
    centers: tuple[slice, ...],
    sigma: float,
    frequency: float,
    theta: float,
    phase: float,
) -> Window:
    reach = [min(int(np.ceil(REACH * sigma)), s - 1) for s in shape]
    values = _wave([np.arange(-r, r + 1.0) for r in reach], frequency, theta, sigma, phase)
    flips = (slice(None, None, -1),) * len(shape)
    squares = _convolved(np.ones((1, *shape)), (values**2)[flips])[0][centers]
    length = np.sqrt(np.maximum(squares, 0.0))
    whole = np.linalg.norm(_wave([np.arange(-r, r + 1.0) for r in reach], 0, 0, sigma, 0))
    none = length <= LEAST_LENGTH * whole
    return Window(values, np.where(none, 0.0, 1.0 / np.where(none, 1.0, length)))


def _wave(
    places: Sequence[np.ndarray], frequency: float, theta: float, sigma: float, phase: float
) -> np.ndarray:
    """Bell times wave at these places along each axis; rows first."""
    grid = np.meshgrid(*places, indexing="ij")
    bell = np.exp(-sum(g**2 for g in grid) / (2.0 * sigma**2))
    along = grid[0] if len(grid) == 1 else np.cos(theta) * grid[1] + np.sin(theta) * grid[0]
    return np.asarray(bell * np.cos(2.0 * np.pi * frequency * along + phase))


def _waves(frequencies: Sequence[float], orientations: int) -> list[tuple[float, float, float]]:
    """(frequency, angle, phase) of every kind of atom."""
    angles = np.pi * np.arange(orientations) / orientations
    still = [(0.0, 0.0, 0.0)] if 0.0 in frequencies else []
    moving = [f for f in frequencies if f != 0.0]
    return still + list(product(moving, angles.tolist(), (0.0, np.pi / 2)))


def _checked(frequencies: Any) -> list[float]:
    if frequencies is None:
        return list(FREQUENCIES)
    found = np.atleast_1d(np.asarray(frequencies, np.float64))
    if found.ndim != 1 or not len(found) or not ((found >= 0) & (found <= 0.5)).all():
        raise ValueError(
            f"frequencies={frequencies!r} must be waves per number, each from 0 to 0.5."
        )
    return sorted(set(found.tolist()))


def _convolved(X: np.ndarray, window: np.ndarray) -> np.ndarray:
    """Each signal of X with the window about every place; nothing beyond the ends."""
    axes = tuple(range(1, X.ndim))
    full = oaconvolve(X, window[None].astype(X.dtype), mode="full", axes=axes)
    cut = tuple(slice(w // 2, w // 2 + s) for w, s in zip(window.shape, X.shape[1:], strict=True))
    return np.asarray(full[:, *cut])
