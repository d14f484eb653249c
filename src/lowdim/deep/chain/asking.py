"""Blocks of rows, asked for: probabilities, densities, fillings, draws.

Each function takes a block, a module (see walk.py) and the levels of the columns; `known` is what
is known of y, (n, q), if anything.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from lowdim.core.threads import ordered_map
from lowdim.deep.chain.levels import Levels, codes_of, drawn_values, level_stds, log_widths
from lowdim.deep.chain.particles import Fillings, fillings
from lowdim.deep.engine import one_torch_thread
from lowdim.deep.network import in_double

MOST_NUMBERS = 2**24  # that walks of a piece of a block keep
DRAWN_AT_ONCE = 8  # rows of a piece, at least: steps of one row take as long as those of several
DRAWN_TOGETHER = 8  # pieces of many new rows, at least, one after the other on a thread


@one_torch_thread()
def conditionals(X: np.ndarray, module: Any, levels: Levels, *known: np.ndarray) -> np.ndarray:
    """Probabilities of the levels of each entry of a block, given those before."""
    import torch

    with torch.no_grad():
        logits = _logits(module, X, codes_of(X, levels), known)
        return torch.softmax(logits, dim=2).cpu().numpy()


@one_torch_thread()
def log_densities(
    X: np.ndarray, module: Any, levels: Levels, n_samples: int, *known: np.ndarray
) -> np.ndarray:
    """log p(x) of a block of rows."""
    codes = codes_of(X, levels)
    holes = (codes == levels.missing).any(axis=1)
    found = np.empty(len(X))
    complete, by_row = np.flatnonzero(~holes), X.shape[1] * levels.missing + module.numbers_of_row
    size = max(1, MOST_NUMBERS // by_row)
    for start in range(0, len(complete), size):
        at = complete[start : start + size]
        found[at] = _log_probabilities(X, module, codes[at], [part[at] for part in known])
    if holes.any():
        parts = _pieces(X[holes], module, levels, n_samples, [part[holes] for part in known])
        found[holes] = np.concatenate([part.log_evidence for _, part in parts])
    density = log_widths(X, codes, levels).sum(axis=1)
    return (found + density).astype(X.dtype if X.dtype.kind == "f" else np.float32)


def _log_probabilities(
    X: np.ndarray, module: Any, codes: np.ndarray, known: Sequence[np.ndarray]
) -> np.ndarray:
    """log p of the levels of complete rows."""
    import torch

    with torch.no_grad():
        logits = _logits(module, X, codes, known)
        log_p = torch.log_softmax(logits.double(), dim=2).cpu().numpy()
    return np.take_along_axis(log_p, codes[:, :, None], axis=2).sum(axis=(1, 2))


def _rows_at_once(module: Any, levels: Levels, d: int, n_samples: int = 1) -> int:
    """How many rows a piece has, so that memory is bounded."""
    by_row = n_samples * (module.numbers_of_walk + d + levels.missing)
    return max(1, MOST_NUMBERS // by_row)


def sum_log_densities(
    X: np.ndarray, module: Any, levels: Levels, n_samples: int, *known: np.ndarray
) -> tuple[float, int, int]:
    """Their sum, the number of rows, and of observed entries."""
    found = log_densities(X, module, levels, n_samples, *known)
    observed = int((codes_of(X, levels) != levels.missing).sum())
    return float(found.sum(dtype=np.float64)), len(X), observed


@one_torch_thread()
def filled(
    X: np.ndarray, module: Any, levels: Levels, n_samples: int, return_std: bool, *known: np.ndarray
) -> Any:
    """A block with expectations in place of NaN, and their standard deviations."""
    missing = np.isnan(X)
    rows = missing.any(axis=1)
    mean, std = np.array(X, dtype=float), np.zeros(X.shape)
    if rows.any():
        pieces = _pieces(X[rows], module, levels, n_samples, [part[rows] for part in known])
        means, stds = zip(*(_moments(part, levels) for _, part in pieces), strict=True)
        mean[rows] = np.where(missing[rows], np.concatenate(means), mean[rows])
        std[rows] = np.where(missing[rows], np.concatenate(stds), 0.0)
    filled = mean.astype(X.dtype, copy=False)
    return (filled, std.astype(X.dtype, copy=False)) if return_std else filled


def _moments(part: Fillings, levels: Levels) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each entry over the fillings of a row."""
    d = part.codes.shape[2]
    unit = np.abs(levels.values).max(axis=1)
    unit = np.where(unit > 0, unit, 1.0)  # squares of large numbers stay finite
    codes = np.minimum(part.codes, levels.missing - 1)
    values = (levels.values / unit[:, None])[np.arange(d), codes]  # (n, m, d)
    within = (level_stds(levels) / unit[:, None])[np.arange(d), codes]
    mean = np.einsum("nm,nmd->nd", part.weights, values)
    spread = (values - mean[:, None, :]) ** 2 + within**2
    return mean * unit, np.sqrt(np.einsum("nm,nmd->nd", part.weights, spread)) * unit


