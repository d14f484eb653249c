"""Methods judged by the same held-out words."""

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.report.topics import contest as module
from lowdim.report.topics.contest import Contest, Unigram, contest
from tests.report.topics.planted import planted_texts


@pytest.fixture(scope="module")
def counts():
    return lowdim.CountVectorizer(stop_words="english").fit_transform(planted_texts(60)[0])


def test_the_unigram_model_knows_how_frequent_words_are():
    X = sp.csr_array([[1.0, 2.0], [0.0, 1.0]])
    model = Unigram().fit(X)
    np.testing.assert_allclose(model.components_, [[0.25, 0.75]])
    assert model.transform(X).tolist() == [[1.0], [1.0]]


def test_every_method_beats_frequencies_on_planted_topics(counts):
    found = contest(counts, 3, 0)
    assert found.names[-1] == "unigram" and sorted(found.names) == [
        "KL-NMF",
        "LDA",
        "pLSA",
        "unigram",
    ]
    assert (np.diff(found.mean) >= 0).all() and found.mean[0] < 0.8 * found.mean[-1]
    assert "unigram" not in found.ties and found.failures == {}


def test_ties_are_within_two_standard_errors():
    perplexity = np.exp([[1.0, 1.1, 2.0], [1.2, 1.1, 2.2], [1.1, 1.2, 2.1]])
    found = Contest(["a", "b", "c"], perplexity, np.zeros(3), 9, 2, {})
    assert found.ties == ["b"]
    np.testing.assert_allclose(found.mean, np.exp([1.1, 1.1 + 0.1 / 3, 2.1]))


def test_a_method_that_cannot_be_fitted_is_named_and_the_others_go_on(counts, monkeypatch):
    real = module.topic_estimator

    def broken(method, k, seed):
        if method == "plsa":
            raise ValueError("no such luck")
        return real(method, k, seed)

    monkeypatch.setattr(module, "topic_estimator", broken)
    found = contest(counts, 2, 0)
    assert found.failures == {"pLSA": "no such luck"} and "pLSA" not in found.names


def test_few_documents_are_not_compared(counts):
    assert contest(sp.csr_array(counts[:20]), 2, 0) is None
