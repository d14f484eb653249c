"""Pairs in an order in which several can be learned from at once, with the same result.

Rows and columns are dealt into 8 parts. The blocks (p, p + r mod 8) of a round r have no row and no
column in common, so they run side by side, in any order, and nothing that one reads is written by
another (Gemulla, Haas, Nijkamp and Sismanis 2011). The parts depend on the pairs alone, so the
number of threads changes no bit.

        0 1 2 3          rounds of 4 parts: the blocks
    0   a b c d          of a letter run at once
    1   d a b c
    2   c d a b
    3   b c d a

Within a block pairs stand tile by tile, in random order: the vectors of a tile stay in the cache.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.linalg.entries import index_type
from lowdim.linalg.sparse import row_numbers
from lowdim.text.embeddings.glove.objective import Pairs

PARTS = 8
TILE_ROWS = 512  # rows and columns of a tile, about
MOST_TILES = 16  # along a side of a block
ROWS_AT_A_TIME = 1024


class Strata(NamedTuple):
    """Pairs in the order in which they are learned from."""

    row: np.ndarray  # (pairs,)  int32
    column: np.ndarray  # (pairs,)  int32
    log: np.ndarray  # (pairs,)  float32
    weight: np.ndarray  # (pairs,)  float32
    first: np.ndarray  # (8, 8, tiles + 1)  where tiles of block (p, q) begin

    def blocks(self, round_: int) -> list[tuple[int, int]]:
        """The blocks of a round."""
        return [(p, (p + round_) % PARTS) for p in range(PARTS)]


def stratified(pairs: Pairs, random: np.random.Generator) -> Strata:
    """The pairs of a fit, shuffled within their tiles."""
    logs = pairs.logs
    row_part, row_tile = _dealt(np.diff(logs.indptr))
    column_part, column_tile = _dealt(np.bincount(logs.indices, minlength=logs.shape[1]))
    sides = row_tile.max(initial=0) + 1, column_tile.max(initial=0) + 1
    n_tiles = int(sides[0] * sides[1])
    by_row = row_part * PARTS * n_tiles + row_tile * sides[1]
    by_column = column_part * n_tiles + column_tile
    key = _keys(logs, by_row.astype(np.uint16), by_column.astype(np.uint16))
    order = random.permutation(np.arange(len(key), dtype=index_type(len(key))))
    order = order[np.argsort(key[order], kind="stable")]
    edges = np.concatenate([[0], np.cumsum(np.bincount(key, minlength=PARTS * PARTS * n_tiles))])
    first = np.stack([edges[b * n_tiles : (b + 1) * n_tiles + 1] for b in range(PARTS * PARTS)])
    del key
    return Strata(
        row=row_numbers(logs, np.int32)[order],
        column=logs.indices[order].astype(np.int32, copy=False),
        log=logs.data.astype(np.float32)[order],
        weight=pairs.weight.astype(np.float32)[order],
        first=first.reshape(PARTS, PARTS, n_tiles + 1),
    )


def _keys(logs: Any, by_row: np.ndarray, by_column: np.ndarray) -> np.ndarray:
    """The block and the tile of each pair, uint16; there are many pairs, so no array of int64."""
    key = by_column[logs.indices]
    for first in range(0, len(by_row), ROWS_AT_A_TIME):
        last = min(first + ROWS_AT_A_TIME, len(by_row))
        some = slice(logs.indptr[first], logs.indptr[last])
        key[some] += np.repeat(by_row[first:last], np.diff(logs.indptr[first : last + 1]))
    return key


def _dealt(count: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The part and the tile of each row: parts have about as many pairs, tiles as many rows."""
    n = len(count)
    by_count = np.argsort(-count, kind="stable")
    place = np.arange(n)
    there_and_back = place % (2 * PARTS)
    dealt = np.where(there_and_back < PARTS, there_and_back, 2 * PARTS - 1 - there_and_back)
    tiles = min(max(1, n // (PARTS * TILE_ROWS)), MOST_TILES)
    part, tile = np.empty(n, np.int64), np.empty(n, np.int64)
    part[by_count] = dealt
    tile[by_count] = (place // PARTS) % tiles
    return part, tile


def rounds(random: np.random.Generator) -> Any:
    """The rounds of one epoch, in random order."""
    return random.permutation(PARTS)
