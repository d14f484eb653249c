import numpy as np
import pytest

import lowdim
from lowdim.core import together
from lowdim.core.kernel import kernel
from lowdim.core.threads import shared_map
from lowdim.core.together import finish, is_over, take, through_all_steps


@kernel
def turn_round(rings, done, state, begun, me):
    """By step and item: a number from the one before it in the ring of the last step."""
    step, n = begun, state.shape[1] - 1
    while step < len(state):
        for turn in range(n):
            i = (me + turn) % n
            if take(state, step, i):
                before = i - 1 if i > 0 else n - 1
                rings[step + 1, i] = 3 * rings[step, before] + i
                done[step, i] += 1
                finish(state, step)
        if not is_over(state, step, begun):
            return step
        step += 1
    return step


def turned(n_steps, n):
    rings = np.zeros((n_steps + 1, n), dtype=np.int64)
    for step in range(n_steps):
        rings[step + 1] = 3 * np.roll(rings[step], 1) + np.arange(n)
    return rings


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_steps_follow_each_other_whoever_does_them(threads):
    n_steps, n = 3000, 4
    rings, done = np.zeros((n_steps + 1, n), dtype=np.int64), np.zeros((n_steps, n), dtype=np.int64)
    state = together.steps(n_steps, n)

    def work(me):
        through_all_steps(lambda step: turn_round(rings, done, state, step, me % n), n_steps)

    with lowdim.config_context(threads=threads):
        shared_map(work, range(threads))
    np.testing.assert_array_equal(rings, turned(n_steps, n))
    assert (done == 1).all()
    assert (state[:, 0] == n).all() and (state[:, 1:] == 1).all()


def test_the_plain_functions_do_the_same():
    rings, done = np.zeros((8, 3), dtype=np.int64), np.zeros((7, 3), dtype=np.int64)
    state = together.steps(7, 3)
    assert turn_round.python(rings, done, state, 0, 2) == 7
    np.testing.assert_array_equal(rings, turned(7, 3))
    assert (done == 1).all()


def test_who_waits_in_vain_comes_back_and_goes_on_from_there():
    rings, done = np.zeros((6, 2), dtype=np.int64), np.zeros((5, 2), dtype=np.int64)
    state = together.steps(5, 2)
    state[3, 2] = 1  # somebody else has the second item of a step, and is slow
    assert turn_round(rings, done, state, 0, 0) == 3
    assert turn_round(rings, done, state, 3, 0) == 3
    rings[4, 1] = 3 * rings[3, 0] + 1
    state[3, 0] += 1
    assert turn_round(rings, done, state, 3, 0) == 5
    np.testing.assert_array_equal(rings, turned(5, 2))
    assert done[3].tolist() == [1, 0]


def test_a_thread_sleeps_between_calls(monkeypatch):
    slept = []
    monkeypatch.setattr(together.time, "sleep", slept.append)
    came_to = iter([0, 0, 4, 7])
    calls = []
    through_all_steps(lambda step: calls.append(step) or next(came_to), 7)
    assert calls == [0, 0, 0, 4]
    assert slept == [together.SLEEP] * 3
