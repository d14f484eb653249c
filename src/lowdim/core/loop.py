"""The one training loop: look at the rows, update the parameters, repeat.

    loop = iterate(self, start, max_iter=self.max_iter, tol=self.tol)
    for params in loop:
        sums = rows.fold(statistics, *params)
        loop.record(sums.objective)     # of `params`, out of the same pass
        loop.params = update(sums)

The parameters live in the loop, so that it can write them to a checkpoint, start from one, and give
back the best ones when the fit is interrupted. `@fitting` marks the method in which loops run;
`core/session.py` keeps what the loops of one fit share.
"""

from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from typing import Any, TypeVar, cast

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from lowdim.core.callbacks import fit_task, with_callbacks
from lowdim.core.calling import level_of_caller
from lowdim.core.config import config_context
from lowdim.core.progress import Bar, watch
from lowdim.core.session import (
    Session,
    answering_interrupts,
    current_session,
    frozen,
    session_of_fit,
    taken_up,
)
from lowdim.core.threads import single_threaded_blas

Method = TypeVar("Method", bound=Callable[..., Any])


def fitting(method: Method) -> Method:
    """Mark a method that learns.

    The constructor's arguments are checked before it starts; its loops share a checkpoint,
    callbacks and the answer to Ctrl-C. BLAS has one thread, but not while callbacks run. An
    argument `verbose` above 0 shows progress bars, whatever the settings say.
    """

    @functools.wraps(method)
    @with_callbacks
    @single_threaded_blas()
    def fit(estimator: Any, *args: Any, **kwargs: Any) -> Any:
        estimator._validate_params()
        asked = config_context(progress=True) if _is_verbose(estimator) else nullcontext()
        with asked, fit_task(estimator) as task, session_of_fit(estimator, task):
            return method(estimator, *args, **kwargs)

    return cast(Method, fit)


def _is_verbose(estimator: Any) -> bool:
    return bool(getattr(estimator, "verbose", 0))


def iterate(
    estimator: Any,
    params: Any,
    *,
    max_iter: int,
    tol: float,
    title: str | None = None,
    attributes: Callable[[Any], dict] | None = None,
    falls: bool = False,
    tol_name: str = "tol",
) -> Loop:
    """A loop over `params` that ends when the recorded change is at most `tol`, or at `max_iter`.

    Parameters
    ----------
    estimator : Estimator
        Gets `history_`, `n_iter_` and `converged_` when the loop ends.
    params : array, number, Generator, or (named) tuple, list or dict of these
        Where to start. What an iteration needs of the one before must be in here, random generators
        included; `loop.params` is set to new objects, never written into.
    max_iter : int
        Iterations at the most.
    tol : float
        0 runs all iterations, without a warning at the end.
    title : str, default=None
        For the progress bar; None takes the estimator's name.
    attributes : callable, default=None
        The learned attributes that follow from parameters, as a dict: lets a callback see a fitted
        estimator after each iteration.
    falls : bool, default=False
        Whether the latest parameters are taken for the best: because the objective never rises, or
        because it is that of a part of the data. Then the loop keeps no others in memory.
    tol_name : str, default="tol"
        What the estimator calls `tol`, for the warning that it was not reached.
    """
    return Loop(
        estimator,
        params,
        max_iter=max_iter,
        tol=tol,
        title=title,
        attributes=attributes,
        falls=falls,
        tol_name=tol_name,
    )


