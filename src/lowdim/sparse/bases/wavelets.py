"""Every discrete wavelet of PyWavelets, with periodic ends: as many atoms as numbers.

Codes run from coarse to fine: the averages of the coarsest level, then the details of each level;
of a picture, the details of a level are those along rows, along columns and along diagonals (pywt's
horizontal, vertical, diagonal).

What `synthesize` does in a level is an upsampled convolution with the filters of reconstruction.
Its adjoint is an analysis with these filters turned round, which is what the dual wavelet does; for
an orthonormal wavelet that is its own analysis.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.sparse.bases.operator import Basis

MODE = "periodization"
EXACT = 1e-12  # of a signal, that rounding may change
ORTHONORMAL = 1e-10  # the same, of wavelets that are
MOST_ROUNDS = 20


class Wavelets(Basis):
    """A wavelet basis."""

    def __init__(self, kind: str, shape: tuple[int, ...], level: int | None = None):
        self._wavelet = _pywt().Wavelet(kind)
        self._dual = _dual(self._wavelet)
        self.level = _checked_level(kind, shape, level, self._wavelet.dec_len)
        self._error = _error_of(self._wavelet)
        super().__init__(
            kind,
            shape,
            int(np.prod(shape)),
            orthonormal=self.level == 0
            or (_own_dual(self._wavelet) and self._error <= ORTHONORMAL),
        )

    def _signals(self, Z: np.ndarray) -> np.ndarray:
        return _reconstructed(Z, self.signal_shape, self.level, self._wavelet)

    def _products(self, X: np.ndarray) -> np.ndarray:
        return _decomposed(X, self.level, self._dual)

    def _codes(self, X: np.ndarray) -> np.ndarray:
        Z = _decomposed(X, self.level, self._wavelet)
        for _ in range(self._rounds() if self.level else 0):
            Z += _decomposed(X - self._signals(Z), self.level, self._wavelet)
        return Z

    def _rounds(self) -> int:
        """How often a code is mended: filters of some wavelets are known to few digits only."""
        if self._error <= EXACT:
            return 0
        share = min(2 * self._error, 0.5)  # that a round leaves of an error
        return min(MOST_ROUNDS, int(np.ceil(np.log(EXACT) / np.log(share))) - 1)


def _own_dual(wavelet: Any) -> bool:
    """Whether analysis and synthesis have the same filters: also 'bior1.1', which is Haar's."""
    low = np.asarray(wavelet.rec_lo)
    return bool(wavelet.orthogonal) or np.array_equal(low[::-1], wavelet.dec_lo)


def _error_of(wavelet: Any) -> float:
    """How far a signal is from itself after one level and back."""
    x = np.random.default_rng(0).normal(size=(1, 4 * wavelet.dec_len))
    again = _reconstructed(_decomposed(x, 1, wavelet), x.shape[1:], 1, wavelet)
    return float(np.abs(again - x).max() / np.abs(x).max())


def _decomposed(X: np.ndarray, level: int, wavelet: Any) -> np.ndarray:
    """(n, *shape) -> (n, D), coarse to fine."""
    pywt, parts = _pywt(), []
    axes = tuple(range(1, X.ndim))
    for _ in range(level):
        if len(axes) == 1:
            X, details = pywt.dwt(X, wavelet, MODE, axis=1)
            parts.append([details])
        else:
            X, details = pywt.dwt2(X, wavelet, MODE, axes=axes)
            parts.append(list(details))
    flat = [X, *(part for details in reversed(parts) for part in details)]
    return np.concatenate([part.reshape(len(X), -1) for part in flat], axis=1)


def _reconstructed(Z: np.ndarray, shape: tuple[int, ...], level: int, wavelet: Any) -> np.ndarray:
    """(n, D) -> (n, *shape)"""
    pywt, n = _pywt(), len(Z)
    size = tuple(s >> level for s in shape)
    used = int(np.prod(size))
    X = Z[:, :used].reshape(n, *size)
    for _ in range(level):
        count, details = int(np.prod(size)), []
        for _ in range(2 ** len(size) - 1):
            details.append(Z[:, used : used + count].reshape(n, *size))
            used += count
        if len(size) == 1:
            X = pywt.idwt(X, details[0], wavelet, MODE, axis=1)
        else:
            X = pywt.idwt2((X, tuple(details)), wavelet, MODE, axes=(1, 2))
        size = tuple(2 * s for s in size)
    return X


def _dual(wavelet: Any) -> Any:
    """The wavelet whose analysis is the adjoint of this one's synthesis."""
    filters = (wavelet.rec_lo, wavelet.rec_hi, wavelet.dec_lo, wavelet.dec_hi)
    return _pywt().Wavelet("dual", filter_bank=[f[::-1] for f in filters])


def _checked_level(kind: str, shape: tuple[int, ...], level: int | None, width: int) -> int:
    """The level, if every axis can be halved so often."""
    most = min((s & -s).bit_length() - 1 for s in shape)
    if level is None:  # the longest atoms are as long as the signal; one halving is always sensible
        longest = int(np.log2(max(min(shape) / max(width - 1, 1), 1.0)))
        return most if kind == "haar" else min(most, max(longest, 1))
    if isinstance(level, bool) or not isinstance(level, int | np.integer) or level < 0:
        raise ValueError(f"level={level!r} must be a whole number of 0 or more.")
    if level > most:
        size = " x ".join(map(str, shape))
        raise ValueError(
            f"level={level} halves a signal of {size} more often than it can be; choose at most "
            f"{most}, or sizes that are multiples of {2**level}."
        )
    return int(level)


def wavelet_names() -> list[str]:
    """The discrete wavelets that there are."""
    return list(_pywt().wavelist(kind="discrete"))


def _pywt() -> Any:
    try:
        import pywt
    except ImportError as error:
        raise ImportError("Wavelets need PyWavelets: pip install 'lowdim[sparse]'.") from error
    return pywt
