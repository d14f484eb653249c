"""The sampler: blocks, samples, priors, planted topics."""

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.core.loop import iterate
from lowdim.text.topics.lda import gibbs, gibbs_tokens
from lowdim.text.topics.lda.gibbs import Sampler, kept_sweeps, run_gibbs
from lowdim.text.topics.lda.gibbs_tokens import tokens_of
from lowdim.text.topics.lda.priors import given_priors
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


def run(X, k, *, n_iter=30, n_samples=1, alpha=0.1, beta=0.01, doc=False, word=False, seed=0):
    """Topics (k, v), shares, priors and the history of a chain."""
    priors = given_priors(np.full(k, alpha) if np.ndim(alpha) == 0 else alpha, beta, k, X.shape[1])
    found = Watching()

    def loop_from(state, result):
        found.loop = iterate(found, state, max_iter=n_iter, tol=0)
        return found.loop

    result = run_gibbs(
        loop_from, X, priors, n_iter=n_iter, n_samples=n_samples,
        random=np.random.default_rng(seed), learned=Learned(doc, word),
    )  # fmt: skip
    found.components, found.priors = result.topics.T, result.priors
    found.shares = Sampler(tokens_of(X), k).shares(found.loop.params)
    return found


def best_of(chains, *args, **kwargs):
    """The chain that settles lowest: a single one may stay where two topics are one."""
    found = [run(*args, **kwargs, seed=seed) for seed in range(chains)]
    return min(found, key=lambda one: one.history_[-10:].mean())


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
    found = best_of(6, X, 4, n_iter=60)
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
    one = best_of(6, X, 4, n_iter=60)
    monkeypatch.setattr(gibbs_tokens, "LEAST_TOKENS", 100)
    monkeypatch.setattr(gibbs_tokens, "TOKENS_PER_WORD", 1)
    many = best_of(6, X, 4, n_iter=60)
    assert len(tokens_of(X).cuts) > 8
    assert many.history_[-20:].mean() == pytest.approx(one.history_[-20:].mean(), abs=0.03)


def test_dense_and_sparse_kernels_settle_alike(rng, monkeypatch):
    X, _, _ = planted(rng)
    ends = []
    for sparse in (False, True):
        monkeypatch.setattr(gibbs.Sampler, "_is_sparse", lambda self, z, sparse=sparse: sparse)
        ends.append(best_of(6, X, 4, n_iter=60).history_[-20:].mean())
    assert ends[0] == pytest.approx(ends[1], abs=0.03)


def test_lists_are_taken_where_documents_have_few_of_the_topics(rng):
    X, _, _ = planted(rng)
    few, many = Sampler(tokens_of(X), 63), Sampler(tokens_of(X), 640)
    z = rng.integers(63, size=len(few.tokens.doc)).astype(np.uint16)
    assert not few._is_sparse(z)
    assert many._is_sparse(z)  # at most 60 topics in a document
    assert not Sampler(tokens_of(X), 64)._is_sparse(z)


def test_documents_of_very_many_words_are_sampled(rng):
    X = sp.csr_array(np.array([[70_000, 70_000], [5, 0]]))
    found = run(X, 2, n_iter=2)
    np.testing.assert_allclose(found.components.sum(axis=0) - 0.02, [70_005, 70_000])
    np.testing.assert_allclose(found.shares.sum(axis=1), 1.0)


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
    """Topics with words of their own: the counts of documents are those of the truth."""
    topics = np.kron(np.eye(3), rng.dirichlet(np.full(20, 0.5)))
    shares = rng.dirichlet([2.0, 0.5, 0.2], size=300)
    X = sp.csr_array(np.stack([rng.multinomial(100, row) for row in shares @ topics]))
    found = best_of(4, X, 3, n_iter=60, beta=0.1, doc=True, word=True)
    shares = found.priors.doc / found.priors.doc.sum()
    np.testing.assert_allclose(np.sort(shares), [0.2 / 2.7, 0.5 / 2.7, 2.0 / 2.7], atol=0.08)
    assert found.priors.word.shape == ()
    assert 0.01 < found.priors.word < 0.5


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


