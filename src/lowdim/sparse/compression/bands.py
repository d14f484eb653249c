"""A transform of a plane as bands: arrays of coefficients that belong together.

    wavelets    averages, then details along rows, columns and diagonals, level by level
    blocks      one band for each atom of a block, in zig-zag order: a small picture each
    whole       one band: all coefficients

A plane is padded with its edge to a size that the transform can take. Each band knows how long its
atoms are (1 in an orthonormal basis): that is how much an error of a coefficient weighs in the
picture. And it knows the earlier bands in which coefficients are large where its own are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from lowdim.sparse.bases.making import basis
from lowdim.sparse.bases.wavelets import wavelet_names

WHOLE = ("identity", "dft", "hadamard", "lapped")
LEVELS = {1: 12, 2: 6}  # at most, of signals and pictures, if none are asked for
NEAR, SAME = 5, 4  # weights of coarser bands and of bands of the same level (`coding.py`)


class Reference(NamedTuple):
    """An earlier band that says where coefficients are large."""

    band: int
    weight: int


class Bands(ABC):
    """A transform of planes of one size.

    Attributes
    ----------
    size : tuple of int
        Of a plane: (n,) or (h, w).
    shapes : list of (int, int)
        Of the bands, coarse to fine; those of a signal have one row.
    lengths : ndarray
        Of the atoms of each band.
    references : list of list of Reference
    smooth : bool
        Whether the first band is a small picture of the plane, in which neighbours are alike.
    by_frequency : bool
        Whether a single band begins with low frequencies, where large coefficients are.
    scales : list of int
        How many scales are coarser than that of each band; -1 for averages.
    """

    size: tuple[int, ...]
    shapes: list[tuple[int, int]]
    lengths: np.ndarray
    references: list[list[Reference]]
    smooth: bool
    by_frequency: bool = False
    scales: list[int]

    @abstractmethod
    def analyze(self, plane: np.ndarray) -> list[np.ndarray]:
        """The bands of a plane."""

    @abstractmethod
    def synthesize(self, bands: Sequence[np.ndarray]) -> np.ndarray:
        """The plane of bands."""

    @property
    def count(self) -> int:
        """Coefficients of all bands."""
        return sum(h * w for h, w in self.shapes)

    def _padded(self, plane: np.ndarray, padded: tuple[int, ...]) -> np.ndarray:
        wide = [(0, p - s) for p, s in zip(padded, plane.shape, strict=True)]
        return plane if padded == plane.shape else np.pad(plane, wide, mode="edge")

    def _cropped(self, plane: np.ndarray) -> np.ndarray:
        return plane[tuple(slice(s) for s in self.size)]


class WaveletBands(Bands):
    """Wavelets with periodic ends."""

    def __init__(self, kind: str, size: tuple[int, ...], level: int | None):
        self.size = size
        self.level = default_level(kind, size) if level is None else int(level)
        self._all = tuple(-(-s >> self.level) << self.level for s in size)
        self._basis = basis(kind, self._all, level=self.level)
        coarse = _two(tuple(s >> self.level for s in self._all))
        details = 1 if len(size) == 1 else 3
        self.shapes, self.references, self.scales = [coarse], [[]], [-1]
        for j in range(self.level):
            h, w = (coarse[0] << j if len(size) == 2 else 1), coarse[1] << j
            for d in range(details):
                at = len(self.shapes)
                parent = [Reference(at - details, NEAR)] if j else []
                self.references.append(parent + [Reference(at - d + e, SAME) for e in range(d)])
                self.shapes.append((h, w))
                self.scales.append(j)
        self.lengths = np.array(_wavelet_lengths(kind, len(size), self.level))
        self.smooth = True

    def analyze(self, plane: np.ndarray) -> list[np.ndarray]:
        z = self._basis.analyze(self._padded(plane, self._all).ravel())
        ends = np.cumsum([h * w for h, w in self.shapes])[:-1]
        return [b.reshape(s) for b, s in zip(np.split(z, ends), self.shapes, strict=True)]

    def synthesize(self, bands: Sequence[np.ndarray]) -> np.ndarray:
        z = np.concatenate([np.ravel(b) for b in bands])
        return self._cropped(self._basis.synthesize(z).reshape(self._all))


class WholeBands(Bands):
    """All of a plane at once, in one band."""

    def __init__(self, kind: str, size: tuple[int, ...]):
        self.size = size
        pad = {"hadamard": _power_of_two, "lapped": lambda s: -(-s // 16) * 16}.get(kind, int)
        self._all = tuple(pad(s) for s in size)
        self._basis = basis(kind, self._all)
        self.shapes, self.references, self.scales = [_two(self._all)], [[]], [0]
        self.lengths, self.smooth = np.ones(1), False
        self.by_frequency = kind in ("dct", "dft")

    def analyze(self, plane: np.ndarray) -> list[np.ndarray]:
        z = self._basis.analyze(self._padded(plane, self._all).ravel())
        return [z.reshape(self.shapes[0])]

    def synthesize(self, bands: Sequence[np.ndarray]) -> np.ndarray:
        return self._cropped(self._basis.synthesize(np.ravel(bands[0])).reshape(self._all))


class BlockBands(Bands):
    """Blocks of a picture without overlap, each in the same orthonormal atoms, about a mean."""

    def __init__(
        self,
        atoms: np.ndarray,
        block: int,
        size: tuple[int, ...],
        mean: np.ndarray | float = 0.0,
        smooth: bool = True,
    ):
        self.size, self._block, self._atoms, self._mean = size, block, atoms, mean
        self._grid = (-(-size[0] // block), -(-size[1] // block))
        self._all = (self._grid[0] * block, self._grid[1] * block)
        k = len(atoms)
        self.shapes = [self._grid] * k
        self.lengths, self.smooth = np.ones(k), smooth
        self.scales = list(range(k))
        # atoms next to it in the zig-zag: of lower frequency, in the same block
        self.references = [[Reference(e, NEAR) for e in range(max(1, j - 3), j)] for j in range(k)]

    def analyze(self, plane: np.ndarray) -> list[np.ndarray]:
        Z = (cut_blocks(self._padded(plane, self._all), self._block) - self._mean) @ self._atoms.T
        return [z.reshape(s) for z, s in zip(Z.T, self.shapes, strict=True)]

    def synthesize(self, bands: Sequence[np.ndarray]) -> np.ndarray:
        Z, b = np.stack([np.ravel(z) for z in bands], axis=1), self._block
        P = (Z @ self._atoms + self._mean).reshape(*self._grid, b, b)
        return self._cropped(P.transpose(0, 2, 1, 3).reshape(self._all))


def cut_blocks(plane: np.ndarray, block: int) -> np.ndarray:
    """(n, block^2): the blocks of a plane whose sides are multiples of one."""
    h, w = plane.shape[0] // block, plane.shape[1] // block
    return plane.reshape(h, block, w, block).transpose(0, 2, 1, 3).reshape(h * w, block * block)


def fixed_bands(kind: str, size: tuple[int, ...], level: int | None, block: int | None) -> Bands:
    """The bands of a basis by its name."""
    if kind == "dct" and block is not None and len(size) == 2:
        return BlockBands(zigzag_cosines(block), block, size)
    if kind in ("dct", *WHOLE):
        return WholeBands(kind, size)
    return WaveletBands(kind, size, level)


def fixed_kinds() -> list[str]:
    """The bases that need no look at the picture."""
    return ["dct", *WHOLE, *wavelet_names()]


@lru_cache(maxsize=8)
def zigzag_cosines(block: int) -> np.ndarray:
    """(block^2, block^2): cosines of a block, as rows, by frequency along the zig-zag."""
    C = basis("dct", block).matrix().T  # rows are atoms
    order = zigzag(block)
    return np.ascontiguousarray(np.kron(C, C)[order])


def zigzag(block: int) -> np.ndarray:
    """Frequencies (row, column) of a block, flat, from low to high along diagonals."""
    r, c = np.divmod(np.arange(block * block), block)
    along = np.where((r + c) % 2 == 0, c, r)  # up on even diagonals, down on odd ones
    return np.lexsort((along, r + c))


def default_level(kind: str, size: tuple[int, ...]) -> int:
    """How often a plane is halved: its atoms stay shorter than the plane."""
    import pywt

    width = max(pywt.Wavelet(kind).dec_len - 1, 1)
    longest = int(np.log2(max(min(size) / width, 1.0)) + 0.5)
    return max(1, min(longest, LEVELS[len(size)]))


@lru_cache(maxsize=64)
def _wavelet_lengths(kind: str, axes: int, level: int) -> tuple[float, ...]:
    """Lengths of one atom of each band; an inner one, of a plane that is large enough."""
    one = basis(kind, 2, level=1)
    if one.orthonormal:
        return (1.0,) * (1 + level * (1 if axes == 1 else 3))
    # along an axis: atoms are products
    n = 16 << level
    U = basis(kind, n, level=level)
    low = [_axis_length(U, (n >> level) // 2)]
    high = [_axis_length(U, (n >> level << j) + (n >> level << j) // 2) for j in range(level)]
    lows = [_axis_length(basis(kind, 16 << j, level=j), 8) for j in range(1, level + 1)][::-1]
    if axes == 1:
        return (low[0], *high)
    lengths = [low[0] ** 2]
    for j in range(level):
        lengths += [lows[j] * high[j], lows[j] * high[j], high[j] ** 2]
    return tuple(lengths)


def _axis_length(U: Any, at: int) -> float:
    z = np.zeros(U.shape[1])
    z[at] = 1.0
    return float(np.linalg.norm(U.synthesize(z)))


def _two(size: tuple[int, ...]) -> tuple[int, int]:
    return (1, size[0]) if len(size) == 1 else (size[0], size[1])


def _power_of_two(s: int) -> int:
    return 1 << (s - 1).bit_length()
