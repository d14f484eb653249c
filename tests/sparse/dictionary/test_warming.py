import numpy as np
import pytest

from lowdim.core.blocks import ArrayBlocks
from lowdim.sparse.dictionary.alternation import Task, first_state, step
from lowdim.sparse.dictionary.start import data_atoms
from lowdim.sparse.dictionary.warming import warmed
from tests.sparse.dictionary.examples import planted, share_found


@pytest.mark.parametrize("missing", [0.0, 0.25])
def test_one_sweep_from_there_beats_many_from_rows(rng, missing):
    X, atoms = planted(rng, n=2000, missing=missing)
    observed = ~np.isnan(X)
    X = np.where(observed, X, 0.0)
    task = Task(X, observed if missing else None, None, 4, None, False)
    rows = data_atoms(ArrayBlocks(X), None, 48, rng)
    start = warmed(task, rows, rng)
    np.testing.assert_allclose(np.linalg.norm(start, axis=1), 1.0)
    assert share_found(start, atoms) > share_found(rows, atoms) + 0.5
    state = first_state(rows)
    for _ in range(5):
        state = step(task, state)
    assert step(task, first_state(start)).objective < state.objective
