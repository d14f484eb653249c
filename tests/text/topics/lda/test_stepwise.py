"""Topics from one batch after the other."""

from __future__ import annotations

import numpy as np
import pytest

import lowdim
from lowdim.core.blocks import ArrayBlocks
from lowdim.text.topics import expectation
from lowdim.text.topics.lda import stepwise, variational
from lowdim.text.topics.lda.maximum import rate
from lowdim.text.topics.lda.priors import given_priors
from lowdim.text.topics.lda.stepwise import Topics, batch_statistics, stepwise_pass
from lowdim.text.topics.lda.variational import Inner, Learned, State
from tests.text.topics.examples import planted

INNER = Inner(100, 1e-6)


@pytest.mark.parametrize("eta", [np.array(0.1), np.full((6, 1), 0.2), np.full((6, 2), 0.3)])
def test_blended_topics_are_those_of_the_plain_formula(rng, eta):
    plain = rng.gamma(1.0, size=(6, 2)) + 0.5
    topics = Topics(plain, eta)
    for share in (0.3, 1.0, 0.5, 1.0 - 1e-120, 0.2):
        terms = np.sort(rng.choice(6, size=3, replace=False))
        counts = rng.gamma(1.0, size=(3, 2))
        new = np.broadcast_to(eta, (6, 2)).copy()
        new[terms] += counts
        plain = (1 - share) * plain + share * new
        topics.blend(terms, counts / 3.0, share, times=3.0)
        np.testing.assert_allclose(topics.rows(np.arange(6)), plain, rtol=1e-9)
        np.testing.assert_allclose(topics.rows(terms), plain[terms], rtol=1e-9)
        np.testing.assert_allclose(topics.total, plain.sum(axis=0), rtol=1e-9)


def start(rng, k=3, v=30):
    return State(rng.gamma(100.0, 0.01, size=(v, k)), None, given_priors(None, None, k, v))


def test_a_batch_of_all_documents_at_rate_1_is_a_step_of_variational_bayes(rng):
    X, _, _ = planted(rng)
    begin, rows = start(rng), ArrayBlocks(X)
    whole, _ = variational.step(rows, begin, INNER, Learned(False, False), None)
    passed = stepwise_pass(
        rows,
        begin,
        size=60,
        documents=60.0,
        rate=lambda t: 1.0,
        inner=INNER,
        bayes=True,
        weight=None,
    )
    np.testing.assert_allclose(passed.state.topics, whole.topics, rtol=1e-7, atol=1e-9)
    np.testing.assert_allclose(passed.state.gamma, whole.gamma, rtol=1e-7)
    assert passed.state.n_batches == 1


@pytest.mark.parametrize("bayes", [True, False])
def test_the_number_of_threads_changes_no_bit(rng, bayes, monkeypatch):
    monkeypatch.setattr(stepwise, "CELLS_PER_TURN", 50)
    monkeypatch.setattr(expectation, "TERMS_AT_A_TIME", 7)
    X, _, _ = planted(rng)
    topics = Topics(start(rng).topics, np.array(0.1))
    found = []
    for threads in (1, 2, 3):
        with lowdim.config_context(threads=threads):
            batch = batch_statistics(X, topics, np.full(3, 0.1), INNER, bayes, None, None)
        found.append(batch)
    for other in found[1:]:
        for left, right in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(left, right)


def test_a_document_of_weight_2_counts_twice(rng):
    X, _, _ = planted(rng, n=10)
    weight = rng.integers(0, 3, size=10)
    topics = Topics(start(rng).topics, np.array(0.1))
    for bayes in (True, False):
        once = batch_statistics(
            X, topics, np.full(3, 0.1), INNER, bayes, None, weight.astype(float)
        )
        often = batch_statistics(
            X.toarray().repeat(weight, axis=0), topics, np.full(3, 0.1), INNER, bayes, None, None
        )
        seen = np.isin(once.terms, often.terms)
        np.testing.assert_allclose(once.counts[seen], often.counts, rtol=1e-9)
        assert not once.counts[~seen].any()
        assert once.objective == pytest.approx(often.objective)
        assert once.documents == often.documents


@pytest.mark.parametrize("in_place", [False, True])
def test_topics_are_written_into_only_if_they_may_be(rng, in_place):
    X, _, _ = planted(rng)
    begin, how = start(rng), {"size": 20, "documents": 60.0, "rate": rate, "inner": INNER}
    before = begin.topics.copy()
    other = begin._replace(topics=before.copy())
    passed = stepwise_pass(
        ArrayBlocks(X), begin, **how, bayes=False, weight=None, in_place=in_place
    )
    assert (passed.state.topics is begin.topics) == in_place
    assert np.array_equal(begin.topics, before) != in_place
    again = stepwise_pass(ArrayBlocks(X), other, **how, bayes=False, weight=None)
    np.testing.assert_array_equal(passed.state.topics, again.state.topics)
    np.testing.assert_array_equal(passed.state.gamma, again.state.gamma)


def test_the_rate_falls_from_one():
    assert rate(0) == 1.0
    assert rate(31) == pytest.approx(32**-0.6)
