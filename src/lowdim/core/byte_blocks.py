"""Rows of bytes or flags in memory: blocks of them are float32, the whole is never copied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from lowdim.core.blocks import ArrayBlocks

BYTES = (np.dtype(np.uint8), np.dtype(np.bool_))


class ByteBlocks(ArrayBlocks):
    """Rows of an array of uint8 or bool, which `in_memory` gives as they are.

    Blocks are cut as if the rows were float32.
    """

    def __init__(self, X: np.ndarray):
        super().__init__(np.zeros((0, X.shape[1]), np.float32))
        self._block_rows = max(1, self._block_rows)
        self._X = X

    def take(self, index: np.ndarray) -> Any:
        return self._X[index].astype(np.float32)

    def _cut(self, rows: slice, params: tuple, along: Sequence) -> tuple:
        block, *others = super()._cut(rows, params, along)
        return (block.astype(np.float32), *others)
