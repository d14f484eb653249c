"""The kernels of the sampler against exact probabilities of a corpus small enough to list."""

import numpy as np
import pytest
import scipy.sparse as sp
from scipy import stats

from lowdim.text.topics.lda import gibbs_kernels as kernels
from lowdim.text.topics.lda.gibbs import GibbsState, Sampler
from lowdim.text.topics.lda.gibbs_tokens import tokens_of
from lowdim.text.topics.lda.priors import Priors
from tests.text.topics.lda.enumeration import assignments, chi_square, log_joint, transitions

COUNTS = np.array([[2, 1, 0], [0, 1, 1], [1, 0, 1]])
ALPHA = np.array([0.7, 0.2])
BETA = np.array([[0.5, 0.1], [0.3, 0.9], [0.2, 0.4]])  # (words, topics)
KERNELS = pytest.mark.parametrize("sparse", [False, True], ids=["dense", "sparse"])
HELPERS = ("uniform", "begin_word", "pick", "draw_other", "move")
RARE = 1e-7  # how often a sampler that is right may fail a test


def corpus(counts=COUNTS):
    tokens = tokens_of(sp.csr_array(counts))
    word = np.repeat(np.arange(counts.shape[1]), np.diff(tokens.ptr[0]))
    return tokens, tokens.doc.astype(int), word


def sampler_of(tokens, k, sparse, alpha=ALPHA, beta=BETA):
    """draw(z, seed): one sweep of the only block."""
    sampler = Sampler(tokens, k, sparse=sparse)
    draw = sampler._sweep_sparse if sparse else sampler._sweep_dense
    prior = sampler.kernel_priors(Priors(alpha, beta))

    def sweep(z, seed):
        z = z.astype(np.uint16)
        draw(0, z, sampler.count(z), prior, np.uint64(seed))
        return z

    return sweep


def plain_sweep(z, doc, word, alpha, beta, numbers):
    """The same as a plain loop in double precision: the topic of a token first, then the others."""
    z, k = z.astype(int), len(alpha)
    for t in range(len(z)):
        rest = np.arange(len(z)) != t
        n_dk = np.bincount(z[rest & (doc == doc[t])], minlength=k)
        n_wk = np.bincount(z[rest & (word == word[t])], minlength=k)
        n_k = np.bincount(z[rest], minlength=k)
        p = (n_dk + alpha) * (n_wk + beta[word[t]]) / (n_k + beta.sum(axis=0))
        order = np.append(z[t], np.delete(np.arange(k), z[t]))
        z[t] = order[np.searchsorted(np.cumsum(p[order]), numbers[t] * p.sum(), side="right")]
    return z


def numbers_of(seed, n):
    """The random numbers of a kernel."""
    with np.errstate(over="ignore"):
        counters = np.uint64(seed) + kernels.STEP * np.arange(1, n + 1, dtype=np.uint64)
        return np.array([kernels.uniform.python(counter) for counter in counters])


# ---- exact probabilities -------------------------------------------------------------------------


@KERNELS
def test_one_sweep_from_one_state_has_the_exact_probabilities(seed, sparse):
    tokens, doc, word = corpus()
    z = assignments(len(doc), 2)
    sweep = sampler_of(tokens, 2, sparse)
    P = transitions(log_joint(z, doc, word, ALPHA, BETA), z, 2)
    start = seed % len(z)
    repeats, place = 3000, 2 ** np.arange(len(doc))[::-1]
    seeds = np.random.default_rng(seed).integers(2**63, size=repeats)
    found = np.bincount([sweep(z[start], s) @ place for s in seeds], minlength=len(z))
    value, degrees = chi_square(found, repeats * P[start])
    assert value < stats.chi2.isf(RARE, degrees)


@KERNELS
def test_the_chain_settles_at_the_posterior(seed, sparse):
    """States far enough apart are nearly independent: the second eigenvalue says how far."""
    tokens, doc, word = corpus()
    z = assignments(len(doc), 2)
    log_p = log_joint(z, doc, word, ALPHA, BETA)
    P, p = transitions(log_p, z, 2), np.exp(log_p)
    p /= p.sum()
    np.testing.assert_allclose(p @ P, p, atol=1e-14)  # what is tested against is right
    slowest = np.sort(np.abs(np.linalg.eigvals(P)))[-2]
    apart = int(np.ceil(np.log(0.01) / np.log(slowest)))
    sweep, now = sampler_of(tokens, 2, sparse), z[0]
    repeats, place = 600, 2 ** np.arange(len(doc))[::-1]
    seeds = np.random.default_rng(seed).integers(2**63, size=(repeats, apart))
    states = []
    for row in seeds:
        for s in row:
            now = sweep(now, s)
        states.append(now @ place)
    found = np.bincount(states, minlength=len(z))
    value, degrees = chi_square(found, repeats * p)
    assert value < stats.chi2.isf(RARE, degrees)


