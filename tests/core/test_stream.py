"""Streams: a source gives the rows that the array has, a chunk at a time."""

import threading
import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from lowdim.core.blocks import ArrayBlocks
from lowdim.core.config import config_context
from lowdim.core.stream import CallableSource, StreamBlocks

UNEVEN = [3, 1, 40, 0, 17, 2, 37]  # 7 parts, 100 rows


def stream(give):
    """Rows of a callable."""
    return StreamBlocks([CallableSource(give, None)], None)


def matrix(rng):
    """Numbers with few digits: sums are exact."""
    return rng.integers(-64, 65, size=(sum(UNEVEN), 4)) / 8


def parts(X, sizes=UNEVEN):
    return np.split(X, np.cumsum(sizes)[:-1])


def moments(X, weight=None):
    X = X.toarray() if sp.issparse(X) else X
    W = X if weight is None else X * weight[:, None]
    return len(X), W.sum(axis=0), W.T @ X


def first_column(X):
    return X[:, [0]].toarray().ravel() if sp.issparse(X) else X[:, 0]


def dense(X):
    return X.toarray() if sp.issparse(X) else X


# The same rows as the array


@given(
    sizes=st.lists(st.integers(0, 9), min_size=1, max_size=8).filter(any),
    block_bytes=st.integers(1, 400),
    sparse=st.booleans(),
    dtype=st.sampled_from(["f4", "f8", "i4", "u1", "?"]),
    seed=st.integers(0, 2**32 - 1),
)
def test_a_callable_agrees_with_the_array_in_everything(sizes, block_bytes, sparse, dtype, seed):
    random = np.random.default_rng(seed)
    X = random.integers(0, 5, size=(sum(sizes), 3)).astype(dtype)
    weight = random.integers(0, 3, size=len(X)).astype(float)
    make = sp.csr_array if sparse else np.asarray
    blocks = [make(part) for part in parts(X, sizes)]
    with config_context(block_bytes=block_bytes):
        rows, memory = stream(lambda: iter(blocks)), ArrayBlocks(make(X))
        assert rows.dtype == memory.dtype and rows.is_sparse == sparse
        for result, expected in zip(
            rows.fold(moments, along=(weight,)), memory.fold(moments, along=(weight,)), strict=True
        ):
            np.testing.assert_array_equal(result, expected)
        np.testing.assert_array_equal(rows.map(first_column), memory.map(first_column))
        index = random.integers(0, len(X), size=random.integers(1, 6))
        np.testing.assert_array_equal(dense(rows.take(index)), X[index])
        n = random.integers(1, len(X) + 1)
        np.testing.assert_array_equal(
            dense(rows.sample(n, np.random.default_rng(seed))),
            dense(memory.sample(n, np.random.default_rng(seed))),
        )
        best, expected = rows.top(first_column, n), memory.top(first_column, n)
        np.testing.assert_array_equal(best.index, expected.index)
        np.testing.assert_array_equal(dense(best.rows), dense(expected.rows))
        size = int(random.integers(1, 12))
        for batch, expected in zip(
            rows.batches(size, along=(weight, None)),
            memory.batches(size, along=(weight, None)),
            strict=True,
        ):
            np.testing.assert_array_equal(dense(batch[0]), dense(expected[0]))
            np.testing.assert_array_equal(batch[1], expected[1])
            assert batch[2] is None


@pytest.mark.parametrize("threads", [2, 3])
def test_streams_are_bit_identical_for_any_number_of_threads(threads, rng):
    blocks = [rng.normal(size=(n, 6)) for n in (400, 3, 251)]

    def results(threads):
        with config_context(threads=threads, block_bytes=2000):
            rows = stream(lambda: blocks)
            return *rows.fold(moments), rows.map(np.sin)

    for one, other in zip(results(1), results(threads), strict=True):
        np.testing.assert_array_equal(one, other)


def test_map_of_a_stream_gives_tuples_and_sparse_matrices_too(rng):
    X = matrix(rng)
    rows = stream(lambda: parts(X))
    for _ in range(2):  # before and after the number of rows is known
        squares, first = rows.map(lambda block: (block**2, block[:, 0]))
        np.testing.assert_array_equal(squares, X**2)
        np.testing.assert_array_equal(first, X[:, 0])
        doubled = rows.map(lambda block: sp.csr_array(block * 2))
        np.testing.assert_array_equal(doubled.toarray(), X * 2)


# Reading ahead, memory, progress


def test_the_next_block_is_read_while_this_one_is_worked_on():
    begun = [threading.Event() for _ in range(4)]

    def blocks():
        for i, event in enumerate(begun):
            event.set()
            yield np.full((100, 2), float(i))

    rows = stream(blocks)

    def wait_for_next(block):
        i = int(block[0, 0])
        return int(i == 3 or begun[i + 1].wait(timeout=30))

    for block_bytes in (2**20, 100):  # a chunk is one block, or many
        for event in begun:
            event.clear()
        with config_context(threads=1, block_bytes=block_bytes):
            assert np.all(rows.map(lambda block: np.full(len(block), wait_for_next(block))))


