"""PLSA: golden values, the derivation, other roads to the same result, planted topics, the door."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import NMF
from sklearn.exceptions import ConvergenceWarning

import lowdim
from lowdim.core.blocks import ArrayBlocks
from lowdim.text.topics import plsa
from lowdim.text.topics.counts import total_of
from lowdim.text.topics.plsa import PLSAParams
from tests.estimators.examples import assert_same_model
from tests.text.topics.examples import matched, plain_step, planted

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


def likelihood(X, theta, phi):
    X = X.toarray()
    p = theta @ phi
    return float((X[X > 0] * np.log(p[X > 0])).sum())


# ---- golden values -------------------------------------------------------------------------------


def test_one_topic_is_the_distribution_of_all_words():
    X = np.array([[3.0, 1.0, 0.0], [1.0, 1.0, 2.0]])
    model = lowdim.PLSA(1, random_state=0).fit(X)
    np.testing.assert_allclose(model.components_, [[0.5, 0.25, 0.25]])
    np.testing.assert_allclose(model.doc_topics_, 1.0)
    assert model.log_likelihood_ == pytest.approx(4 * np.log(0.5) + 4 * np.log(0.25))
    assert model.score(X) == pytest.approx(model.log_likelihood_ / 8)
    assert model.perplexity(X) == pytest.approx(np.exp(-model.log_likelihood_ / 8))


def test_as_many_topics_as_documents_explain_everything(rng):
    X = rng.integers(1, 9, size=(3, 5)).astype(float)
    model = lowdim.PLSA(3, random_state=0, tol=1e-12, max_iter=2000).fit(X)
    share = X / X.sum(axis=1, keepdims=True)
    assert model.log_likelihood_ == pytest.approx((X * np.log(share)).sum(), abs=1e-3)


# ---- the derivation ------------------------------------------------------------------------------


def test_a_step_of_em_is_that_of_the_whole_array(rng):
    X, theta, phi = planted(rng)
    weight = rng.random(60)
    start = PLSAParams(theta, np.ascontiguousarray(phi.T))
    moved, objective = plsa.em_step(ArrayBlocks(X), start, 1.0, weight)
    by_term, by_document, log_likelihood = plain_step(X, theta, phi.T, weight)
    np.testing.assert_allclose(moved.phi, by_term / by_term.sum(axis=0), atol=1e-12)
    np.testing.assert_allclose(
        moved.theta, by_document / by_document.sum(axis=1, keepdims=True), atol=1e-12
    )
    assert objective == pytest.approx(-(weight @ log_likelihood) / (weight @ X.sum(axis=1)))


@pytest.mark.parametrize("temperature", [0.8, 1.0, 1.5])
def test_the_objective_never_rises(rng, temperature):
    X, _, _ = planted(rng)
    model = lowdim.PLSA(5, temperature=temperature, tol=0, max_iter=60, random_state=1).fit(X)
    assert np.all(np.diff(model.history_) <= 1e-12)
    assert model.history_[-1] < model.history_[0]


def test_an_iteration_is_worth_three_steps(rng):
    X, _, _ = planted(rng, k=5)
    model = lowdim.PLSA(5, random_state=0, tol=0, max_iter=15).fit(X)
    rows = ArrayBlocks(X)
    total = rows.fold(total_of, along=(None,))
    params = plsa.begin(rows, None, total, 5, np.random.default_rng(0))
    for _ in range(3 * 15):
        params, objective = plsa.em_step(rows, params, 1.0, None)
    assert model.history_[-1] <= objective + 0.02


def test_nearby_topics_are_worse(rng):
    X, _, _ = planted(rng)
    model = lowdim.PLSA(3, random_state=0, tol=1e-10, max_iter=2000).fit(X)
    assert model.log_likelihood_ == pytest.approx(
        likelihood(X, model.doc_topics_, model.components_)
    )
    for _ in range(5):
        phi = model.components_ * np.exp(1e-2 * rng.normal(size=model.components_.shape))
        phi /= phi.sum(axis=1, keepdims=True)
        assert likelihood(X, model.doc_topics_, phi) < model.log_likelihood_


# ---- properties ----------------------------------------------------------------------------------


def test_shares_and_topics_sum_to_one(rng):
    X, _, _ = planted(rng)
    model = lowdim.PLSA(4, random_state=0).fit(X)
    for shares in (model.components_, model.doc_topics_, model.topic_weights_[None]):
        assert (shares >= 0).all()
        np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_allclose(
        model.topic_weights_, X.sum(axis=1) @ model.doc_topics_ / X.sum(), atol=1e-8
    )
    np.testing.assert_allclose(model.transform(X), model.doc_topics_, atol=1e-9)
    Z = model.transform(X)
    np.testing.assert_allclose(model.inverse_transform(Z).sum(axis=1), 1.0)


def test_a_document_of_weight_2_is_there_twice(rng):
    X, _, _ = planted(rng, n=20)  # at most 60 documents: one batch, as without weights
    weight = rng.integers(1, 4, size=20)
    once = lowdim.PLSA(3, random_state=0, tol=0, max_iter=20).fit(X, sample_weight=weight)
    often = lowdim.PLSA(3, random_state=0, tol=0, max_iter=20).fit(
        sp.csr_array(X.toarray().repeat(weight, axis=0))
    )
    np.testing.assert_allclose(once.components_, often.components_, atol=1e-4)
    assert once.log_likelihood_ == pytest.approx(often.log_likelihood_, rel=1e-5)
    assert once.score(X, sample_weight=weight) * (weight @ X.sum(axis=1)) == pytest.approx(
        once.log_likelihood_
    )


def test_documents_without_words_have_the_shares_of_all(rng):
    X, _, _ = planted(rng)
    X = sp.vstack([X, sp.csr_array((2, 30))], format="csr")
    model = lowdim.PLSA(3, random_state=0).fit(X)
    np.testing.assert_allclose(model.doc_topics_[-2:], np.tile(model.topic_weights_, (2, 1)))
    np.testing.assert_allclose(model.transform(np.zeros((1, 30)))[0], model.topic_weights_)


def test_threads_streams_and_dask_give_the_same_model(rng):
    da = pytest.importorskip("dask.array")
    X, _, _ = planted(rng, n=200)

    def fit(X):
        return lowdim.PLSA(3, random_state=0, max_iter=5).fit(X)

    with lowdim.config_context(block_bytes=4096):
        reference = fit(X)
        for threads in (1, 3):
            with lowdim.config_context(threads=threads):
                assert_same_model(reference, fit(X))
    streamed = fit(lowdim.stream(lambda: iter([X[:13], X[13:150], X[150:]])))
    assert_same_model(reference, streamed, rtol=1e-8)
    chunked = da.from_array(X.toarray(), chunks=(70, 30)).map_blocks(sp.csr_array)
    assert_same_model(reference, fit(chunked), rtol=1e-8)


def test_a_higher_temperature_makes_smoother_topics(rng):
    X, _, _ = planted(rng, k=3, length=20)

    def entropy(model):
        phi = np.maximum(model.components_, 1e-300)
        return -(phi * np.log(phi)).sum()

    cold, hot = (
        lowdim.PLSA(6, temperature=t, random_state=0, max_iter=50, tol=0).fit(X) for t in (1.0, 1.3)
    )
    assert entropy(hot) > entropy(cold)


def test_drawn_documents_have_the_shares_of_known_ones(rng):
    X, _, _ = planted(rng)
    model = lowdim.PLSA(3, random_state=0).fit(X)
    counts, shares = model.sample(2000, length=50, random_state=0)
    assert counts.shape == (2000, 30)
    np.testing.assert_array_equal(counts.sum(axis=1), 50)
    nearest = np.abs(model.doc_topics_[None] - shares[:20, None]).max(axis=2).min(axis=1)
    assert nearest.max() < 1e-12
    expected = shares.mean(axis=0) @ model.components_
    np.testing.assert_allclose(counts.mean(axis=0) / 50, expected, atol=0.01)


# ---- two roads -----------------------------------------------------------------------------------


def test_it_is_nmf_for_the_kullback_leibler_divergence(rng):
    X, _, _ = planted(rng)
    model = lowdim.PLSA(3, random_state=0, tol=1e-10, max_iter=3000).fit(X)
    dense, length = X.toarray(), X.sum(axis=1)
    x = dense[dense > 0]
    divergence = x @ np.log(x) - length @ np.log(length) - model.log_likelihood_
    W, H = length[:, None] * model.doc_topics_, model.components_
    product = W @ H
    direct = (x * np.log(x / product[dense > 0])).sum() - dense.sum() + product.sum()
    assert divergence == pytest.approx(direct, rel=1e-9)
    # multiplicative steps from here find nothing better
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        other = NMF(
            3, init="custom", solver="mu", beta_loss="kullback-leibler", max_iter=200, tol=0
        )
        other.fit_transform(dense, W=np.maximum(W, 1e-12), H=np.maximum(H, 1e-12))
    assert other.reconstruction_err_**2 / 2 >= divergence * (1 - 1e-4)


# ---- a planted truth -----------------------------------------------------------------------------


def test_planted_topics_are_found(seed):
    random = np.random.default_rng(seed)
    X, _, phi = planted(random, n=400, v=40, k=3, length=200, alpha=0.3)
    runs = [lowdim.PLSA(3, random_state=s).fit(X) for s in range(3)]
    best = max(runs, key=lambda model: model.log_likelihood_)
    assert matched(best.components_, phi) > 0.99


# ---- the door ------------------------------------------------------------------------------------


def test_counts_without_words_are_refused():
    with pytest.raises(ValueError, match="X has no words: all counts are 0"):
        lowdim.PLSA(2).fit(np.zeros((3, 4)))


def test_lengths_that_are_none_are_refused(rng):
    model = lowdim.PLSA(2, random_state=0).fit(planted(rng)[0])
    for length in (-1, 2.5, [1, 2, 3]):
        with pytest.raises(ValueError, match="length="):
            model.sample(2, length=length)
    np.testing.assert_array_equal(model.sample(2, length=[3, 0])[0].sum(axis=1), [3, 0])


def test_unknown_words_have_no_probability():
    X = np.array([[2.0, 1.0, 0.0], [1.0, 2.0, 0.0]])
    model = lowdim.PLSA(1, random_state=0).fit(X)
    assert model.score([[1.0, 0.0, 1.0]]) == -np.inf
    np.testing.assert_allclose(model.transform([[1.0, 0.0, 1.0]]), [[1.0]])
