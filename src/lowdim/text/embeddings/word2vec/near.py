"""The words of a stretch of text that are kept, and which words each has near it.

Of a word with the share f of the text, each occurrence is kept with probability
sqrt(t / f) + t / f, t = `sample`; what is kept closes up. An occurrence then looks b words far,
b = 1, ..., window with equal chances. Both follow from the place in the text and the epoch, so a
stretch has the same words near it whatever stretches the text is cut into.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.text.embeddings.word2vec.chance import STEP, mixed
from lowdim.text.pairs.windows import window_of
from lowdim.text.tokens import Tokens

ALWAYS = 2**32
_32, _LOW = np.uint64(32), np.uint64(2**32 - 1)
NO_LIMIT = 2**40  # words: further than any sentence
MOST_FAR = 2**31 - 1  # a place in int32


class Reach(NamedTuple):
    """How far windows reach."""

    left: int
    right: int
    shrinks_from: int  # each place reaches 1, ..., so far; 0: all as far as they can
    holes: np.ndarray  # bool, for offsets -left, ..., right: not near; empty if all are but 0

    @property
    def farthest(self) -> int:
        return max(self.left, self.right)


class Stretch(NamedTuple):
    """Kept words of a stretch of text, and of what stands around it."""

    words: np.ndarray  # int32
    first: np.ndarray  # int32, near words[p] are words[first[p]:last[p]], without itself and holes
    last: np.ndarray  # int32
    n_near: np.ndarray  # int32, how many these are; 0 for words around the stretch


def reach_of(window: Any, shrinks: bool, longest: int) -> Reach:
    """What a window means in sentences of at most `longest` words."""
    none = np.zeros(0, dtype=bool)
    if isinstance(window, str):
        return Reach(NO_LIMIT, NO_LIMIT, 0, none)
    widest = max(map(abs, window)) if isinstance(window, tuple | list | set | frozenset) else window
    offsets = window_of(window, "flat", max(longest, 2)).offsets
    offsets = offsets[np.abs(offsets) <= max(longest, 2)]
    left, right = max(0, -int(offsets.min(initial=0))), max(0, int(offsets.max(initial=0)))
    holes = np.ones(left + right + 1, dtype=bool)
    holes[offsets + left] = False
    return Reach(
        left, right, min(widest, MOST_FAR) if shrinks else 0, holes if holes.sum() > 1 else none
    )


def kept_shares(counts: np.ndarray, sample: float) -> np.ndarray:
    """The probability that an occurrence of each word is kept."""
    if sample == 0:
        return np.ones(len(counts))
    t = sample / (counts / counts.sum())
    return np.minimum(1.0, np.sqrt(t) + t)


def thresholds(kept: np.ndarray) -> np.ndarray:
    """Probabilities in steps of 2^-32."""
    return np.minimum(np.ceil(kept * ALWAYS), ALWAYS).astype(np.uint64)


def stretch_of(
    tokens: Tokens, lo: int, hi: int, key: np.uint64, keep: np.ndarray, reach: Reach
) -> Stretch:
    """What is kept of words lo, ..., hi - 1 of a text, and near them."""
    sentence = int(np.searchsorted(tokens.starts, lo, side="right")) - 1
    end = int(np.searchsorted(tokens.starts, hi, side="left"))
    before = lo - int(tokens.starts[sentence])
    after = int(tokens.starts[end]) - hi
    room = hi - lo + min(before, reach.farthest) + min(after, reach.farthest)
    words, first, last, n_near = np.empty((4, room), dtype=np.int32)
    farthest = min(reach.farthest, room)
    n = keep_words(
        tokens.ids,
        tokens.starts,
        (sentence, lo, hi),
        key,
        keep,
        (reach.left, reach.right, farthest, int(reach.shrinks_from)),
        reach.holes,
        words,
        first,
        last,
        n_near,
    )
    return Stretch(words[:n], first[:n], last[:n], n_near[:n])


@kernel
def keep_words(ids, starts, place, key, keep, reach, holes, words, first, last, n_near):
    """Fill in a `Stretch` from `place` = (sentence, lo, hi); returns how many words there are."""
    s, lo, hi = place
    left, right, farthest, shrinks_from = reach
    k = 0
    while s + 1 < len(starts) and starts[s] < hi:
        # from so many kept words before the stretch to as many after it, within the sentence
        t, n, begin = starts[s] if starts[s] > lo else lo, 0, k
        while t > starts[s] and n < farthest:
            t -= 1
            if mixed(key + np.uint64(t) * STEP) & _LOW < keep[ids[t]]:
                n += 1
        n = 0
        while t < starts[s + 1] and n < farthest:
            x = mixed(key + np.uint64(t) * STEP)
            if x & _LOW < keep[ids[t]]:
                far = farthest
                if shrinks_from > 0:
                    far = 1 + np.int64(((x >> _32) * np.uint64(shrinks_from)) >> _32)
                inside = lo <= t and t < hi
                n += t >= hi
                words[k], first[k], n_near[k] = ids[t], far, inside
                k += 1
            t += 1
        for p in range(begin, k):
            far, lowest, highest = first[p], p, p
            if n_near[p] > 0:
                lowest = p - (far if far < left else left)
                highest = p + (far if far < right else right) + 1
                lowest = lowest if lowest > begin else begin
                highest = highest if highest < k else k
                n_near[p] = highest - lowest - 1
            first[p], last[p] = lowest, highest
            if len(holes) > 0:
                for q in range(lowest, highest):
                    if q != p and holes[q - p + left]:
                        n_near[p] -= 1
        s += 1
    return k
