"""In which order rows are learned from: the same for arrays, streams and Dask.

A pass goes through the rows in windows of WINDOW rows (fewer, if they are long), filled in order.
The rows of a window are shuffled and cut into batches; the order follows from the seed, the number
of the pass and that of the window alone, so nothing about it needs to be remembered. What a fit
does between two looks of its loop is a slice: some neighbouring batches of one window.

    rows -> windows -> slices -> batches -> shards (train.py)

Memory: nothing for rows in memory, one window and the next one for rows that come in order.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing
from itertools import islice
from typing import NamedTuple

import numpy as np

from lowdim.core.blocks import Blocks, companion_part
from lowdim.core.threads import fetched_ahead

WINDOW = 2**16  # rows that are shuffled together
WINDOW_BYTES = 2**28  # or so many bytes of them, as float32
SLICE = 64  # batches between two looks of the loop


class Slice(NamedTuple):
    """Neighbouring batches of one window, in the order in which they are learned from."""

    epoch: int  # the pass over the rows, from 0
    window: int  # its number within the pass
    first: int  # the first of its batches
    last: int  # the first one that is no longer in it
    ends_epoch: bool


class Plan(NamedTuple):
    """How passes over n rows are cut."""

    n: int
    window: int  # rows of a window
    batch: int  # rows of a batch
    seed: int
    shuffle: bool = True

    @property
    def slices(self) -> list[Slice]:
        """Those of one pass."""
        found = []
        for window in range(-(-self.n // self.window)):
            size = min(self.window, self.n - window * self.window)
            n_batches = -(-size // self.batch)
            for first in range(0, n_batches, SLICE):
                found.append(Slice(0, window, first, min(first + SLICE, n_batches), False))
        found[-1] = found[-1]._replace(ends_epoch=True)
        return found

    def order(self, epoch: int, window: int) -> np.ndarray:
        """The rows of a window, counted from its first, as they are learned from."""
        size = min(self.window, self.n - window * self.window)
        if not self.shuffle:
            return np.arange(size)
        return np.random.default_rng([self.seed, epoch, window]).permutation(size)


def plan_of(rows: Blocks, batch_size: int, seed: int, shuffle: bool = True) -> Plan:
    """How passes over these rows are cut; a batch is at most all of them."""
    n, d = rows.shape
    window = max(1, min(WINDOW, WINDOW_BYTES // (4 * d)))
    batch = min(batch_size, n)
    return Plan(n, max(window - window % batch, batch), batch, seed, shuffle)


def slices(
    rows: Blocks,
    along: Sequence,
    plan: Plan,
    n_epochs: int,
    done: int,
    left_out: np.ndarray | None = None,
) -> Generator[tuple[Slice, Iterator[tuple]], None, None]:
    """Every slice from number `done` on, with its batches: (rows, *companions), taken one by one.

    Rows with the numbers `left_out` are in none of them.
    """
    one_pass = plan.slices
    for epoch in range(done // len(one_pass), n_epochs):
        todo = (
            one_pass[done - epoch * len(one_pass) :] if done > epoch * len(one_pass) else one_pass
        )
        windows = _windows(rows, along, plan, todo[0].window)
        with closing(windows):
            at, window, kept = -1, (), None
            for cut in todo:
                if cut.window != at:
                    at, window = cut.window, next(windows)
                    order = plan.order(epoch, at)
                    if left_out is not None:
                        kept = ~np.isin(order + at * plan.window, left_out)
                yield cut._replace(epoch=epoch), _batches(window, order, kept, cut, plan.batch)


def _windows(rows: Blocks, along: Sequence, plan: Plan, first: int) -> Generator[tuple, None, None]:
    """(rows, *companions) of each window from this one on; of rows in memory they are views."""
    X = rows.in_memory
    if X is None:
        yield from fetched_ahead(islice(rows.batches(plan.window, along), first, None))
        return
    for start in range(first * plan.window, plan.n, plan.window):
        cut = slice(start, start + plan.window)
        yield X[cut], *(companion_part(part, cut) for part in along)


def _batches(
    window: tuple, order: np.ndarray, kept: np.ndarray | None, cut: Slice, size: int
) -> Iterator[tuple]:
    for number in range(cut.first, cut.last):
        places = slice(number * size, (number + 1) * size)
        at = order[places] if kept is None else order[places][kept[places]]
        if len(at):
            yield tuple(None if part is None else part[at] for part in window)
