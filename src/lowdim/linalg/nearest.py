"""The n largest of many products, without the matrix of all of them.

    score_ij = z_i'w_j + offset_j

    best columns of a model         z, w: codes and loadings; offset: the means of the columns
    nearest rows                    w: the rows; offset = -|w|^2 / 2: |z - w|^2 = |z|^2 - 2 score
    most alike by cosine            z, w: rows of unit length (`unit_rows`)

A block of rows is multiplied with one block of columns after the other, and of each row the n
largest scores are kept; pairs that are left out, and columns of offset -inf, do not take part.
Equal scores are ranked by the number of the column, so results do not depend on blocks or threads.
Most runs of scores have none that is large enough: one comparison each, by vector instructions. A
row of which nothing is kept yet begins with a bound on its n-th score.

Cost: one product of the factors and one look at each score. Memory: one block of scores by thread.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map

BLOCK_BYTES = 2**20  # of scores: they are looked at while they are in the cache
BLOCK_ROWS = 512  # BLAS copies the columns for each block of rows
RUN = 64  # scores that are looked at together; fewer do not become vector instructions
HALVINGS = 8  # of the range in which a bound is looked for


class Best(NamedTuple):
    """The columns with the largest scores for each row, best first."""

    column: np.ndarray  # (m, n) of int32; -1 where a row has fewer than n to choose from
    score: np.ndarray  # (m, n); -inf there


def best_columns(
    Z: np.ndarray, W: np.ndarray, offset: np.ndarray, n: int, *, leave_out: Any = None
) -> Best:
    """The n columns with the largest z'w + offset for each row.

    Parameters
    ----------
    Z : array of shape (m, q)
        One row of factors for each row of scores.
    W : array of shape (d, q)
        One row of factors for each column of scores.
    offset : array of shape (d,)
        Of each column; -inf for columns that must not be chosen.
    n : int
        How many; of fewer than n columns, all.
    leave_out : csr_array of shape (m, d), default=None
        Its stored entries are pairs that do not take part: a row itself among its neighbours, or
        what a user has seen already.
    """
    dtype = np.result_type(Z, W)
    Z, W = np.ascontiguousarray(Z, dtype), np.ascontiguousarray(W, dtype)
    offset = np.array(offset, dtype=dtype)  # a copy: writeable, whatever came
    shape = block_shape(len(Z), dtype.itemsize)
    return best_of(lambda i, j: Z[i] @ W[j].T, len(Z), offset, n, shape, leave_out=leave_out)


def block_shape(m: int, itemsize: int) -> tuple[int, int]:
    """Rows and columns of a block of scores of m rows."""
    rows = max(1, min(m, BLOCK_ROWS))
    return rows, max(1, BLOCK_BYTES // (rows * itemsize))


def best_of(
    scores_of: Callable[[slice, slice], np.ndarray],
    m: int,
    offset: np.ndarray,
    n: int,
    shape: tuple[int, int],
    *,
    leave_out: Any = None,
    numbers: np.ndarray | None = None,
) -> Best:
    """The n columns with the largest scores, for scores that come in blocks.

    Parameters
    ----------
    scores_of : callable
        The scores of a slice of the rows with a slice of the columns, in C order, to be written
        into.
    m : int
        Number of rows.
    offset : array of shape (d,)
        Added to the scores of each column; of their dtype.
    n : int
        How many; of fewer than n columns, all.
    shape : tuple of int
        Rows and columns of a block.
    leave_out : csr_array of shape (m, d), default=None
        Its stored entries are pairs that do not take part.
    numbers : array of shape (d,), default=None
        What the columns are called in the result, if they come in another order; None means 0, 1,
        ... Columns whose scores rise from one to the next take longest.
    """
    d, (size, width) = len(offset), shape
    n, dtype = min(n, d), offset.dtype
    best = Best(np.full((m, n), -1, np.int32), np.full((m, n), -np.inf, dtype))
    if n == 0:
        return best
    numbers = np.arange(d) if numbers is None else np.array(numbers, np.int64)

    def work(first: int) -> None:
        rows = slice(first, min(first + size, m))
        kept = np.arange(rows.stop - first), best.column[rows], best.score[rows]
        out = None if leave_out is None else leave_out[rows].tocsc()
        for start in range(0, d, width):
            columns = slice(start, min(start + width, d))
            scores = scores_of(rows, columns)
            if out is not None:
                _leave_out(scores, out, columns)
            keep_best(scores, numbers[columns], offset[columns], *kept)

    for _ in ordered_map(work, range(0, m, size)):
        pass
    return best


def _leave_out(scores: np.ndarray, out: Any, columns: slice) -> None:
    """Pairs that are stored in a csc_array take no part."""
    ends = out.indptr[columns.start : columns.stop + 1]
    if ends[-1] > ends[0]:
        column = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
        scores[out.indices[ends[0] : ends[-1]], column] = -np.inf


def best_among(W: np.ndarray, offset: np.ndarray, n: int, numbers: np.ndarray) -> Best:
    """The n other rows with the largest w_i'w_j + offset_j for each row; each product is made once.

    Blocks of rows meet as the teams of a tournament do: in each round every block meets one other,
    so that no two threads write to the same rows.

    Parameters
    ----------
    W : array of shape (d, q) in C order
        More than n rows.
    offset : array of shape (d,), of the same dtype
    n : int
    numbers : array of shape (d,) of int64
        What the rows are called in the result; results are in the order of W.
    """
    d = len(W)
    best = Best(np.full((d, n), -1, np.int32), np.full((d, n), -np.inf, W.dtype))
    worst = np.full(d, -np.inf, W.dtype)
    cuts = [slice(a, min(a + BLOCK_ROWS, d)) for a in range(0, d, BLOCK_ROWS)]
    memory = threading.local()

    def products(i: slice, j: slice) -> np.ndarray:
        if not hasattr(memory, "block"):  # asked for anew each time, it costs a tenth more
            memory.block = np.empty(BLOCK_ROWS * BLOCK_ROWS, W.dtype)
        m, w = i.stop - i.start, j.stop - j.start
        return np.matmul(W[i], W[j].T, out=memory.block[: m * w].reshape(m, w))

    def kept(i: slice) -> tuple:
        return np.arange(i.stop - i.start), best.column[i], best.score[i]

    def alone(i: slice) -> None:
        scores = products(i, i)
        np.fill_diagonal(scores, -np.inf)
        keep_best(scores, numbers[i], offset[i], *kept(i))
        worst[i] = best.score[i, -1]

    def meet(pair: tuple[slice, slice]) -> None:
        i, j = pair
        scores = products(i, j)
        _keep_best_columns(scores, numbers[i], offset[i], best.column[j], best.score[j], worst[j])
        keep_best(scores, numbers[j], offset[j], *kept(i))
        worst[i] = best.score[i, -1]

    for _ in ordered_map(alone, cuts):
        pass
    for pairs in _rounds(cuts):
        for _ in ordered_map(meet, pairs):
            pass
    return best


def _rounds(teams: list) -> Iterator[list]:
    """The rounds of a tournament in which every team meets every other one once."""
    teams = [*teams, None] if len(teams) % 2 else list(teams)
    half = len(teams) // 2
    for _ in range(len(teams) - 1):
        pairs = zip(teams[:half], teams[: half - 1 : -1], strict=True)
        yield [pair for pair in pairs if None not in pair]
        teams.insert(1, teams.pop())


def unit_rows(F: np.ndarray, metric: np.ndarray) -> np.ndarray:
    """Rows of length 1 (or 0), whose products are cosines: f_i'M f_j / sqrt(f_i'M f_i  f_j'M f_j).

    With M (q, q) the covariance of what F is multiplied with, these are correlations.
    """
    values, vectors = np.linalg.eigh(metric)
    turned = F @ (vectors * np.sqrt(np.maximum(values, 0.0)))
    length = np.linalg.norm(turned, axis=1, keepdims=True)
    return np.divide(turned, length, out=np.zeros_like(turned), where=length > 0)


def keep_best(
    scores: np.ndarray,
    numbers: np.ndarray,
    offset: np.ndarray,
    rows: np.ndarray,
    column: np.ndarray,
    best: np.ndarray,
) -> None:
    """Go on with the rows of `column` and `best` that are named, by the scores of some columns.

    `numbers` and `offset` are of the columns of the scores, which no row has met before.
    """
    largest, places = np.empty(RUN, scores.dtype), np.empty(RUN, np.int32)
    keep_best_rows(scores, numbers, offset, rows, column, best, largest, places)


@kernel
def keep_best_rows(scores, numbers, offset, rows, column, best, largest, places):
    """The same, for other kernels, too; `largest` and `places` (RUN,) are to work in."""
    n, width = column.shape[1], scores.shape[1]
    for i in range(scores.shape[0]):
        row, found, values = scores[i], column[rows[i]], best[rows[i]]
        worst = values[n - 1]
        if found[0] < 0 and 2 * n <= RUN and width >= 2 * RUN:
            worst = _bound(row, offset, n, largest)
        for start in range(0, width, RUN):
            part, shift = row[start : start + RUN], offset[start : start + RUN]
            hits = 0
            for j in range(len(part)):
                hits += part[j] + shift[j] >= worst
            if hits == 0:
                continue
            hits = 0
            for j in range(len(part)):  # without a branch: which ones cannot be foreseen
                places[hits] = j
                hits += part[j] + shift[j] >= worst
            for e in range(hits):
                j = places[e]
                if part[j] + shift[j] >= worst:
                    last = _insert(values, found, part[j] + shift[j], numbers[start + j])
                    worst = last if last > worst else worst


@kernel(within=True)
def _bound(row, offset, n, largest):
    """A score that at least n of the row reach: by the largest of every RUN-th one.

    Without it the n-th score so far is small at first, and many are kept only for a while.
    """
    for j in range(RUN):
        largest[j] = row[j] + offset[j]
    for start in range(RUN, len(row) - RUN + 1, RUN):
        part, shift = row[start : start + RUN], offset[start : start + RUN]
        for j in range(RUN):
            score = part[j] + shift[j]
            largest[j] = score if score > largest[j] else largest[j]
    low = high = largest[0]
    for j in range(RUN):
        low = largest[j] if largest[j] < low else low
        high = largest[j] if largest[j] > high else high
    if not low > -np.inf:
        return largest.dtype.type(-np.inf)
    for _ in range(HALVINGS):
        middle = low + (high - low) / 2
        count = 0
        for j in range(RUN):
            count += largest[j] >= middle
        if count >= n:
            low = middle
        else:
            high = middle
    return low


@kernel
def _keep_best_columns(scores, numbers, offset, column, best, worst):
    """Go on with a row of `column` and `best` for each column of the scores; offsets are of rows.

    `worst` is the last of each row of `best`.
    """
    width = scores.shape[1]
    for i in range(scores.shape[0]):
        row, number, shift = scores[i], numbers[i], offset[i]
        for start in range(0, width, RUN):
            part, least = row[start : start + RUN], worst[start : start + RUN]
            hits = 0
            for j in range(len(part)):
                hits += part[j] + shift >= least[j]
            if hits == 0:
                continue
            for j in range(len(part)):
                if part[j] + shift >= least[j]:
                    values, found = best[start + j], column[start + j]
                    least[j] = _insert(values, found, part[j] + shift, number)


@kernel(within=True)
def _insert(values, found, score, number):
    """Put a score in its place, by size and then by number; returns the last one that is kept."""
    place = len(values) - 1
    if score == values[place] and number > found[place]:
        return values[place]
    while place > 0 and (
        values[place - 1] < score or (values[place - 1] == score and found[place - 1] > number)
    ):
        values[place] = values[place - 1]
        found[place] = found[place - 1]
        place -= 1
    values[place] = score
    found[place] = number
    return values[len(values) - 1]
