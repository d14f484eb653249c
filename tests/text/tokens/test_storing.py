"""Numbers of words in memory and in files."""

import gc
import os
from contextlib import ExitStack, closing

import numpy as np
import pytest

from lowdim.text.tokens.storing import Chunk, IdStore


@pytest.fixture
def store_of():
    with ExitStack() as stack:

        def make(chunks, most_bytes):
            store = stack.enter_context(closing(IdStore(most_bytes)))
            return filled(store, chunks)

        yield make


def filled(store, chunks):
    for ids, ends in chunks:
        store.append(Chunk(np.array(ids, np.int32), np.array(ends, np.int64)))
    return store


@pytest.mark.parametrize("most_bytes", [0, 16, 2**20])
def test_words_that_are_not_in_the_vocabulary_go(most_bytes, store_of):
    # sentences: 0 1 2 | 2 | (none) | 0 3 0 (over two chunks)
    chunks = [([0, 1, 2, 2], [3, 4]), ([0], [0]), ([3, 0], [2])]
    store = store_of(chunks, most_bytes)
    assert store.n == 7
    ids, starts = store.renumbered(np.array([5, -1, 7, -1], np.int32), 5)
    assert type(ids) is np.ndarray and ids.dtype == np.int32 and ids.flags.writeable
    assert ids.tolist() == [5, 7, 7, 5, 5] and starts.tolist() == [0, 2, 3, 3, 5]


@pytest.mark.parametrize("most_bytes", [0, 2**20])
def test_many_chunks_are_the_same_in_a_file(rng, most_bytes, store_of):
    sizes = rng.integers(0, 50, size=40)
    chunks = [(rng.integers(0, 9, size=size), [size]) for size in sizes]
    number = np.array([3, -1, 0, 1, -1, 2, 4, 5, -1], np.int32)
    ids, starts = store_of(chunks, most_bytes).renumbered(
        number, int(sum((number[ids] >= 0).sum() for ids, _ in chunks))
    )
    for i, (old, _) in enumerate(chunks):
        expected = number[old][number[old] >= 0]
        np.testing.assert_array_equal(ids[starts[i] : starts[i + 1]], expected)


def test_nothing_is_left_of_a_file(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", os.fspath(tmp_path))
    with closing(filled(IdStore(0), [([0] * 1000, [1000])])) as store:
        ids, _ = store.renumbered(np.array([1], np.int32), 1000)
    assert ids.sum() == 1000  # the array keeps what it sees
    del store, ids
    gc.collect()
    assert not list(tmp_path.iterdir())


def test_a_file_without_words_is_an_empty_array(store_of):
    ids, starts = store_of([([0, 0], [2])], 0).renumbered(np.array([-1], np.int32), 0)
    assert len(ids) == 0 and starts.tolist() == [0, 0]
