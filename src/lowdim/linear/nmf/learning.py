"""Both factors of all rows: which alternation a solver and a loss take, and its loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from lowdim.core.blocks import Blocks
from lowdim.core.loop import iterate
from lowdim.linear.nmf.alternation import Settings, change, first_state, step, sweeps_for
from lowdim.linear.nmf.entries import Counted
from lowdim.linear.nmf.mu import MuSettings, floor_of, mu_change, mu_start, mu_step, size_of
from lowdim.linear.nmf.objective import Penalties, Units, in_unit
from lowdim.linear.nmf.positive import LEAST, SWEEPS, Positive, positive_data
from lowdim.linear.nmf.start import Factors


class Problem(NamedTuple):
    """What is minimised over W and V."""

    rows: Blocks
    counted: Counted | None  # the entries that count, if not all do
    weight: Any  # of rows
    units: Units
    penalties: Penalties


class Solver(NamedTuple):
    """How."""

    name: str
    shuffle: bool = False


Begin = Callable[[], Factors]


def learn_factors(
    estimator: Any, problem: Problem, data: Any, begin: Begin, random: Any, solver: Solver
) -> Factors:
    """Factors from those that `begin` gives; nobody else holds these in memory.

    `data` are the rows as the alternation on squares takes them.
    """
    rows, counted, weight, units, _ = problem
    if units.beta == 1.0 and counted is None:
        data = positive_data(data, rows, weight, units, floor_of(units, rows.dtype))
    elif solver.name == "mu":
        return _by_updates(estimator, problem, begin())
    return _alternated(estimator, problem, data, begin, random, solver)


def _alternated(
    estimator: Any, problem: Problem, data: Any, begin: Begin, random: Any, solver: Solver
) -> Factors:
    first = first_state(begin(), random)
    d, k = first.V.shape
    of = problem.penalties
    settings = Settings(solver.name, of, sweeps_for(problem.units, d, k), solver.shuffle)
    if isinstance(data, Positive):
        settings = Settings("mu", of, (SWEEPS, SWEEPS), least=LEAST)
    size = 0.5 * data.squares or 1.0
    how = {"max_iter": estimator.max_iter, "tol": estimator.tol, "falls": True}
    loop = iterate(estimator, first, **how)
    del first  # the loop has it as long as it is needed
    for state in loop:
        loop.params = step(data, state, settings)
        loop.record(loop.params.loss / size, change(loop.params))
    return Factors(loop.params.W, loop.params.V)


def _by_updates(estimator: Any, problem: Problem, start: Factors) -> Factors:
    rows, counted, weight, units, of = problem
    entries, by_entry = (rows, None) if counted is None else counted
    measured = entries if units.unit == 1.0 else entries.seen(in_unit, units.unit)
    observed = counted is not None
    settings = MuSettings(units.beta, of, floor_of(units, rows.dtype), observed=observed)
    size = float(measured.fold(size_of, units.beta, observed, along=(weight, by_entry))) or 1.0
    loop = iterate(estimator, mu_start(start), max_iter=estimator.max_iter, tol=estimator.tol)
    for state in loop:
        loop.params = mu_step(measured, weight, state, settings, by_entry)
        loop.record(loop.params.loss / size, mu_change(loop.params))
    return Factors(loop.params.W, loop.params.V_last)  # no higher than the last J, which is at V
