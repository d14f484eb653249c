"""Are fakes nearer to the rows that the model learned from than to rows that it never saw?

    memorised = share of fakes whose nearest training row is nearer than their nearest held-out row

With as many training rows as held-out ones, 0.5 is honest, 1 is copies; equal distances count half.
"""

from __future__ import annotations

import numpy as np

from lowdim.selection.samples.pairs import over_blocks


def memorised(training: np.ndarray, held_out: np.ndarray, fake: np.ndarray) -> float:
    """The share, by the first rows of both sides, as many of each."""
    count = min(len(training), len(held_out))
    middle = training.mean(axis=0)
    seen, unseen = (_nearest(fake - middle, side[:count] - middle) for side in (training, held_out))
    return float(((seen < unseen) + 0.5 * (seen == unseen)).mean())


def _nearest(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Squared distance of each row of A from the nearest of B."""
    return np.concatenate(list(over_blocks(lambda _, squared: squared.min(axis=1), A, B)))
