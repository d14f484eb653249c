"""Latent Dirichlet allocation by collapsed Gibbs sampling (Griffiths and Steyvers, 2004).

Shares of documents and words of topics are integrated out; what is left are the topics z of all
tokens. A sweep draws each of them given all the others,

    p(z_i = j | rest)  ~  (n_dj + alpha_j) (n_wj + beta_wj) / (n_j + sum_w beta_wj),

and estimates follow from the counts. Documents are cut into blocks (`gibbs_tokens.py`), which run
on threads: within a block counts are current, and those that blocks share, n_wj and n_j, are put
together after each sweep (Newman and others, 2009). One block, as small corpora have, is the exact
sampler. The kernels are in `gibbs_kernels.py`.

A sweep costs O(tokens * min(k, topics of a document) + blocks * words * k). Memory: 4 bytes for
each word and topic, 10 for each token, 2 for each topic of each document that is being worked on.

The objective is -mean_i log p(w_i | all other tokens and their topics), each taken when the topic
of token i was drawn. It is a noisy number that levels off when the chain has settled.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.loop import Loop
from lowdim.core.threads import ordered_map
from lowdim.text.topics.lda.count_priors import learn_asymmetric, learn_symmetric, occurring
from lowdim.text.topics.lda.gibbs_kernels import (
    count_topics,
    count_words,
    list_topics,
    padded_width,
    sweep_dense,
    sweep_sparse,
)
from lowdim.text.topics.lda.gibbs_tokens import Tokens, pieces_of_words, tokens_of
from lowdim.text.topics.lda.priors import Priors
from lowdim.text.topics.lda.variational import Learned

MOST_TOPICS = 2**16 - 1
# lists of topics are faster from so many topics on, if documents have at most a part of them:
# benchmarks/text_gibbs.py
SPARSE_FROM, SPARSE_PART = 64, 12
LONGEST_DENSE = 2**16 - 1  # tokens of a document, whose counts are uint16 where they are dense
LEARN_EVERY = 10  # sweeps, from one update of the priors to the next
SMALLEST_PRIOR = 1e-10
NOTHING = Learned(doc=False, word=False)


class GibbsState(NamedTuple):
    """All that a sweep needs of the one before."""

    z: np.ndarray  # (tokens,)  the topic of each token, uint16
    priors: Priors
    sweeps: int  #              done so far
    sum_words: np.ndarray  # (v, k)  counts of the sweeps that are averaged; (0, 0): the last only
    random: np.random.Generator


class GibbsResult(NamedTuple):
    """What the counts say."""

    topics: np.ndarray  # (v, k)  counts and prior
    priors: Priors


def run_gibbs(
    loop_from: Callable[[GibbsState, Callable[[GibbsState], GibbsResult]], Loop],
    X: Any,
    priors: Priors,
    *,
    n_iter: int,
    n_samples: int,
    random: np.random.Generator,
    learned: Learned = NOTHING,
) -> GibbsResult:
    """Sample the topics of a csr_array of counts.

    Parameters
    ----------
    loop_from : callable
        The loop of `n_iter` sweeps from a state, given what makes a result of any state.
    X : csr_array of shape (n, v)
        Whole numbers.
    priors : Priors
    n_iter : int
        Number of sweeps.
    n_samples : int
        Counts are averaged over so many of the sweeps of the second half; 1 takes the last one.
    random : Generator
    learned : Learned
        Which priors are fitted to the counts as sweeps go on.
    """
    _check_settings(n_iter, n_samples, priors)
    sampler = Sampler(tokens_of(X), len(priors.doc))
    kept = kept_sweeps(n_iter, n_samples)
    start = sampler.start(priors, random, keep_sums=n_samples > 1)
    loop = loop_from(start, partial(sampler.result, kept=kept))
    for state in loop:
        state, objective = sampler.sweep(state)
        if state.sweeps % LEARN_EVERY == 0:
            state = sampler.with_learned_priors(state, learned)
        if n_samples > 1 and state.sweeps in kept:
            state = sampler.with_sums(state)
        loop.params = state
        loop.record(objective)
    return sampler.result(loop.params, kept)


def kept_sweeps(n_iter: int, n_samples: int) -> list[int]:
    """The sweeps, counted from 1, whose counts are averaged: evenly spaced, up to the last."""
    gap = max(1, n_iter // (2 * n_samples))
    return [n_iter - gap * i for i in range(n_samples)]


def _check_settings(n_iter: int, n_samples: int, priors: Priors) -> None:
    k = len(priors.doc)
    if k > MOST_TOPICS:
        raise ValueError(
            f"n_components={k} is too many for learning_method='gibbs'; choose at most "
            f"{MOST_TOPICS}, or learning_method='map'."
        )
    if n_samples > max(n_iter, 1):
        raise ValueError(
            f"n_samples={n_samples} is more than max_iter={n_iter} sweeps; choose at most as many."
        )
    named = (("doc_topic_prior", priors.doc), ("topic_word_prior", priors.word))
    for name, prior in named:
        if prior.min() < SMALLEST_PRIOR:
            raise ValueError(
                f"{name} has {prior.min():g}; learning_method='gibbs' needs at least "
                f"{SMALLEST_PRIOR:g} everywhere: with 0 a token could not change its topic. "
                "learning_method='map' takes smaller ones."
            )


class KernelPriors(NamedTuple):
    """The priors in the form that kernels read: float32, arrays over topics padded."""

    alpha: np.ndarray  # (padded,)
    beta: np.ndarray  # (v or 1, k or 1)
    beta_sum: np.ndarray  # (padded,)  over the terms

    def to_work_in(self) -> np.ndarray:
        """beta of a word, phi, and what is drawn from; beta if all words have the same."""
        floats = np.zeros((3, len(self.alpha)), dtype=np.float32)
        k = self.beta.shape[1]
        floats[0, : k if k > 1 else None] = self.beta[0]
        return floats

    def topic_sums(self, n_k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A block's own n_j, and 1 / (n_j + sum_w beta_wj)."""
        own = np.zeros(len(self.alpha), dtype=np.int64)
        own[: len(n_k)] = n_k
        return own, 1 / (own.astype(np.float32) + self.beta_sum)


