import numpy as np
import pytest

from lowdim.text.embeddings.word2vec import cbow
from tests.text.embeddings.word2vec.test_skip_gram import BATCH, NO_HOLES, numerical, stretch

N, V, D, SHARED = 72, 10, 6, 8
PLACES = (32, 64)  # the second batch


class Problem:
    """Places of a text, tables, and noise."""

    def __init__(self, rng, dtype=np.float64, width=D, holes=NO_HOLES):
        self.text, self.holes, self.dtype, self.width = stretch(rng, N, V), holes, dtype, width
        if len(holes):
            near = [
                sum(
                    not holes[p - t + 3]
                    for p in range(self.text.first[t], self.text.last[t])
                    if p != t
                )
                for t in range(N)
            ]
            self.text = self.text._replace(n_near=np.array(near, dtype=np.int32))
        self.part = (self.text.words % 4).astype(np.uint8)
        self.W, self.C = (rng.normal(size=(V, width)).astype(dtype) for _ in range(2))
        self.noise = rng.integers(0, V, size=(2, SHARED)).astype(np.int32)
        self.noise = self.noise // 4 * 4  # words of part 0
        self.noise_part = np.zeros(2, dtype=np.int32)

    def near(self, t):
        return [
            self.text.words[p]
            for p in range(self.text.first[t], self.text.last[t])
            if p != t and not (len(self.holes) and self.holes[p - t + 3])
        ]

    def loss(self, weight, as_mean):
        total = 0.0
        for t in range(*PLACES):
            near = self.near(t)
            h = self.W[near].mean(axis=0) if as_mean else self.W[near].sum(axis=0)
            h[D:] = 1.0
            total += np.logaddexp(0, -h @ self.C[self.text.words[t]])
            for c in self.noise[t // BATCH]:
                total += weight * np.logaddexp(0, h @ self.C[c])
        return total

    def step(self, rate, weight, as_mean, groups, python=False):
        """W, C after one step, and the loss."""
        run = [cbow.context_means, cbow.learn_targets, cbow.shared_changes, cbow.learn_contexts]
        means, targets, changes, contexts = (f.python for f in run) if python else run
        words, first, last, n_near = self.text
        W, C, d = self.W.copy(), self.C.copy(), D
        n = PLACES[1] - PLACES[0]
        H, a, b = (np.zeros((n, self.width), dtype=self.dtype) for _ in range(3))
        loss = np.zeros((n, 2), dtype=self.dtype)
        space = cbow.work_space(BATCH, SHARED, self.width)
        space = (*(array.astype(self.dtype) for array in space[:-1]), space[-1])
        rate, weight = (np.dtype(self.dtype).type(number) for number in (rate, weight))
        means(W, d, words, first, last, n_near, self.holes, 3, (PLACES[0], *PLACES), as_mean, H)
        for parts in groups:
            targets(
                C, H, (words, n_near, self.part), PLACES, parts, (self.noise, self.noise_part),
                rate, weight, space, (a, b, loss),
            )  # fmt: skip
        changes(n_near, (PLACES[0], *PLACES), as_mean, a, b)
        for parts in groups:
            contexts(W, d, words, first, last, self.part, self.holes, (3, 3), PLACES, parts, a)
        return W, C, loss


@pytest.mark.parametrize("as_mean", [True, False])
@pytest.mark.parametrize("holes", [NO_HOLES, np.arange(-3, 4) % 2 == 0], ids=["all", "some"])
def test_both_tables_move_against_the_gradient(as_mean, holes, rng):
    # 1 / m of the gradient of a mean goes to each of m words: finite differences know
    problem, weight, rate = Problem(rng, holes=holes), 0.4, 1e-7

    def loss():
        return problem.loss(weight, as_mean)

    of_W, of_C = numerical(loss, problem.W), numerical(loss, problem.C)
    W, C, lost = problem.step(rate, weight, as_mean, [(0, 4)], python=True)
    np.testing.assert_allclose((problem.W - W) / rate, of_W, atol=1e-4)
    np.testing.assert_allclose((problem.C - C) / rate, of_C, atol=1e-4)
    np.testing.assert_allclose(lost.sum(), loss(), rtol=1e-6)


def test_a_bias_is_a_column_of_contexts_whose_mean_is_1(rng):
    problem = Problem(rng, width=D + 1)
    W, _, lost = problem.step(1e-9, 0.4, True, [(0, 4)], python=True)
    np.testing.assert_allclose(lost.sum(), problem.loss(0.4, True), rtol=1e-6)
    np.testing.assert_array_equal(W[:, D], problem.W[:, D])


def test_parts_may_be_worked_on_in_any_groups_and_order(rng):
    problem = Problem(rng, np.float32)
    whole = problem.step(0.05, 0.4, True, [(0, 4)])
    for groups in ([(0, 2), (2, 4)], [(3, 4), (1, 2), (0, 1), (2, 3)]):
        for one, other in zip(whole, problem.step(0.05, 0.4, True, groups), strict=True):
            np.testing.assert_array_equal(one, other)


def test_the_kernels_do_what_they_say(rng):
    problem = Problem(rng, np.float32)
    fast = problem.step(0.05, 0.4, True, [(0, 4)])
    plain = problem.step(0.05, 0.4, True, [(0, 4)], python=True)
    for one, other in zip(fast, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
