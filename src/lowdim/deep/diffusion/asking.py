"""Blocks of rows, asked for: fillings, draws, new rows.

Each function takes rows in units of X; `known` is what is known of y, (n, q), if anything.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.core.threads import ordered_map
from lowdim.deep.coder import in_units, out_of_units
from lowdim.deep.conditions import with_conditions
from lowdim.deep.diffusion.reverse import reverse_diffusion
from lowdim.deep.network import run

TOGETHER = 256  # new rows that one thread draws at once


def noise_of(X: np.ndarray, module: Any, t: np.ndarray, *known: np.ndarray) -> np.ndarray:
    """The noise in rows at times t, all in units of the network."""
    return run(with_conditions(X, (*known, t[:, None])), module, "noise", ())


def coded_rows(
    X: np.ndarray,
    module: Any,
    steps: int,
    mean: np.ndarray,
    scale: np.ndarray,
    *known: np.ndarray,
) -> np.ndarray:
    """The noise that a block of rows flows to."""
    return run(with_conditions(in_units(X, mean, scale), known), module, "encode", (steps,))


def decoded_rows(
    Z: np.ndarray,
    module: Any,
    steps: int,
    mean: np.ndarray,
    scale: np.ndarray,
    *known: np.ndarray,
) -> np.ndarray:
    """The rows that a block of noise flows to."""
    return out_of_units(run(with_conditions(Z, known), module, "decode", (steps,)), mean, scale)


def filled(
    X: np.ndarray,
    module: Any,
    E: Any,
    steps: int,
    guidance: float,
    mean: np.ndarray,
    scale: np.ndarray,
    return_std: bool,
    *known: np.ndarray,
) -> Any:
    """A block with means of draws in place of NaN, and their standard deviations."""
    missing = np.isnan(X)
    some = missing.any(axis=1)
    full, std = X.copy(), np.zeros_like(X)
    if some.any():
        Y = with_conditions(in_units(X[some], mean, scale), [part[some] for part in known])
        drawn = run(Y, module, "filled", (E, steps, guidance))  # (n, m, d)
        found = out_of_units(drawn.mean(axis=1), mean, scale)
        full[some] = np.where(missing[some], found, X[some])
        std[some] = np.where(missing[some], drawn.std(axis=1) * scale, 0.0)
    return (full, std) if return_std else full


def drawn_copies(
    X: np.ndarray,
    module: Any,
    steps: int,
    guidance: float,
    mean: np.ndarray,
    scale: np.ndarray,
    E: np.ndarray,
    *known: np.ndarray,
) -> np.ndarray:
    """n copies of a block, (r, n, d), with draws in place of NaN, from E (r, n, d)."""
    import torch

    copies = np.repeat(X[:, None, :], E.shape[1], axis=1)
    some = np.isnan(X).any(axis=1)
    if some.any():
        Y = with_conditions(in_units(X[some], mean, scale), [part[some] for part in known])
        draws = torch.from_numpy(np.ascontiguousarray(E[some]))
        drawn = out_of_units(run(Y, module, "filled", (draws, steps, guidance)), mean, scale)
        copies[some] = np.where(np.isnan(copies[some]), drawn, copies[some])
    return copies


def new_rows(
    module: Any,
    n: int,
    sampler: str,
    steps: int,
    guidance: float,
    random: np.random.Generator,
    *known: np.ndarray,
) -> np.ndarray:
    """n rows by `reverse_diffusion`, in units of the network."""
    d, schedule = module.d, module.schedule
    starts = range(0, n, TOGETHER)
    seeds = random.integers(2**62, size=len(starts)).tolist()

    def work(piece: tuple[int, int]) -> np.ndarray:
        start, seed = piece
        count = min(TOGETHER, n - start)
        beside = [part[start : start + count] for part in known]

        def predict_noise(x: np.ndarray, t: int) -> np.ndarray:
            rows = with_conditions(x.astype(np.float32), beside)
            return run(rows, module, "guided_noise", (t, guidance)).astype(np.float64)

        return reverse_diffusion(
            predict_noise, schedule, count, d, sampler=sampler, steps=steps, random_state=seed
        )

    return np.concatenate(list(ordered_map(work, list(zip(starts, seeds, strict=True)))))