class Sampler:
    """The tokens of a corpus, and arrays that every sweep writes anew."""

    def __init__(self, tokens: Tokens, k: int, sparse: bool | None = None):
        self.tokens, self.k = tokens, k
        self._sparse = sparse
        self._padded = padded_width(k)
        self._has_long = bool(tokens.length.max(initial=0) > LONGEST_DENSE)
        self._n_wk = np.empty((tokens.n_words, k), dtype=np.int32)
        self._pieces = list(pieces_of_words(tokens))

    def start(
        self, priors: Priors, random: np.random.Generator, keep_sums: bool = False
    ) -> GibbsState:
        """Every token with a topic at random."""
        z = random.integers(self.k, size=len(self.tokens.doc), dtype=np.uint16)
        sums = np.zeros(self._n_wk.shape if keep_sums else (0, 0))
        return GibbsState(z, priors, 0, sums, random)

    def sweep(self, state: GibbsState) -> tuple[GibbsState, float]:
        """Each token's topic once anew, and the objective on the way."""
        z, random = state.z.copy(), state.random
        n_k = self.count(z)
        seed = random.integers(2**63, size=len(self.tokens.cuts) - 1, dtype=np.uint64)
        prior = self.kernel_priors(state.priors)
        draw = self._sweep_sparse if self._is_sparse(z) else self._sweep_dense
        blocks = range(len(seed))
        log_p = sum(ordered_map(lambda b: draw(b, z, n_k, prior, seed[b]), blocks))
        length = self.tokens.length
        length = length[length > 0]
        log_p -= length @ np.log(length - 1 + state.priors.doc.sum())
        return state._replace(z=z, sweeps=state.sweeps + 1), -log_p / max(length.sum(), 1)

    def _is_sparse(self, z: np.ndarray) -> bool:
        """Whether documents have few of the topics, by those of the first block."""
        if self._sparse is not None or self._has_long:
            return self._sparse is not False
        if self.k < SPARSE_FROM:
            return False
        n_topics = np.count_nonzero(self._doc_counts(z, 0, self.k), axis=1)
        length = self.tokens.length[self.tokens.block(0)[0]]  # as many draws go over a list
        return SPARSE_PART * int(n_topics @ length) < self.k * int(length.sum())

    def kernel_priors(self, priors: Priors) -> KernelPriors:
        """Alpha and beta as kernels read them."""
        alpha, beta_sum = np.zeros((2, self._padded), dtype=np.float32)
        alpha[: self.k] = priors.doc
        beta = np.atleast_2d(priors.word)
        beta_sum[:] = 1.0
        beta_sum[: self.k] = beta.sum(axis=0) * (self.tokens.n_words / len(beta))
        return KernelPriors(alpha, beta.astype(np.float32, order="C"), beta_sum)

    def count(self, z: np.ndarray) -> np.ndarray:
        """n_j; n_wj are in `_n_wk`."""

        def count_piece(piece: tuple[int, int]) -> None:
            self._n_wk[slice(*piece)] = 0
            count_words(z, self.tokens.ptr, *piece, self._n_wk)

        for _ in ordered_map(count_piece, self._pieces):
            pass
        return np.bincount(z, minlength=self.k)

    def _sweep_dense(
        self, block: int, z: np.ndarray, n_k: np.ndarray, prior: KernelPriors, seed: np.uint64
    ) -> float:
        tokens, first = self.tokens, int(self.tokens.cuts[block])
        n_dk = self._doc_counts(z, block, self._padded)
        own_n_k, inverse = prior.topic_sums(n_k)
        b, phi, drawn_from = prior.to_work_in()
        totals = self._totals(block)
        sweep_dense(
            tokens.doc, z, tokens.ptr[block], first, self._n_wk, own_n_k,
            prior.alpha, prior.beta, prior.beta_sum, seed, n_dk,
            np.zeros(self._padded, dtype=np.int32), b, inverse, phi,
            drawn_from, totals,
        )  # fmt: skip
        return float(np.log(totals, out=totals).sum(dtype=np.float64))

    def _sweep_sparse(
        self, block: int, z: np.ndarray, n_k: np.ndarray, prior: KernelPriors, seed: np.uint64
    ) -> float:
        tokens, (documents, part) = self.tokens, self.tokens.block(block)
        length = tokens.length[documents]
        offset = np.concatenate([[0], np.cumsum(length)])[:-1].astype(np.uint64)
        size = np.zeros(len(length), dtype=np.uint64)
        topic = np.empty(part.stop - part.start, dtype=np.uint16)
        count = np.empty(part.stop - part.start, dtype=np.int32)
        place = np.zeros(self.k, dtype=np.uint64)
        list_topics(
            tokens.doc, z, part.start, part.stop, documents.start, offset, size, topic, count, place
        )
        own_n_k, inverse = prior.topic_sums(n_k)
        b, phi, drawn_from = prior.to_work_in()
        totals = self._totals(block)
        sweep_sparse(
            tokens.doc, z, tokens.ptr[block], documents.start, self._n_wk, own_n_k,
            prior.alpha, prior.beta, prior.beta_sum, seed, offset, size, topic, count,
            np.zeros(self._padded, dtype=np.int32), b, inverse, phi,
            drawn_from, totals,
        )  # fmt: skip
        return float(np.log(totals, out=totals).sum(dtype=np.float64))

    def _totals(self, block: int) -> np.ndarray:
        part = self.tokens.block(block)[1]
        return np.empty(part.stop - part.start, dtype=np.float32)

    def _doc_counts(self, z: np.ndarray, block: int, width: int) -> np.ndarray:
        """n_dj of the documents of a block; uint16 where that is enough."""
        documents, part = self.tokens.block(block)
        first, shape = documents.start, (documents.stop - documents.start, width)
        if self._has_long:
            cell = (self.tokens.doc[part] - first) * np.int64(width) + z[part]
            return np.bincount(cell, minlength=shape[0] * width).reshape(shape)
        n_dk = np.zeros(shape, dtype=np.uint16)
        count_topics(self.tokens.doc, z, part.start, part.stop, first, n_dk)
        return n_dk

    def _all_doc_counts(self, z: np.ndarray) -> Any:
        blocks = range(len(self.tokens.cuts) - 1)
        return ordered_map(partial(self._doc_counts, z, width=self.k), blocks)

    def with_learned_priors(self, state: GibbsState, learned: Learned) -> GibbsState:
        """The priors at which the counts of now are likeliest."""
        doc, word = state.priors
        if learned.doc:
            counts = occurring(self._all_doc_counts(state.z))
            doc = learn_asymmetric(doc, counts, self.tokens.length)
        if learned.word:
            n_k = self.count(state.z)
            counts = occurring([self._n_wk.reshape(-1, 1)])
            word = np.array(learn_symmetric(float(word), counts, n_k, len(self._n_wk)))
        return state._replace(priors=Priors(doc, word))

    def with_sums(self, state: GibbsState) -> GibbsState:
        """The counts of now added to those that are averaged."""
        self.count(state.z)
        return state._replace(sum_words=state.sum_words + self._n_wk)

    def result(self, state: GibbsState, kept: list[int]) -> GibbsResult:
        """Topics by the mean counts of the sweeps that were kept so far, or by the last counts."""
        n_samples = sum(sweep <= state.sweeps for sweep in kept)
        if state.sum_words.size and n_samples > 0:
            return GibbsResult(state.sum_words / n_samples + state.priors.word, state.priors)
        self.count(state.z)
        topics = np.empty(self._n_wk.shape, order="F")  # as the attributes of a model have them
        return GibbsResult(np.add(self._n_wk, state.priors.word, out=topics), state.priors)

    def shares(self, state: GibbsState) -> np.ndarray:
        """Shares of the topics in each document, by the counts of now, (n, k)."""
        gamma = np.concatenate(list(self._all_doc_counts(state.z))) + state.priors.doc
        return gamma / gamma.sum(axis=1, keepdims=True)
