import numpy as np
import pytest

from lowdim.core import together
from lowdim.text.embeddings.word2vec import cbow
from tests.text.embeddings.word2vec.test_skip_gram import BATCH, NO_HOLES, numerical, stretch

N, V, D, SHARED, PARTS = 72, 12, 6, 8, 4


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
        self.part = (self.text.words % PARTS).astype(np.uint8)
        self.W, self.C = (rng.normal(size=(V, width)).astype(dtype) for _ in range(2))
        self.noise_part = np.array([1, 3, 1], dtype=np.int32)  # by batch
        members = [np.arange(j, V, PARTS) for j in self.noise_part]
        self.noise = np.array([rng.choice(one, SHARED) for one in members], dtype=np.int32)

    def near(self, t):
        return [
            self.text.words[p]
            for p in range(self.text.first[t], self.text.last[t])
            if p != t and not (len(self.holes) and self.holes[p - t + 3])
        ]

    def loss(self, weight, as_mean):
        total = 0.0
        for t in range(N):
            near = self.near(t)
            h = self.W[near].mean(axis=0) if as_mean else self.W[near].sum(axis=0)
            h[D:] = 1.0
            total += np.logaddexp(0, -h @ self.C[self.text.words[t]])
            total += weight * np.logaddexp(0, self.C[self.noise[t // BATCH]] @ h).sum()
        return total

    def learned(
        self, rate, weight=0.4, as_mean=True, n_items=1, me=0, n_places=96, only=None,
        python=False,
    ):  # fmt: skip
        """W, C and the loss, after all items in turn, from `me` on; or after `only` one of them."""
        learn = cbow.learn_places.python if python else cbow.learn_places
        W, C, loss = self.W.copy(), self.C.copy(), np.zeros((PARTS, 2))
        kept = (np.zeros((n_places, self.width), dtype=self.dtype) for _ in range(3))
        space = cbow.work_space(n_items, BATCH, SHARED, self.width, 7)
        space = (*(array.astype(self.dtype) for array in space[:-1]), space[-1])
        rate, weight = (np.dtype(self.dtype).type(number) for number in (rate, weight))
        n_steps = cbow.STEPS * -(-N // n_places)
        state = together.steps(n_steps, n_items)
        if only is not None:  # the others are taken and done
            state[:, 0], state[:, 1:], state[:, 1 + only] = n_items - 1, 1, 0
        ended = learn(
            W, C, D, (*self.text, self.part), (self.holes, 3, 3), (self.noise, self.noise_part),
            (n_places, BATCH, PARTS), (rate, weight, as_mean), space, (*kept, loss), state, 0, me,
        )  # fmt: skip
        assert ended == n_steps
        return W, C, loss


@pytest.mark.parametrize("as_mean", [True, False])
@pytest.mark.parametrize("holes", [NO_HOLES, np.arange(-3, 4) % 2 == 0], ids=["all", "some"])
def test_both_tables_move_against_the_gradient(as_mean, holes, rng):
    # 1 / m of the gradient of a mean goes to each of m words: finite differences know
    problem, weight, rate = Problem(rng, holes=holes), 0.4, 1e-9

    def loss():
        return problem.loss(weight, as_mean)

    of_W, of_C = numerical(loss, problem.W), numerical(loss, problem.C)
    W, C, lost = problem.learned(rate, weight, as_mean, python=True)
    np.testing.assert_allclose((problem.W - W) / rate, of_W, atol=1e-4)
    np.testing.assert_allclose((problem.C - C) / rate, of_C, atol=1e-4)
    np.testing.assert_allclose(lost.sum(), loss(), rtol=1e-6)


def test_a_bias_is_a_column_of_contexts_whose_mean_is_1(rng):
    problem = Problem(rng, width=D + 1)
    W, _, lost = problem.learned(1e-9, python=True)
    np.testing.assert_allclose(lost.sum(), problem.loss(0.4, True), rtol=1e-6)
    np.testing.assert_array_equal(W[:, D], problem.W[:, D])


def test_parts_may_be_worked_on_in_any_groups_and_order(rng):
    problem = Problem(rng, np.float32)
    whole = problem.learned(0.05, n_places=64)
    for n_items, me in ((2, 0), (2, 1), (3, 2), (4, 0), (4, 3)):
        found = problem.learned(0.05, n_items=n_items, me=me, n_places=64)
        for one, other in zip(whole, found, strict=True):
            np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("item", [0, 1])
@pytest.mark.parametrize("table", ["W", "C"])
def test_who_has_some_parts_writes_to_no_row_of_others(table, item, rng):
    # another thread may be at work on these words; -0 + 0 is 0, so that adding nothing shows
    problem = Problem(rng, np.float32)
    ours = np.arange(V) % PARTS // 2 == item
    getattr(problem, table)[~ours] = -0.0
    W, C, _ = problem.learned(0.05, n_items=2, only=item, n_places=64)
    for new, old in ((W, problem.W), (C, problem.C)):
        np.testing.assert_array_equal(new[~ours].view(np.int32), old[~ours].view(np.int32))
        assert (new[ours] != old[ours]).any()


def test_the_kernel_does_what_it_says(rng):
    problem = Problem(rng, np.float32)
    fast = problem.learned(0.05, n_places=64)
    plain = problem.learned(0.05, n_places=64, python=True)
    for one, other in zip(fast, plain, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


def test_rows_apart_begin_with_a_line_of_memory():
    for width in (3, 16, 100):
        rows = cbow.rows_apart(5, width)
        assert rows.shape[0] == 5 and rows.shape[1] >= width
        assert not rows.any() and rows.flags.c_contiguous
        assert all(row.ctypes.data % cbow.LINE == 0 for row in rows)
