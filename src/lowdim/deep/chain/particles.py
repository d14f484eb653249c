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

    n = len(codes)
    walk = module.walk(n, context)
    filled, log_w = codes[:, None, :].copy(), np.zeros((n, 1))
    for place, f in enumerate(module.order):
        width = log_w.shape[1]
        scores = torch.log_softmax(walk.logits(place), dim=1).cpu().numpy()
        log_p = scores.reshape(n, width, -1)
        holes = codes[:, f] == missing
        if not holes.any():
            log_w = log_w + np.take_along_axis(log_p, codes[:, f, None, None], axis=2)[:, :, 0]
        else:
            branches = _branches(log_p, holes, codes[:, f]) + log_w[:, :, None]
            chosen, log_w = thinned(branches.reshape(n, -1), n_particles, uniform[..., f])
            parents, levels = np.divmod(chosen, log_p.shape[2])
            filled = np.take_along_axis(filled, parents[:, :, None], axis=1)
            filled[:, :, f] = np.where(holes[:, None], levels, codes[:, f, None])
            rows = np.arange(n)[:, None] * width + parents
            walk.choose(torch.from_numpy(rows.ravel()))
        walk.put(place, torch.from_numpy(np.ascontiguousarray(filled[:, :, f]).ravel()))
    return _weighed(filled, log_w)


def _branches(log_p: np.ndarray, holes: np.ndarray, codes: np.ndarray) -> np.ndarray:
    """log p of each branch: every level at a hole, elsewhere only what was observed."""
    levels = np.arange(log_p.shape[2])
    open_ = holes[:, None] | (levels == codes[:, None])
    return np.where(open_[:, None, :], log_p, -np.inf)


def _weighed(filled: np.ndarray, log_w: np.ndarray) -> Fillings:
    top = log_w.max(axis=1, keepdims=True)
    weights = np.exp(log_w - top)
    total = weights.sum(axis=1, keepdims=True)
    return Fillings(filled, weights / total, (top + np.log(total))[:, 0])


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
    ahead = np.cumsum(np.where(large, 0.0, q / c), axis=1)
    ahead = np.concatenate([np.zeros((n, 1)), ahead], axis=1)
    lucky = np.diff(np.floor(ahead + 1.0 - np.reshape(u, (-1, 1))), axis=1) > 0
    stays = (large & (q > 0)) | lucky
    chosen = np.argsort(~stays, axis=1, kind="stable")[:, :most]
    with np.errstate(divide="ignore"):
        new = np.where(large, log_w, np.log(c) + top)
    new = np.where(stays, new, -np.inf)
    return chosen, np.take_along_axis(new, chosen, axis=1)


def _threshold(q: np.ndarray, most: int) -> np.ndarray:
    """c of each row, with  sum of min(q / c, 1) = most;  tiny where fewer are above 0."""
    falling = -np.sort(-q, axis=1)
    left = falling[:, ::-1].cumsum(axis=1)[:, ::-1]  # from each one on
    c = left[:, :most] / (most - np.arange(most))  # if so many before it are kept
    below = np.less(falling[:, :most], c)
    found = np.take_along_axis(c, np.argmax(below, axis=1)[:, None], axis=1)
    return np.where(below.any(axis=1, keepdims=True), found, np.finfo(float).tiny)
