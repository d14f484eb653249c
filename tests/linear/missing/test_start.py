"""Where the search starts."""

import pytest

from lowdim.core.blocks import ArrayBlocks
from lowdim.linear.missing import start
from tests.linear.missing.models import fit, objective, planted, with_missing


def test_many_columns_start_from_some_pairs_only(rng, monkeypatch):
    X = with_missing(rng, planted(rng, 400, 30, 3)[0], 0.7)
    seen = []
    fold = ArrayBlocks.fold
    monkeypatch.setattr(
        ArrayBlocks, "fold", lambda *args, **kw: seen.append(fold(*args, **kw)) or seen[-1]
    )
    ends = []
    for pairs in (2**20, 200):  # 200 pairs: 6 of the 30 columns are paired with all
        monkeypatch.setattr(start, "LARGEST_PAIRS", pairs)
        ends.append(objective(X, fit(X, 3, tol=1e-9)))
    shapes = [sums.n_pairs.shape for sums in seen if isinstance(sums, start.PairSums)]
    assert shapes == [(30, 30), (30, 6)]
    assert ends[1] == pytest.approx(ends[0], abs=1e-6)
