"""The start of K-SVD by a few passes of learning with the lasso, a batch of rows at a time.

Matching pursuit decides which atoms a row uses, and early decisions are hard to undo; the lasso has
small parts of many atoms, and atoms find their place sooner. Its price alpha is such that codes
have about as many non-zeros as those of matching pursuit will have, found by halving on a few rows
before each pass. What is missing in a batch is what codes by matching pursuit say.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.sparse.dictionary.alternation import Task, codes_of, some_of
from lowdim.sparse.dictionary.learning import Coder, gram_of
from lowdim.sparse.dictionary.online import How, Learned, first_learned, online_step
from lowdim.sparse.pursuit.lasso import lasso

ROWS_PER_ATOM = 400  # in all passes together,
FEWEST, MOST = 3, 10  # of which there are so many
BATCH = 256
TRIED = 256  # rows on which the price is found
HALVINGS, HALVINGS_AGAIN = 8, 3
NEAR = 1.5  # times the last price, or that part of it, is the next one


def warmed(task: Task, atoms: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Atoms after a few passes, of length 1."""
    n = len(task.X)
    weight = float(n if task.weight is None else task.weight.sum())
    learned = first_learned(atoms)
    passes = min(max(int(np.ceil(ROWS_PER_ATOM * len(atoms) / weight)), FEWEST), MOST)
    price = None
    for _ in range(passes):
        order = random.permutation(n)
        price = _price(task, learned.atoms, order[:TRIED], price)
        how = How(Coder(price, task.n_nonzero), False)
        for start in range(0, n, BATCH):
            learned = _step(task, order[start : start + BATCH], learned, how)
    sizes = np.linalg.norm(learned.atoms, axis=1, keepdims=True)
    return np.where(sizes > 0, learned.atoms / np.where(sizes > 0, sizes, 1.0), atoms)


def _step(task: Task, which: np.ndarray, learned: Learned, how: How) -> Learned:
    some, _ = _filled(some_of(task, which), learned.atoms)
    return online_step(some.X, some.weight, learned, how).learned


def _filled(task: Task, atoms: np.ndarray) -> tuple[Task, Any]:
    """Rows in which what is missing is what their codes say, and these codes (else None)."""
    if task.observed is None:
        return task, None
    Z = codes_of(task, slice(None), atoms, gram_of(atoms))
    return task._replace(X=np.where(task.observed, task.X, Z @ atoms), observed=None), Z


def _price(task: Task, atoms: np.ndarray, which: np.ndarray, last: float | None = None) -> float:
    """The alpha for which codes of some rows have as many non-zeros as matching pursuit takes.

    It is looked for near the `last` one, if there was one.
    """
    some, Z = _filled(some_of(task, which), atoms)
    gram = gram_of(atoms)
    weight = np.ones(len(which)) if some.weight is None else some.weight
    Z = codes_of(some, slice(None), atoms, gram) if Z is None else Z
    wanted = weight @ np.diff(Z.indptr)
    products = some.X @ atoms.T
    low, high = 0.0, float(np.abs(products[weight > 0]).max(initial=0.0))
    halvings = HALVINGS
    if last:
        low, high, halvings = last / NEAR, last * NEAR, HALVINGS_AGAIN
    for _ in range(halvings):
        middle = 0.5 * (low + high) if low > 0.0 else 0.25 * high
        few = weight @ np.diff(lasso(gram, products, middle).indptr) < wanted
        low, high = (low, middle) if few else (middle, high)
    return 0.5 * (low + high)
