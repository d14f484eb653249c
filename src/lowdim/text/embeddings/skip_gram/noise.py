"""The contexts that noise gives: as common as in the text, to a power, or as the user says.

    q_v ~ N_v^ns_exponent,     or given for each context, or for each pair of word and context

A table of pairs adds up to 1, as the pairs seen do; q_v are then its sums by context.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.core.numeric import numeric_array
from lowdim.text.embeddings.skip_gram.start import Margins


class Noise(NamedTuple):
    by_context: np.ndarray  # (v,)  q
    by_pair: np.ndarray | None  # (n, v)  of pairs; None: N_w q_v


def noise_of(given: Any, margins: Margins, exponent: float) -> Noise:
    """The noise of a model, checked."""
    n, v = len(margins.by_row), len(margins.by_column)
    if given is None:
        seen = margins.by_column > 0
        q = np.where(seen, np.where(seen, margins.by_column, 1.0) ** exponent, 0.0)
        return Noise(q / q.sum(), None)
    noise = numeric_array(given, "noise", "SkipGram").astype(np.float64)
    if noise.shape not in ((v,), (n, v)):
        raise ValueError(
            f"noise has shape {noise.shape}; give a number for each of the {v} contexts, or for "
            f"each of the {n} x {v} pairs of a word and a context."
        )
    if not np.isfinite(noise).all() or (noise < 0).any():
        raise ValueError("noise has values that are negative, NaN or infinite; give 0 or more.")
    noise = noise / noise.max() if noise.any() else noise  # sums of huge values are no numbers
    q = noise if noise.ndim == 1 else noise.sum(axis=0)
    missing = np.flatnonzero((q <= 0) & (margins.by_column > 0))
    if len(missing):
        raise ValueError(
            f"noise is 0 for {len(missing)} of the contexts that were seen (first: {missing[0]}); "
            "they could not be told from noise. Give all of them a little."
        )
    total = q.sum()
    return Noise(q / total, None if noise.ndim == 1 else noise / total)
