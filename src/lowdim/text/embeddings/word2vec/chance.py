"""Numbers by chance that follow from a counter: the same for any cut of the work (SplitMix64).

    mixed(key + i * STEP)       number i of a sequence
    key_of(seed, a, b, ...)     the key of a sequence of its own

And words drawn by their shares q: u in [0, 1) is looked up in the sums q_1 + ... + q_w, from the
word at which a table of equal steps says to begin.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from lowdim.core.kernel import kernel

STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_1, _MIX_2 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)
_11, _27, _30, _31 = (np.uint64(number) for number in (11, 27, 30, 31))
_ALL = 2**64 - 1


def key_of(seed: int, *numbers: int) -> np.uint64:
    """The key of a sequence that these numbers name."""
    key = seed & _ALL
    for number in numbers:
        key = (key + (number + 1) * int(STEP)) & _ALL
        key = ((key ^ (key >> 30)) * int(_MIX_1)) & _ALL
        key = ((key ^ (key >> 27)) * int(_MIX_2)) & _ALL
        key ^= key >> 31
    return np.uint64(key)


@kernel(within=True)
def mixed(counter):
    """64 bits from a counter that moves on by STEP."""
    x = (counter ^ (counter >> _30)) * _MIX_1
    x = (x ^ (x >> _27)) * _MIX_2
    return x ^ (x >> _31)


@kernel
def draw_words(key, words, sums, steps, drawn):
    """Words by their shares: numbers 0, 1, ... of a sequence."""
    n_steps, last = len(steps), len(words) - 1
    for i in range(len(drawn)):
        x = mixed(key + np.uint64(i) * STEP)
        u = np.float64(np.int64(x >> _11)) * 2.0**-53
        at = steps[int(u * n_steps)]
        while at < last and sums[at] <= u:
            at += 1
        drawn[i] = words[at]


class Shares(NamedTuple):
    """Words, and what `draw_words` needs to draw them by their shares."""

    words: np.ndarray  # int32
    sums: np.ndarray  # float64, of the shares up to each word; the last is 1
    steps: np.ndarray  # int32, the first word whose sum is above i / n


def shares_of(words: np.ndarray, q: np.ndarray) -> Shares:
    """Words by shares that are proportional to q."""
    sums = np.cumsum(q, dtype=np.float64)
    sums /= sums[-1]
    steps = np.searchsorted(sums, np.arange(len(words)) / len(words), side="right")
    return Shares(
        np.ascontiguousarray(words, dtype=np.int32),
        sums,
        np.minimum(steps, len(words) - 1).astype(np.int32),
    )


def drawn_by(shares: Shares, shape: tuple[int, ...], key: np.uint64) -> np.ndarray:
    """Words by their shares, int32."""
    drawn = np.empty(shape, dtype=np.int32)
    draw_words(key, *shares, drawn.reshape(-1))
    return drawn