class Loop:
    """See `iterate`.

    Attributes
    ----------
    params : the current parameters; after the loop, the final ones
    history : list of float, the recorded objectives; never empty if max_iter is at least 1
    converged : bool
    """

    def __init__(
        self,
        estimator: Any,
        params: Any,
        *,
        max_iter: int,
        tol: float,
        title: str | None,
        attributes: Callable[[Any], dict] | None,
        falls: bool = False,
        tol_name: str = "tol",
    ):
        self.params = params
        self.history: list[float] = []
        self.converged = False
        self._estimator, self._max_iter, self._tol = estimator, max_iter, tol
        self._title = title or type(estimator).__name__
        self._attributes = attributes
        self._change = math.inf
        self._stopped = False  # converged, or a callback asked to stop
        self._falls, self._tol_name = falls, tol_name
        self._best: tuple[float, Any] = (math.inf, None if falls else params)

    @property
    def n_iter(self) -> int:
        return len(self.history)

    def record(self, objective: float, change: float | None = None) -> None:
        """Note the objective at the current parameters (smaller is better).

        `change` is what is held against `tol`; None means how much the objective fell.
        """
        objective = float(objective)
        if change is None:
            change = abs(self.history[-1] - objective) if self.history else math.inf
        self._change = float(change)
        self.history.append(objective)
        if objective <= self._best[0]:
            self._best = (objective, None if self._falls else self.params)

    def state(self) -> dict:
        """All that it takes to go on from here; nothing in it moves on with the loop."""
        return {
            "params": frozen(self.params),
            "history": list(self.history),
            "converged": self.converged,
            "stopped": self._stopped,
            "change": self._change,
            "best_objective": self._best[0],
            "best_params": frozen(self._best[1]),
        }

    def take_up(self, state: dict) -> None:
        """Go on from this state, with the generators of the start moved on to where they were."""
        self.params = taken_up(state["params"], self.params)
        self.history, self.converged = list(state["history"]), state["converged"]
        self._change, self._stopped = state["change"], state["stopped"]
        self._best = (state["best_objective"], state["best_params"])

    def __iter__(self) -> Iterator[Any]:
        session = current_session() or Session(self._estimator)
        with (
            watch(self._title, self._max_iter) as bar,
            session.task.subtask("loop", self._max_iter) as task,
            answering_interrupts(session.root),
        ):
            session.begin(self)
            while self._goes_on(session.root.interrupted):
                recorded = self.n_iter
                with task.subtask("iteration", attributes=self._fitted_attributes()) as iteration:
                    yield self.params
                if self.n_iter != recorded + 1:
                    raise RuntimeError("Each iteration must call loop.record(...) exactly once.")
                self._report(bar)
                self.converged = self._change <= self._tol
                self._stopped = self.converged or iteration.stop
                session.note(self)
            session.end(self)
        self._publish(session)

    def _goes_on(self, interrupted: bool) -> bool:
        # also a loop that begins after Ctrl-C makes one step: methods may rely on history[-1]
        too_late = interrupted and self.n_iter > 0
        return not self._stopped and not too_late and self.n_iter < self._max_iter

    def _fitted_attributes(self) -> Callable[[], dict] | None:
        attributes = self._attributes
        if attributes is None:
            return None
        return single_threaded_blas()(lambda: attributes(self.params))

    def _report(self, bar: Bar) -> None:
        bar.update(self.n_iter, note=f"objective {self.history[-1]:.6g}")

    def _publish(self, session: Session) -> None:
        rose = bool(self.history) and not self.history[-1] <= self._best[0]
        if session.root.interrupted and rose and not self._falls:
            self.params = self._best[1]
        estimator = self._estimator
        estimator.history_ = np.array(self.history)
        estimator.n_iter_ = self.n_iter
        estimator.converged_ = self.converged
        if session.root.interrupted:
            session.root.warn_interrupted(self.n_iter, "latest" if self._falls else "best")
        elif not self._stopped and self._tol > 0:
            last = f"the last change was {self._change:.1e}"
            reason = last if np.isfinite(self._change) else "the end was not near"
            name = self._tol_name
            warnings.warn(
                f"{type(estimator).__name__} stopped after {self.n_iter} iterations; {reason} "
                f"({name}={self._tol:g}). Raise max_iter or {name}.",
                ConvergenceWarning,
                stacklevel=level_of_caller(),
            )
