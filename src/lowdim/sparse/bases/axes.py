"""Transforms of one axis of a signal.

    identity     u_k = e_k
    dft          1 / sqrt D, then sqrt(2 / D) cos and sin of 2 pi k n / D by frequency k; for even D
                 the last one is (-1)^n / sqrt D
    dct          cosines of half samples: the second kind, of length 1
    hadamard     +-1 / sqrt D, in Sylvester's order; D is a power of 2
    dct-overcomplete    cos(pi k n / L), k = 0, ..., L - 1, without its mean from k = 1 on, of
                 length 1: neighbouring frequencies are closer than in a basis

All work on the last axis of an array.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import scipy.fft

Transform = Callable[[np.ndarray], np.ndarray]


class Axis(NamedTuple):
    """One axis: how long signals and codes are, and three maps of the last axis of an array."""

    size: int
    n_atoms: int
    signals: Transform
    products: Transform
    codes: Transform
    orthonormal: bool


def identity(size: int) -> Axis:
    """Every number for itself."""
    return _orthonormal(size, np.copy, np.copy)


def fourier(size: int) -> Axis:
    """Constant, cosines and sines."""
    n_both = (size - 1) // 2  # frequencies with a cosine and a sine

    def products(X: np.ndarray) -> np.ndarray:
        F = scipy.fft.rfft(X, axis=-1, norm="ortho")
        Z = np.empty_like(X)
        Z[..., 0] = F[..., 0].real
        Z[..., 1 : 2 * n_both : 2] = np.sqrt(2.0) * F[..., 1 : n_both + 1].real
        Z[..., 2 : 2 * n_both + 1 : 2] = -np.sqrt(2.0) * F[..., 1 : n_both + 1].imag
        if size % 2 == 0 and size > 1:
            Z[..., -1] = F[..., -1].real
        return Z

    def signals(Z: np.ndarray) -> np.ndarray:
        F = np.zeros((*Z.shape[:-1], size // 2 + 1), np.result_type(Z, np.complex64))
        F[..., 0] = Z[..., 0]
        F[..., 1 : n_both + 1].real = Z[..., 1 : 2 * n_both : 2] / np.sqrt(2.0)
        F[..., 1 : n_both + 1].imag = -Z[..., 2 : 2 * n_both + 1 : 2] / np.sqrt(2.0)
        if size % 2 == 0 and size > 1:
            F[..., -1] = Z[..., -1]
        return scipy.fft.irfft(F, n=size, axis=-1, norm="ortho").astype(Z.dtype, copy=False)

    return _orthonormal(size, signals, products)


def cosines(size: int) -> Axis:
    """The discrete cosine transform."""
    return _orthonormal(
        size,
        lambda Z: scipy.fft.idct(Z, axis=-1, norm="ortho"),
        lambda X: scipy.fft.dct(X, axis=-1, norm="ortho"),
    )


def hadamard(size: int) -> Axis:
    """Signs, by log2(size) rounds of sums and differences."""
    if size & (size - 1):
        raise ValueError(
            f"A Hadamard basis has a power of 2 of atoms, not {size}; choose {_power_below(size)} "
            f"or {2 * _power_below(size)}, or another kind, such as 'dct'."
        )
    return _orthonormal(size, _walsh, _walsh)


def _walsh(X: np.ndarray) -> np.ndarray:
    lead, size = X.shape[:-1], X.shape[-1]
    Y, width = X.copy(), 1
    while width < size:
        pairs = Y.reshape(*lead, size // (2 * width), 2, width)
        first, second = pairs[..., 0, :], pairs[..., 1, :]
        Y = np.stack([first + second, first - second], axis=-2).reshape(X.shape)
        width *= 2
    Y *= X.dtype.type(1.0 / np.sqrt(size))
    return Y


def _power_below(size: int) -> int:
    return 1 << (size.bit_length() - 1)


def many_cosines(size: int, redundancy: int) -> Axis:
    """More cosines than numbers."""
    U = cosine_atoms(size, redundancy * size)
    back = np.linalg.pinv(U)
    return Axis(
        size,
        U.shape[1],
        lambda Z: Z @ U.T.astype(Z.dtype),
        lambda X: X @ U.astype(X.dtype),
        lambda X: X @ back.T.astype(X.dtype),
        redundancy == 1 and size == 1,
    )


def cosine_atoms(size: int, n_atoms: int) -> np.ndarray:
    """cos(pi k n / L) without means, columns of length 1."""
    U = np.cos(np.pi / n_atoms * np.outer(np.arange(size), np.arange(n_atoms)))
    if size > 1:
        U[:, 1:] -= U[:, 1:].mean(axis=0)
    return U / np.linalg.norm(U, axis=0)


def _orthonormal(size: int, signals: Transform, products: Transform) -> Axis:
    return Axis(size, size, signals, products, products, True)
