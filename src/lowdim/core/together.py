"""A compiled loop that several threads go through together, step by step.

To wake a thread takes 40 microseconds, and to hand Python's lock to and fro no less: more than a
short step of a loop. So threads call the same kernel once, for many steps, and in it

    take(state, step, item)       whether nobody had this item before
    finish(state, step)           one more item is done
    is_over(state, step, begun)   whether all items of a step are; waits for that, but not for long

A step begins when the one before is over. Any thread may do any item, so that a thread that comes
late, or never, is not waited for; what an item computes must not depend on who does it, nor on the
other items of its step. A kernel whose wait was in vain returns the step that it has come to: its
thread sleeps, for others to have the processor, and calls it again to begin there. In between it
holds no item.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from lowdim.core.kernel import kernel

# how often a thread looks whether a step is over: about half a millisecond; and at a step that it
# has waited for before, when others seem to need the processor
WAIT, WAIT_AGAIN = 2_000_000, 200_000
SLEEP = 5e-5  # seconds


def steps(n_steps: int, n_items: int) -> np.ndarray:
    """The state of a loop before it begins: by step, items that are done; and who is taken."""
    return np.zeros((n_steps, 1 + n_items), dtype=np.int64)


def through_all_steps(run: Callable[[int], int], n_steps: int) -> None:
    """run(step) from step 0 on; it returns the step that it has come to."""
    step = 0
    while (step := run(step)) < n_steps:
        time.sleep(SLEEP)


class _Shared:
    """What a kernel does to a number that other threads see, at one stroke.

    All that a thread wrote before is seen by those that see the number.
    """

    def __init__(self, plain: Callable[..., int], write: Callable[..., Any]):
        self._plain, self._write = plain, write
        functools.update_wrapper(self, plain)

    def __call__(self, state: np.ndarray, step: int, place: int) -> int:
        return self._plain(state, step, place)

    def fingerprint(self) -> str:
        return self._plain.__name__

    @functools.cached_property
    def _intrinsic(self) -> Any:
        from numba.core import types
        from numba.extending import intrinsic

        def described(context: Any, state: Any, step: Any, place: Any) -> Any:
            return types.int64(state, types.intp, types.intp), self._lowered

        described.__name__ = self._plain.__name__
        return intrinsic(described)

    def _lowered(self, context: Any, builder: Any, signature: Any, args: Any) -> Any:
        from llvmlite.ir import IntType

        state = context.make_array(signature.args[0])(context, builder, args[0])
        row = builder.mul(args[1], builder.extract_value(state.shape, 1))
        address = builder.gep(state.data, [builder.add(row, args[2])])
        return self._write(builder, address, IntType(64))

    def compiled(self) -> Any:
        return self._intrinsic


def _exchanged(state: np.ndarray, step: int, place: int) -> int:
    before = int(state[step, place])
    state[step, place] = 1
    return before


def _counted(state: np.ndarray, step: int, place: int) -> int:
    state[step, place] += 1
    return int(state[step, place]) - 1


def _seen(state: np.ndarray, step: int, place: int) -> int:
    return int(state[step, place])


_exchange = _Shared(_exchanged, lambda to, at, of: to.atomic_rmw("xchg", at, of(1), "seq_cst"))
_count = _Shared(_counted, lambda to, at, of: to.atomic_rmw("add", at, of(1), "seq_cst"))
_see = _Shared(_seen, lambda to, at, of: to.load_atomic(at, "seq_cst", 8))


@kernel(within=True)
def take(state, step, item):
    """Whether nobody had this item before; now it is taken."""
    return _exchange(state, step, item + 1) == 0


@kernel(within=True)
def finish(state, step):
    """One more item of a step is done."""
    _count(state, step, 0)


@kernel(within=True)
def is_over(state, step, begun):
    """Whether all items of a step are done; waits for that, but not for long.

    begun : the step that the kernel was called to begin with
    """
    n_items = state.shape[1] - 1
    for _ in range(WAIT_AGAIN if step == begun else WAIT):
        if _see(state, step, 0) == n_items:
            return True
    return False
