"""Pairs of words that stand near each other, added up word by word.

    N_ij = sum over sentences, places t, offsets o:   weight(o) [word at t is i, at t + o is j]

The places of a text are sorted by their words. Then all pairs of one word are added up in a single
row of sums, which stays in the cache, and written down when the word is done: neither a table of
pairs nor a sort of them is needed. A bit for each word says which sums are not 0, so what is
written is in order. Words are done in runs, on threads; a row is the work of one thread.

Texts of more than PLACES_AT_A_TIME words are counted in parts. If the text is at hand, the rows of
a run of words are added up over all parts before those of the next run are begun; of documents that
come one after the other, whole matrices are added (`runs.py`).

Cost: a step for each pair; memory of the matrix, as far as `runs.py` keeps it in memory, and 8
bytes for each place of a text at hand, or of a part.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.config import get_config
from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map
from lowdim.linalg.sparse import row_cuts
from lowdim.text.pairs.runs import MatrixSum, Rows, at_a_time, rows_of, stored
from lowdim.text.pairs.windows import Window, window_of

PLACES_AT_A_TIME = 2**25
PLACE_BYTES = 8  # of a place of a part: its word, and where it is in the order of words
PAIRS_AT_A_TIME = 2**21  # at the most, that a run of words writes
PRODUCTS_AT_A_TIME = 2**24
ROUNDING = 1e-9  # of a weight
PLACES_FETCHED = 2**6  # with all that stands near them, at a time
# the place of the only bit of x: BIT_PLACES[(x * DE_BRUIJN) >> 58], for 64-bit numbers
DE_BRUIJN = 0x03F79D71B4CB0A89
BIT_PLACES = np.zeros(64, dtype=np.int64)
BIT_PLACES[[((DE_BRUIJN << i) % 2**64) >> 58 for i in range(64)]] = np.arange(64)


class Places(NamedTuple):
    """Some places of a text, and what stands around them."""

    ids: np.ndarray  # int32, the word at each place of the text; negative: none that counts
    starts: np.ndarray  # int64 (sentences + 1,), where sentences begin
    first: int  # the places from first
    last: int  # to last are those whose pairs count


def pairs_within(parts: Iterable[Places], n: int, window: Any, weighting: str) -> sp.csr_array:
    """The sums of pairs of n words over parts of a text, (n, n), float64, indices in order.

    Words that do not count (negative ids) keep their places.
    """
    window_of(window, weighting)  # says what is wrong with it, even if there is nothing to count
    total = MatrixSum((n, n))
    for part in parts:
        total.add(_pairs_of([part], n, window, weighting))
    return total.result()


def gathered(sequences: Iterable[tuple[np.ndarray, np.ndarray]]) -> Iterator[Places]:
    """Chunks of whole sentences (ids, where each ends) as parts of about PLACES_AT_A_TIME."""
    waiting, n_places = list[tuple[np.ndarray, np.ndarray]](), 0
    most = min(PLACES_AT_A_TIME, max(1, get_config().spill_bytes // PLACE_BYTES))
    for ids, last in sequences:
        waiting.append((ids, last))
        n_places += len(ids)
        if n_places >= most:
            yield _joined(waiting)
            waiting, n_places = [], 0
    if waiting:
        yield _joined(waiting)


def parts_of(ids: np.ndarray, starts: np.ndarray) -> Iterator[Places]:
    """A text as parts of about PLACES_AT_A_TIME; windows see the whole text."""
    for first in range(0, len(ids), PLACES_AT_A_TIME):
        yield Places(ids, starts, first, min(first + PLACES_AT_A_TIME, len(ids)))


def _joined(waiting: list[tuple[np.ndarray, np.ndarray]]) -> Places:
    sizes = np.concatenate([np.diff(last, prepend=0) for _, last in waiting])
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    ids = np.concatenate([ids for ids, _ in waiting])
    return Places(ids, starts, 0, len(ids))


def pairs_by_word(
    ids: np.ndarray,
    starts: np.ndarray,
    n: int,
    window: Any,
    weighting: str,
    seen_as: Callable[[Rows], Rows] | None = None,
) -> sp.csr_array:
    """The same of a text whose ids are at hand: a run of words after the other, over all parts.

    No more than the rows of a run are counted before they are seen through `seen_as`, which may
    keep less of them.
    """
    window_of(window, weighting)
    parts = list(parts_of(ids, starts))
    if not parts:
        return sp.csr_array((n, n), dtype=np.float64)
    return _pairs_of(parts, n, window, weighting, seen_as)


def context_sums(
    ids: np.ndarray, starts: np.ndarray, n: int, window: Any, weighting: str
) -> np.ndarray:
    """The sums of the columns of such pairs, (n,): known without counting any.

    A place has all weights, but for those of windows that would begin outside of its sentence.
    """
    lengths = np.diff(starts)
    near = window_of(window, weighting, int(lengths.max(initial=0)))
    sums = _counts_of(ids, n) * near.weights.sum()
    for side in (1, -1):  # places from the begin, and from the end
        far = near.offsets * side
        for p in range(int(far.max(initial=0))):
            within = lengths > p
            if not within.any():
                break
            places = starts[:-1][within] + p if side > 0 else starts[1:][within] - 1 - p
            sums -= np.bincount(ids[places], minlength=n) * near.weights[far > p].sum()
    return np.where(sums > ROUNDING * near.weights.sum(), sums, 0.0)


def _counts_of(ids: np.ndarray, n: int) -> np.ndarray:
    """How often each word stands in a text; NumPy would make a copy of it, twice as large."""
    count = np.zeros(n, dtype=np.int64)
    _count_words(ids, count)
    return count


class _Sorted(NamedTuple):
    """The places of a part by their words."""

    part: Places
    edges: np.ndarray  # (n + 1,)  where the places of each word begin
    order: np.ndarray  # int32, see `_sort_places`


def _sorted(part: Places, n: int, reach: int) -> _Sorted:
    edges = np.zeros(n + 1, dtype=np.int64)
    np.cumsum(_counts_of(part.ids[part.first : part.last], n), out=edges[1:])
    order = np.empty(edges[-1], dtype=np.int32)
    _sort_places(*part[:2], part.first, part.last, reach, edges[:-1].copy(), order)
    return _Sorted(part, edges, order)


def _pairs_of(
    parts: list[Places],
    n: int,
    window: Any,
    weighting: str,
    seen_as: Callable[[Rows], Rows] | None = None,
) -> sp.csr_array:
    longest = int(np.diff(parts[0].starts).max(initial=0))
    near = window_of(window, weighting, longest)
    if not len(near.offsets):
        return sp.csr_array((n, n), dtype=np.float64)
    reach = int(np.abs(near.offsets).max(initial=0))
    every = [_sorted(part, n, reach) for part in parts]
    known = np.sum([np.diff(one.edges) for one in every], axis=0)
    room = np.concatenate([[0], np.cumsum(np.minimum(known * len(near.offsets), n))])

    def work(cut: tuple[int, int]) -> Rows:
        counted = [_rows(one, near, cut, int(room[cut[1]] - room[cut[0]])) for one in every]
        if len(counted) == 1:
            rows = counted[0]
        else:
            total = functools.reduce(operator.add, (_as_rows(one, n) for one in counted))
            rows = rows_of(sp.csr_array(total))
        return rows if seen_as is None else seen_as(rows)

    cuts = row_cuts(room, at_a_time(PAIRS_AT_A_TIME))
    return stored(ordered_map(work, cuts), n, len(every) * int(room[-1]))


def _as_rows(run: Rows, n: int) -> sp.csr_array:
    length, columns, values = run
    indptr = np.concatenate([[0], np.cumsum(length)]).astype(np.int32)
    rows = sp.csr_array((values, columns, indptr), shape=(len(length), n))
    rows.has_canonical_format = True
    return rows


def _rows(places: _Sorted, near: Window, cut: tuple[int, int], room: int) -> Rows:
    """How many pairs, their columns and their sums, of a run of words."""
    part, edges, order = places
    n = len(edges) - 1
    length = np.zeros(cut[1] - cut[0], dtype=np.int64)
    columns, values = np.empty(room, dtype=np.int32), np.empty(room)
    sums, bits = np.zeros(n), np.zeros(n // 64 + 1, dtype=np.uint64)
    around = np.empty(PLACES_FETCHED * len(near.offsets) + 1, dtype=np.int32)
    text = (part.ids, part.starts, part.first)
    results = (around, sums, bits, length, columns, values)
    used = _add_rows(*text, edges, order, *cut, *near, *results)
    return Rows(length, columns[:used], values[:used])  # what was not written takes no memory


# ---- all places of a sentence --------------------------------------------------------------------


def all_pairs(counts: sp.csr_array) -> sp.csr_array:
    """The pairs of different places of the same sentence: X'X, less each place with itself.

    counts : X (sentences, n), how often each sentence has each word
    """
    n_places = np.bincount(counts.indices, weights=counts.data, minlength=counts.shape[1])
    return products(counts, less=n_places)


def products(X: sp.csr_array, less: np.ndarray | None = None) -> sp.csr_array:
    """X'X of a sparse matrix, less a diagonal matrix if one is given, by runs of rows."""
    n = X.shape[1]
    X_t = X.T.tocsr()
    work = np.concatenate([[0], np.cumsum(np.diff(X.indptr)[X_t.indices])])[X_t.indptr]

    diagonal = sp.diags_array(np.zeros(n) if less is None else less, format="csr")

    def product(cut: tuple[int, int]) -> Rows:
        C = sp.csr_array(X_t[slice(*cut)] @ X)
        if less is not None:
            C = sp.csr_array(C - diagonal[slice(*cut)])
            C.eliminate_zeros()
        C.sort_indices()
        return rows_of(C)

    cuts = row_cuts(work, at_a_time(PRODUCTS_AT_A_TIME))
    return stored(ordered_map(product, cuts), n, int(work[-1]))


