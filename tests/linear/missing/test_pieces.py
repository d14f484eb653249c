"""Some rows at a time."""

import tracemalloc

import numpy as np

from lowdim.linear import missing
from lowdim.linear.missing import pieces, statistics
from tests.linear.missing.models import some_model, with_missing


def test_memory_beside_the_sums_stays_small(rng, monkeypatch):
    """600 rows at once would take 5 MB."""
    monkeypatch.setattr(pieces, "PART_BYTES", 2**18)
    X = with_missing(rng, rng.normal(size=(600, 100)), 0.2)
    model = some_model(rng, 100, 15)
    tracemalloc.start()
    try:
        for function in (missing.encode, missing.conditional_std, statistics):
            tracemalloc.reset_peak()
            before = tracemalloc.get_traced_memory()[0]
            result = function(X, *model)
            peak = tracemalloc.get_traced_memory()[1] - before
            parts = result if isinstance(result, tuple) else (result,)
            assert peak - sum(np.asarray(part).nbytes for part in parts) < 2**20
    finally:
        tracemalloc.stop()


def test_pieces_cover_everything_once_and_hold_at_least_one(monkeypatch):
    monkeypatch.setattr(pieces, "PART_BYTES", 800)
    assert list(pieces.pieces(25, 10)) == [slice(0, 10), slice(10, 20), slice(20, 30)]
    assert pieces.piece_size(10**6) == 1
    assert pieces.piece_size(0) == 100
    assert list(pieces.pieces(0, 10)) == []
