"""Many analogies at once: is d the best answer to a : b = c : ?

    3cosadd     score_j = cos(j, b) + cos(j, c) - cos(j, a)
    3cosmul     log of (1 + cos(j, b)) (1 + cos(j, c)) / (1 + cos(j, a) + eps), up to a constant

Both are sums of rows of one matrix: a product of the words of the questions with a block of all
words, of which questions share most. Who wins need not be known: d is right if no other word has a
larger score, so a question is done with as soon as one has.

Cost: one product of the words of the questions with all words, and at most three additions by
question and word. Memory: one block.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from lowdim.core.kernel import kernel
from lowdim.core.threads import ordered_map
from lowdim.text.vectors.queries import COSMUL_EPS

MOST_WORDS = 512  # of the questions of a batch
MOST_QUESTIONS = 2048
BLOCK = 2**17  # cosines


class Questions(NamedTuple):
    """Questions by numbers of words. A word that is written in several ways has several numbers."""

    asked: np.ndarray  # (n, 3)  a, b, c
    answer: np.ndarray  # (n,)  d
    same: np.ndarray  # (V,)  for each word the number of the first one that is written alike


def answered(units: np.ndarray, questions: Questions, *, multiply: bool) -> np.ndarray:
    """Whether d, or a word that is written like it, has the largest score of all words but a, b, c.

    Of equal scores the first word wins. `units` are vectors of length 1; `multiply`: by 3cosmul.
    """
    n = len(questions.answer)
    right = np.zeros(n, bool)
    variants = _variants(questions.same)
    batches = list(_batches(questions))

    def work(batch: slice) -> None:
        part = questions._replace(asked=questions.asked[batch], answer=questions.answer[batch])
        right[batch] = _answered(units, part, variants, multiply)

    for _ in ordered_map(work, batches):
        pass
    return right


def _batches(questions: Questions) -> Iterator[slice]:
    """Runs of questions that are about few words: those of one section mostly are."""
    first, seen = 0, set[int]()
    for k, words in enumerate(questions.asked.tolist()):
        new = seen.union(words)
        if k > first and (len(new) > MOST_WORDS or k - first == MOST_QUESTIONS):
            yield slice(first, k)
            first, new = k, set(words)
        seen = new
    if first < len(questions.asked):
        yield slice(first, len(questions.asked))


def _variants(same: np.ndarray) -> dict[int, list[int]]:
    """The numbers of the words that are written alike, where there are several."""
    found: dict[int, list[int]] = {}
    for j in np.flatnonzero(same != np.arange(len(same))).tolist():
        found.setdefault(int(same[j]), [int(same[j])]).append(j)
    return found


def _answered(
    units: np.ndarray, part: Questions, variants: dict[int, list[int]], multiply: bool
) -> np.ndarray:
    words, place = np.unique(part.asked, return_inverse=True)
    place = np.ascontiguousarray(place.reshape(part.asked.shape), np.int64)
    own = units[words]
    of_answer = [variants.get(d, [d]) for d in part.answer.tolist()]
    best, limit = _best_answer(own, units, place, of_answer, multiply)
    left_out = [
        sorted({j for w in asked for j in variants.get(w, [w])}.union(answers))
        for asked, answers in zip(part.asked.tolist(), of_answer, strict=True)
    ]
    indptr = np.cumsum([0, *map(len, left_out)]).astype(np.int64)
    indices = np.array([j for some in left_out for j in some], dtype=np.int64)
    beaten = np.zeros(len(place), np.int64)
    asked_too = np.array(
        [bool(set(a) & set(asked)) for a, asked in zip(of_answer, part.asked.tolist(), strict=True)]
    )
    beaten[asked_too] = 1  # what is asked with is no answer
    active = np.flatnonzero(beaten == 0)
    width = max(64, BLOCK // len(words))
    for first in range(0, len(units), width):
        plus, minus = _terms(own @ units[first : first + width].T, multiply)
        _count_better(plus, minus, first, active, place, best, limit, indptr, indices, beaten)
        active = active[beaten[active] == 0]
        if len(active) == 0:
            break
    return beaten == 0


def _best_answer(
    own: np.ndarray,
    units: np.ndarray,
    place: np.ndarray,
    of_answer: list[list[int]],
    multiply: bool,
) -> tuple[np.ndarray, np.ndarray]:
    """The number and score of the right answer, the best one if it is written in several ways."""
    columns, where = np.unique([j for some in of_answer for j in some], return_inverse=True)
    plus, minus = _terms(own @ units[columns].T, multiply)
    owner = np.repeat(np.arange(len(place)), [len(some) for some in of_answer])
    a, b, c = place[owner].T
    scores = plus[b, where] + plus[c, where] - minus[a, where]
    order = np.lexsort((columns[where], -scores, owner))
    first = order[np.unique(owner[order], return_index=True)[1]]
    return columns[where][first].astype(np.int64), np.ascontiguousarray(scores[first])


def _terms(cosines: np.ndarray, multiply: bool) -> tuple[np.ndarray, np.ndarray]:
    """What is added for b and c, and what is taken away for a."""
    if not multiply:
        return cosines, cosines
    shifted = np.maximum((1 + cosines) / 2, 0)
    with np.errstate(divide="ignore"):
        return np.log(shifted), np.log(shifted + cosines.dtype.type(COSMUL_EPS))


@kernel
def _count_better(plus, minus, first, active, place, best, limit, indptr, indices, beaten):
    """Count the words of a block that beat the right answer, without those that are left out."""
    width = plus.shape[1]
    for k in range(len(active)):
        q = active[k]
        a, b, c = minus[place[q, 0]], plus[place[q, 1]], plus[place[q, 2]]
        cut, t = best[q] - first, limit[q]
        cut = 0 if cut < 0 else (width if cut > width else cut)
        n = 0
        for j in range(cut):  # on equal scores the first word wins
            n += b[j] + c[j] - a[j] >= t
        for j in range(cut, width):
            n += b[j] + c[j] - a[j] > t
        for e in range(indptr[q], indptr[q + 1]):
            j = indices[e] - first
            if 0 <= j < width:
                score = b[j] + c[j] - a[j]
                n -= score >= t if j < cut else score > t
        beaten[q] += n