# ---- kernels -------------------------------------------------------------------------------------


@kernel
def _count_words(ids, count):
    for t in range(len(ids)):
        if ids[t] >= 0:
            count[ids[t]] += 1


@kernel
def _sort_places(ids, starts, first, last, reach, place, order):
    """The places of each word, in order; `place` is where those of each word begin.

    Twice the place, and 1 where a window of this reach would leave the sentence.
    """
    sentence = 0
    while sentence + 1 < len(starts) - 1 and starts[sentence + 1] <= first:
        sentence += 1
    for t in range(first, last):
        while t >= starts[sentence + 1]:
            sentence += 1
        word = ids[t]
        if word >= 0:
            leaves = t - reach < starts[sentence] or t + reach >= starts[sentence + 1]
            order[place[word]] = 2 * (t - first) + leaves
            place[word] += 1


@kernel(within=True)
def _sentence_of(starts, t):
    """The sentence in which place t is."""
    low, high = 0, len(starts) - 1
    while high - low > 1:
        middle = (low + high) // 2
        if starts[middle] <= t:
            low = middle
        else:
            high = middle
    return low


@kernel
def _add_rows(
    ids, starts, first, edges, at, row, last, offset, weight, near, sums, bits, size, column, value
):
    """Add up the pairs of the words from `row` to `last`; returns how many were written.

    near : room for what stands near some places, and one more
    """
    n, width = 0, len(offset)
    at_a_time = (len(near) - 1) // width
    one, none = np.uint64(1), np.uint64(0)
    for word in range(row, last):
        begin, i = n, edges[word]
        while i < edges[word + 1]:
            some = edges[word + 1] - i if edges[word + 1] - i < at_a_time else at_a_time
            # first the outermost words of all windows are looked at, from all over the text: these
            # reads do not wait for each other, and whole windows are in the cache then
            seen = 0
            for m in range(some):
                if at[i + m] & 1 == 0:
                    t = first + (at[i + m] >> 1)
                    seen ^= ids[t + offset[0]] ^ ids[t + offset[width - 1]]
            near[at_a_time * width] = seen
            for m in range(some):
                t = first + (at[i + m] >> 1)
                if at[i + m] & 1:
                    own = _sentence_of(starts, t)
                    for o in range(width):
                        j = t + offset[o]
                        inside = starts[own] <= j < starts[own + 1]
                        near[m * width + o] = ids[j] if inside else -1
                else:
                    for o in range(width):
                        near[m * width + o] = ids[t + offset[o]]
            for m in range(some):
                for o in range(width):
                    other = near[m * width + o]
                    if other >= 0:
                        # in every case: whether a pair is new cannot be foreseen
                        bits[other >> 6] |= one << np.uint64(other & 63)
                        sums[other] += weight[o]
            i += some
        for b in range(len(bits)):
            left = bits[b]
            bits[b] = none
            while left != none:
                lowest = left & (~left + one)
                left ^= lowest
                other = 64 * b + BIT_PLACES[(lowest * np.uint64(DE_BRUIJN)) >> np.uint64(58)]
                column[n] = other
                value[n] = sums[other]
                sums[other] = 0.0
                n += 1
        size[word - row] = n - begin
    return n
