"""EM from several starts, of which the best result is kept: how every mixture learns.

    from each start     look at the rows, note J, take the parameters that follow; repeat
    of all results      keep the best

A mixture says where to start, what a step is and which result is best. The steps of all mixtures
are alike: responsibilities of every row at the present parameters, sums over rows weighted with
them, and the parameters that have these sums. None of them can raise J.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.blocks import Blocks
from lowdim.core.calling import level_of_caller
from lowdim.core.loop import iterate
from lowdim.core.validation import check_at_most, check_columns_observed
from lowdim.linalg.observed import Columns, observed_columns
from lowdim.mixture.collapse import CollapsedComponentWarning


class Step(NamedTuple):
    """What one pass over the rows gives."""

    params: Any  # that follow
    objective: float  # J per row, at the parameters before
    change: float | None = None  # what is compared with tol; None: by how much J fell


class EMRun(NamedTuple):
    """Where EM came to from one start."""

    params: Any
    objective: float  # J per row at the last iteration, before its update
    history: np.ndarray  # of all iterations
    converged: bool


def lowest(runs: list[EMRun]) -> EMRun:
    """The run of the lowest objective."""
    return min(runs, key=lambda run: run.objective)


def fit_from_starts(
    estimator: Any,
    starts: Iterable[Any],
    step: Callable[[Any, bool], Step],
    *,
    best: Callable[[list[EMRun]], EMRun] = lowest,
    trouble: Callable[[Any], str | None],
    before: float | None = None,
) -> Any:
    """The parameters at the end of the best run; the estimator gets `history_` and the like.

    Parameters
    ----------
    estimator : Estimator
        With `max_iter` and `tol`. Gets `history_`, `n_iter_`, `converged_` and `lower_bound_` of
        the best run.
    starts : iterable of params
        Each is taken when the run before has ended: starts may draw from one random generator.
    step : callable
        step(params, is_last) is one iteration of EM; after the last one no other follows.
    best : callable, default=lowest
        Chooses among the runs.
    trouble : callable
        trouble(params) says what is wrong with components that collapsed, or None: the text of a
        CollapsedComponentWarning.
    before : float, default=None
        J per row one step before the start, where a start goes on from an earlier fit: the first
        iteration then has a change, too.
    """
    kept = best([_run_from(estimator, start, step, before) for start in starts])
    estimator.history_, estimator.converged_ = kept.history, kept.converged
    estimator.n_iter_, estimator.lower_bound_ = len(kept.history), -kept.objective
    message = trouble(kept.params)
    if message is not None:
        warnings.warn(message, CollapsedComponentWarning, stacklevel=level_of_caller())
    return kept.params


def _run_from(
    estimator: Any, start: Any, step: Callable[[Any, bool], Step], before: float | None
) -> EMRun:
    if estimator.max_iter == 0:
        return EMRun(start, np.inf, np.empty(0), False)
    loop = iterate(estimator, start, max_iter=estimator.max_iter, tol=estimator.tol)
    for params in loop:
        moved = step(params, loop.n_iter + 1 == estimator.max_iter)
        change = moved.change
        if change is None and not loop.history and before is not None:
            change = abs(before - moved.objective)
        loop.record(moved.objective, change=change)
        loop.params = moved.params
    return EMRun(loop.params, loop.history[-1], np.array(loop.history), loop.converged)


# ---- before the first start ----------------------------------------------------------------------


def n_weighted(rows: Blocks, weight: np.ndarray | None) -> int:
    """Number of rows with a weight above 0."""
    return rows.shape[0] if weight is None else int(np.count_nonzero(weight))


def check_enough_rows(name: str, k: int, rows: Blocks, weight: np.ndarray | None) -> None:
    """Refuse more components than there are rows."""
    check_at_most(name, k, n_weighted(rows, weight), "rows of X")


def checked_columns(estimator: Any, rows: Blocks, weight: np.ndarray | None) -> Columns:
    """Mean and standard deviation of the columns; one without any value is refused."""
    columns = observed_columns(rows, weight)
    check_columns_observed(columns.n_observed, getattr(estimator, "feature_names_in_", None))
    return columns