# ---- the estimator -------------------------------------------------------------------------------


def model_of(k=4, **arguments):
    settings = {"learning_method": "gibbs", "max_iter": 12, "random_state": 0, **arguments}
    return lowdim.LatentDirichletAllocation(k, **settings)


@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.coo_array])
def test_a_fitted_model_has_whole_counts_and_the_prior(rng, kind):
    X = planted(rng)[0].toarray().astype(int)
    model = model_of().fit(kind(X))
    counts = model.components_ - model.topic_word_prior_
    np.testing.assert_allclose(counts, np.round(counts), atol=1e-9)
    np.testing.assert_allclose(counts.sum(axis=0), X.sum(axis=0))
    assert model.n_iter_ == len(model.history_) == 12
    assert model.bound_ == pytest.approx(np.exp(model.history_[-1]))
    shares = model.transform(X)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_array_equal(shares, model_of().fit_transform(X))


def test_shares_of_new_documents_are_those_that_were_planted(rng):
    X, shares, topics = planted(rng, n=160)
    settings = {"max_iter": 60, "doc_topic_prior": 0.2, "topic_word_prior": 0.05}
    models = [model_of(**settings, random_state=s).fit(X[:120]) for s in range(6)]
    model = min(models, key=lambda one: one.history_[-10:].mean())
    match = (model.components_ @ topics.T).argmax(axis=1)
    assert sorted(match) == [0, 1, 2, 3]
    assert np.abs(model.transform(X[120:]) - shares[120:][:, match]).mean() < 0.1


def test_priors_of_a_model_may_be_learned(rng):
    X, _, _ = planted(rng)
    model = model_of(max_iter=20, doc_topic_prior="auto", topic_word_prior="auto").fit(X)
    assert model.doc_topic_prior_.shape == (4,)
    assert np.isscalar(model.topic_word_prior_)
    assert model.topic_word_prior_ != 0.25


def test_an_interrupted_chain_goes_on_where_it_was(rng, tmp_path):
    """To the bit, also for the mean of samples and learned priors."""
    X, _, _ = planted(rng)
    settings = {"max_iter": 14, "n_samples": 3, "doc_topic_prior": "auto"}
    whole = model_of(**settings).fit(X)

    class Stop(Exception):
        pass

    sweep, seen = Sampler.sweep, []

    def sweep_or_stop(self, state):
        seen.append(state.sweeps)
        if len(seen) == 13:
            raise Stop
        return sweep(self, state)

    with lowdim.config_context(checkpoint=tmp_path, checkpoint_seconds=0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Sampler, "sweep", sweep_or_stop)
            with pytest.raises(Stop):
                model_of(**settings).fit(X)
        resumed = model_of(**settings).fit(X)
    np.testing.assert_array_equal(resumed.components_, whole.components_)
    np.testing.assert_array_equal(resumed.doc_topic_prior_, whole.doc_topic_prior_)
    np.testing.assert_array_equal(resumed.history_, whole.history_)


def test_no_sweeps_give_topics_at_random(rng):
    X, _, _ = planted(rng)
    model = model_of(max_iter=0).fit(X)
    np.testing.assert_allclose(model.components_.sum(), X.sum() + 0.25 * model.components_.size)


def test_what_gibbs_does_not_take_names_map(rng):
    X = planted(rng, n=10)[0]
    with pytest.raises(ValueError, match=r"sample_weight was given.*learning_method='map'"):
        model_of().fit(X, sample_weight=np.ones(10))
    with pytest.raises(ValueError, match=r"streams or Dask.*learning_method='map'"):
        model_of().fit(lowdim.stream(lambda: iter([X.toarray()])))
    with pytest.raises(ValueError, match=r"needs whole counts.*learning_method='map'"):
        model_of().fit(X * 0.5)
    with pytest.raises(ValueError, match=r"Negative values"):
        model_of().fit(-X)
