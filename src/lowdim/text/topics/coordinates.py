"""PLSA by coordinates: the same objective as NMF's for counts, lowered by its steps.

    D(X || W V') = J tokens + const      W_i = l_i theta_i,  V = phi,  l_i the length of document i

where rows of W V' sum to l_i. Sweeps over the coordinates of each document, then of each term
(`linear/nmf/coordinates.py`), lower D; rows that are made to sum to l_i again lower it once more.
So J never rises. Shares that go to 0 get there, where EM creeps: on 2,246 news texts with 10 topics
100 iterations come further than 1,500 steps of EM.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.core.blocks import Blocks
from lowdim.linear.nmf.data import InMemory, computed
from lowdim.linear.nmf.half import Half
from lowdim.linear.nmf.objective import Penalty, in_unit
from lowdim.linear.nmf.positive import SWEEPS, PositiveBlockwise, PositiveInMemory
from lowdim.text.topics.counts import cells_of

FLOOR = 1e-100  # what a model says of a cell is no smaller; squares of 1 / floor are still numbers
COMMON = (2.0**-20, 2.0**20)  # mean lengths of documents that need no unit


class PLSAParams(NamedTuple):
    theta: np.ndarray  # (n, k)  p(z | i)
    phi: np.ndarray  # (v, k)  p(w | z)


class Counted(NamedTuple):
    """Documents as the steps see them."""

    data: PositiveInMemory | PositiveBlockwise
    lengths: np.ndarray  # (n,)
    weight: np.ndarray | None


def counted(rows: Blocks, weight: np.ndarray | None, mean_length: float) -> Counted:
    """Documents in a unit in which their squares are numbers."""
    common = COMMON[0] <= mean_length <= COMMON[1]
    unit = 1.0 if common else float(2.0 ** np.floor(np.log2(mean_length)))
    X = rows.in_memory
    data: PositiveInMemory | PositiveBlockwise
    if X is not None:
        data = PositiveInMemory(InMemory(in_unit(X, unit), weight), FLOOR)
    else:
        data = PositiveBlockwise(rows.seen(in_unit, unit), weight, FLOOR)
    return Counted(data, computed(rows.map(lengths_of)) / unit, weight)


def lengths_of(X: Any) -> np.ndarray:
    """The words of each document of a block, (b,)."""
    return cells_of(X).lengths


def coordinate_step(documents: Counted, params: PLSAParams) -> tuple[PLSAParams, float]:
    """Shares, then topics, by sweeps over their coordinates; and J where they end."""
    data, lengths, weight = documents
    theta, phi = params
    half = Half("cd", Penalty(), SWEEPS)
    W = theta * lengths[:, None]
    sums = data.half(half, phi, W, W)
    found = data.components(sums, phi, half)
    W = np.asarray(sums.codes.joined()[0], dtype=np.float64)
    total = found.V.sum(axis=0)
    W *= total
    made = W.sum(axis=1)
    w = np.ones(len(lengths)) if weight is None else weight
    # sum x log of W V', from D, then of its rows made to sum to 1
    logs = data.size.constant + float(w @ made) - found.fit
    some = (made > 0) & (lengths > 0)
    logs -= float(w[some] @ (lengths[some] * np.log(made[some])))
    objective = -logs / float(w @ lengths)
    theta = np.divide(W, made[:, None], out=theta.copy(), where=some[:, None])
    moved, unused = found.V, total <= 0
    moved[:, unused] = phi[:, unused]
    np.divide(moved, np.where(unused, 1.0, total), out=moved)
    return PLSAParams(theta, moved), objective
