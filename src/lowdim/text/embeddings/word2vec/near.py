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


class Reach(NamedTuple):
    """How far windows reach."""

    left: int
    right: int
    shrinks: bool
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
        return Reach(NO_LIMIT, NO_LIMIT, False, none)
    widest = max(map(abs, window)) if isinstance(window, tuple | list | set | frozenset) else window
    offsets = window_of(window, "flat", max(longest, 2)).offsets
    offsets = offsets[np.abs(offsets) <= max(longest, 2)]
    left, right = max(0, -int(offsets.min(initial=0))), max(0, int(offsets.max(initial=0)))
    # a window that is longer than all sentences shrinks to lengths that are, too
    shrinks = shrinks and widest == max(left, right)
    holes = np.ones(left + right + 1, dtype=bool)
    holes[offsets + left] = False
    return Reach(left, right, shrinks, holes if holes.sum() > 1 else none)


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
        (reach.left, reach.right, farthest, int(reach.shrinks)),
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
    left, right, farthest, shrinks = reach
    k = 0
    while s + 1 < len(starts) and starts[s] < hi:
        begin, t = k, lo - 1
        while t >= starts[s] and k - begin < farthest:
            if mixed(key + np.uint64(t) * STEP) & _LOW < keep[ids[t]]:
                words[k] = ids[t]
                k += 1
            t -= 1
        for i in range((k - begin) // 2):
            words[begin + i], words[k - 1 - i] = words[k - 1 - i], words[begin + i]
        inner = k
        for t in range(max(lo, starts[s]), min(hi, starts[s + 1])):
            x = mixed(key + np.uint64(t) * STEP)
            if x & _LOW < keep[ids[t]]:
                words[k] = ids[t]
                far = farthest
                if shrinks:
                    far = 1 + np.int64(((x >> _32) * np.uint64(farthest)) >> _32)
                first[k] = far
                k += 1
        outer, t = k, hi
        while t < starts[s + 1] and k - outer < farthest:
            if mixed(key + np.uint64(t) * STEP) & _LOW < keep[ids[t]]:
                words[k] = ids[t]
                k += 1
            t += 1
        for p in range(begin, k):
            if p < inner or p >= outer:
                first[p], last[p], n_near[p] = p, p, 0
                continue
            far = first[p]
            first[p] = max(begin, p - min(far, left))
            last[p] = min(k, p + min(far, right) + 1)
            n_near[p] = last[p] - first[p] - 1
            if len(holes) > 0:
                for q in range(first[p], last[p]):
                    if q != p and holes[q - p + left]:
                        n_near[p] -= 1
        s += 1
    return k
