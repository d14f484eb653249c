"""Rows in blocks: the one way in which every method looks at data.

A method says what one block of rows adds up (`statistics`); `fold` adds it up over all blocks,
`map` collects what is computed row by row. An array in memory (here), a stream of files
(`core/stream.py`) and a Dask collection (`core/dask_blocks.py`) differ only in how blocks come.

The blocks, and the tree in which their sums are added, depend on the data alone: so results do not
depend on the number of threads. Sums are kept in float64 whatever the rows are.
"""

from __future__ import annotations

import copy
import functools
import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.config import get_config
from lowdim.core.row_results import NO_ROWS, RowResults, joined, same_tuple, stacked
from lowdim.core.threads import ordered_map

# Second moments of a block are d x d: a block of fewer than 2 d rows would spend its time adding
# them up. Such blocks may outgrow the cache, but not this:
LARGEST_BLOCK_BYTES = 2**24

# Sums of up to LONGEST_RUN neighbouring blocks are added up on the thread that computed them; there
# are at least LEAST_RUNS such runs, if there are as many blocks, so that threads end together
LONGEST_RUN = 8
LEAST_RUNS = 8

NONE_LEFT = "X has no observed value in any of its rows (n_samples=0); at least 1 row is needed."


class Top(NamedTuple):
    """The rows with the largest scores, best first."""

    index: np.ndarray  # type: ignore[assignment]  # (n,)  their numbers
    score: np.ndarray  # (n,)
    rows: Any  # (n, d)  the rows themselves


class Blocks(ABC):
    """Rows of a matrix, seen a block at a time.

    Every block is a 2-D array, or a `csr_array` where `is_sparse`, of dtype float32 or float64.
    It may be read-only and must not be written to. Functions are called as
    `function(block, *params, *companions)`, where companions are the rows' part of `along`: arrays
    with one entry per row, or None. They may run on another thread or machine: use module-level
    functions of arrays.
    """

    dtype: np.dtype
    is_sparse: bool = False
    feature_names: list[str] | None = None

    @property
    @abstractmethod
    def shape(self) -> tuple[int, int]:
        """(number of rows, number of columns). Counting the rows may take a pass over a stream."""

    @property
    @abstractmethod
    def n_columns(self) -> int:
        """Number of columns; known without a pass."""

    @property
    def known_rows(self) -> int | None:
        """Number of rows, or None while only a pass could count them."""
        return self.shape[0]

    @property
    def in_memory(self) -> Any:
        """The whole matrix if it is in memory, else None."""
        return None

    def fold(self, function: Callable, *params: Any, along: Sequence = ()) -> Any:
        """Sum of function(block, *params, *companions) over all blocks, in float64.

        The function returns an array, a number, an `Addend`, or a (named) tuple of these. The
        arrays must be its own: they may be added into. Whole numbers and counts of True are summed
        in int64.
        """
        return _wide(self._reduce(function, params, along, add))

    @abstractmethod
    def map(self, function: Callable, *params: Any, along: Sequence = ()) -> Any:
        """Row-aligned results of function(block, *params, *companions).

        A NumPy array (or a tuple of them, if the function returns a tuple) for data in memory and
        for streams; a lazy Dask array on Dask.
        """

    def fold_and_map(
        self, function: Callable, *params: Any, along: Sequence = (), out: np.ndarray | None = None
    ) -> tuple:
        """Sums, and row-aligned results in memory, of one pass.

        The function returns both: what `fold` adds up, and an array with an entry for each row.
        These are written to `out`, if it is given: memory that a thread of a pass asks for is not
        always given back, so who needs much of it again and again asks for it beforehand.
        """
        sums, parts = self._reduce(_sums_and_rows, (function, params), along, _add_and_append)
        parts.reverse()
        results = joined((parts.pop() for _ in range(len(parts))), self.shape[0], out)
        return _wide(sums), results

    @abstractmethod
    def take(self, index: np.ndarray) -> Any:
        """The rows with these numbers, in this order, in memory."""

    @abstractmethod
    def batches(self, size: int, along: Sequence = ()) -> Iterator[tuple]:
        """(rows, *companions) in order, `size` rows at a time: for methods that learn online."""

    @abstractmethod
    def _reduce(self, function: Callable, params: tuple, along: Sequence, combine: Callable) -> Any:
        """The blocks' results, combined two by two in a fixed tree."""

    def checked(self, check: Callable, *args: Any) -> Blocks:
        """The same rows; check(block, *args) raises an error if it does not like a block.

        In memory it looks at all blocks now. In streams and on Dask it comes with every pass, and
        so costs no pass of its own.
        """
        self.fold(_no_complaint, check, args)
        return self

    def seen(self, function: Callable, *params: Any) -> Blocks:
        """The same rows, seen through function(block, *params), which gives a row for each row.

        Nothing is stored: the function runs again in every pass, where the block is.
        """
        return _SeenBlocks(self, function, params)

    @abstractmethod
    def where(self, chosen: Callable, *params: Any) -> Blocks:
        """The rows for which chosen(block, *params) is True; it may return None, which means all.

        `all_rows` of what is returned are these. In memory all blocks are looked at now, and rows
        of which none is left out stay as they are, without a copy. In streams and on Dask rows are
        left out in every pass; their number is known after the first one.
        """

    @property
    def all_rows(self) -> Blocks:
        """The rows from which `where` chose these; these rows, if none were left out by it."""
        return self

    @property
    def n_left_out(self) -> int:
        """How many of `all_rows` are not among these. May take a pass, as `shape` may."""
        return self.all_rows.shape[0] - self.shape[0]

    def part_of(self, companion: np.ndarray | None) -> np.ndarray | None:
        """The entries for these rows, of a companion with one for each of `all_rows`.

        In streams and on Dask this takes a pass if rows may have been left out.
        """
        return companion

    def as_given(self) -> Blocks:
        """The same rows, forgetting those that `where` left out: what another fit is given."""
        return self

    def sample(self, n: int, random: np.random.Generator) -> Any:
        """n different rows at random; the same ones whatever holds the data."""
        return self.take(random.choice(self.shape[0], size=n, replace=False))

    def top(self, score: Callable, n: int, *params: Any, along: Sequence = ()) -> Top:
        """The n rows with the largest score(block, *params, *companions); of equals, the first."""
        best = self._reduce(_best, (score, n, params), along, _better)
        return Top(best.index, best.score, best.rows)

    def fingerprint(self) -> str:
        """A hash of every value: two data sets with the same one are the same."""
        digest = self._reduce(_digest, (), (), _joint_digest)
        return f"{self.shape[0]}x{self.shape[1]} {self.dtype} {digest.hex()[:32]}"