# ---- twins ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("k", [1, 2, 16, 17, 40])
def test_the_dense_kernel_is_the_plain_loop(rng, k):
    counts = rng.poisson(0.5, size=(12, 9))
    tokens, doc, word = corpus(counts)
    alpha, beta = rng.uniform(0.1, 1.0, size=k), rng.uniform(0.1, 1.0, size=(9, k))
    z = rng.integers(k, size=len(doc))
    sweep = sampler_of(tokens, k, False, alpha, beta)
    seed = int(rng.integers(2**63))
    expected = plain_sweep(z, doc, word, alpha, beta, numbers_of(seed, len(z)))
    np.testing.assert_array_equal(sweep(z, seed), expected)


@KERNELS
def test_compiled_and_plain_kernels_agree(rng, sparse, monkeypatch):
    k, counts = 21, rng.poisson(0.7, size=(10, 8))
    tokens, doc, _ = corpus(counts)
    alpha, beta = rng.uniform(0.05, 0.5, size=k), rng.uniform(0.1, 1.0, size=(8, 1))
    z, seed = rng.integers(k, size=len(doc)), int(rng.integers(2**63))
    sweep = sampler_of(tokens, k, sparse, alpha, beta)
    compiled = sweep(z, seed)
    name = "sweep_sparse" if sparse else "sweep_dense"
    monkeypatch.setattr(f"lowdim.text.topics.lda.gibbs.{name}", getattr(kernels, name).python)
    for helper in HELPERS:
        monkeypatch.setattr(kernels, helper, getattr(kernels, helper).python)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(compiled, sweep(z, seed))


@KERNELS
def test_the_sum_of_logarithms_is_that_of_the_probabilities_of_the_words(rng, sparse):
    """For one topic nothing is random, and p(w | rest) is a formula."""
    counts = rng.poisson(1.0, size=(6, 5))
    tokens, doc, word = corpus(counts)
    alpha, beta = np.array([0.3]), np.array(0.2)
    sampler = Sampler(tokens, 1, sparse=sparse)
    z = np.zeros(len(doc), dtype=np.uint16)
    state = GibbsState(z, Priors(alpha, beta), 0, np.zeros((0, 0)), rng)
    _, objective = sampler.sweep(state)
    n_w = counts.sum(axis=0)[word]
    expected = -np.log((n_w - 1 + 0.2) / (len(z) - 1 + 5 * 0.2)).mean()
    assert objective == pytest.approx(expected, rel=1e-6)


def test_lists_of_topics_are_the_counts_in_falling_order(rng):
    doc, z = np.sort(rng.integers(5, size=80)).astype(np.int32), rng.integers(7, size=80)
    z, length = z.astype(np.uint16), np.bincount(doc, minlength=5)
    mixed = rng.permutation(80)
    offset = np.concatenate([[0], np.cumsum(length)])[:-1].astype(np.uint64)
    size, topic, count = np.zeros(5, np.uint64), np.zeros(80, np.uint16), np.zeros(80, np.int32)
    place = np.zeros(7, np.uint64)
    kernels.list_topics(doc[mixed], z[mixed], 0, 80, 0, offset, size, topic, count, place)
    for d in range(5):
        own = slice(offset[d], offset[d] + size[d])
        found = np.zeros(7, dtype=int)
        found[topic[own]] = count[own]
        np.testing.assert_array_equal(found, np.bincount(z[doc == d], minlength=7))
        assert (np.diff(count[own]) <= 0).all()


def test_random_numbers_are_even_and_unrelated(seed):
    numbers = numbers_of(seed, 4000)
    assert ((numbers >= 0) & (numbers < 1)).all()
    found = np.bincount((numbers[::2] * 8).astype(int) * 8 + (numbers[1::2] * 8).astype(int))
    value, degrees = chi_square(found, np.full(64, 2000 / 64))
    assert value < stats.chi2.isf(RARE, degrees)
    with np.errstate(over="ignore"):
        counters = np.uint64(seed) + kernels.STEP * np.arange(1, 4001, dtype=np.uint64)
        np.testing.assert_array_equal(numbers * 2**24, kernels.mixed(counters) >> np.uint64(40))