@one_torch_thread()
def drawn_copies(
    X: np.ndarray,
    module: Any,
    levels: Levels,
    n_samples: int,
    n: int,
    draws: np.ndarray,
    *known: np.ndarray,
) -> np.ndarray:
    """n copies of a block, (r, n, d), with draws in place of NaN."""
    r, d = X.shape
    uniform = draws[:, : n * (d + 1)].reshape(r, n, d + 1)
    copies = np.repeat(np.asarray(X)[:, None, :], n, axis=1)
    rows = np.flatnonzero(np.isnan(X).any(axis=1))
    thinning, of_rows = draws[rows, n * (d + 1) :], [part[rows] for part in known]
    for cut, part in _pieces(X[rows], module, levels, n_samples, of_rows, thinning):
        ahead = np.cumsum(part.weights, axis=1)
        choice = uniform[rows[cut], :, d] * ahead[:, -1:]
        which = (ahead[:, None, :] <= choice[:, :, None]).sum(axis=2)
        codes = np.take_along_axis(part.codes, which[:, :, None], axis=1)
        values = drawn_values(codes, levels, uniform[rows[cut], :, :d])
        own = copies[rows[cut]]
        copies[rows[cut]] = np.where(np.isnan(own), values, own)
    return copies


def _pieces(
    X: np.ndarray,
    module: Any,
    levels: Levels,
    n_samples: int,
    known: Sequence[np.ndarray],
    uniform: np.ndarray | None = None,
) -> Iterator[tuple[slice, Fillings]]:
    """Fillings of rows with holes, piece by piece, so that memory is bounded; and of which rows."""
    import torch

    codes, d, ready = codes_of(X, levels), X.shape[1], _ready(module, X)
    if uniform is None:  # the same for all rows: none depends on its neighbours
        uniform = np.broadcast_to(np.random.default_rng(0).random(d), X.shape)
    size = _rows_at_once(module, levels, d, n_samples)
    for i in range(0, len(X), size):
        cut = slice(i, i + size)
        context = _context(ready, [part[cut] for part in known])
        with torch.no_grad():
            part = fillings(ready, codes[cut], levels.missing, n_samples, uniform[cut], context)
        yield cut, part


def drawn_codes(module: Any, uniform: np.ndarray, levels: Levels, *known: np.ndarray) -> np.ndarray:
    """Levels of new rows, (n, d), entry by entry, by uniform numbers in [0, 1)."""
    n, d = uniform.shape
    most = _rows_at_once(module, levels, d)
    size = min(most, max(DRAWN_AT_ONCE, -(-n // DRAWN_TOGETHER)))
    cuts = [slice(i, i + size) for i in range(0, n, size)]

    def work(cut: slice) -> np.ndarray:
        return _drawn(module, uniform[cut], levels, [part[cut] for part in known])

    return np.concatenate(list(ordered_map(work, cuts)))


@one_torch_thread()
def _drawn(
    module: Any, uniform: np.ndarray, levels: Levels, known: Sequence[np.ndarray]
) -> np.ndarray:
    import torch

    u, codes = torch.from_numpy(uniform), np.empty(uniform.shape, dtype=np.int64)
    with torch.no_grad():
        walk = module.walk(len(u), _context(module, known))
        for place, f in enumerate(module.order):
            ahead = torch.softmax(walk.logits(place).double(), dim=1).cumsum(dim=1).cpu()
            level = (ahead[:, : levels.n_levels[f] - 1] <= u[:, f, None]).sum(dim=1)
            walk.put(place, level)
            codes[:, f] = level.numpy()
    return codes


def _logits(module: Any, X: np.ndarray, codes: np.ndarray, known: Sequence[np.ndarray]) -> Any:
    """Scores of all entries of rows with these levels, in the precision of X."""
    import torch

    ready = _ready(module, X)
    tensor = torch.from_numpy(codes).to(next(ready.parameters()).device)
    return ready.logits(tensor, _context(ready, known))


def _context(module: Any, known: Sequence[np.ndarray]) -> Any:
    """What is known of y as a tensor that the module can use, or None."""
    import torch

    like = next(module.parameters())
    return torch.from_numpy(np.ascontiguousarray(known[0])).to(like) if known else None


def _ready(module: Any, X: np.ndarray) -> Any:
    """The module in the precision of the rows."""
    return in_double(module) if X.dtype == np.float64 else module
