"""The sampler: blocks, samples, priors, planted topics."""

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.core.loop import iterate
from lowdim.text.topics.lda import gibbs, gibbs_tokens
from lowdim.text.topics.lda.gibbs import Sampler, kept_sweeps, run_gibbs
from lowdim.text.topics.lda.gibbs_tokens import tokens_of
from lowdim.text.topics.lda.priors import Priors, given_priors
from lowdim.text.topics.lda.variational import Learned


class Watching:
    """What a loop needs of an estimator, and what is found."""


def planted(rng, n=120, v=40, k=4, length=60):
    """Documents of topics with v / k words of their own each; counts, shares and topics."""
    topics = np.zeros((k, v))
    for j in range(k):
        own = slice(j * v // k, (j + 1) * v // k)
        topics[j, own] = rng.dirichlet(np.ones(v // k))
    shares = rng.dirichlet(np.full(k, 0.2), size=n)
    X = np.stack([rng.multinomial(length, row) for row in shares @ topics])
    return sp.csr_array(X.astype(float)), shares, topics


def run(X, k, *, n_iter=30, n_samples=1, alpha=0.1, beta=0.01, doc=False, word=False):
    """Topics (k, v), shares, priors and the history of a chain."""
    priors = given_priors(np.full(k, alpha) if np.ndim(alpha) == 0 else alpha, beta, k, X.shape[1])
    found = Watching()

    def loop_from(state, result):
        found.loop = iterate(found, state, max_iter=n_iter, tol=0)
        return found.loop

    result = run_gibbs(
        loop_from, X, priors, n_iter=n_iter, n_samples=n_samples,
        random=np.random.default_rng(0), learned=Learned(doc, word),
    )  # fmt: skip
    found.components, found.priors = result.topics.T, result.priors
    found.shares = Sampler(tokens_of(X), k).shares(found.loop.params)
    return found


@pytest.fixture(params=["dense", "sparse"])
def both_kernels(request, monkeypatch):
    sparse = request.param == "sparse"
    monkeypatch.setattr(gibbs.Sampler, "_is_sparse", lambda self, z: sparse)


@pytest.fixture
def many_blocks(monkeypatch):
    monkeypatch.setattr(gibbs_tokens, "LEAST_TOKENS", 100)
    monkeypatch.setattr(gibbs_tokens, "TOKENS_PER_WORD", 1)


@pytest.mark.usefixtures("both_kernels", "many_blocks")
def test_components_are_whole_counts_and_the_prior(rng):
    X, _, _ = planted(rng)
    found = run(X, 4, n_iter=3)
    counts = found.components - 0.01
    np.testing.assert_allclose(counts, np.round(counts), atol=1e-12)
    np.testing.assert_allclose(counts.sum(axis=0), X.sum(axis=0))
    n_dk = found.shares * (60 + 0.4) - 0.1
    np.testing.assert_allclose(n_dk.sum(axis=0), counts.sum(axis=1))


@pytest.mark.usefixtures("both_kernels", "many_blocks")
def test_results_do_not_depend_on_the_number_of_threads(rng):
    X, _, _ = planted(rng)
    results = []
    for threads in (1, 2, 5):
        with lowdim.config_context(threads=threads):
            results.append(run(X, 4, n_iter=5))
    for found in results[1:]:
        np.testing.assert_array_equal(found.components, results[0].components)
        np.testing.assert_array_equal(found.history_, results[0].history_)


@pytest.mark.usefixtures("both_kernels", "many_blocks")
def test_planted_topics_are_found(rng):
    X, shares, topics = planted(rng)
    found = run(X, 4, n_iter=60)
    phi = found.components / found.components.sum(axis=1, keepdims=True)
    overlap = np.minimum(phi[:, None], topics).sum(axis=2)  # 1 - total variation
    match = overlap.argmax(axis=1)
    assert sorted(match) == [0, 1, 2, 3]
    # 120 documents of 60 words: 1800 words for the 10 shares of a topic
    assert overlap.max(axis=1).min() > 0.85
    assert np.abs(found.shares - shares[:, match]).mean() < 0.1
    assert found.history_[-1] < found.history_[0]


def test_blocks_settle_where_one_block_does(rng, monkeypatch):
    """The objective after the same sweeps, as a mean over the last ones."""
    X, _, _ = planted(rng)
    one = run(X, 4, n_iter=60)
    monkeypatch.setattr(gibbs_tokens, "LEAST_TOKENS", 100)
    monkeypatch.setattr(gibbs_tokens, "TOKENS_PER_WORD", 1)
    many = run(X, 4, n_iter=60)
    assert many.history_[-20:].mean() == pytest.approx(one.history_[-20:].mean(), abs=0.03)


def test_dense_and_sparse_kernels_settle_alike(rng):
    X, _, _ = planted(rng)
    ends, priors = [], Priors(np.full(4, 0.1), np.array(0.01))
    for sparse in (False, True):
        sampler = Sampler(tokens_of(X), 4, sparse=sparse)
        state = sampler.start(priors, np.random.default_rng(1))
        objectives = []
        for _ in range(60):
            state, objective = sampler.sweep(state)
            objectives.append(objective)
        ends.append(np.mean(objectives[-20:]))
    assert ends[0] == pytest.approx(ends[1], abs=0.03)


def test_lists_are_taken_where_documents_have_few_of_the_topics(rng):
    X, _, _ = planted(rng)
    few, many = Sampler(tokens_of(X), 63), Sampler(tokens_of(X), 640)
    z = rng.integers(63, size=len(few.tokens.doc)).astype(np.uint16)
    assert not few._is_sparse(z)
    assert many._is_sparse(z)  # at most 60 topics in a document
    assert not Sampler(tokens_of(X), 64)._is_sparse(z)


# ---- samples, priors -----------------------------------------------------------------------------


def test_samples_are_spread_over_the_second_half():
    assert kept_sweeps(100, 1) == [100]
    assert kept_sweeps(100, 5) == [100, 90, 80, 70, 60]
    assert kept_sweeps(4, 4) == [4, 3, 2, 1]


def test_more_samples_give_the_mean_of_their_counts(rng):
    X, _, _ = planted(rng)
    found = run(X, 4, n_iter=8, n_samples=2)
    last = run(X, 4, n_iter=8)
    other = run(X, 4, n_iter=6)
    np.testing.assert_allclose(found.components, (last.components + other.components) / 2)


@pytest.mark.usefixtures("both_kernels")
def test_seed_words_draw_their_topics(rng):
    X, _, topics = planted(rng)
    prior = 0.01 + 20.0 * (topics > 0)
    found = run(X, 4, n_iter=30, beta=prior)
    counts = found.components - prior
    share = (counts * (topics > 0)).sum() / counts.sum()
    assert share > 0.95


def test_priors_are_learned(rng):
    topics = rng.dirichlet(np.full(50, 0.1), size=3)
    shares = rng.dirichlet([2.0, 0.5, 0.2], size=300)
    X = sp.csr_array(np.stack([rng.multinomial(100, row) for row in shares @ topics]))
    found = run(X, 3, n_iter=60, beta=0.1, doc=True, word=True)
    shares = found.priors.doc / found.priors.doc.sum()
    np.testing.assert_allclose(np.sort(shares), [0.2 / 2.7, 0.5 / 2.7, 2.0 / 2.7], atol=0.08)
    assert found.priors.word.shape == ()
    assert 0.03 < found.priors.word < 0.3


def test_a_document_without_words_has_the_shares_of_the_prior(rng):
    X, _, _ = planted(rng, n=20)
    X = sp.vstack([X, sp.csr_array((1, 40))], format="csr")
    alpha = np.array([0.1, 0.2, 0.3, 0.4])
    found = run(X, 4, n_iter=3, alpha=alpha)
    np.testing.assert_allclose(found.shares[-1], alpha)


def test_no_words_at_all():
    found = run(sp.csr_array((3, 4)), 2, n_iter=2, doc=True)
    np.testing.assert_allclose(found.components, 0.01)
    np.testing.assert_allclose(found.shares, 0.5)
    np.testing.assert_array_equal(found.history_, 0.0)


# ---- the door ------------------------------------------------------------------------------------


def test_what_cannot_be_sampled_is_refused(rng):
    X, _, _ = planted(rng, n=5)
    with pytest.raises(ValueError, match="n_samples=9 is more than max_iter=3 sweeps"):
        run(X, 4, n_iter=3, n_samples=9)
    with pytest.raises(ValueError, match="doc_topic_prior has 0; learning_method='gibbs' needs"):
        run(X, 4, alpha=0.0)
    with pytest.raises(ValueError, match="topic_word_prior has 0; learning_method='gibbs' needs"):
        run(X, 4, beta=0.0)
    with pytest.raises(ValueError, match="n_components=70000 is too many"):
        run(X, 70_000)
