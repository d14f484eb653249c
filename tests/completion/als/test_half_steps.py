"""The half-steps in memory and by blocks: the same numbers, and the formula they are made for."""

import numpy as np
import pytest

import lowdim
from lowdim import ALS
from lowdim.completion.als.half_steps import (
    Alternation,
    Blockwise,
    InMemory,
    gram_times,
    statistics,
)
from lowdim.completion.als.objective import Objective, twin_of
from lowdim.completion.als.units import WeightedEntries, WeightedRows
from lowdim.completion.entries import observed
from lowdim.linalg.ridge import row_systems, solve_rows


def both_roads(rng, alpha=None, weighted=False):
    """The same entries in memory and as a stream, first factors, and what is minimised."""
    X = np.where(rng.random((15, 6)) < 0.4, np.nan, rng.random((15, 6)) + 0.5)
    weight = rng.random(15) + 0.5 if weighted else None
    explicit = alpha is None
    objective = Objective(
        2, 0.7, np.full(6, 1.3), 0.2, explicit, explicit, explicit, alpha, "cholesky", 3, 50.0
    )
    rows = ALS().open_entries(lowdim.stream(lambda: iter(np.split(X, [4, 9]))))
    memory = InMemory(WeightedEntries(observed(X), None, weight), objective)
    blocks = Blockwise(WeightedRows(rows, weight), objective)
    W = rng.normal(size=(6, 3 if explicit else 2))
    return X, weight, memory, blocks, Alternation(np.empty((0, 0)), W)


each_feedback = pytest.mark.parametrize("alpha", [None, 2.0], ids=["explicit", "implicit"])
each_weight = pytest.mark.parametrize("weighted", [False, True])


@each_feedback
@each_weight
def test_memory_and_blocks_take_the_same_steps(rng, alpha, weighted):
    _, _, memory, blocks, at = both_roads(rng, alpha, weighted)
    solved, sums = memory.solve_rows(at), blocks.solve_rows(at)
    assert solved.loss == pytest.approx(sums.loss)
    np.testing.assert_allclose(solved.count, sums.count)
    one, other = memory.solve_columns(solved, at.W), blocks.solve_columns(sums, at.W)
    np.testing.assert_allclose(one.W, other.W, rtol=1e-8, atol=1e-10)
    assert one.Z.shape[0] == 15 and other.Z.size == 0


@each_feedback
def test_a_block_adds_up_the_equations_of_its_columns(rng, alpha):
    X, _, memory, _, at = both_roads(rng, alpha)
    sums = statistics(X, at.W, memory.objective, None)
    targets, _ = memory.objective.targets(observed(X), None)
    Z = solve_rows(targets, memory.objective.on_columns(at.W)).Z
    on = memory.objective.on_rows(Z)
    systems = row_systems(twin_of(targets, None)[0], on)
    np.testing.assert_allclose(sums.A, systems.A)
    np.testing.assert_allclose(sums.b, systems.b)
    np.testing.assert_allclose(sums.gram, 0.0 if on.gram is None else on.gram)


@each_weight
def test_products_with_the_gram_matrix_are_those_of_the_dense_matrix(rng, weighted):
    X, weight, memory, blocks, _ = both_roads(rng, weighted=weighted)
    Y = np.nan_to_num((X - 0.7) / 1.3)
    Q = rng.normal(size=(6, 3))
    dense = Y.T @ ((1.0 if weight is None else weight[:, None]) * (Y @ Q))
    np.testing.assert_allclose(memory.gram_times(Q), dense)
    np.testing.assert_allclose(blocks.gram_times(Q), dense)
    np.testing.assert_allclose(gram_times(X, Q, memory.objective, weight), dense)
