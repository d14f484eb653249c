"""LatentDirichletAllocation: golden values, properties, other roads, planted topics, the door."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.special import psi
from sklearn.decomposition import LatentDirichletAllocation as Peer

import lowdim
from tests.estimators.examples import assert_same_model
from tests.text.topics.examples import matched, planted

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

METHODS = ("batch", "online", "map")
each_method = pytest.mark.parametrize("method", METHODS)


def lda(k=3, **arguments):
    return lowdim.LatentDirichletAllocation(k, **{"random_state": 0, **arguments})


# ---- golden values -------------------------------------------------------------------------------


@each_method
def test_one_topic_has_all_words(method):
    X = np.array([[3.0, 1.0, 0.0], [1.0, 1.0, 2.0]])
    model = lda(1, learning_method=method, batch_size=2, learning_decay=0.0).fit(X)
    if method != "map":
        np.testing.assert_allclose(model.components_, [[5.0, 3.0, 3.0]])
    phi = model.components_ / model.components_.sum()
    np.testing.assert_allclose(phi, [[5 / 11, 3 / 11, 3 / 11]], rtol=1e-6)
    np.testing.assert_allclose(model.transform(X), 1.0)


@each_method
def test_a_document_without_words_has_the_shares_of_the_prior(rng, method):
    X, _, _ = planted(rng)
    prior = np.array([0.1, 0.2, 0.7])
    model = lda(learning_method=method, doc_topic_prior=prior).fit(X)
    np.testing.assert_allclose(model.transform(np.zeros((2, 30))), [prior, prior])
    np.testing.assert_allclose(model.transform(np.zeros((1, 30)), normalize=False), [prior])
    grown = sp.vstack([X, sp.csr_array((5, 30))], format="csr")
    assert np.isfinite(
        lda(learning_method=method, doc_topic_prior="auto").fit(grown).components_
    ).all()


# ---- properties ----------------------------------------------------------------------------------


@each_method
def test_shares_sum_to_one_unless_asked_for_counts(rng, method):
    X, _, _ = planted(rng)
    model = lda(learning_method=method)
    Z = model.fit_transform(X)
    np.testing.assert_allclose(Z.sum(axis=1), 1.0)
    np.testing.assert_allclose(model.transform(X), Z)
    raw = model.transform(X, normalize=False)
    np.testing.assert_allclose(raw.sum(axis=1), 1.0 + X.sum(axis=1))
    np.testing.assert_allclose(raw / raw.sum(axis=1, keepdims=True), Z)


@pytest.mark.parametrize("method", ["batch", "online"])  # "map": see test_maximum
def test_a_document_of_weight_2_is_there_twice(rng, method):
    X, _, _ = planted(rng, n=30)
    weight = rng.integers(1, 4, size=30)
    arguments = {
        "learning_method": method,
        "max_iter": 3,
        "batch_size": 1000,
        "mean_change_tol": 1e-10,
        "max_doc_update_iter": 300,
    }
    once = lda(**arguments).fit(X, sample_weight=weight)
    often = lda(**arguments).fit(X.toarray().repeat(weight, axis=0))
    np.testing.assert_allclose(once.components_, often.components_, rtol=1e-5)
    assert once.score(X, sample_weight=weight) == pytest.approx(
        often.score(X.toarray().repeat(weight, axis=0))
    )


@each_method
def test_threads_streams_and_dask_give_the_same_model(rng, method):
    da = pytest.importorskip("dask.array")
    X, _, _ = planted(rng, n=200)

    def fit(X):
        return lda(learning_method=method, max_iter=3, batch_size=37).fit(X)

    with lowdim.config_context(block_bytes=4096):
        reference = fit(X)
        for threads in (1, 3):
            with lowdim.config_context(threads=threads):
                assert_same_model(reference, fit(X))
    streamed = fit(lowdim.stream(lambda: iter([X[:13], X[13:150], X[150:]])))
    assert_same_model(reference, streamed, rtol=1e-8)
    assert_same_model(reference, fit(X.toarray()), rtol=1e-8)
    chunked = da.from_array(X.toarray(), chunks=(70, 30)).map_blocks(sp.csr_array)
    assert_same_model(reference, fit(chunked), rtol=1e-8)


@pytest.mark.parametrize("method", ["batch", "map"])
def test_what_is_minimised_never_rises(rng, method):
    X, _, _ = planted(rng)
    model = lda(5, learning_method=method, max_iter=30, tol=1e-7).fit(X)
    history = model.history_[3:] if method == "map" else model.history_[10:]
    assert len(history) > 5
    assert np.all(np.diff(history) <= 1e-9)


def test_map_runs_until_its_objective_rests(rng):
    X, _, _ = planted(rng)
    model = lda(learning_method="map").fit(X)
    assert model.converged_
    assert abs(model.history_[-1] - model.history_[-2]) <= 1e-5
    coarse = lda(learning_method="map", tol=1e-2).fit(X)
    assert coarse.n_iter_ <= model.n_iter_


@each_method
def test_partial_fit_goes_on(rng, method):
    X, _, _ = planted(rng, n=100)
    model = lda(learning_method=method, batch_size=50, total_samples=100)
    for start in (0, 50):
        model.partial_fit(X[start : start + 50])
    assert model.n_batch_iter_ == 3
    whole = lda(learning_method=method, batch_size=50, total_samples=100).partial_fit(X)
    np.testing.assert_allclose(model.components_, whole.components_, rtol=1e-6)
    first = model.score(X)
    for _ in range(10):
        model.partial_fit(X)
    assert model.score(X) > first


@pytest.mark.parametrize("method", METHODS)
def test_learned_priors_predict_better(seed, method):
    random = np.random.default_rng(seed)
    X, _, _ = planted(random, n=200, k=3, alpha=0.05, length=30)
    plain = lda(learning_method=method, doc_topic_prior=1.0, topic_word_prior=1.0).fit(X)
    auto = lda(learning_method=method, doc_topic_prior="auto", topic_word_prior="auto").fit(X)
    assert auto.doc_topic_prior_.shape == (3,) and np.shape(auto.topic_word_prior_) == ()
    assert auto.score(X) > plain.score(X)


@each_method
def test_seed_words_pull_their_topics(method, seed):
    random = np.random.default_rng(seed)
    X, _, phi = planted(random, n=200, v=20, k=2, eta=0.5, length=60)
    eta = np.full((2, 20), 0.1)
    for z in (0, 1):  # the planted order, by the terms that tell the topics apart
        best = np.argsort(phi[z] / (phi[1 - z] + 1e-9))[-3:]
        eta[z, best] = 20.0
    model = lda(2, learning_method=method, topic_word_prior=eta, random_state=seed).fit(X)
    found = model.components_ / model.components_.sum(axis=1, keepdims=True)
    own, other = np.diag(found @ phi.T).sum(), np.diag(found @ phi[::-1].T).sum()
    assert own > other
    np.testing.assert_array_equal(model.topic_word_prior_, eta)


# ---- two roads -----------------------------------------------------------------------------------


def test_batches_of_scikit_learn_reach_no_better_bound(rng):
    X, _, _ = planted(rng, n=150, k=4)
    ours = [lda(4, max_iter=40, random_state=s).fit(X).bound_ for s in range(3)]
    peers = [Peer(4, max_iter=40, random_state=s).fit(X).bound_ for s in range(3)]
    assert min(ours) <= min(peers) * 1.01


def test_map_without_priors_is_plsa(rng):
    X, _, _ = planted(rng)
    plain = {"doc_topic_prior": 1e-9, "topic_word_prior": 1e-9}
    best = max(
        (lda(learning_method="map", tol=1e-8, random_state=s, **plain).fit(X) for s in range(3)),
        key=lambda model: -model.bound_,
    )
    plsa = max(
        (lowdim.PLSA(3, tol=1e-8, random_state=s).fit(X) for s in range(3)),
        key=lambda model: model.log_likelihood_,
    )
    assert best.bound_ == pytest.approx(plsa.perplexity(X), rel=5e-3)


# ---- a planted truth -----------------------------------------------------------------------------


@each_method
def test_planted_topics_are_found(seed, method):
    random = np.random.default_rng(seed)
    X, _, phi = planted(random, n=400, v=40, k=3, length=100, alpha=0.2)
    runs = [
        lda(learning_method=method, random_state=s, max_iter=20, batch_size=40).fit(X)
        for s in range(3)
    ]
    best = max(runs, key=lambda model: model.score(X))
    assert matched(best.components_, phi) > 0.98
    assert np.mean(best.score_samples(X)) > np.mean(runs[0].score_samples(X)) - 1.0


def test_drawn_documents_teach_the_same_topics(seed):
    random = np.random.default_rng(seed)
    X, _, _ = planted(random, n=300, v=25, k=2, length=80)
    model = lda(2, doc_topic_prior=0.3, max_iter=20).fit(X)
    counts, shares = model.sample(500, length=60, random_state=seed)
    assert counts.shape == (500, 25) and shares.shape == (500, 2)
    np.testing.assert_array_equal(counts.sum(axis=1), 60)
    again = lda(2, doc_topic_prior=0.3, max_iter=20).fit(counts)
    assert matched(again.components_, model.components_) > 0.97


# ---- files and resuming --------------------------------------------------------------------------


@each_method
def test_models_come_back_from_files(rng, method, tmp_path):
    X, _, _ = planted(rng)
    model = lda(
        learning_method=method, doc_topic_prior="auto", topic_word_prior=np.full((3, 30), 0.2)
    ).fit(X)
    model.save(tmp_path / "model")
    back = lowdim.load(tmp_path / "model")
    np.testing.assert_array_equal(back.transform(X), model.transform(X))
    np.testing.assert_array_equal(back.topic_word_prior_, model.topic_word_prior_)


# ---- the door ------------------------------------------------------------------------------------


def test_what_cannot_be_asked_is_refused(rng):
    X, _, _ = planted(rng)
    model = lda().fit(X)
    with pytest.raises(ValueError, match="method='mean' is not known"):
        model.score_samples(X, method="mean")
    with pytest.raises(ValueError, match="n_samples=0 is too small"):
        model.score_samples(X, method="left-to-right", n_samples=0)
    with pytest.raises(ValueError, match=r"Negative values in data passed to .*transform"):
        model.transform(-X)
    with pytest.raises(ValueError, match="learning_method"):
        lda(learning_method="sampling").fit(X)


@pytest.mark.parametrize("method", ["batch", "map"])
def test_expected_topics_follow_from_components(rng, method):
    X, _, _ = planted(rng)
    model = lowdim.LatentDirichletAllocation(3, learning_method=method, random_state=0)
    with pytest.raises(AttributeError, match="exp_dirichlet_component_"):
        model.exp_dirichlet_component_  # noqa: B018
    C = model.fit(X).components_
    expected = np.exp(psi(C) - psi(C.sum(axis=1, keepdims=True)))
    if method == "map":
        expected = C / C.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.exp_dirichlet_component_, expected, rtol=1e-9)
    vars(model)["exp_dirichlet_component_"] = 0.0 * C  # as files of earlier releases have it
    model.partial_fit(X)
    assert model.exp_dirichlet_component_.all()
