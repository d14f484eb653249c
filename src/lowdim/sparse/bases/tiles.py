"""A basis in each block of a signal or picture; codes block after block."""

from __future__ import annotations

import numpy as np

from lowdim.sparse.bases.operator import Basis


class Tiles(Basis):
    """Blocks without overlap, each in the same basis."""

    def __init__(self, inner: Basis, shape: tuple[int, ...]):
        self._inner = inner
        self._grid = _grid(shape, inner.signal_shape)
        n_tiles = int(np.prod(self._grid))
        super().__init__(
            inner.kind,
            shape,
            n_tiles * inner.shape[1],
            orthonormal=inner.orthonormal,
            tight=inner.tight,
        )

    def _signals(self, Z: np.ndarray) -> np.ndarray:
        n, tile = len(Z), self._inner.signal_shape
        X = self._inner._signals(Z.reshape(-1, self._inner.shape[1]))
        if len(tile) == 1:
            return X.reshape(n, *self.signal_shape)
        X = X.reshape(n, *self._grid, *tile).transpose(0, 1, 3, 2, 4)
        return np.ascontiguousarray(X).reshape(n, *self.signal_shape)

    def _products(self, X: np.ndarray) -> np.ndarray:
        return self._inner._products(self._cut(X)).reshape(len(X), -1)

    def _codes(self, X: np.ndarray) -> np.ndarray:
        return self._inner._codes(self._cut(X)).reshape(len(X), -1)

    def _cut(self, X: np.ndarray) -> np.ndarray:
        """(n, *shape) -> (n * tiles, *tile)"""
        tile = self._inner.signal_shape
        if len(tile) == 1:
            return X.reshape(-1, *tile)
        (rows, columns), (h, w) = self._grid, tile
        X = X.reshape(len(X), rows, h, columns, w).transpose(0, 1, 3, 2, 4)
        return np.ascontiguousarray(X).reshape(-1, h, w)


def _grid(shape: tuple[int, ...], tile: tuple[int, ...]) -> tuple[int, ...]:
    if any(s % t for s, t in zip(shape, tile, strict=True)):
        size = " x ".join(map(str, shape))
        raise ValueError(
            f"block={tile[0]} does not divide a signal of {size} numbers; choose a block that "
            "divides every side, or pad the signal."
        )
    return tuple(s // t for s, t in zip(shape, tile, strict=True))
