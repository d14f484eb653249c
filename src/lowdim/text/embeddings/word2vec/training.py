"""How a text is gone through: epochs, slices that can be taken up again, rounds, parts.

    epoch     the whole text
    slice     up to SLICE words: what is lost at most when a fit is cut short
    round     some words, cut by the text alone; within a round parts of the tables go apart

The learning rate falls evenly from `alpha` to `min_alpha`, and is one number in a round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.config import get_config
from lowdim.core.threads import ordered_map
from lowdim.text.embeddings.word2vec import cbow, skip_gram
from lowdim.text.embeddings.word2vec.chance import Shares, drawn_by, key_of, shares_of
from lowdim.text.embeddings.word2vec.near import (
    Reach,
    Stretch,
    kept_shares,
    reach_of,
    stretch_of,
    thresholds,
)
from lowdim.text.tokens import Tokens

SLICE = 2**22  # words
ROUND = 2**16  # words
# words in a round for each word of the vocabulary: in a long round of few words, blocks pull
# these to and fro
ROUND_BY_WORD, LEAST_ROUND = 20, 1024
PAIRS_OF_ROUND = 2**23  # at the most: what the windows of a round may take of memory
LEAST_ROUNDS = 200  # of all epochs: the learning rate falls by rounds
PARTS = 8
FEW_WORDS = 1024  # of a vocabulary that is not cut into parts
# how often the commonest word is seen while W stays as it is (CBOW): with all words in one part,
# and in several
SEEN_BY_MEANS = (8, 40)
LEAST_PLACES, MOST_PLACES = 32, 8192
MOST_IN_BATCH, STEPS_AT_ONCE = 32, 12
# below which threads take longer than they save: words of a round, places of CBOW
WORDS_FOR_THREADS, PLACES_FOR_THREADS = 2**13, 2**10


class Tables(NamedTuple):
    """What is learned, and where the draws come from."""

    W: np.ndarray  # (v, width), float32; with a bias the last column is 1
    C: np.ndarray  # (v, width), float32; with a bias it is the last column
    loss: np.ndarray  # (epochs,), float64
    pairs: np.ndarray  # (epochs,), float64
    seed: int


class Settings(NamedTuple):
    """What the user chose."""

    skip_gram: bool
    window: Any
    shrink_windows: bool
    negative: int
    ns_exponent: float
    sample: float
    epochs: int
    alpha: float
    min_alpha: float
    cbow_mean: bool


class Plan(NamedTuple):
    """What follows from a text and the settings, for all its rounds."""

    settings: Settings
    d: int  # columns of W that are learned
    keep: np.ndarray  # uint64, thresholds
    reach: Reach
    part: np.ndarray  # uint8, of each word
    noise: list[Shares]  # by part
    part_shares: np.ndarray  # q of each part
    n_noise: int  # shared words of noise, in a batch and a part
    n_batch: int  # visits, or places, that share them
    n_round: int  # words
    n_places: int  # of CBOW, that see W as it is at their beginning


class Piece(NamedTuple):
    """A slice of an epoch."""

    epoch: int
    lo: int
    hi: int


def plan_of(tokens: Tokens, counts: np.ndarray, settings: Settings, d: int) -> Plan:
    """Parts, noise and sizes for this text; `counts` may be those of more text."""
    v = len(tokens.words)
    n_parts = PARTS if v >= FEW_WORDS else 1
    turn = np.arange(v) % (2 * n_parts)  # words by falling count: to and fro gives even parts
    part = np.minimum(turn, 2 * n_parts - 1 - turn).astype(np.uint8)
    counts = np.maximum(counts, 1).astype(np.float64)
    q = np.exp(settings.ns_exponent * np.log(counts / counts.max()))
    members = [np.flatnonzero(part == j) for j in range(n_parts)]
    kept = kept_shares(counts, settings.sample)
    commonest = (counts * kept).max() / (counts * kept).sum()
    seen = SEEN_BY_MEANS[n_parts > 1]
    n_places = int(min(max(seen / commonest, LEAST_PLACES), MOST_PLACES))
    longest = int(np.diff(tokens.starts).max(initial=0))
    reach = reach_of(settings.window, settings.shrink_windows, longest)
    return Plan(
        settings,
        d,
        thresholds(kept),
        reach,
        part,
        [shares_of(words, q[words]) for words in members],
        np.array([q[words].sum() for words in members]) / q.sum(),
        noise_size(settings, n_parts),
        batch_size(settings, n_parts, reach, (q / q.sum()).max()),
        round_size(tokens, settings.epochs, reach),
        n_places // MOST_IN_BATCH * MOST_IN_BATCH,
    )


def round_size(tokens: Tokens, epochs: int, reach: Reach) -> int:
    """Words in a round."""
    lengths = np.diff(tokens.starts).astype(np.float64)
    near = min(reach.left + reach.right, (lengths**2).sum() / max(lengths.sum(), 1.0))
    return min(
        ROUND,
        max(ROUND_BY_WORD * len(tokens.words), LEAST_ROUND),
        max(len(tokens) * epochs // LEAST_ROUNDS, LEAST_ROUND // 4),
        max(int(PAIRS_OF_ROUND / max(near, 1.0)), 4),
    )


def noise_size(settings: Settings, n_parts: int) -> int:
    """Shared words of noise in a batch (skip-gram: for each part), a multiple of 4."""
    n = 1.6 * settings.negative / n_parts if settings.skip_gram else 1.0 * settings.negative
    return int(min(max(4 * round(n), 4), 64))


def batch_size(settings: Settings, n_parts: int, reach: Reach, commonest: float) -> int:
    """How many share their words of noise: 4, 8, 16 or 32.

    Their steps are taken at once, so the commonest word must not be in too many of them.
    """
    near = 1.0
    if settings.skip_gram:
        near = min(reach.left + reach.right, skip_gram.MOST_NEAR * n_parts)
        near *= 0.6 if reach.shrinks_from else 1.0
    most = STEPS_AT_ONCE / (near * settings.negative * commonest)
    return int(2 ** np.clip(np.floor(np.log2(most)), 2, np.log2(MOST_IN_BATCH)))


def pieces_of(n: int, epochs: int, n_round: int) -> list[Piece]:
    """All slices of all epochs, in order; each is some rounds."""
    length = max(1, SLICE // n_round) * n_round
    return [
        Piece(epoch, lo, min(lo + length, n))
        for epoch in range(epochs)
        for lo in range(0, n, length)
    ]


def learn_piece(tables: Tables, tokens: Tokens, plan: Plan, piece: Piece) -> Tables:
    """The tables after one slice. W and C are written into: a copy would be half of all memory."""
    W, C = (part if part.flags.writeable else part.copy() for part in tables[:2])
    new = Tables(W, C, tables.loss.copy(), tables.pairs.copy(), tables.seed)
    learn = learn_skip_grams if plan.settings.skip_gram else learn_means
    chosen, n = plan.settings, len(tokens)
    for lo in range(piece.lo, piece.hi, plan.n_round):
        done = (piece.epoch + lo / n) / chosen.epochs
        rate = max(chosen.alpha + (chosen.min_alpha - chosen.alpha) * done, chosen.min_alpha)
        hi = min(lo + plan.n_round, piece.hi)
        text = stretch_of(tokens, lo, hi, key_of(new.seed, piece.epoch), plan.keep, plan.reach)
        key = int(key_of(new.seed, piece.epoch, lo))
        lost, n_pairs = learn(new, text, plan, key, np.float32(rate))
        new.loss[piece.epoch] += lost
        new.pairs[piece.epoch] += n_pairs
        tokens.release()
    return new


# ---- skip-gram -----------------------------------------------------------------------------------


def learn_skip_grams(
    tables: Tables, text: Stretch, plan: Plan, key: int, rate: np.float32
) -> tuple[float, float]:
    """Learn from one round; returns the loss and the number of pairs."""
    part = plan.part[text.words]
    order = np.argsort(part, kind="stable").astype(np.int32)
    order = order[text.n_near[order] > 0]
    n_parts = len(plan.noise)
    places = np.split(order, np.searchsorted(part[order], np.arange(1, n_parts)))

    def work(block: tuple[int, int]) -> np.ndarray:
        i, j = block
        visits = skip_gram.visits_of(text, part, plan.reach, places[i], j)
        n_batches = -(-len(visits.word) // plan.n_batch)
        noise = drawn_by(plan.noise[j], (n_batches, plan.n_noise), key_of(key, i, j))
        weight = np.float32(plan.settings.negative * plan.part_shares[j] / plan.n_noise)
        space = skip_gram.work_space(plan.n_batch, plan.n_noise, tables.W.shape[1])
        sums = np.zeros(2)
        skip_gram.learn_visits(
            tables.W, tables.C, plan.d, *visits, noise, rate, weight, space, sums
        )
        return sums

    total = np.zeros(2)
    for r in range(n_parts):
        blocks = [(i, (i + r) % n_parts) for i in range(n_parts)]
        for sums in _at_once(work, blocks, len(text.words) >= WORDS_FOR_THREADS):
            total += sums
    return float(total[0]), float(total[1])


# ---- CBOW ----------------------------------------------------------------------------------------


def learn_means(
    tables: Tables, text: Stretch, plan: Plan, key: int, rate: np.float32
) -> tuple[float, float]:
    """Learn from one round; returns the loss and the number of places with words near them."""
    n, width = plan.n_places, tables.W.shape[1]
    H = np.zeros((n, width), dtype=np.float32)
    from_words, from_noise = np.empty((2, n, width), dtype=np.float32)
    part, d, reach, holes = plan.part[text.words], plan.d, plan.reach, plan.reach.holes
    farthest = _farthest(text, reach)
    weight = np.float32(plan.settings.negative / plan.n_noise)
    as_mean = plan.settings.cbow_mean
    noise = _noise_by_batch(plan, -(-len(part) // plan.n_batch), key)
    words, first, last, n_near = text
    groups = _cuts(0, len(plan.noise), _n_groups(plan))
    total = 0.0
    for start in range(0, len(words), n):
        end = min(start + n, len(words))
        loss = np.zeros((end - start, 2), dtype=np.float32)

        def means(cut: tuple[int, int], start: int = start) -> None:
            cbow.context_means(
                tables.W, d, words, first, last, n_near, holes, farthest[0], (start, *cut),
                as_mean, H,
            )  # fmt: skip

        def targets(
            parts: tuple[int, int], places: tuple = (start, end), loss: np.ndarray = loss
        ) -> None:
            space = cbow.work_space(plan.n_batch, plan.n_noise, width)
            kept = from_words, from_noise, loss
            cbow.learn_targets(
                tables.C, H, (words, n_near, part), places, parts, noise, rate, weight, space, kept
            )

        def changes(cut: tuple[int, int], start: int = start) -> None:
            cbow.shared_changes(n_near, (start, *cut), as_mean, from_words, from_noise)

        def contexts(parts: tuple[int, int], places: tuple = (start, end)) -> None:
            cbow.learn_contexts(
                tables.W, d, words, first, last, part, holes, farthest, places, parts, from_words
            )

        pieces = _cuts(start, end, len(groups))
        for step, cuts in (
            (means, pieces),
            (targets, groups),
            (changes, pieces),
            (contexts, groups),
        ):
            for _ in _at_once(step, cuts, len(groups) > 1):
                pass
        total += float(loss.sum(dtype=np.float64))
    return total, float(np.count_nonzero(n_near))


def _farthest(text: Stretch, reach: Reach) -> tuple[int, int]:
    """How far windows of this stretch reach to the left and to the right."""
    if len(reach.holes):
        return reach.left, reach.right
    p = np.arange(len(text.words))
    return int((p - text.first).max(initial=0)), int((text.last - 1 - p).max(initial=0))


def _noise_by_batch(plan: Plan, n: int, key: int) -> tuple[np.ndarray, np.ndarray]:
    """Words of noise for n batches, each of one part; and the parts."""
    n_parts = len(plan.noise)
    part = drawn_by(shares_of(np.arange(n_parts), plan.part_shares), (n,), key_of(key, n_parts))
    noise = np.empty((n, plan.n_noise), dtype=np.int32)
    for j, shares in enumerate(plan.noise):
        batches = np.flatnonzero(part == j)
        noise[batches] = drawn_by(shares, (len(batches), plan.n_noise), key_of(key, j))
    return noise, part


def _cuts(lo: int, hi: int, n: int) -> list[tuple[int, int]]:
    """lo, ..., hi in n runs of nearly the same length."""
    at = [lo + (hi - lo) * i // n for i in range(n + 1)]
    return list(pairwise(at))


def _n_groups(plan: Plan) -> int:
    """In how many groups the parts of CBOW are worked on; results do not depend on it."""
    if plan.n_places < PLACES_FOR_THREADS:
        return 1
    return min(len(plan.noise), get_config().n_threads)


def _at_once(work: Callable, items: Iterable, on_threads: bool) -> Iterator[Any]:
    """work(item) for all items, on threads where that is worth it."""
    return ordered_map(work, items) if on_threads else map(work, items)
