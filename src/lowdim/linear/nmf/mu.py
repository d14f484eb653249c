"""Multiplicative updates for every beta-divergence, carried on and restarted.

    minimise over W, V >= 0    D(X | W V') + penalties            (`divergence.py`)

One pass over the rows improves their codes, then adds up what the components need at the new codes,
and D there. So streams need one pass for each iteration. Kullback-Leibler comes here only with
missing values; else `positive.py` minimises it.

Both factors are carried on in the direction in which they moved (Hien, Leplat and Gillis 2025); a
step after which D is higher is taken back, and the next one is plain. No entry goes below a part of
what the update gave: multiplication would never lift a zero again.

With missing values, or weights w_ij by entry, the sums are over what is observed,

    w <- w [ sum_o w_ij x y^(b-2) v / (sum_o w_ij y^(b-1) v + penalties) ]^g,

from products at these entries, which are a csr_array of their own (`entries.py`).

Cost: O(N k) per pass for N entries; for other divergences of a sparse X, O(n d k).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import Blocks
from lowdim.linalg.sparse import product_at, row_numbers, sparse_times, with_values
from lowdim.linear.nmf.alternation import fall
from lowdim.linear.nmf.data import sum_squares, total, weighted
from lowdim.linear.nmf.divergence import (
    divergence,
    divergence_by_row,
    exponent,
    pulls,
    size,
    size_by_row,
)
from lowdim.linear.nmf.half import Codes
from lowdim.linear.nmf.objective import Penalties, Penalty, Units, sorted_csr
from lowdim.linear.nmf.start import Factors

FIRST_STRIDE = 0.8
SHRINK = 1.5  # by how much the stride is divided after a step that was taken back
GROW, GROW_MOST = 1.1, 1.05  # of the stride, and of its bound, after one that was not
LEAST = 0.1  # part of an entry that is left when it is carried on downwards
SWEEPS = 2  # updates of the codes in a pass
FLOOR = 1e-3  # in units of the rounding of the mean of X: y is no smaller
CHUNK_BYTES = 2**22  # of rows of a sparse block that are written out


class MuState(NamedTuple):
    """Where the alternation stands."""

    W: np.ndarray  # (n, k)  the best factors so far
    V: np.ndarray  # (d, k)
    V_from: np.ndarray  # (d, k)  where the next pass looks
    W_last: np.ndarray  # (n, k)  before they were carried on
    V_last: np.ndarray  # (d, k)
    loss: float  # J of W and V; infinite at the start
    first_loss: float
    fell: float  # by how much the last steps lowered J
    stride: float
    most: float
    carry: bool  # whether the next step is carried on


class MuSettings(NamedTuple):
    beta: float
    penalties: Penalties
    floor: float
    carry: bool = True
    observed: bool = False  # whether only stored entries count


class Pass(NamedTuple):
    """How one pass treats its rows."""

    beta: float
    penalty: Penalty  # of codes
    floor: float
    sweeps: int
    stride: float
    observed: bool = False  # whether only stored entries count


class MuSums(NamedTuple):
    """What the rows add up at their new codes."""

    pull: np.ndarray  # (d, k)  sum x y^(b-2) w
    push: np.ndarray  # (d, k)  sum y^(b-1) w; (1, k) if that is the same for all columns
    loss: float  # D, and the penalty of the codes
    codes: Any


def floor_of(units: Units, dtype: np.dtype) -> float:
    """The least that a model may say of an entry: far below all that matters."""
    return FLOOR * float(np.finfo(dtype).eps) * (units.mean or 1.0)


def mu_start(start: Factors) -> MuState:
    """Before the first step."""
    W, V = start
    inf = float("inf")
    return MuState(W, V, V, W, V, inf, inf, inf, FIRST_STRIDE, 1.0, False)


def mu_step(
    rows: Blocks, weight: Any, state: MuState, settings: MuSettings, by_entry: Any = None
) -> MuState:
    """One pass, and new components from its sums."""
    stride = state.stride if state.carry else 0.0
    of, floor = settings.penalties.W, settings.floor
    how = Pass(settings.beta, of, floor, SWEEPS, stride, settings.observed)
    along = (weight, state.W, state.W_last, by_entry)
    sums = rows.fold(statistics, state.V_from, how, along=along)
    loss = float(sums.loss) + settings.penalties.H.of(state.V_from)
    if loss > state.loss and state.carry:
        return state._replace(
            V_from=state.V,
            W_last=state.W,
            V_last=state.V,
            stride=state.stride / SHRINK,
            most=state.stride,
            carry=False,
        )
    W, W_new = sums.codes.joined()
    V_new = _updated(state.V_from, sums, settings)
    after = state._replace(carry=settings.carry)
    if state.carry:
        longer = min(state.most, GROW * state.stride)
        after = state._replace(stride=longer, most=min(1.0, GROW_MOST * state.most))
    fell = max(state.loss - loss, 0.0)
    return after._replace(
        W=W,
        V=state.V_from,
        V_from=_carried(V_new, state.V_last, stride),
        W_last=W_new,
        V_last=V_new,
        loss=min(loss, state.loss),
        first_loss=loss if np.isinf(state.loss) else state.first_loss,
        fell=max(fell, 0.5 * state.fell) if np.isfinite(state.fell) else fell,
    )


def mu_change(state: MuState) -> float:
    """What is held against `tol`: how much of all the fall, or of J, the last steps made."""
    return fall(state.fell, state.first_loss, state.loss)


def _updated(V: np.ndarray, sums: MuSums, settings: MuSettings) -> np.ndarray:
    of = settings.penalties.H
    push = sums.push + of.l1 + of.l2 * V
    return _times_ratio(V, sums.pull, push, exponent(settings.beta))


def _times_ratio(Z: np.ndarray, pull: np.ndarray, push: np.ndarray, power: float) -> np.ndarray:
    ratio = np.divide(pull, push, out=np.zeros(np.broadcast(pull, push).shape), where=push > 0)
    return (Z * (ratio if power == 1.0 else ratio**power)).astype(Z.dtype)


def _carried(new: np.ndarray, last: np.ndarray, stride: float) -> np.ndarray:
    if not stride:
        return new
    return np.maximum(new + new.dtype.type(stride) * (new - last), new.dtype.type(LEAST) * new)


# ---- one block -----------------------------------------------------------------------------------


def statistics(
    X: Any,
    V: np.ndarray,
    how: Pass,
    weight: np.ndarray | None,
    W: np.ndarray,
    W_last: np.ndarray,
    by_entry: Any = None,
) -> MuSums:
    """New codes of one block, and what they add up."""
    if how.observed:
        return _at_entries(X, V, how, weight, W, W_last, by_entry)
    if sp.issparse(X):
        if how.beta == 1.0:
            return _counts(sorted_csr(X), V, how, weight, W, W_last)
        if how.beta == 2.0:
            return _squares(X, V, how, weight, W, W_last)
        return _written_out(X, V, how, weight, W, W_last)
    for _ in range(how.sweeps):
        W = improved(X, W, V, how)
    on = _carried(W, W_last, how.stride)
    Y = np.maximum(on @ V.T, how.floor)
    pull, push = pulls(X, Y, how.beta)
    own = weighted(on, weight)
    loss = total(divergence_by_row(X, Y, how.beta), weight) + how.penalty.of(on, weight)
    return MuSums(
        (pull.T @ own).astype(np.float64),
        _sum_rows(own) if push is None else (push.T @ own).astype(np.float64),
        loss,
        Codes((on, W)),
    )


def improved(X: np.ndarray, W: np.ndarray, V: np.ndarray, how: Pass) -> np.ndarray:
    """Codes of a block after one update."""
    pull, push = pulls(X, np.maximum(W @ V.T, how.floor), how.beta)
    down = _sum_rows(V) if push is None else push @ V
    down = down + how.penalty.l1 + how.penalty.l2 * W
    return _times_ratio(W, pull @ V, down, exponent(how.beta))


def improved_at_entries(
    X: Any, W: np.ndarray, V: np.ndarray, how: Pass, by_entry: Any = None
) -> np.ndarray:
    """The same where only the entries of a csr_array count."""
    pull, push = _pulls_at_entries(X, W, V, how, by_entry)
    down = sparse_times(push, V) + how.penalty.l1 + how.penalty.l2 * W
    return _times_ratio(W, sparse_times(pull, V), down, exponent(how.beta))


def _pulls_at_entries(X: Any, W: Any, V: Any, how: Pass, by_entry: Any) -> tuple[Any, Any]:
    Y = np.maximum(product_at(X, W, V), how.floor)
    pull, push = pulls(X.data, Y, how.beta)
    push = np.ones_like(Y) if push is None else push
    if by_entry is not None:
        w = by_entry.data.astype(Y.dtype, copy=False)
        pull, push = w * pull, w * push
    return with_values(X, pull.astype(Y.dtype)), with_values(X, push)


def _at_entries(
    X: Any, V: np.ndarray, how: Pass, weight: Any, W: np.ndarray, W_last: np.ndarray, by_entry: Any
) -> MuSums:
    for _ in range(how.sweeps):
        W = improved_at_entries(X, W, V, how, by_entry)
    on = _carried(W, W_last, how.stride)
    pull, push = _pulls_at_entries(X, on, V, how, by_entry)
    own = weighted(on, weight)
    loss = total(divergence_at_entries(X, on, V, how, by_entry), weight)
    return MuSums(
        np.asarray(pull.T @ own, np.float64),
        np.asarray(push.T @ own, np.float64),
        loss + how.penalty.of(on, weight),
        Codes((on, W)),
    )


def divergence_at_entries(
    X: Any, W: np.ndarray, V: np.ndarray, how: Pass, by_entry: Any = None
) -> np.ndarray:
    """Sum of d(x | y) over the entries of each row of a csr_array."""
    Y = product_at(X, W, V).astype(np.float64)
    Y = Y if how.beta == 2.0 else np.maximum(Y, how.floor)
    by = divergence(X.data.astype(np.float64), Y, how.beta)
    by = by if by_entry is None else by_entry.data * by
    return np.bincount(row_numbers(X), by, X.shape[0])


def _sum_rows(Z: np.ndarray) -> np.ndarray:
    return Z.sum(axis=0, dtype=np.float64)[None]


def _written_out(X: Any, V: Any, how: Pass, weight: Any, W: Any, W_last: Any) -> MuSums:
    """The same for a sparse block, some rows at a time."""
    size = max(1, CHUNK_BYTES // (8 * X.shape[1]))
    found = []
    for start in range(0, X.shape[0], size):
        cut = slice(start, start + size)
        own = None if weight is None else weight[cut]
        found.append(statistics(X[cut].toarray(), V, how, own, W[cut], W_last[cut]))
    pull, push, loss = (sum(parts) for parts in list(zip(*found, strict=True))[:3])
    codes = found[0].codes
    for part in found[1:]:
        codes = codes + part.codes
    return MuSums(pull, push, loss, codes)


def _counts(X: Any, V: Any, how: Pass, weight: Any, W: Any, W_last: Any) -> MuSums:
    """Kullback-Leibler of a sparse block from its stored entries: where x = 0, d = y."""
    base = _sum_rows(V)
    for _ in range(how.sweeps):
        Y = np.maximum(product_at(X, W, V), V.dtype.type(how.floor))
        pull = sparse_times(with_values(X, X.data / Y), V)
        W = _times_ratio(W, pull, base + how.penalty.l1 + how.penalty.l2 * W, 1.0)
    on = _carried(W, W_last, how.stride)
    Y = np.maximum(product_at(X, on, V), V.dtype.type(how.floor))
    own, x, y = weighted(on, weight), X.data.astype(np.float64), Y.astype(np.float64)
    by_entry = x * np.log(np.where(x > 0, x, y) / y) - x
    by_entry = by_entry if weight is None else by_entry * weight[row_numbers(X)]
    mass = _sum_rows(own)
    loss = float(by_entry.sum() + np.vdot(mass, base)) + how.penalty.of(on, weight)
    pull = np.asarray(with_values(X, X.data / Y).T @ own, np.float64)
    return MuSums(pull, mass, loss, Codes((on, W)))


def _squares(X: Any, V: Any, how: Pass, weight: Any, W: Any, W_last: Any) -> MuSums:
    """Squares of a sparse block, from products with the factors: W V' is never written out."""
    XV, G = X @ V, V.T @ V
    for _ in range(how.sweeps):
        W = _times_ratio(W, XV, W @ G + how.penalty.l1 + how.penalty.l2 * W, 1.0)
    on = _carried(W, W_last, how.stride)
    own = weighted(on, weight)
    squares = np.asarray(X.power(2).sum(axis=1), np.float64).ravel()
    by_row = 0.5 * squares - np.einsum("ij,ij->i", XV - 0.5 * (on @ G), on)  # 1/2 |x - V w|^2
    loss = total(np.maximum(by_row, 0.0), weight) + how.penalty.of(on, weight)
    pull, push = X.T @ own, V @ (on.T @ own)
    return MuSums(pull.astype(np.float64), push.astype(np.float64), loss, Codes((on, W)))


def size_of(X: Any, beta: float, observed: bool, weight: Any, by_entry: Any = None) -> float:
    """Sum of x^beta of one block: what D is a share of."""
    if beta == 2.0 and by_entry is None:
        return 0.5 * sum_squares(X, weight)
    if not sp.issparse(X):
        return total(size_by_row(X, beta), weight)
    if beta <= 0 and not observed:
        return float(X.shape[1] * (X.shape[0] if weight is None else weight.sum()))
    by = size(X.data.astype(np.float64), beta)
    by = by if by_entry is None else by_entry.data * by
    return total(np.bincount(row_numbers(X), by, X.shape[0]), weight)
