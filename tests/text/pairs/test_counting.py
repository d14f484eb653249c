"""Pairs added up word by word, against loops over places."""

from itertools import pairwise

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.text.pairs import counting
from lowdim.text.pairs.counting import (
    BIT_PLACES,
    DE_BRUIJN,
    all_pairs,
    context_sums,
    gathered,
    pairs_by_word,
    pairs_within,
    parts_of,
    products,
)
from lowdim.text.pairs.runs import Rows
from lowdim.text.pairs.windows import window_of


def text(rng, n=80, sentences=12, size=300):
    """Numbers of words with some that do not count, and where sentences begin."""
    ids = rng.integers(-1, n, size=size).astype(np.int32)
    cuts = np.sort(rng.integers(0, size + 1, size=sentences - 1))
    return ids, np.concatenate([[0], cuts, [size]]).astype(np.int64)


def by_loops(ids, starts, n, near):
    N = np.zeros((n, n))
    for first, last in pairwise(starts):
        for t in range(first, last):
            for offset, weight in zip(*near, strict=True):
                if first <= t + offset < last and ids[t] >= 0 and ids[t + offset] >= 0:
                    N[ids[t], ids[t + offset]] += weight
    return N


@pytest.mark.parametrize("window", [1, 4, (0, 2), (3, 1), {-2, 5}, 10**9], ids=str)
@pytest.mark.parametrize("weighting", ["flat", "harmonic"])
@pytest.mark.parametrize("small", [False, True])
def test_pairs_are_those_of_loops(rng, window, weighting, small, monkeypatch):
    if small:
        monkeypatch.setattr(counting, "PLACES_AT_A_TIME", 70)
        monkeypatch.setattr(counting, "PAIRS_AT_A_TIME", 9)
        monkeypatch.setattr(counting, "PLACES_FETCHED", 3)
    ids, starts = text(rng)
    expected = by_loops(ids, starts, 80, window_of(window, weighting, 300))
    found = pairs_within(parts_of(ids, starts), 80, window, weighting)
    assert found.dtype == np.float64 and found.has_canonical_format
    np.testing.assert_allclose(found.toarray(), expected, rtol=1e-13)
    assert found.nnz == np.count_nonzero(expected)
    by_word = pairs_by_word(ids, starts, 80, window, weighting)
    assert by_word.has_canonical_format and by_word.indices.dtype == found.indices.dtype
    np.testing.assert_allclose(by_word.toarray(), expected, rtol=1e-13)
    if not small:
        return
    last = starts[1:]
    chunks = [(ids[: last[4]], last[:5]), (ids[last[4] :], last[5:] - last[4])]
    found = pairs_within(gathered(iter(chunks)), 80, window, weighting)
    np.testing.assert_allclose(found.toarray(), expected, rtol=1e-13)


@pytest.mark.parametrize("window", [1, 4, (0, 2), (3, 1), {-2, 5}, {-400}, 10**9], ids=str)
@pytest.mark.parametrize("weighting", ["flat", "harmonic"])
def test_sums_of_contexts_are_known_without_counting(rng, window, weighting):
    ids, starts = text(rng)
    ids = np.abs(ids)
    N = by_loops(ids, starts, 80, window_of(window, weighting, 300))
    found = context_sums(ids, starts, 80, window, weighting)
    np.testing.assert_allclose(found, N.sum(axis=0), rtol=1e-12)
    np.testing.assert_array_equal(found == 0, N.sum(axis=0) == 0)


@pytest.mark.parametrize("small", [False, True])
def test_rows_may_be_seen_through_a_function_as_they_are_counted(rng, small, monkeypatch):
    if small:
        monkeypatch.setattr(counting, "PLACES_AT_A_TIME", 70)
    monkeypatch.setattr(counting, "PAIRS_AT_A_TIME", 50)
    ids, starts = text(rng)
    N = pairs_within(parts_of(ids, starts), 80, 4, "flat")
    most = []

    def larger(rows):
        most.append(len(rows.values))
        kept = rows.values >= 2
        before = np.concatenate([[0], np.cumsum(kept)])
        length = np.diff(before[np.concatenate([[0], np.cumsum(rows.length)])])
        return Rows(length, rows.columns[kept], rows.values[kept].astype(np.float32))

    found = pairs_by_word(ids, starts, 80, 4, "flat", seen_as=larger)
    assert found.dtype == np.float32 and max(most) < N.nnz / 3
    np.testing.assert_array_equal(found.toarray(), np.where(N.toarray() >= 2, N.toarray(), 0))


def test_more_words_than_bits_of_a_number_are_written_in_order(rng):
    ids = rng.permutation(1000).astype(np.int32)
    found = pairs_within(parts_of(ids, np.array([0, 1000])), 1000, 999, "flat")
    np.testing.assert_array_equal(found.toarray(), 1.0 - np.eye(1000))
    np.testing.assert_array_equal(found.indices.reshape(1000, 999)[0], np.arange(1, 1000))


def test_every_bit_has_its_place():
    for place in range(64):
        assert BIT_PLACES[(DE_BRUIJN << place) % 2**64 >> 58] == place


def test_threads_change_no_bit(rng, monkeypatch):
    monkeypatch.setattr(counting, "PAIRS_AT_A_TIME", 20)
    ids, starts = text(rng)
    found = []
    for threads in (1, 2, 5):
        with lowdim.config_context(threads=threads):
            found.append(pairs_within(parts_of(ids, starts), 80, 3, "harmonic").data)
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_all_pairs_are_those_of_the_widest_window(rng):
    ids, starts = text(rng, n=20)
    ids = np.abs(ids)
    sentence = np.repeat(np.arange(12), np.diff(starts))
    X = sp.csr_array(sp.coo_array((np.ones(300), (sentence, ids)), shape=(12, 20)))
    expected = pairs_within(parts_of(ids, starts), 20, 300, "flat")
    found = all_pairs(X)
    np.testing.assert_array_equal(found.toarray(), expected.toarray())
    assert found.has_canonical_format


def test_products_are_x_transposed_x(rng, monkeypatch):
    monkeypatch.setattr(counting, "PRODUCTS_AT_A_TIME", 30)
    X = sp.random_array((40, 15), density=0.2, rng=rng, format="csr")
    np.testing.assert_allclose(products(X).toarray(), (X.T @ X).toarray(), rtol=1e-13)


def test_nothing_is_a_matrix_of_zeros():
    nothing = np.zeros(0, np.int32), np.zeros(1, np.int64)
    assert pairs_within(parts_of(*nothing), 3, 5, "flat").shape == (3, 3)
    assert pairs_within(gathered(iter([])), 3, 5, "flat").nnz == 0
    assert (
        pairs_within(gathered(iter([(nothing[0], np.zeros(2, np.int64))])), 3, 5, "flat").nnz == 0
    )
    with pytest.raises(ValueError, match="window=0"):
        pairs_within(parts_of(*nothing), 3, 0, "flat")
