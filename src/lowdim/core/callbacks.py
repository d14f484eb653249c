"""scikit-learn's callbacks (1.9 and later): a fit is a task, each loop in it, each iteration.

With an older scikit-learn, or without callbacks set, the tasks here do nothing. Callbacks are the
user's code: while they run, BLAS has the threads that it had before the fit.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from lowdim.core.config import config_context, get_config
from lowdim.core.threads import released_blas

try:
    from sklearn.callback import CallbackSupportMixin, ProgressBar, with_callbacks
except ImportError:  # scikit-learn before 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Stands where scikit-learn's mixin would."""

    def with_callbacks(method: Callable) -> Callable:
        return method


__all__ = ["CallbackSupportMixin", "FitTask", "fit_task", "with_callbacks"]


class FitTask:
    """A node in scikit-learn's tree of tasks; `stop` says that a callback asked to end early."""

    def __init__(self, estimator: Any, context: Any):
        self._estimator, self._context = estimator, context
        self.stop = False

    @contextmanager
    def subtask(
        self, name: str, max_subtasks: int = 0, attributes: Callable[[], dict] | None = None
    ) -> Iterator[FitTask]:
        """A task within this one; its hooks are called before and after the `with` block."""
        if self._context is None:
            yield FitTask(self._estimator, None)
            return
        context = self._context.subcontext(task_name=name, max_subtasks=max_subtasks)
        with released_blas():
            context.call_on_fit_task_begin(estimator=self._estimator)
        task = FitTask(self._estimator, context)
        yield task
        with released_blas():
            task.stop = context.call_on_fit_task_end(
                estimator=self._estimator, reconstruction_attributes=attributes
            )


@contextmanager
def fit_task(estimator: Any) -> Iterator[FitTask]:
    """The root task of one fit."""
    has_callbacks = hasattr(estimator, "_skl_callbacks") or hasattr(
        estimator, "_parent_callback_ctx"
    )
    if not has_callbacks:
        yield FitTask(estimator, None)
        return
    with released_blas():
        context = estimator._init_callback_context(max_subtasks=None)
        context.call_on_fit_task_begin(estimator=estimator)
    with config_context(progress=_own_bars(estimator)):
        yield FitTask(estimator, context)
    with released_blas():
        context.call_on_fit_task_end(estimator=estimator)


def _own_bars(estimator: Any) -> bool | None:
    """The setting for our progress bars: not beside scikit-learn's, unless asked for."""
    asked = get_config().progress
    theirs = any(isinstance(c, ProgressBar) for c in getattr(estimator, "_skl_callbacks", ()))
    return False if asked is None and theirs else asked
