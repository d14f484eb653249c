"""Matrices whose entries go to files when they are many."""

import tracemalloc

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.text.pairs import counting, runs
from lowdim.text.pairs.counting import all_pairs, gathered, pairs_by_word, pairs_within
from lowdim.text.pairs.runs import MatrixSum, RowStore, is_mapped, rows_of, stored


def matrices(rng, count=5, shape=(40, 30)):
    return [sp.random_array(shape, density=0.2, rng=rng, format="csr") for _ in range(count)]


def in_files(matrix):
    return is_mapped(matrix.data) and is_mapped(matrix.indices)


@pytest.mark.parametrize("spill_bytes", [1, 500, 2**30])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_come_back_as_they_were_stored(rng, spill_bytes, dtype):
    parts = [part.astype(dtype) for part in matrices(rng)]
    with lowdim.config_context(spill_bytes=spill_bytes):
        found = stored((rows_of(part) for part in parts), 30, sum(part.nnz for part in parts))
    assert in_files(found) == (spill_bytes < 2**30)
    assert found.dtype == dtype and found.has_canonical_format
    assert found.data.flags.writeable and found.indices.dtype == found.indptr.dtype == np.int32
    np.testing.assert_array_equal(found.toarray(), sp.vstack(parts).toarray())


@pytest.mark.parametrize("spill_bytes", [1, 2**30])
def test_more_entries_than_int32_can_number_have_wider_indices(rng, spill_bytes, monkeypatch):
    monkeypatch.setattr(runs, "MOST_INT32", 100)
    monkeypatch.setattr(runs, "ENTRIES_AT_A_TIME", 70)
    parts = matrices(rng)
    store = RowStore(30, sum(part.nnz for part in parts))
    with lowdim.config_context(spill_bytes=spill_bytes):
        for part in parts:
            store.append(rows_of(part))
        columns = store.matrix().indices
    assert columns.dtype == np.int64
    np.testing.assert_array_equal(columns, np.concatenate([part.indices for part in parts]))


@pytest.mark.parametrize("spill_bytes", [1, 5000, 2**30])
def test_a_sum_is_that_of_numpy(rng, spill_bytes):
    parts, total = matrices(rng), MatrixSum((40, 30))
    with lowdim.config_context(spill_bytes=spill_bytes):
        for part in parts:
            total.add(part)
        found = total.result()
    assert in_files(found) == (spill_bytes < 2**30) and found.has_canonical_format
    np.testing.assert_allclose(found.toarray(), sum(p.toarray() for p in parts), rtol=1e-14)


def test_nothing_is_a_matrix_of_zeros():
    with lowdim.config_context(spill_bytes=1):
        assert stored((part for part in []), 3, 0).shape == (0, 3)
        total = MatrixSum((2, 3))
        assert total.result().nnz == 0
        for _ in range(3):
            total.add(sp.csr_array((2, 3)))
        assert total.result().shape == (2, 3)


@pytest.mark.parametrize("window", [4, None, "sentence", (0, 2)])
def test_pairs_in_files_are_those_in_memory(rng, window):
    words = np.array([f"w{i:02}" for i in range(60)])
    docs = [" ".join(rng.choice(words, size=30)) + "." for _ in range(60)]
    vectorizer = lowdim.CountVectorizer().fit(docs)
    tokens = lowdim.text.read_tokens(docs, min_count=1)
    found = []
    for spill_bytes in (2**30, 2000):
        with lowdim.config_context(spill_bytes=spill_bytes):
            found.append(lowdim.text.cooccurrence(docs, vectorizer, window=window))
            found.append(lowdim.text.cooccurrence(tokens, window=window))
    assert [in_files(C) for C in found] == [False, False, True, True]
    for one, other in zip(found[:2], found[2:], strict=True):
        np.testing.assert_array_equal(one.toarray(), other.toarray())
        assert other.has_sorted_indices


def test_places_of_sentences_go_to_files_too(rng):
    X = sp.random_array((50, 40), density=0.3, rng=rng, format="csr")
    X.data[:] = 1.0
    expected = all_pairs(X)
    with lowdim.config_context(spill_bytes=1000):
        found = all_pairs(X)
    assert in_files(found)
    np.testing.assert_array_equal(found.toarray(), expected.toarray())


@pytest.mark.parametrize("at_hand", [True, False])
def test_memory_is_that_of_the_setting(rng, at_hand):
    n, size = 1000, 2**16  # 0.5 million pairs in 6 MB
    ids = rng.integers(n, size=size).astype(np.int32)
    starts = np.arange(0, size + 1, 64)

    def count():
        if at_hand:
            return pairs_by_word(ids, starts, n, 5, "harmonic")
        chunks = ((part, np.arange(64, 1025, 64)) for part in ids.reshape(-1, 1024))
        return pairs_within(gathered(chunks), n, 5, "harmonic")

    count()  # kernels are compiled
    with lowdim.config_context(spill_bytes=2**18, threads=2):
        tracemalloc.start()
        found = count()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    held = found.data.nbytes + found.indices.nbytes
    places = 12 * size if at_hand else 0  # their words in order, and what sorting needs
    assert in_files(found) and held > 5e6
    assert peak < 2**20 + 2**19 + places
    np.testing.assert_allclose(found.toarray(), count().toarray(), rtol=1e-12)


def test_parts_of_documents_are_small_if_memory_is(rng):
    chunks = [(np.zeros(10, np.int32), np.array([10]))] * 8
    with lowdim.config_context(spill_bytes=20 * counting.PLACE_BYTES):
        sizes = [len(part.ids) for part in gathered(iter(chunks))]
    assert sizes == [20] * 4
