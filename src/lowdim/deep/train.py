"""The one way in which networks learn: steps on batches, in a loop of the foundation.

    for each slice of a pass:   learner.step(batch) for its batches;  the loop looks, and may save
    at the end of a pass:       held-out loss;  stop if it has not fallen for some passes

Progress, `history_`, callbacks, Ctrl-C and checkpoints are the loop's (`core/loop.py`); between two
slices all that the fit needs to go on is arrays, so a fit that is killed anywhere and run again
ends with the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple, Protocol

import numpy as np

from lowdim.core.blocks import Blocks
from lowdim.core.loop import iterate
from lowdim.deep import processes
from lowdim.deep.batches import Plan, slices
from lowdim.deep.engine import one_torch_thread


class Steps(Protocol):
    """What learns: `learner.Learner`, or anything else that takes steps and can be written down."""

    n_done: int

    def step(self, batch: tuple) -> tuple[float, float]:
        """Learn from a batch; the loss before the step, and the weight of its rows."""

    def weights(self) -> dict[str, np.ndarray]:
        """What the network would use now."""

    def state(self) -> dict[str, Any]:
        """All that it takes to go on."""

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from there."""


class Stopping(NamedTuple):
    """When to stop before the last pass."""

    tol: float = 0.0  # a pass must lower the loss by this
    patience: int = 0  # passes in a row that may fail to; 0: never stop


class Course(NamedTuple):
    """What the loop holds between two slices."""

    learner: dict[str, Any]
    loss: np.ndarray  # (passes,)  sums over rows, before each step
    weight: np.ndarray  # (passes,)  of these rows
    held_out: np.ndarray  # (passes,)  NaN where not known
    best: float  # loss of the best pass, by which it is stopped
    best_weights: dict[str, np.ndarray]
    waited: int  # passes since the best one


class Trained(NamedTuple):
    """What came out."""

    weights: dict[str, np.ndarray]
    history: np.ndarray  # (passes,)  mean loss by row
    validation_history: np.ndarray | None


def train(
    estimator: Any,
    learner: Steps,
    rows: Blocks,
    along: Sequence,
    plan: Plan,
    *,
    max_iter: int,
    max_steps: int | None = None,
    stopping: Stopping = Stopping(),  # noqa: B008  (immutable)
    held_out: Callable[[], float] | None = None,
    left_out: np.ndarray | None = None,
    pass_ends: Callable[[int, float, bool], bool] | None = None,
    attributes: Callable[[dict[str, np.ndarray]], dict] | None = None,
) -> Trained:
    """Learn from `max_iter` passes over rows; publishes `history_`, `n_iter_` and `converged_`.

    Parameters
    ----------
    estimator : Estimator
        Whose fit this is.
    learner : Steps
    rows, along : Blocks, and row-aligned companions
        A batch is (rows, *companions).
    plan : Plan
        How passes are cut.
    max_iter : int
        Passes at the most.
    max_steps : int or None, default=None
        Steps at the most, of a learner that has taken none.
    stopping : Stopping
        By the held-out loss if there is one, else by the mean loss of a pass.
    held_out : callable, default=None
        The loss on held-out rows, with the weights that the network has.
    left_out : array of int, default=None
        Numbers of these rows, rising: nothing is learned from them.
    pass_ends : callable, default=None
        pass_ends(number of the pass, its mean loss, whether to stop) says whether to stop; it may
        change the learner. Of passes that may fail it is counted anew then.
    attributes : callable, default=None
        Learned attributes that follow from weights, for callbacks.
    """
    processes.join()
    nothing = np.full(max_iter, np.nan)
    start = Course(
        learner.state(), np.zeros(max_iter), np.zeros(max_iter), nothing, math.inf, {}, 0
    )

    def seen_by_callbacks(course: Course) -> dict:
        assert attributes is not None
        learner.restore(course.learner)
        return attributes(learner.weights())

    see = None if attributes is None else seen_by_callbacks
    n_slices = _slices_until(plan, max_iter, max_steps)
    loop = iterate(estimator, start, max_iter=n_slices, tol=0.0, attributes=see)
    source = None
    with one_torch_thread():
        try:
            for course in loop:
                if source is None:  # only now it is known where to go on
                    learner.restore(course.learner)
                    source = slices(rows, along, plan, max_iter, loop.n_iter, left_out)
                cut, batches = next(source)
                if max_steps is not None:
                    batches = islice(batches, max_steps - learner.n_done)
                course = _after(course, cut, batches, learner, held_out, stopping)
                stop = bool(stopping.patience) and course.waited >= stopping.patience
                mean = course.loss[cut.epoch] / max(course.weight[cut.epoch], 1e-300)
                if cut.ends_epoch and pass_ends is not None:
                    waited, stop = course.waited, pass_ends(cut.epoch, mean, stop)
                    waited = 0 if not stop and waited >= stopping.patience else waited
                    course = course._replace(waited=waited, learner=learner.state())
                loop.params = course
                loop.record(mean, change=0.0 if stop else math.inf)
        finally:
            if source is not None:
                source.close()
    return _published(estimator, learner, loop.params, held_out is not None)


def _slices_until(plan: Plan, max_iter: int, max_steps: int | None) -> int:
    """How many slices so many passes have, or the first of them that have so many steps."""
    sizes = [cut.last - cut.first for cut in plan.slices]
    if max_steps is None or max_steps >= max_iter * sum(sizes):
        return max_iter * len(sizes)
    passes, left = divmod(max_steps, sum(sizes))
    return passes * len(sizes) + int(np.searchsorted(np.cumsum(sizes), left)) + (left > 0)


def _after(
    course: Course,
    cut: Any,
    batches: Iterable[tuple],
    learner: Steps,
    held_out: Callable[[], float] | None,
    stopping: Stopping,
) -> Course:
    """The course after one slice."""
    loss, weight, known = course.loss.copy(), course.weight.copy(), course.held_out
    for batch in batches:
        lost, of = learner.step(batch)
        if not math.isfinite(lost):
            raise ValueError(_diverged(learner.n_done, cut.epoch))
        loss[cut.epoch] += lost
        weight[cut.epoch] += of
    course = course._replace(learner=learner.state(), loss=loss, weight=weight)
    if not cut.ends_epoch:
        return course
    now = loss[cut.epoch] / max(weight[cut.epoch], 1e-300)
    if held_out is not None:
        now = held_out()
        known = known.copy()
        known[cut.epoch] = now
        course = course._replace(held_out=known)
    waited = 0 if now < course.best - stopping.tol else course.waited + 1
    if now < course.best:
        keep = learner.weights() if held_out is not None else {}
        course = course._replace(best=now, best_weights=keep)
    return course._replace(waited=waited)


def _published(estimator: Any, learner: Steps, course: Course, by_held_out: bool) -> Trained:
    learner.restore(course.learner)
    done = course.weight > 0
    weights = course.best_weights if by_held_out and course.best_weights else learner.weights()
    history = course.loss[done] / course.weight[done]
    estimator.history_, estimator.n_iter_ = history, len(history)
    return Trained(weights, history, course.held_out[done] if by_held_out else None)


def _diverged(step: int, epoch: int) -> str:
    return (
        f"The loss is no longer a finite number after {step} steps (pass {epoch + 1}); lower "
        "learning_rate, or set clip=1.0 to shorten long gradients."
    )
