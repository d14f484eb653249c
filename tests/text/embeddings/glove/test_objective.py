"""Weights, residuals and H."""

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.core.blocks import ArrayBlocks
from lowdim.linalg.entries import positive_entries
from lowdim.text.embeddings.glove.objective import (
    Vectors,
    mean_square,
    penalised,
    residuals,
    seen_pairs,
    weighted_pairs,
)
from tests.text.embeddings.examples import poisson_counts


def test_weights_are_those_of_the_paper():
    pairs = weighted_pairs(positive_entries(np.array([[10.0, 100.0, 500.0]])), 100.0, 0.75, "power")
    np.testing.assert_allclose(pairs.weight, [0.177828, 1.0, 1.0], atol=1e-6)
    assert (
        weighted_pairs(positive_entries(np.ones((2, 2)) / 2), 100.0, 0.75, "observed").weight == 1
    ).all()


def test_tiny_and_huge_counts_have_weights():
    pairs = weighted_pairs(positive_entries(np.array([[1e-300, 1e300]])), 100.0, 0.75, "power")
    assert 0 < pairs.weight[0] < 1e-200 and pairs.weight[1] == 1.0


def test_only_what_was_seen_takes_part(rng):
    N = poisson_counts(rng, mean=1.0)
    seen = seen_pairs(ArrayBlocks(sp.csr_array(N)))
    np.testing.assert_array_equal(seen.toarray(), N)
    assert (seen.data > 0).all() and seen.nnz == (N > 0).sum()


def test_the_objective_is_the_formula(rng):
    N = poisson_counts(rng, 6, 5)
    pairs = weighted_pairs(positive_entries(N), 40.0, 0.5, "power")
    at = Vectors(*(rng.normal(size=s) for s in ((6, 2), (5, 2), (6,), (5,))))
    fit = at.W @ at.C.T + at.word_bias[:, None] + at.bias
    seen = N > 0
    r = (np.log(np.where(seen, N, 1.0)) - fit)[seen]
    f = np.minimum(1.0, (N / 40.0) ** 0.5)[seen]
    np.testing.assert_allclose(residuals(pairs, at), r, atol=1e-12)
    assert mean_square(pairs, at) == pytest.approx((f * r**2).sum() / f.sum())
    squares = (at.W**2).sum() + (at.C**2).sum()
    assert penalised(pairs, at, 0.3) == pytest.approx(((f * r**2).sum() + 0.3 * squares) / f.sum())