class ArrayBlocks(Blocks):
    """Rows of an array or of a sparse matrix in memory, worked on by threads.

    Parameters
    ----------
    X : ndarray or scipy.sparse array of shape (n, d)
    block_rows : int or None
        Rows per block; None chooses blocks that fit the cache.
    in_order : bool, default=False
        Sums are added up one block after the other in place of a tree, which holds several of them
        at once: for few blocks with large sums. Blocks of sparse rows are views.
    """

    def __init__(self, X: Any, block_rows: int | None = None, *, in_order: bool = False):
        self.is_sparse = sp.issparse(X)
        self._X = as_floats(sp.csr_array(X) if self.is_sparse else np.asarray(X))
        self.dtype = self._X.dtype
        self._block_rows = block_rows or rows_per_block(self._X)
        self._in_order = in_order
        self._chosen_from: tuple[Blocks, np.ndarray] | None = None  # all rows, and which these are

    @property
    def shape(self) -> tuple[int, int]:
        return self._X.shape

    @property
    def n_columns(self) -> int:
        return self._X.shape[1]

    @property
    def in_memory(self) -> Any:
        return self._X

    def map(self, function: Callable, *params: Any, along: Sequence = ()) -> Any:
        results = RowResults(self.shape[0])

        def fill(cut: slice) -> None:
            results.put(cut, function(*self._cut(cut, params, along)))

        for _ in ordered_map(fill, self._cuts()):
            pass
        return results.joined()

    def fold_and_map(
        self, function: Callable, *params: Any, along: Sequence = (), out: np.ndarray | None = None
    ) -> tuple:
        results, numbers = RowResults(self.shape[0], out), np.arange(self.shape[0])
        how = (function, params, results)
        sums = self._reduce(_sums_with_rows_put, how, (numbers, *along), add)
        return _wide(sums), results.joined()

    def where(self, chosen: Callable, *params: Any) -> Blocks:
        keep = self.map(chosen_rows, chosen, params)
        if keep.all():
            return self
        rows = ArrayBlocks(self._X[keep])
        rows.feature_names, rows._chosen_from = self.feature_names, (self, keep)
        return rows

    @property
    def all_rows(self) -> Blocks:
        return self._chosen_from[0] if self._chosen_from else self

    def part_of(self, companion: np.ndarray | None) -> np.ndarray | None:
        if companion is None or self._chosen_from is None:
            return companion
        return companion[self._chosen_from[1]]

    def as_given(self) -> Blocks:
        rows = copy.copy(self)
        rows._chosen_from = None
        return rows

    def take(self, index: np.ndarray) -> Any:
        return self._X[index]

    def batches(self, size: int, along: Sequence = ()) -> Iterator[tuple]:
        for start in range(0, self.shape[0], size):
            yield self._cut(slice(start, start + size), (), along)

    def _reduce(self, function: Callable, params: tuple, along: Sequence, combine: Callable) -> Any:
        def work(run: list[slice]) -> Any:
            results = (function(*self._cut(cut, params, along)) for cut in run)
            return functools.reduce(combine, results)

        if self._in_order:
            return reduce_in_order(ordered_map(work, [[cut] for cut in self._cuts()]), combine)
        return reduce_tree(ordered_map(work, self._runs()), combine)

    def _cuts(self) -> list[slice]:
        n, size = self.shape[0], self._block_rows
        return [slice(start, min(start + size, n)) for start in range(0, n, size)]

    def _runs(self) -> list[list[slice]]:
        """Neighbouring blocks whose results are added up where they were computed."""
        cuts = self._cuts()
        length = max(1, min(LONGEST_RUN, len(cuts) // LEAST_RUNS))
        return [cuts[start : start + length] for start in range(0, len(cuts), length)]

    def _cut(self, rows: slice, params: tuple, along: Sequence) -> tuple:
        block = _csr_rows(self._X, rows, self._in_order) if self.is_sparse else self._X[rows]
        return (block, *params, *(companion_part(part, rows) for part in along))


class _SeenBlocks(Blocks):
    """Rows of other blocks, seen through a function."""

    def __init__(self, rows: Blocks, function: Callable, params: tuple):
        self._rows, self._function, self._params = rows, function, params
        row = np.ones((1, rows.n_columns), dtype=rows.dtype)
        example = function(sp.csr_array(row) if rows.is_sparse else row, *params)
        self._n_columns, self.dtype = example.shape[1], example.dtype
        self.is_sparse = sp.issparse(example)

    @property
    def shape(self) -> tuple[int, int]:
        return self._rows.shape[0], self._n_columns

    @property
    def n_columns(self) -> int:
        return self._n_columns

    @property
    def known_rows(self) -> int | None:
        return self._rows.known_rows

    def checked(self, check: Callable, *args: Any) -> Blocks:
        if self._rows.in_memory is not None:
            return super().checked(check, *args)
        return self._rows.seen(_checked_view, self._function, self._params, check, args)

    def where(self, chosen: Callable, *params: Any) -> Blocks:
        view = (self._function, self._params, chosen, params)
        return self._rows.where(_of_view, *view).seen(self._function, *self._params)

    @property
    def all_rows(self) -> Blocks:
        rows = self._rows.all_rows
        return self if rows is self._rows else rows.seen(self._function, *self._params)

    def part_of(self, companion: np.ndarray | None) -> np.ndarray | None:
        return self._rows.part_of(companion)

    def as_given(self) -> Blocks:
        return self._rows.as_given().seen(self._function, *self._params)

    def map(self, function: Callable, *params: Any, along: Sequence = ()) -> Any:
        return self._rows.map(_of_view, self._function, self._params, function, params, along=along)

    def take(self, index: np.ndarray) -> Any:
        return self._function(self._rows.take(index), *self._params)

    def batches(self, size: int, along: Sequence = ()) -> Iterator[tuple]:
        for X, *companions in self._rows.batches(size, along):
            yield self._function(X, *self._params), *companions

    def _reduce(self, function: Callable, params: tuple, along: Sequence, combine: Callable) -> Any:
        view = (self._function, self._params, function, params)
        return self._rows._reduce(_of_view, view, along, combine)


def _of_view(
    X: Any, view: Callable, view_params: tuple, function: Callable, params: tuple, *companions: Any
) -> Any:
    return function(view(X, *view_params), *params, *companions)


def _checked_view(X: Any, view: Callable, view_params: tuple, check: Callable, args: tuple) -> Any:
    Y = view(X, *view_params)
    check(Y, *args)
    return Y


def is_dask(X: Any) -> bool:
    """Whether X is a Dask array or DataFrame, found out without importing Dask."""
    return type(X).__module__.split(".")[0] in ("dask", "dask_expr") and hasattr(
        X, "__dask_graph__"
    )


def rows_per_block(X: Any) -> int:
    """How many rows make a block of X: enough to fill the cache and to outweigh its d x d sums."""
    n, d = X.shape
    target = get_config().block_bytes
    if sp.issparse(X):
        stored_bytes = X.data.nbytes + X.indices.nbytes
        row_bytes = max(stored_bytes / max(n, 1), 1.0)
        # a product with a few columns gives d rows: 16 stored entries for each outweigh them
        target = max(target, 16 * d * (X.dtype.itemsize + X.indices.itemsize))
        return max(1, int(target / row_bytes))
    row_bytes = max(d * X.dtype.itemsize, 1)
    return max(1, target // row_bytes, min(2 * d, LARGEST_BLOCK_BYTES // row_bytes))


def as_floats(X: Any) -> Any:
    """X in float32 or float64: itself if it is, else as float64."""
    return X if X.dtype in (np.float32, np.float64) else X.astype(np.float64)


def _csr_rows(X: Any, rows: slice, views: bool) -> Any:
    """Consecutive rows of a csr_array, as views of its arrays or as SciPy does it.

    SciPy copies what is less than half of an array, so those may be written into.
    """
    start, stop, _ = rows.indices(X.shape[0])
    indptr = X.indptr[start : stop + 1]
    stored = slice(indptr[0], indptr[-1])
    parts, shape = (
        (X.data[stored], X.indices[stored], indptr - indptr[0]),
        (stop - start, X.shape[1]),
    )
    if not views:
        return sp.csr_array(parts, shape=shape, copy=False)
    block = sp.csr_array(shape, dtype=X.dtype)
    block.data, block.indices, block.indptr = parts
    return block


def companion_part(companion: Any, rows: slice) -> Any:
    """The rows' part of a row-aligned companion; None stays None."""
    return None if companion is None else companion[rows]


# ---- sums ------------------------------------------------------------------------------------


class Addend(ABC):
    """What one block adds to a large sum, where it is smaller than the sum: it adds itself.

    A function that is folded may return one in place of an array.
    """

    shape: tuple[int, ...]

    @abstractmethod
    def add_to(self, total: np.ndarray) -> None:
        """Add this to a float64 array of this shape."""

    def array(self) -> np.ndarray:
        """This alone, in float64."""
        total = np.zeros(self.shape)
        self.add_to(total)
        return total


def add(left: Any, right: Any) -> Any:
    """left + right for sums: numbers, arrays, tuples of sums. May write into left's arrays."""
    if isinstance(left, tuple):
        return same_tuple(left, map(add, left, right))
    left = _wide(left)
    if isinstance(right, Addend):
        total = left if _is_own(left) else np.array(left)
        right.add_to(total)
        return total
    if _can_hold_sum(left, right):
        return np.add(left, right, out=left)
    return left + right


def _can_hold_sum(left: Any, right: Any) -> bool:
    if not isinstance(left, np.ndarray) or left.ndim == 0 or np.shape(right) != left.shape:
        return False
    return _is_own(left) and np.result_type(left, right) == left.dtype


def _is_own(array: np.ndarray) -> bool:
    return array.flags.owndata and array.flags.writeable


def blend(old: Any, new: Any, rate: float) -> Any:
    """(1 - rate) old + rate new, for sums: how `partial_fit` lets new rows into what it knows."""
    if isinstance(old, tuple):
        return same_tuple(old, (blend(o, n, rate) for o, n in zip(old, new, strict=True)))
    return (1.0 - rate) * old + rate * new


def reduce_tree(parts: Generator, combine: Callable) -> Any:
    """Combine neighbours two by two, then the results two by two, and so on.

    Reads parts one at a time and holds only O(log n) of them. Rounding errors grow with log n, and
    the order depends on nothing but the number of parts.
    """
    levels: list[tuple[int, Any]] = []  # heights fall from left to right, as in a binary counter
    with closing(parts):  # whatever happens here, it lets go of threads, files and BLAS
        for part in parts:
            height = 0
            while levels and levels[-1][0] == height:
                part = combine(levels.pop()[1], part)
                height += 1
            levels.append((height, part))
    if not levels:
        raise ValueError(NO_ROWS)
    result = levels.pop()[1]
    while levels:
        result = combine(levels.pop()[1], result)
    return result


def reduce_in_order(parts: Generator, combine: Callable) -> Any:
    """Combine the first with the second, the result with the third, and so on."""
    with closing(parts):
        result = next(parts, None)
        if result is None:
            raise ValueError(NO_ROWS)
        for part in parts:
            result = combine(result, part)
            del part  # the next one may take long
    return result


def _wide(sums: Any) -> Any:
    """Sums in float64, complex128 or int64, whatever a block gave."""
    if isinstance(sums, tuple):
        return same_tuple(sums, map(_wide, sums))
    if isinstance(sums, Addend):
        return sums.array()
    if not isinstance(sums, np.ndarray | np.generic):
        return sums
    wide = np.result_type(sums.dtype, np.int64 if sums.dtype.kind in "biu" else np.float64)
    return sums if sums.dtype == wide else sums.astype(wide)


# ---- row-aligned results -----------------------------------------------------------------------


def _sums_with_rows_put(
    block: Any,
    function: Callable,
    params: tuple,
    results: RowResults,
    numbers: np.ndarray,
    *companions: Any,
) -> Any:
    sums, rows = function(block, *params, *companions)
    results.put(slice(int(numbers[0]), int(numbers[-1]) + 1), rows)
    return sums


def rebatched(parts: Iterable[tuple], size: int) -> Iterator[tuple]:
    """(rows, *companions) of consecutive blocks, cut anew into batches of `size` rows."""
    waiting: list[tuple] = []
    n_waiting = 0
    for part in parts:
        waiting.append(part)
        n_waiting += part[0].shape[0]
        if n_waiting >= size:
            rows = stacked(waiting)
            whole = n_waiting - n_waiting % size
            for start in range(0, whole, size):
                yield tuple(companion_part(field, slice(start, start + size)) for field in rows)
            waiting = [tuple(companion_part(field, slice(whole, None)) for field in rows)]
            n_waiting -= whole
    if n_waiting:
        yield stacked(waiting)


def chosen_rows(block: Any, chosen: Callable, params: tuple) -> np.ndarray:
    """Which rows of one block are chosen, (b,) bool."""
    keep = chosen(block, *params)
    return np.ones(block.shape[0], dtype=bool) if keep is None else keep


def rows_where(block: Any, chosen: Callable, params: tuple) -> Any:
    """The rows of one block for which chosen(block, *params) is True; None means all."""
    keep = chosen(block, *params)
    return block if keep is None else block[keep]


def _sums_and_rows(block: Any, function: Callable, params: tuple, *companions: Any) -> tuple:
    sums, rows = function(block, *params, *companions)
    return sums, [rows]


def _add_and_append(left: tuple, right: tuple) -> tuple:
    return add(left[0], right[0]), left[1] + right[1]


def _no_complaint(block: Any, check: Callable, args: tuple) -> int:
    check(block, *args)
    return 0


# ---- the best rows -----------------------------------------------------------------------------


class _Best(NamedTuple):
    count: int  # type: ignore[assignment]  # rows seen
    n: int  # how many to keep
    index: np.ndarray  # type: ignore[assignment]
    score: np.ndarray
    rows: Any


def _best(block: Any, score: Callable, n: int, params: tuple, *companions: Any) -> _Best:
    scores = np.asarray(score(block, *params, *companions), dtype=np.float64)
    keep = _first_of(-scores, n)
    return _Best(len(scores), n, keep, scores[keep], block[keep])


def _first_of(numbers: np.ndarray, n: int) -> np.ndarray:
    """Where the n smallest are, in order; of equals the first, and NaN last."""
    if n >= len(numbers):
        return np.argsort(numbers, kind="stable")
    few = np.flatnonzero(~(numbers > np.partition(numbers, n - 1)[n - 1]))  # in linear time
    return few[np.argsort(numbers[few], kind="stable")[:n]]


def _better(left: _Best, right: _Best) -> _Best:
    index = np.concatenate([left.index, left.count + right.index])
    score = np.concatenate([left.score, right.score])
    rows = stacked([left.rows, right.rows])
    keep = _first_of(-score, left.n)
    return _Best(left.count + right.count, left.n, index[keep], score[keep], rows[keep])


# ---- fingerprints --------------------------------------------------------------------------------


def _digest(block: Any) -> bytes:
    parts = (block.data, block.indices, block.indptr) if sp.issparse(block) else (block,)
    digest = hashlib.blake2b(digest_size=16)
    for part in parts:
        digest.update(np.ascontiguousarray(part).view(np.uint8).data)
    return digest.digest()


def _joint_digest(left: bytes, right: bytes) -> bytes:
    return hashlib.blake2b(left + right, digest_size=16).digest()
