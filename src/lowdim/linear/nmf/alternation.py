"""The alternation of NMF on squares: all codes given the components, then all components.

    J = 1/2 |X - W V'|^2 + penalties,     V = components_'

    W  from  1/2 w'(V'V + l2)w - (V'x - l1)'w      a small problem for each row of X
    V  from  1/2 v'(W'W + l2)v - (W'x - l1)'v      one for each column

`solvers.py` lowers these. J follows from the sums that V needs,
J = 1/2 |X|^2 - <X'W, V> + 1/2 <W'W, V'V>, without another look at X. With missing values the
problems have a matrix each (`observed.py`).

Both factors are carried on in the direction in which they moved (Ang and Gillis 2019, algorithm 2),

    W = max(0, W_new + stride (W_new - W_last)),   V likewise,

by a stride that grows while J falls. If J rises, the step is taken back, the stride shrinks, and
the next step starts from the best factors without one: J never rises. "als" may raise J by itself:
it goes on from where it is, and the best factors are kept.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.linear.nmf.half import Half
from lowdim.linear.nmf.objective import Penalties
from lowdim.linear.nmf.start import Factors

FIRST_STRIDE = 0.5
SHRINK = 1.5  # by how much the stride is divided after a step that was taken back
GROW, GROW_MOST = 1.01, 1.005  # of the stride, and of its upper bound, after one that was not
SWEEPS = 0.5  # by row, in units of what the products cost (Gillis and Glineur's alpha)
MOST_SWEEPS = 12
NEARLY_EXACT = 1e2  # an objective this many times smaller than what it fell is still to be lowered
EXACT = 1e-13  # part of 1/2 |X|^2 below which J is rounding, and factors stay as they are


class State(NamedTuple):
    """Where the alternation stands."""

    W: np.ndarray  # (n, k)  the best factors so far, and where the next half-step starts
    V: np.ndarray  # (d, k)
    V_from: np.ndarray  # (d, k)  V, carried on
    W_last: np.ndarray  # (n, k)  W before it was carried on
    loss: float  # J of W and V; infinite at the start
    first_loss: float  # after the first step
    slope: float  # sum of |projected gradient| over both factors, as the last step met it
    first_slope: float
    fell: float  # by how much the last steps lowered J: one that does by chance little is no end
    last_loss: float  # of the last step, whether it was taken or not
    stride: float
    most: float
    carry: bool  # whether the next step is carried on
    random: np.random.Generator


class Settings(NamedTuple):
    solver: str  # of `solvers.py`
    penalties: Penalties
    sweeps: tuple[int, int]  # of coordinates, for codes and components, at the most
    shuffle: bool = False
    carry: bool = True  # whether steps are carried on
    least: float = 0.0  # part of an entry that is left when it is carried on downwards


class Stepped(NamedTuple):
    """The factors after one step."""

    W: np.ndarray  # carried on
    W_new: np.ndarray
    V: np.ndarray
    loss: float  # J of W and V
    slope: float


def first_state(start: Factors, random: np.random.Generator) -> State:
    """Before the first step."""
    W, V = start
    inf = float("inf")
    return State(W, V, V, W, inf, inf, inf, 0.0, inf, inf, FIRST_STRIDE, 1.0, False, random)


def sweeps_for(units: Any, d: int, k: int) -> tuple[int, int]:
    """How many sweeps a row, and a column, is worth at the most."""
    by_row, by_column = units.density * d / k, units.density * units.weight / k
    return _sweeps(by_row), _sweeps(by_column)


def _sweeps(ratio: float) -> int:
    return int(min(1 + SWEEPS * (1 + ratio), MOST_SWEEPS))


def step(data: Any, state: State, settings: Settings) -> State:
    """One alternation; the state after it is no worse."""
    if state.loss <= EXACT * data.squares:
        return state._replace(fell=0.0)
    if settings.solver == "als":
        return _kept_best(state, _stepped(data, state, settings, 0.0))
    stride = state.stride if state.carry else 0.0
    new = _stepped(data, state, settings, stride)
    if new.loss > state.loss and (state.carry or not _is_rounding(new.loss, state, data)):
        return state._replace(
            V_from=state.V,
            W_last=state.W,
            slope=new.slope,
            last_loss=new.loss,
            stride=state.stride / SHRINK,
            most=state.stride,
            carry=False,
        )
    carried = state._replace(carry=settings.carry)
    if state.carry:
        longer = min(state.most, GROW * state.stride)
        carried = state._replace(stride=longer, most=min(1.0, GROW_MOST * state.most))
    V = new.V
    return _noted(carried, new)._replace(
        W=new.W,
        V=V,
        V_from=Half(settings.solver, settings.penalties.H, 0, stride, None, settings.least).carried(
            V, state.V
        ),
        W_last=new.W_new,
        fell=_lately(state.fell, max(state.loss - new.loss, 0.0)),
    )


def _stepped(data: Any, state: State, settings: Settings, stride: float) -> Stepped:
    order = state.random.permutation(state.V.shape[1]) if settings.shuffle else None
    of, (by_row, by_column) = settings.penalties, settings.sweeps
    half = Half(settings.solver, of.W, by_row, stride, order, settings.least)
    sums = data.half(half, state.V_from, state.W, state.W_last)
    W, W_new = sums.codes.joined()
    on_columns = Half(settings.solver, of.H, by_column, 0.0, order)
    V, slope, fit = data.components(sums, state.V_from, on_columns)
    loss = fit + sums.penalty + of.H.of(V)
    return Stepped(W, W_new, V, loss, sums.slope + slope)


def _kept_best(state: State, new: Stepped) -> State:
    """Go on from the new components, and keep the best factors."""
    new = new._replace(slope=float("inf"))  # it was measured at the best factors
    moved = abs(state.last_loss - new.loss)
    after = _noted(state, new)._replace(V_from=new.V, fell=_lately(state.fell, moved))
    return after._replace(W=new.W, V=new.V) if new.loss < state.loss else after


def _noted(state: State, new: Stepped) -> State:
    return state._replace(
        loss=min(new.loss, state.loss),
        first_loss=new.loss if np.isinf(state.loss) else state.first_loss,
        slope=new.slope,
        first_slope=state.first_slope or new.slope,
        last_loss=new.loss,
    )


def _lately(fell: float, by: float) -> float:
    return max(by, 0.5 * fell) if np.isfinite(fell) else by


def change(state: State) -> float:
    """What is held against `tol`: the slope as a part of the first, or the last fall of J.

    The latter as a part of all that J fell, but a fit that is becoming exact goes on (`fall`).
    """
    if state.fell == 0.0 or state.loss == 0.0:
        return 0.0
    by_slope = state.slope / state.first_slope if state.first_slope else 0.0
    return min(by_slope, fall(state.fell, state.first_loss, state.loss))


def fall(fell: float, first: float, loss: float) -> float:
    """How much the objective fell lately, as a part of all its fall; of less, if it nears 0."""
    most = min(first - loss, NEARLY_EXACT * loss)
    return fell / most if most > 0.0 else float("inf")


def _is_rounding(loss: float, state: State, data: Any) -> bool:
    """Whether a plain step raised J only by rounding: then the fit has come to rest."""
    return bool(loss - state.loss <= 1e-5 * max(data.squares, state.loss))