def test_a_stream_needs_memory_for_a_few_chunks_only():
    n_blocks, block = 60, np.ones((4000, 50))  # 1.6 MB each, 96 MB in all

    def blocks():
        for _ in range(n_blocks):
            yield block.copy()

    rows = stream(blocks)
    with config_context(threads=2, block_bytes=2**16):
        tracemalloc.start()
        total = rows.fold(np.sum)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert total == n_blocks * block.size
    # in work, read ahead, being read, and the last blocks of the one before
    assert peak < 5 * block.nbytes


def test_what_map_returns_is_not_held_twice_once_the_rows_are_counted(rng):
    block = rng.normal(size=(1000, 50))
    rows = stream(lambda: (block for _ in range(50)))
    assert rows.shape == (50_000, 50)
    tracemalloc.start()
    result = rows.map(np.square)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1.3 * result.nbytes


def test_taking_early_rows_does_not_read_the_rest():
    read = []

    def blocks():
        for i in range(100):
            read.append(i)
            yield np.full((10, 1), float(i))

    rows = stream(blocks)
    read.clear()
    assert rows.take(np.array([11, 3])).ravel().tolist() == [1.0, 0.0]
    assert read == [0, 1]


def test_checked_rows_are_checked_in_the_pass_that_reads_them(rng):
    blocks = [np.ones((5, 2)), np.full((5, 2), np.nan)]
    looked_at = []

    def refuse_nan(block, who):
        looked_at.append(len(block))
        if np.isnan(block).any():
            raise ValueError(f"{who} does not like NaN")

    plain = stream(lambda: blocks)
    rows = plain.checked(refuse_nan, "she")
    assert looked_at == []
    with pytest.raises(ValueError, match="she does not like NaN"):
        rows.fold(np.sum)
    assert looked_at == [5, 5]
    assert np.isnan(plain.fold(np.sum))  # the stream of the user is as it was
    assert rows.known_rows == 10  # what one pass counts, both know
    twice = plain.checked(refuse_nan, "he").checked(lambda block: None)
    with pytest.raises(ValueError, match="he does not like NaN"):  # checks add up
        twice.fold(np.sum)


# The door


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ([], "gave no blocks; at least 1 is needed"),
        ([np.empty((0, 3))], r"gave no rows \(n_samples=0\)"),
        ([np.ones(3)], r"gave a block of shape \(3,\); blocks must be 2-D"),
        ([np.ones((2, 2)), np.ones(2)], r"gave a block of shape \(2,\); blocks must be 2-D"),
        ([np.ones((5, 2)), np.ones((5, 3))], r"shape \(5, 3\) after row 5; .* 2 columns"),
        ([np.array([["x"]])], "values of dtype <U1; numbers are needed"),
    ],
)
def test_blocks_that_are_no_matrices_of_one_width_are_refused(blocks, message):
    with pytest.raises(ValueError, match=message):
        stream(lambda: iter(blocks)).fold(np.sum)


def test_a_callable_must_return_an_iterator():
    with pytest.raises(TypeError, match="returned a int; it must return an iterator of 2-D arrays"):
        stream(lambda: 5)


def test_a_callable_that_returns_the_same_iterator_twice_is_found_out():
    once = iter([np.ones((3, 2)), np.ones((4, 2))])
    rows = stream(lambda: once)  # has looked at the first block
    with pytest.raises(ValueError, match=r"returned the same iterator twice; .* a fresh one"):
        rows.fold(np.sum)


@pytest.mark.parametrize(("later", "said"), [(3, "only 6"), (5, "more")])
def test_a_callable_that_gives_other_rows_in_a_later_pass_is_found_out(later, said):
    calls = iter([4, 4, later])
    rows = stream(lambda: [np.ones((2, 2))] * next(calls))
    assert rows.shape == (8, 2)
    with pytest.raises(ValueError, match=rf"had 8 rows before and gives {said} in this pass"):
        rows.fold(np.sum)


def test_an_error_in_the_callable_comes_out_as_it_is():
    def blocks():
        yield np.ones((2, 2))
        raise ConnectionError("the server is gone")

    rows = stream(blocks)
    for work in (lambda: rows.fold(np.sum), lambda: rows.shape, lambda: list(rows.batches(3))):
        with pytest.raises(ConnectionError, match="the server is gone"):
            work()


def test_rows_beyond_the_end_are_an_error():
    with pytest.raises(IndexError, match="There is no row 7; the stream has 4 rows"):
        stream(lambda: [np.ones((4, 1))]).take(np.array([7, 0]))


# Some of the rows


def above_zero(X):
    return X[:, 0] > 0


def test_chosen_rows_of_a_stream_are_counted_by_the_first_pass(rng):
    X, passes = matrix(rng), []

    def give():
        passes.append(1)
        yield from parts(X)

    rows = stream(give).where(above_zero)
    before = len(passes)
    assert rows.known_rows is None
    assert rows.fold(moments)[0] == np.count_nonzero(X[:, 0] > 0)
    assert rows.known_rows == rows.shape[0] == np.count_nonzero(X[:, 0] > 0)
    assert rows.n_left_out == np.count_nonzero(X[:, 0] <= 0)
    assert len(passes) == before + 1


def test_a_stream_that_changes_is_found_out_also_where_rows_are_chosen():
    blocks = [np.ones((4, 1))]
    rows = stream(lambda: list(blocks)).where(above_zero)
    rows.fold(np.sum)
    blocks.append(-np.ones((1, 1)))
    with pytest.raises(ValueError, match="had 4 rows before and gives more"):
        rows.fold(np.sum)
