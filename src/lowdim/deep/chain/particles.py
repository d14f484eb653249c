"""Rows with holes, filled entry by entry: all fillings while they are few, then the weightiest.

    at a hole          each filling becomes one for each level, of weight  w p(level | before)
    at an observation  w := w p(what was observed | before)

so that later entries are heard. Of more fillings than `n_particles`, those above a weight c stay as
they are and the others survive with probability w / c and weight c, with c such that n_particles
remain: no other choice that keeps expectations disturbs the weights less (Fearnhead and Clifford
2003). The sum of the weights estimates the probability of what was observed.

Where all fillings fit, everything is exact.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Fillings(NamedTuple):
    """m fillings of each of n rows."""

    codes: np.ndarray  # (n, m, d)
    weights: np.ndarray  # (n, m)  adding up to 1
    log_evidence: np.ndarray  # (n,)  log probability of what was observed


def fillings(
    module: Any,
    codes: np.ndarray,
    missing: int,
    n_particles: int,
    uniform: np.ndarray,
    context: Any = None,
) -> Fillings:
    """Weighted fillings of rows of levels, (n, d), in which holes are the level `missing`.

    `uniform`, (d,) or (n, d), are the random numbers that decide who survives.
    """
    import torch

    walk = module.walk(len(codes), context)
    row = np.arange(len(codes))  # whose filling it is; those of a row stand together
    filled, log_w = codes.copy(), np.zeros(len(codes))
    for place, f in enumerate(module.order):
        log_p = torch.log_softmax(walk.logits(place), dim=1).cpu().numpy()
        holes = filled[:, f] == missing
        known = np.where(holes, 0, filled[:, f])
        log_w = log_w + np.where(holes, 0.0, np.take_along_axis(log_p, known[:, None], 1)[:, 0])
        if holes.any():
            parent, level, log_w = _branched(row, log_w, log_p, holes, n_particles, uniform[..., f])
            row, filled = row[parent], filled[parent]
            filled[:, f] = np.where(level < 0, filled[:, f], level)
            walk.choose(torch.from_numpy(parent))
        walk.put(place, torch.from_numpy(np.ascontiguousarray(filled[:, f])))
    return _by_row(row, filled, log_w)


def _branched(
    row: np.ndarray,
    log_w: np.ndarray,
    log_p: np.ndarray,
    holes: np.ndarray,
    most: int,
    uniform: np.ndarray,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Fillings after a hole in some rows: their parents, new levels (-1: none), weights."""
    L = log_p.shape[1]
    at = np.flatnonzero(holes)
    which, slot = _places(row[at])
    table = np.full((which[-1] + 1, slot.max() + 1, L), -np.inf)
    table[which, slot] = log_w[at, None] + log_p[at]
    parents = np.zeros(table.shape[:2], dtype=np.int64)
    parents[which, slot] = at
    u = np.broadcast_to(uniform, row.max() + 1)[np.unique(row[at])]
    chosen, new = thinned(table.reshape(len(table), -1), most, u)
    alive = new > -np.inf
    of_slot, level = np.divmod(chosen, L)
    parent = np.take_along_axis(parents, of_slot, axis=1)[alive]
    others = np.flatnonzero(~holes)
    parent = np.concatenate([others, parent])
    level = np.concatenate([np.full(len(others), -1), level[alive]])
    log_w = np.concatenate([log_w[others], new[alive]])
    order = np.argsort(row[parent], kind="stable")
    return parent[order], level[order], log_w[order]


def _places(row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which of the different numbers each one is, and its place among those that are equal."""
    starts = np.flatnonzero(np.diff(row, prepend=-1))
    which = np.cumsum(np.diff(row, prepend=-1) > 0) - 1
    return which, np.arange(len(row)) - starts[which]


def _by_row(row: np.ndarray, filled: np.ndarray, log_w: np.ndarray) -> Fillings:
    which, slot = _places(row)
    n, m = which[-1] + 1, slot.max() + 1
    codes, table = np.zeros((n, m, filled.shape[1]), dtype=np.int64), np.full((n, m), -np.inf)
    codes[which, slot], table[which, slot] = filled, log_w
    top = table.max(axis=1, keepdims=True)
    weights = np.exp(table - top)
    total = weights.sum(axis=1, keepdims=True)
    return Fillings(codes, weights / total, (top + np.log(total))[:, 0])


def thinned(log_w: np.ndarray, most: int, u: Any) -> tuple[np.ndarray, np.ndarray]:
    """At most `most` of the m entries of each row, (n, m): which ones, and their new logarithms.

    Expectations stay: an entry that may be dropped gets the weight it has on average if it is kept.
    u in [0, 1), one or one for each row, decides.
    """
    n, m = log_w.shape
    if m <= most:
        return np.broadcast_to(np.arange(m), (n, m)), log_w
    top = log_w.max(axis=1, keepdims=True)
    q = np.exp(log_w - top)
    c = _threshold(q, most)
    large = q >= c
    # evenly spaced ones must not be all of one level; what is beyond a row's own changes nothing
    mixed = np.argsort(np.random.default_rng(0).random(m))
    ahead = np.cumsum(np.where(large, 0.0, q / c)[:, mixed], axis=1)
    ahead = np.concatenate([np.zeros((n, 1)), ahead], axis=1)
    stays = large & (q > 0)
    stays[:, mixed] |= np.diff(np.floor(ahead + 1.0 - np.reshape(u, (-1, 1))), axis=1) > 0
    with np.errstate(divide="ignore"):
        new = np.where(stays, np.where(large, log_w, np.log(c) + top), -np.inf)
    chosen = np.argsort(~stays, axis=1, kind="stable")[:, :most]
    return chosen, np.take_along_axis(new, chosen, axis=1)


def _threshold(q: np.ndarray, most: int) -> np.ndarray:
    """c of each row, with  sum of min(q / c, 1) = most;  tiny where fewer are above 0."""
    falling = -np.sort(-q, axis=1)
    left = falling[:, ::-1].cumsum(axis=1)[:, ::-1]  # from each one on
    c = left[:, :most] / (most - np.arange(most))  # if so many before it are kept
    below = np.less(falling[:, :most], c)
    found = np.take_along_axis(c, np.argmax(below, axis=1)[:, None], axis=1)
    return np.where(below.any(axis=1, keepdims=True), found, np.finfo(float).tiny)
