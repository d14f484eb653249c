"""`choose_basis`: in which basis signals have the fewest numbers, or keep most with so many.

No basis is best for all signals: waves are sparse in cosines, edges and spikes in wavelets.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.numeric import numeric_array
from lowdim.core.result_table import ResultTable
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_number
from lowdim.sparse.compression.bands import default_level, fixed_kinds
from lowdim.sparse.compression.plan import Plan, largest_tile
from lowdim.sparse.compression.selecting import (
    Rule,
    kept,
    kept_of_tiles,
    largest_rule,
    sizes_of,
    threshold_rule,
)
from lowdim.sparse.pictures.signals import Signal, open_signal, peak_of

USUAL = ("haar", "db4", "sym8", "bior4.4", "dct", "dft", "hadamard", "identity")
LOOK = 2048  # pixels along a side, of a large picture, that a choice looks at; squared, of a signal
BLOCK = 8


class Outcome(NamedTuple):
    """What a basis keeps of a signal."""

    kept: int
    error: float
    energy: float


@single_threaded_blas()
def choose_basis(
    signals: Any,
    bases: Sequence[str] | None = None,
    *,
    keep: int | float | None = None,
    epsilon: float | None = None,
) -> ResultTable:
    """Which basis has the fewest numbers for signals of a kind, best first.

    Parameters
    ----------
    signals : array-like or list of array-like
        One signal (n,), signals as rows (m, n), or a list of signals or pictures.
    bases : sequence of str, default=None
        Names as of `compress`; None: Haar, Daubechies and other wavelets, 'dct' (of pictures in
        blocks of 8), 'dft', 'hadamard' and 'identity'.
    keep : int or float, default=None
        How many coefficients of each signal, or which share: the basis that keeps most energy is
        first.
    epsilon : float, default=None
        Coefficients of less become 0: the basis that needs the fewest is first.

    Returns
    -------
    ResultTable
        basis, n_kept (coefficients of all signals), share (of their numbers) and energy_kept.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import sparse
    >>> steps = np.repeat([3.0, 1.0, 4.0, 1.0], 16)
    >>> sparse.choose_basis(steps, ["dct", "haar"], keep=4)
    basis  n_kept  share   energy_kept
    haar   4       0.0625  1
    dct    4       0.0625  0.9551
    """
    given = _signals(signals)
    names = list(USUAL if bases is None else ([bases] if isinstance(bases, str) else bases))
    for name in names:
        if name not in fixed_kinds():
            raise ValueError(
                f"bases has {name!r}, which is not known; choose 'dct', 'dft', 'hadamard', "
                "'lapped', 'identity' or a wavelet of PyWavelets."
            )
    if (keep is None) == (epsilon is None):
        raise ValueError(
            f"choose_basis has keep={keep!r} and epsilon={epsilon!r}; choose one of them."
        )
    lines = []
    for name in names:
        found = [_outcome(one, plan_for(one, name), keep, epsilon) for one in given]
        total = Outcome(*(sum(part) for part in zip(*found, strict=True)))
        lines.append((name, total))
    numbers = sum(one.values.size for one in given)
    lines.sort(key=lambda line: line[1].kept if keep is None else line[1].error)
    return ResultTable(
        {
            "basis": [name for name, _ in lines],
            "n_kept": [one.kept for _, one in lines],
            "share": [one.kept / numbers for _, one in lines],
            "energy_kept": [
                1.0 - one.error / one.energy if one.energy > 0 else 1.0 for _, one in lines
            ],
        }
    )


def _signals(given: Any) -> list[Signal]:
    if isinstance(given, list | tuple) and len(given) and np.ndim(given[0]) > 0:
        several = [open_signal(f"signals[{i}]", one, "choose_basis") for i, one in enumerate(given)]
    else:
        array = numeric_array(given, "signals", "choose_basis")
        rows: Iterable[Any] = array if array.ndim == 2 else [array]
        several = [open_signal("signals", row, "choose_basis") for row in rows]
    if not several:
        raise ValueError("signals has no rows; choose_basis needs at least one signal.")
    return several


def plan_for(signal: Signal, name: str) -> Plan:
    """As `compress` would take the signal apart."""
    wavelet = name not in ("dct", "dft", "hadamard", "lapped", "identity")
    block = BLOCK if name == "dct" and len(signal.size) == 2 else None
    level = default_level(name, largest_tile(signal.size)) if wavelet else None
    return Plan(signal.values.shape, name, level, block, "ycc")


def _outcome(signal: Signal, plan: Plan, keep: Any, epsilon: Any) -> Outcome:
    if epsilon is not None:
        rule = threshold_rule(check_number("epsilon", epsilon, 0.0))
    else:
        rule = largest_rule(plan, signal, _count(keep, signal.values.size))
    return outcome(signal, plan, rule)


def _count(keep: Any, n: int) -> int:
    if isinstance(keep, float | np.floating):
        return max(1, round(check_number("keep", keep, 0.0, 1.0, open_low=True) * n))
    count = check_at_least("keep", keep, 1)
    if count > n:
        raise ValueError(f"keep={keep} is more than the {n:,} numbers of a signal.")
    return count


def outcome(signal: Signal, plan: Plan, rule: Rule) -> Outcome:
    """What a rule keeps, and what it loses, without rounding."""
    count, error, energy = 0, 0.0, 0.0
    for tile, own in zip(plan.tiles(), kept_of_tiles(plan, rule), strict=True):
        coefficients = plan.analyze(signal, tile)
        masks = kept(plan, tile, coefficients, own)
        left = [
            [np.where(m, b, 0.0) for b, m in zip(bands, rows, strict=True)]
            for bands, rows in zip(coefficients, masks, strict=True)
        ]
        X = signal.planes(tile)
        error += float(np.sum((X - plan.synthesize(tile, left)) ** 2))
        energy += float(np.sum(X * X))
        count += sum(int(m.sum()) for rows in masks for m in rows)
    return Outcome(count, error, energy)


def best_for(signal: Signal, target: str, value: Any, block: int | None) -> str:
    """The basis of `compress(basis='auto')`; of a large picture, by its middle."""
    if target in ("rank", "scales"):
        raise ValueError(
            f"basis='auto' goes with keep, epsilon, psnr or nbytes, not with {target}={value!r}; "
            "name the basis."
        )
    some = _middle(signal)
    n = some.values.size
    if target == "psnr":
        allowed = n * peak_of(some.values) ** 2 / 10.0 ** (value / 10.0)
        return min(USUAL, key=lambda name: _needed(some, plan_for(some, name), allowed))
    keep = min(n, max(1, int(value))) if target == "nbytes" else value
    if target == "keep" and not isinstance(keep, float):
        keep = max(1, round(keep * n / signal.values.size))
    choice = {"epsilon": value} if target == "epsilon" else {"keep": keep}
    return str(choose_basis([some.values], **choice)["basis"][0])


def _needed(signal: Signal, plan: Plan, allowed: float) -> int:
    """Coefficients without which the error would be larger."""
    tiles = plan.tiles()
    sizes = np.concatenate([sizes_of(plan, t, plan.analyze(signal, t)) for t in tiles])
    lost = np.cumsum(np.sort(sizes) ** 2)
    return int((lost > allowed).sum())


def _middle(signal: Signal) -> Signal:
    """At most LOOK pixels along each side."""
    side = LOOK if len(signal.size) == 2 else LOOK**2
    starts = (max(0, (s - side) // 2) for s in signal.size)
    return Signal(signal.values[tuple(slice(a, a + side) for a in starts)])
