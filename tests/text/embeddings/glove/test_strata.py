"""Blocks of a round have nothing in common, and every pair has its place."""

import numpy as np

from lowdim.linalg.entries import positive_entries
from lowdim.text.embeddings.glove.objective import weighted_pairs
from lowdim.text.embeddings.glove.strata import PARTS, rounds, stratified
from tests.text.embeddings.examples import poisson_counts


def some(rng, n=50, v=40):
    pairs = weighted_pairs(
        positive_entries(poisson_counts(rng, n, v, mean=1.0)), 100.0, 0.75, "power"
    )
    return pairs, stratified(pairs, rng)


def test_every_pair_stands_once(rng):
    pairs, strata = some(rng)
    order = np.lexsort((strata.column, strata.row))
    np.testing.assert_array_equal(strata.column[order], pairs.logs.indices)
    np.testing.assert_allclose(strata.log[order], pairs.logs.data, rtol=1e-6)
    np.testing.assert_allclose(strata.weight[order], pairs.weight, rtol=1e-6)
    np.testing.assert_array_equal(np.sort(strata.row), strata.row[order])


def test_blocks_of_a_round_share_no_row_and_no_column(rng):
    _, strata = some(rng)
    looked_at = 0
    for round_ in range(PARTS):
        rows, columns = [], []
        for block in strata.blocks(round_):
            first, last = strata.first[block][[0, -1]]
            rows.append(set(strata.row[first:last]))
            columns.append(set(strata.column[first:last]))
            looked_at += last - first
        for sets in (rows, columns):
            assert sum(map(len, sets)) == len(set().union(*sets))
    assert looked_at == len(strata.row)


def test_tiles_cut_a_block(rng, monkeypatch):
    monkeypatch.setattr("lowdim.text.embeddings.glove.strata.TILE_ROWS", 2)
    pairs, strata = some(rng)
    assert strata.first.shape == (PARTS, PARTS, 3 * 2 + 1)  # 50 // 16 and 40 // 16 tiles
    assert np.all(np.diff(strata.first, axis=2) >= 0)
    assert len(strata.row) == pairs.logs.nnz


def test_parts_have_about_as_many_pairs(rng):
    N = np.outer(1.0 / np.arange(1, 401), 1.0 / np.arange(1, 301))
    pairs = weighted_pairs(positive_entries(rng.poisson(300 * N)), 100.0, 0.75, "power")
    strata = stratified(pairs, rng)
    by_part = [np.diff(strata.first[p, :, [0, -1]], axis=0).sum() for p in range(PARTS)]
    assert max(by_part) < 1.5 * min(by_part)


def test_an_epoch_has_every_round(rng):
    assert sorted(rounds(rng)) == list(range(PARTS))
