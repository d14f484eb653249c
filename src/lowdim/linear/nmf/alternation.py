"""The alternation of NMF on squares: all codes given the components, then all components.

    J = 1/2 |X - W V'|^2 + penalties,     V = components_'

    W  from  1/2 w'(V'V + l2)w - (V'x - l1)'w      a small problem for each row of X
    V  from  1/2 v'(W'W + l2)v - (W'x - l1)'v      one for each column

`Settings.solver` lowers these, by coordinate descent for "cd". J follows from the sums that V
needs, J = 1/2 |X|^2 - <X'W, V> + 1/2 <W'W, V'V>, without another look at X.

Both factors are carried on in the direction in which they moved (Ang and Gillis 2019, algorithm 2),

    W = max(0, W_new + stride (W_new - W_last)),   V likewise,

by a stride that grows while J falls. If J rises, the step is taken back, the stride shrinks, and
the next step starts from the best factors without one: J never rises.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from lowdim.linear.nmf.data import gram
from lowdim.linear.nmf.objective import Penalties, Penalty
from lowdim.linear.nmf.start import Factors

FIRST_STRIDE = 0.5
SHRINK = 1.5  # by how much the stride is divided after a step that was taken back
GROW, GROW_MOST = 1.01, 1.005  # of the stride, and of its upper bound, after one that was not
SWEEPS = 0.5  # by row, in units of what the products cost (Gillis and Glineur's alpha)
MOST_SWEEPS = 12


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
    stride: float
    most: float
    carry: bool  # whether the next step is carried on
    random: np.random.Generator


class Half(NamedTuple):
    """One half-step: how its small problems are solved, and how far its result is carried on."""

    solver: Callable  # (G, P, start, sweeps, order) -> Improved
    penalty: Penalty
    G: np.ndarray  # (k, k)  with the penalty
    sweeps: int
    stride: float
    order: np.ndarray | None


class Settings(NamedTuple):
    solver: Callable
    penalties: Penalties
    squares: float  # |X|^2
    sweeps: tuple[int, int]  # of coordinates, for codes and components, at the most
    shuffle: bool
    carry: bool  # whether steps are carried on


def first_state(start: Factors, random: np.random.Generator) -> State:
    """Before the first step."""
    W, V = start
    inf = float("inf")
    return State(W, V, V, W, inf, inf, inf, 0.0, inf, FIRST_STRIDE, 1.0, False, random)


def sweeps_for(units: Any, d: int, k: int) -> tuple[int, int]:
    """How many sweeps a row, and a column, is worth at the most."""
    by_row, by_column = units.density * d / k, units.density * units.weight / k
    return _sweeps(by_row), _sweeps(by_column)


def _sweeps(ratio: float) -> int:
    return int(min(1 + SWEEPS * (1 + ratio), MOST_SWEEPS))


def step(data: Any, state: State, settings: Settings) -> State:
    """One alternation; the state after it is no worse."""
    stride = state.stride if state.carry else 0.0
    order = state.random.permutation(state.V.shape[1]) if settings.shuffle else None
    solver, of = settings.solver, settings.penalties
    half = Half(solver, of.W, _with(gram(state.V_from), of.W), settings.sweeps[0], stride, order)
    sums = data.half(solve_codes, state.V_from, (half,), (state.W, state.W_last))
    W, W_new = sums.codes.joined()
    product = (sums.product - of.H.l1).astype(data.dtype)
    V, slope = solver(_with(sums.gram, of.H), product, state.V_from, settings.sweeps[1], order)
    loss = _loss(sums, V, settings)
    slope = sums.slope + float(slope.sum())
    if loss > state.loss and (state.carry or not _is_rounding(loss, state, settings)):
        return state._replace(
            V_from=state.V,
            W_last=state.W,
            slope=slope,
            stride=state.stride / SHRINK,
            most=state.stride,
            carry=False,
        )
    carried = state._replace(carry=settings.carry)
    if state.carry:
        longer = min(state.most, GROW * state.stride)
        carried = state._replace(stride=longer, most=min(1.0, GROW_MOST * state.most))
    return carried._replace(
        W=W,
        V=V,
        V_from=np.maximum(V + V.dtype.type(stride) * (V - state.V), 0) if stride else V,
        W_last=W_new,
        loss=min(loss, state.loss),
        first_loss=loss if np.isinf(state.loss) else state.first_loss,
        slope=slope,
        first_slope=state.first_slope or slope,
        fell=_fell(state, loss),
    )


def _fell(state: State, loss: float) -> float:
    fell = max(state.loss - loss, 0.0)
    return max(fell, 0.5 * state.fell) if np.isfinite(state.fell) else fell


def change(state: State) -> float:
    """What is held against `tol`: how much of the first slope, or of all the fall, is left."""
    by_slope = state.slope / state.first_slope if state.first_slope else 0.0
    fallen = state.first_loss - state.loss
    by_fall = state.fell / fallen if fallen > 0.0 else float("inf")
    return min(by_slope, by_fall)


def solve_codes(P: np.ndarray, half: Half, W: np.ndarray, W_last: np.ndarray) -> tuple:
    """Codes of some rows from P = X V: carried on, as found, and the slopes they met."""
    P = P - P.dtype.type(half.penalty.l1) if half.penalty.l1 else P
    new, slope = half.solver(half.G, P, W, half.sweeps, half.order)
    if not half.stride:
        return new, new, slope
    on = new - W_last
    on *= new.dtype.type(half.stride)
    on += new
    return np.maximum(on, 0, out=on), new, slope


def _with(G: np.ndarray, penalty: Penalty) -> np.ndarray:
    return G + penalty.l2 * np.eye(len(G)) if penalty.l2 else G


def _loss(sums: Any, V: np.ndarray, settings: Settings) -> float:
    wide = V.astype(np.float64, copy=False)
    fit = 0.5 * settings.squares - np.vdot(sums.product, wide) + 0.5 * np.vdot(sums.gram, gram(V))
    return max(float(fit), 0.0) + sums.penalty + settings.penalties.H.of(V)


def _is_rounding(loss: float, state: State, settings: Settings) -> bool:
    """Whether a plain step raised J only by rounding: then the fit has come to rest."""
    return bool(loss - state.loss <= 1e-5 * max(settings.squares, state.loss))
