"""Steps for one pair: those of the notes, and of Stanford's program."""

import numpy as np
import pytest

import lowdim
from lowdim.linalg.entries import positive_entries
from lowdim.text.embeddings.glove import descent
from lowdim.text.embeddings.glove.descent import Descent, Tables, epoch, random_tables
from lowdim.text.embeddings.glove.objective import mean_square, weighted_pairs
from lowdim.text.embeddings.glove.strata import stratified
from tests.text.embeddings.examples import poisson_counts


def plain_step(w, c, G, H, log, f, rate, solver):
    """One step for vectors that end in their biases: formulas in NumPy."""
    r = log - w[:-1] @ c[:-1] - w[-1] - c[-1]
    s, t = (-rate * f * r * np.append(x[:-1], 1.0) for x in (c, w))
    if solver == "sgd":
        return w - 2 * s, c - 2 * t, G, H
    return w - s / np.sqrt(G), c - t / np.sqrt(H), G + s * s, H + t * t


def test_the_step_of_the_notes():
    """x = (1, .5), y = (.2, -.4), n = 20, eta = .05."""
    pairs = weighted_pairs(positive_entries(np.array([[20.0]])), 100.0, 0.75, "power")
    strata = stratified(pairs, np.random.default_rng(0))
    words, contexts = (np.array([[*x, 0.0]], np.float32) for x in ((1.0, 0.5), (0.2, -0.4)))
    none = np.zeros(1, np.float32)
    at = Tables(words, contexts, np.ones_like(words), np.ones_like(words), np.random.default_rng(0))
    after = epoch(strata, Descent("sgd", 0.05, none, none, False), at)
    np.testing.assert_allclose(after.words, [[1.017919, 0.464163, 0.0]], atol=5e-7)
    np.testing.assert_allclose(after.contexts, [[0.289593, -0.355203, 0.0]], atol=5e-7)


@pytest.mark.parametrize("solver", ["adagrad", "sgd"])
def test_an_epoch_is_one_plain_step_after_the_other(rng, solver):
    pairs = weighted_pairs(positive_entries(poisson_counts(rng, 5, 4)), 100.0, 0.75, "power")
    strata = stratified(pairs, rng)
    none = [np.zeros(5, np.float32), np.zeros(4, np.float32)]
    start = random_tables(2, rng.normal(size=5), rng.normal(size=4), np.random.default_rng(1))
    after = epoch(strata, Descent(solver, 0.05, *none, True), start)
    W, C, G, H = (table.astype(np.float64) for table in start[:4])
    random = np.random.default_rng(1)
    random.random((5, 2)), random.random((4, 2))
    for round_ in random.permutation(8):
        for block in strata.blocks(int(round_)):
            for e in range(*strata.first[block][[0, -1]]):
                i, j = strata.row[e], strata.column[e]
                W[i], C[j], G[i], H[j] = plain_step(
                    W[i], C[j], G[i], H[j], strata.log[e], strata.weight[e], 0.05, solver
                )
    for found, expected in zip(after[:4], (W, C, G, H), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["_adagrad", "_sgd"])
def test_kernels_do_what_their_python_does(rng, name):
    kernel = getattr(descent, name)
    pairs = weighted_pairs(positive_entries(poisson_counts(rng, 5, 4)), 100.0, 0.75, "power")
    strata = stratified(pairs, rng)
    P, Q = (rng.random(m).astype(np.float32) for m in (5, 4))
    tables = [rng.normal(size=(m, 3)).astype(np.float32) for m in (5, 4)]
    tables += [np.ones((m, 3), np.float32) for m in (5, 4)] if name == "_adagrad" else []
    results = []
    for run in (kernel, kernel.python):
        own = [table.copy() for table in tables]
        first = (np.int64(0), np.int64(len(strata.row)), *strata[:4])
        run(*first, np.float32(0.01), P, Q, True, *own)
        results.append(own)
    for one, two in zip(*results, strict=True):
        np.testing.assert_allclose(one, two, rtol=1e-4, atol=1e-5)
    assert not np.array_equal(results[0][0], tables[0])


def test_threads_change_no_bit(rng, monkeypatch):
    monkeypatch.setattr(descent, "WORTH_THREADS", 0)
    pairs = weighted_pairs(positive_entries(poisson_counts(rng, 60, 50)), 100.0, 0.75, "power")
    strata = stratified(pairs, np.random.default_rng(0))
    how = Descent("adagrad", 0.05, np.zeros(60, np.float32), np.zeros(50, np.float32), True)
    found = []
    for threads in (1, 2, 5):
        with lowdim.config_context(threads=threads):
            at = random_tables(3, np.zeros(60), np.zeros(50), np.random.default_rng(0))
            for _ in range(3):
                at = epoch(strata, how, at)
            found.append(at)
    for other in found[1:]:
        for one, two in zip(found[0][:4], other[:4], strict=True):
            np.testing.assert_array_equal(one, two)
    assert mean_square(pairs, found[0].vectors) < 2.0
