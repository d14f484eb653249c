"""How a text is gone through: epochs, slices that can be taken up again, rounds, parts.

    epoch     the whole text
    slice     up to SLICE words: what is lost at most when a fit is cut short
    round     some words, cut by the text alone; within a round parts of the tables go apart

The learning rate falls evenly from `alpha` to `min_alpha`, and is one number in a round.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from lowdim.core import together
from lowdim.core.config import get_config
from lowdim.core.threads import shared_map
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
WORDS_FOR_THREADS, PLACES_FOR_THREADS = 2**13, 2**8


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
    """The tables after one slice. W and C are written into: a copy would be half of all memory.

    What does not depend on them is prepared while threads are at work on the round before.
    """
    W, C = (part if part.flags.writeable else part.copy() for part in tables[:2])
    new = Tables(W, C, tables.loss.copy(), tables.pairs.copy(), tables.seed)
    chosen, n = plan.settings, len(tokens)
    prepared = blocks_of if chosen.skip_gram else places_of
    learn = learn_skip_grams if chosen.skip_gram else means_learner(plan, W.shape[1])

    def prepare(lo: int) -> Any:
        hi = min(lo + plan.n_round, piece.hi)
        text = stretch_of(tokens, lo, hi, key_of(new.seed, piece.epoch), plan.keep, plan.reach)
        tokens.release()
        return prepared(text, plan, int(key_of(new.seed, piece.epoch, lo)))

    ready = prepare(piece.lo)
    for lo in range(piece.lo, piece.hi, plan.n_round):
        done = (piece.epoch + lo / n) / chosen.epochs
        rate = max(chosen.alpha + (chosen.min_alpha - chosen.alpha) * done, chosen.min_alpha)
        following = lo + plan.n_round
        meanwhile = partial(prepare, following) if following < piece.hi else _nothing
        lost, n_pairs, ready = learn(new, ready, plan, np.float32(rate), meanwhile)
        new.loss[piece.epoch] += lost
        new.pairs[piece.epoch] += n_pairs
    return new


def _nothing() -> None:
    """What is left to prepare after the last round."""


# ---- skip-gram -----------------------------------------------------------------------------------


class Blocks(NamedTuple):
    """What skip-gram learns from in a round."""

    text: Stretch
    part: np.ndarray  # uint8, of each word
    places: list[np.ndarray]  # by part: the words that have others near them
    key: int  # of the noise


def blocks_of(text: Stretch, plan: Plan, key: int) -> Blocks:
    """What does not depend on what was learned so far."""
    part = plan.part[text.words]
    order = np.argsort(part, kind="stable").astype(np.int32)
    order = order[text.n_near[order] > 0]
    cuts = np.searchsorted(part[order], np.arange(1, len(plan.noise)))
    return Blocks(text, part, np.split(order, cuts), key)


def learn_skip_grams(
    tables: Tables, blocks: Blocks, plan: Plan, rate: np.float32, meanwhile: Callable
) -> tuple[float, float, Any]:
    """Learn from one round; the loss, the number of pairs, and what was done meanwhile."""
    text, part, places, key = blocks
    n_parts = len(plan.noise)

    def work(i: int, j: int) -> np.ndarray:
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

    total, found = np.zeros(2), None
    for r in range(n_parts):
        tasks: list[Callable] = [partial(work, i, (i + r) % n_parts) for i in range(n_parts)]
        if r == 0:
            tasks.insert(0, meanwhile)
        done = _at_once(tasks, len(text.words) >= WORDS_FOR_THREADS)
        if r == 0:
            found = done.pop(0)
        for sums in done:
            total += sums
    return float(total[0]), float(total[1]), found


# ---- CBOW ----------------------------------------------------------------------------------------


class Places(NamedTuple):
    """What CBOW learns from in a round."""

    text: Stretch
    part: np.ndarray  # uint8, of each word
    farthest: tuple[int, int]  # how far windows reach to the left and to the right
    noise: tuple[np.ndarray, np.ndarray]  # by batch: words, and their part


def places_of(text: Stretch, plan: Plan, key: int) -> Places:
    """What does not depend on what was learned so far."""
    n_batches = -(-len(text.words) // plan.n_batch)
    return Places(
        text,
        plan.part[text.words],
        _farthest(text, plan.reach),
        _noise_by_batch(plan, n_batches, key),
    )


def means_learner(plan: Plan, width: int) -> Callable:
    """`learn_means` with rows to work in, for all rounds."""
    return partial(learn_means, tuple(cbow.rows_apart(plan.n_places, width) for _ in range(3)))


def learn_means(
    rows: tuple, tables: Tables, places: Places, plan: Plan, rate: np.float32, meanwhile: Callable
) -> tuple[float, float, Any]:
    """Learn from one round; the loss, the number of places with words near them, and what was done
    meanwhile.
    """
    text, part, farthest, noise = places
    W, C, n_noise, n_items = tables.W, tables.C, plan.n_noise, _n_groups(plan)
    space = cbow.work_space(n_items, plan.n_batch, n_noise, W.shape[1], sum(farthest) + 1)
    loss = np.zeros((len(plan.noise), cbow.LINE // 8))
    sizes = plan.n_places, plan.n_batch, len(plan.noise)
    numbers = rate, np.float32(plan.settings.negative / n_noise), plan.settings.cbow_mean
    state = together.steps(cbow.STEPS * -(-len(part) // plan.n_places), n_items)

    def learn(item: int) -> None:
        def go_on(step: int) -> int:
            return cbow.learn_places(
                W, C, plan.d, (*text, part), (plan.reach.holes, *farthest), noise, sizes, numbers,
                space, (*rows, loss), state, step, item,
            )  # fmt: skip

        together.through_all_steps(go_on, len(state))

    tasks: list[Callable] = [meanwhile, *(partial(learn, item) for item in range(n_items))]
    found, *_ = _at_once(tasks, n_items > 1)
    return float(loss.sum()), float(np.count_nonzero(text.n_near)), found


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


def _n_groups(plan: Plan) -> int:
    """In how many groups the parts of CBOW are worked on; results do not depend on it."""
    if plan.n_places < PLACES_FOR_THREADS:
        return 1
    return min(len(plan.noise), get_config().n_threads)


def _at_once(tasks: list[Callable], on_threads: bool) -> list[Any]:
    """What all tasks give, on threads where that is worth it."""
    return shared_map(_run, tasks) if on_threads else list(map(_run, tasks))


def _run(task: Callable) -> Any:
    return task()
