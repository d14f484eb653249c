import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.sparse.dictionary.alternation import (
    State,
    Task,
    change,
    first_state,
    rest_of,
    some_of,
    step,
)
from lowdim.sparse.dictionary.start import random_atoms
from lowdim.sparse.pursuit import exhaustive


def example(rng, missing=0.0, bound=None):
    X = rng.normal(size=(80, 6))
    observed = rng.random(X.shape) >= missing
    X = np.where(observed, X, 0.0)
    limit = None if bound is None else bound * (X**2).sum(axis=1)
    return Task(X, observed if missing else None, None, 2, limit, False)


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("bound", [None, 0.3])
def test_the_objective_is_that_of_atoms_and_codes(rng, missing, bound):
    task = example(rng, missing, bound)
    state = step(task, first_state(random_atoms(9, 6, rng)))
    rest = rest_of(task, slice(None), state.codes, state.atoms)
    J = (rest**2).sum(axis=1) + task.price() * np.diff(state.codes.indptr)
    assert state.objective == pytest.approx(J.mean())
    assert np.diff(state.codes.indptr).max() <= 2


def test_a_row_keeps_its_code_where_the_new_one_is_worse(monkeypatch):
    """A code that matching pursuit does not find: (1, 1) in atoms e1, e2 and one between them."""
    D = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.6, 0.6, 0.52915]])
    D /= np.linalg.norm(D, axis=1, keepdims=True)
    X = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    task = Task(X, None, None, 2, None, False)
    monkeypatch.setattr(exhaustive, "MOST_SETS", 0)
    best = sp.csr_array([[1.0, 1.0, 0.0], [0.0, 0.0, 0.9]])
    greedy, kept = step(task, first_state(D)), step(task, State(D, best, 1.0, np.zeros(1, int)))
    assert greedy.codes[0].nnz == 2 and greedy.codes[[0], [2]][0] != 0
    assert kept.codes[[0], [2]][0] == 0 and kept.codes[0].nnz == 2


def test_what_is_held_against_tol_is_the_part_by_which_the_objective_fell():
    before = State(np.eye(2), None, 2.0, np.array([0]))
    assert change(before, State(np.eye(2), None, 1.0, np.array([0, 0]))) == 1.0
    assert change(before, State(np.eye(2), None, 1.0, np.array([0, 1]))) == np.inf
    assert change(before, State(np.eye(2), None, 0.0, np.array([0, 0]))) == 0.0


def test_some_rows_of_a_task(rng):
    task = example(rng, 0.3, 0.1)
    some = some_of(task, np.array([5, 2]))
    np.testing.assert_array_equal(some.X, task.X[[5, 2]])
    np.testing.assert_array_equal(some.observed, task.observed[[5, 2]])
    np.testing.assert_array_equal(some.bound, task.bound[[5, 2]])
