"""Rows of whatever holds them, as Blocks."""

from __future__ import annotations

from typing import Any

from lowdim.core.blocks import ArrayBlocks, Blocks, is_dask


def as_blocks(X: Any, block_rows: int | None = None) -> Blocks:
    """X as Blocks: an array or sparse matrix, a stream, or a Dask array or DataFrame."""
    if isinstance(X, Blocks):
        return X
    if is_dask(X):
        from lowdim.core.dask_blocks import DaskBlocks

        return DaskBlocks(X)
    return ArrayBlocks(X, block_rows)
