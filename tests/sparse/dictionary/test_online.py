import numpy as np
import pytest

from lowdim.core.blocks import ArrayBlocks
from lowdim.core.config import config_context
from lowdim.sparse.dictionary.atoms import sums_of_codes, updated
from lowdim.sparse.dictionary.learning import Coder, gram_of
from lowdim.sparse.dictionary.online import (
    How,
    Stopping,
    first_learned,
    first_state,
    folded_step,
    one_pass,
    online_step,
    with_own_sums,
)
from lowdim.sparse.dictionary.start import random_atoms

HOW = How(Coder(0.3, 0), False)


def test_the_first_step_is_one_of_all_rows(rng):
    X, D = rng.normal(size=(30, 6)), random_atoms(4, 6, rng)
    learned, cost, weight = online_step(X, None, first_learned(D), HOW)
    sums = sums_of_codes(X, HOW.coder.codes(X, D, gram_of(D)), None)
    np.testing.assert_allclose(learned.atoms, updated(sums, D))
    assert cost == pytest.approx(HOW.coder.cost(sums, D)) and weight == len(X)
    assert learned.steps == 1


@pytest.mark.parametrize("coder", [Coder(0.3, 0), Coder(None, 2)])
def test_a_batch_that_is_not_in_memory_teaches_the_same(rng, coder):
    how, D = How(coder, False), random_atoms(4, 6, rng)
    here, there = (first_learned(D) for _ in range(2))
    for X in rng.normal(size=(3, 50, 6)):
        w = rng.integers(0, 3, len(X)).astype(float)
        here = online_step(X, w, with_own_sums(here), how).learned
        there = folded_step(ArrayBlocks(X, block_rows=7), w, with_own_sums(there), how)
    np.testing.assert_allclose(here.atoms, there.atoms, atol=1e-12)
    np.testing.assert_allclose(here.sums.zz, there.sums.zz, atol=1e-12)
    np.testing.assert_array_equal(here.idle, there.idle)


def test_the_number_of_threads_changes_no_bit(rng):
    X, D = rng.normal(size=(600, 40)), random_atoms(300, 40, rng)
    found = []
    for threads in (1, 2):
        with config_context(threads=threads):
            found.append(online_step(X, None, first_learned(D), HOW).learned)
    np.testing.assert_array_equal(found[0].atoms, found[1].atoms)
    np.testing.assert_array_equal(found[0].sums.zz, found[1].sums.zz)


def test_older_batches_count_less(rng):
    X, D = rng.normal(size=(400, 6)), random_atoms(4, 6, rng)
    learned, seen = first_learned(D), 0.0
    for batch in np.split(X, 20):
        before = learned.sums.weight
        learned = online_step(batch, None, learned, HOW).learned
        assert learned.sums.weight <= before + len(batch)
        seen += len(batch)
    assert learned.sums.weight < 0.5 * seen


def test_an_atom_that_waits_too_long_is_replaced(rng):
    X, D = rng.normal(size=(30, 6)), random_atoms(4, 6, rng)
    D[1] = 0.0
    learned = first_learned(D)
    for _ in range(2):
        learned = online_step(X, None, learned, HOW).learned
    assert np.linalg.norm(learned.atoms[1]) == pytest.approx(1.0)
    assert learned.idle[1] == 0.0


def test_a_pass_ends_when_the_cost_no_longer_falls(rng):
    D, seen = random_atoms(4, 6, rng), []

    def passed(patience):
        seen.clear()
        batches = ((rng.normal(size=(60, 6)), None) for _ in range(300))
        stopping = Stopping(0.0, patience, 60.0, 2)
        return one_pass(batches, first_state(D), HOW, stopping, lambda *a: seen.append(a))

    state = passed(2)
    assert state.stopped and len(seen) == state.learned.steps < 300
    assert not passed(None).stopped and len(seen) == 300
