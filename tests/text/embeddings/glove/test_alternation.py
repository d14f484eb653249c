"""Exact half-steps."""

import numpy as np
import pytest

from lowdim.linalg.entries import positive_entries
from lowdim.text.embeddings.glove.alternation import (
    both_sides,
    first_biases,
    first_vectors,
    power_of_four,
    regressed,
)
from lowdim.text.embeddings.glove.objective import (
    Vectors,
    mean_square,
    penalised,
    residuals,
    weighted_pairs,
)
from tests.text.embeddings.examples import poisson_counts


def some(rng, n=15, v=12):
    return weighted_pairs(positive_entries(poisson_counts(rng, n, v)), 40.0, 0.75, "power")


@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
@pytest.mark.parametrize("penalty", [0.0, 0.2])
def test_rows_are_weighted_ridge_regressions(rng, bias, penalty):
    pairs = some(rng)
    C, offset = rng.normal(size=(12, 2)), rng.normal(size=12)
    W, own = regressed(pairs.logs, pairs.weight, C, offset, penalty, bias)
    for i in range(15):
        e = slice(*pairs.logs.indptr[i : i + 2])
        j, f = pairs.logs.indices[e], pairs.weight[e]
        F = np.column_stack([C[j], np.ones(len(j))]) if bias else C[j]
        price = penalty * np.diag([1.0, 1.0, 0.0][: F.shape[1]])
        y = pairs.logs.data[e] - offset[j]
        z = np.linalg.solve(F.T @ (f[:, None] * F) + price, F.T @ (f * y))
        np.testing.assert_allclose(np.append(W[i], own[i] if bias else []), z, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("penalty", [0.0, 0.2])
def test_steps_never_raise_the_objective(rng, penalty):
    pairs = some(rng)
    at = first_vectors(pairs, 3, True, rng)
    sides, history = both_sides(pairs, penalty, True), []
    for _ in range(15):
        at = sides.step(at)
        history.append(penalised(pairs, at, penalty))
    assert np.all(np.diff(history) <= 1e-12)


def test_a_row_with_few_pairs_has_the_shortest_vector(rng):
    logs = positive_entries(np.array([[np.e, 0.0, 1.0], [0.0, 0.0, 0.0]])).copy()
    pairs = weighted_pairs(logs, 100.0, 0.75, "power")
    C = rng.normal(size=(3, 4))
    W, _ = regressed(pairs.logs, pairs.weight, C, np.zeros(3), 0.0, False)
    expected = np.linalg.pinv(C[[0, 2]]) @ [1.0, 0.0]
    np.testing.assert_allclose(W[0], expected, atol=1e-6)
    assert not W[1].any()


def test_first_biases_leave_no_mean(rng):
    pairs = some(rng)
    word_bias, bias = first_biases(pairs)
    at = Vectors(np.zeros((15, 1)), np.zeros((12, 1)), word_bias, bias)
    r = residuals(pairs, at)
    by_column = np.bincount(pairs.logs.indices, pairs.weight * r, 12)
    np.testing.assert_allclose(by_column, 0, atol=1e-10)
    start = Vectors(at.W, at.C, np.zeros(15), np.zeros(12))
    assert mean_square(pairs, at) < 0.5 * mean_square(pairs, start)


def test_units_round_nothing():
    assert power_of_four(np.array([0.3, 20.0])) == 16.0
    assert power_of_four(np.array([1e-200])) > 0
    assert power_of_four(np.zeros(2)) == 1.0
