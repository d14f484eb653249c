"""The search for vectors: L-BFGS on J, one pass over the rows a step.

    theta = (W, C, b), or (X, b) for tied vectors, in one array
    f     = J + penalty (|W|^2 + |C|^2)

The gradient of a word is in proportion to its share of all pairs, which for words of a text are
10^4 apart: the first guess of the Hessian is

    of w_f   N_w var(c_f),     of c_vf   N_v mean(w_f^2),     of b_v   N_v

with means over pairs, those of noise among them. On 1500 words of Wikipedia, 80 passes from random
vectors lower J by 0.122 with it, and by 0.085 without.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.core.blocks import ArrayBlocks, Blocks
from lowdim.core.config import get_config
from lowdim.core.loop import iterate
from lowdim.linalg.lbfgs import search_from, searched
from lowdim.text.embeddings.skip_gram.losses import Scores, shares, statistics
from lowdim.text.embeddings.skip_gram.start import Margins

MEMORY = 10  # steps that the search looks back on
LOOK_BACK = 100  # passes over which J has to fall by more than `tol`; ten may be a flat stretch
FLOOR = 1e-3  # of a mean square of vectors, for the first guess of the Hessian
ROWS_PER_BLOCK = 64  # at least: a block adds up a vector for each context


class Vectors(NamedTuple):
    """What is learned."""

    W: np.ndarray  # (n, d)
    C: np.ndarray  # (v, d); W itself, if tied
    bias: np.ndarray  # (v,)


class Problem(NamedTuple):
    """What is minimised."""

    rows: Blocks  # shares
    margins: Margins
    loss: str
    noise: np.ndarray  # (v,)  k q, where rows have the same noise
    own_noise: np.ndarray | None  # (n, v)  M, where they have not
    penalty: float
    with_bias: bool
    tied: bool
    d: int

    def packed(self, at: Vectors) -> np.ndarray:
        """theta."""
        tables = (at.W,) if self.tied else (at.W, at.C)
        bias = at.bias if self.with_bias else at.bias[:0]
        return np.concatenate([*(table.ravel() for table in tables), bias])

    def unpacked(self, theta: np.ndarray) -> Vectors:
        """The vectors and biases in theta."""
        n, v = len(self.margins.by_row), len(self.margins.by_column)
        first = n * self.d
        second = first if self.tied else first + v * self.d
        W = theta[:first].reshape(n, self.d)
        C = W if self.tied else theta[first:second].reshape(v, self.d)
        return Vectors(W, C, theta[second:] if self.with_bias else np.zeros(v))

    def value_and_gradient(self, theta: np.ndarray) -> tuple[float, np.ndarray]:
        """f and its gradient, by one pass."""
        at = self.unpacked(theta)
        scores = Scores(at.C, at.bias, self.loss, self.noise)
        sums, by_word = self.rows.fold_and_map(statistics, scores, along=(at.W, self.own_noise))
        if self.tied:
            by_word = by_word + sums.by_context
        gradient = self.packed(Vectors(by_word, sums.by_context, sums.by_bias))
        n_vectors = len(theta) - (len(at.bias) if self.with_bias else 0)
        vectors = theta[:n_vectors]
        gradient[:n_vectors] += 2.0 * self.penalty * vectors
        return sums.objective + self.penalty * float(vectors @ vectors), gradient

    def curvature(self, theta: np.ndarray) -> np.ndarray:
        """The first guess of the diagonal of the Hessian, up to a factor."""
        at = self.unpacked(theta)
        by_row, by_column = (_with_floor(share)[:, None] for share in self._pairs())
        middle = self.margins.by_column @ at.C
        spread = self.margins.by_column @ at.C**2 - middle**2
        size = self.margins.by_row @ at.W**2
        of_words = by_row * (np.maximum(spread, 0.0) + FLOOR)
        of_contexts = by_column * (size + FLOOR)
        if self.tied:
            of_words = of_words + of_contexts
        guess = Vectors(of_words, of_contexts, by_column.ravel())
        return self.packed(guess) + 2.0 * self.penalty

    def _pairs(self) -> Margins:
        """The pairs of each word and of each context, those of noise among them."""
        by_row, by_column = self.margins
        if self.loss == "softmax":
            return self.margins
        if self.own_noise is None:
            return Margins(by_row * (1.0 + self.noise.sum()), by_column + self.noise)
        return Margins(by_row + self.own_noise.sum(axis=1), by_column + self.own_noise.sum(axis=0))


def learn(estimator: Any, problem: Problem, start: Vectors) -> Vectors:
    """The vectors at which the search ends."""
    state = search_from(problem.packed(start))
    loop = iterate(estimator, state, max_iter=estimator.max_iter, tol=estimator.tol)
    for at in loop:
        found = problem.value_and_gradient(at.trial)
        loop.params = searched(at, *found, problem.curvature(at.trial), MEMORY)
        fall = np.inf
        if loop.n_iter >= LOOK_BACK:
            fall = loop.history[-LOOK_BACK] - loop.params.objective
        loop.record(loop.params.objective, change=0.0 if loop.params.stuck else fall)
    return problem.unpacked(loop.params.point)


def as_shares(rows: Blocks, total: float) -> Blocks:
    """Counts divided by their sum; in memory, in blocks that are worth a turn on a thread."""
    X = rows.in_memory
    if X is None:
        return rows.seen(shares, total)
    size = get_config().block_bytes // (X.dtype.itemsize * max(X.shape[1], 1))
    return ArrayBlocks(shares(X, total), block_rows=max(ROWS_PER_BLOCK, size))


def _with_floor(share: np.ndarray) -> np.ndarray:
    """Shares, with the least positive one for those of words that were not seen."""
    return np.maximum(share, share[share > 0].min())
