"""Documents completed: tokens split in two, the second part scored."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import NMF, LatentDirichletAllocation

import lowdim
from lowdim.text import completion_perplexity, split_counts
from lowdim.text.judging import completion as module
from lowdim.text.judging.completion import shares_of, topics_of


class Known:
    """A model whose codes and topics are given."""

    def __init__(self, components, codes):
        self.components_ = np.asarray(components, dtype=float)
        self._codes = codes

    def transform(self, X):
        return np.broadcast_to(self._codes, (X.shape[0], len(self.components_)))


# ---- split_counts --------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array, sp.csc_array])
def test_both_parts_add_up_to_the_counts(rng, share, kind):
    X = rng.poisson(1.5, size=(30, 12))
    first, second = split_counts(kind(X), share, random_state=rng)
    np.testing.assert_array_equal((first + second).toarray(), X)
    assert first.data.min() > 0 and second.data.min() > 0
    totals = X.sum(axis=1)
    assert (np.abs(first.sum(axis=1) - share * totals) < 1).all()


def test_tokens_are_divided_and_not_cells(rng):
    X = np.full((2000, 2), 10)
    first, _ = split_counts(X, random_state=rng)
    # hypergeometric: 10 of 20 tokens, 10 of each word: mean 5, variance 10 / 4 * 10 / 19
    ours = first.toarray()[:, 0]
    assert ours.mean() == pytest.approx(5.0, abs=5 * np.sqrt(1.316 / 2000))
    assert ours.var() == pytest.approx(1.316, rel=0.2)


def test_a_document_of_two_words_has_one_in_each_part(rng):
    X = np.tile([1, 0, 1], (50, 1))
    first, second = split_counts(X, random_state=rng)
    assert (first.sum(axis=1) == 1).all() and (second.sum(axis=1) == 1).all()
    assert 5 < first.toarray()[:, 0].sum() < 45


def test_single_words_go_to_either_part(rng):
    first, _ = split_counts(np.ones((4000, 1), dtype=int), 0.3, random_state=rng)
    assert first.sum() == pytest.approx(1200, abs=5 * np.sqrt(4000 * 0.21))


def test_a_seed_repeats_a_split():
    X = np.arange(12).reshape(3, 4)
    first, again = (split_counts(X, random_state=3).first for _ in range(2))
    np.testing.assert_array_equal(first.toarray(), again.toarray())


def test_huge_counts_are_split(rng):
    first, second = split_counts([[2**40, 3], [0, 0]], random_state=rng)
    assert (first + second).toarray().tolist() == [[2**40, 3], [0, 0]]
    assert first[0, 0] == pytest.approx(2**39, abs=10 * 2**19)


def test_long_documents_are_drawn_from_all_the_same(rng, monkeypatch):
    X = np.full((400, 2), 10)
    for limit in (15, 45):  # every document alone, and two at a time
        monkeypatch.setattr(module, "MOST_AT_A_TIME", limit)
        first, second = split_counts(X, random_state=rng)
        np.testing.assert_array_equal((first + second).toarray(), X)
        assert (first.sum(axis=1) == 10).all()
        assert first.toarray()[:, 0].mean() == pytest.approx(5.0, abs=5 * np.sqrt(1.316 / 400))


def test_documents_get_the_same_parts_whatever_comes_after(rng, monkeypatch):
    monkeypatch.setattr(module, "BATCH", 4)
    X = rng.poisson(2.0, size=(10, 5))
    some, whole = (split_counts(part, random_state=1).first.toarray() for part in (X[:4], X))
    np.testing.assert_array_equal(whole[:4], some)


# ---- completion_perplexity -----------------------------------------------------------------------


def test_a_value_worked_by_hand():
    # theta phi = (.7, .3) for every document; tokens of the second half are half of all
    model = Known([[0.8, 0.2], [0.5, 0.5]], [2 / 3, 1 / 3])
    X = np.tile([[2, 0], [0, 2]], (10, 1))
    value = completion_perplexity(model, X, smoothing=0.0)
    assert value == pytest.approx(np.exp(-(np.log(0.7) + np.log(0.3)) / 2))
    value = completion_perplexity(model, X, smoothing=0.5)
    assert value == pytest.approx(np.exp(-(np.log(0.6) + np.log(0.4)) / 2))


def test_a_model_that_knows_nothing_has_as_many_words(rng):
    X = rng.poisson(1.0, size=(20, 7))
    model = Known(np.ones((3, 7)), np.full(3, 1 / 3))
    assert completion_perplexity(model, X, random_state=rng) == pytest.approx(7.0)


def test_smoothing_pays_for_words_without_a_chance():
    X = np.array([[0, 4]])
    model = Known([[1.0, 0.0]], [1.0])
    assert completion_perplexity(model, X, smoothing=0.0) == np.inf
    assert completion_perplexity(model, X, smoothing=0.01) == pytest.approx(200.0)


def test_it_is_the_sum_over_cells_of_the_second_half(rng):
    X = rng.poisson(2.0, size=(25, 9))
    phi = rng.dirichlet(np.ones(9), size=4)
    theta = rng.dirichlet(np.ones(4))
    value = completion_perplexity(Known(phi * 7.0, theta), X, share=0.3, random_state=5)
    second = split_counts(X, 0.3, random_state=5).second.toarray()
    p = (1 - 1e-3) * theta @ phi + 1e-3 / 9
    assert value == pytest.approx(np.exp(-np.sum(second * np.log(p)) / second.sum()))


def test_weights_of_components_count_with_their_sizes(rng):
    # 2 and 3 of components that add up to 4 and 1 are shares 8/11 and 3/11
    components = np.array([[4.0, 0.0], [0.5, 0.5]])
    p = (2 * components[0] + 3 * components[1]) / 11
    X = np.tile([[2, 0], [0, 2]], (10, 1))
    value = completion_perplexity(Known(components, [2.0, 3.0]), X, smoothing=0.0)
    assert value == pytest.approx(np.exp(-np.mean(np.log(p))))


def test_shares_stay_and_zeros_are_equal_shares():
    sizes = np.array([10.0, 1.0])
    np.testing.assert_allclose(shares_of([[0.3, 0.7]], sizes), [[0.3, 0.7]])
    np.testing.assert_allclose(shares_of([[0.0, 0.0], [1.0, 10.0]], sizes), [[0.5, 0.5]] * 2)


def test_an_empty_topic_has_all_words_alike():
    words, sizes = topics_of(Known([[0.0, 0.0], [1.0, 3.0]], None))
    np.testing.assert_allclose(words, [[0.5, 0.5], [0.25, 0.75]])
    np.testing.assert_allclose(sizes, [0.0, 4.0])


@pytest.mark.parametrize(
    "model",
    [
        LatentDirichletAllocation(2, random_state=0, max_iter=30),
        NMF(2, random_state=0, beta_loss="kullback-leibler", solver="mu", max_iter=500),
    ],
    ids=["lda", "nmf"],
)
def test_models_of_scikit_learn_find_planted_topics(rng, model):
    topics = np.kron(np.eye(2), np.full(8, 1 / 8))
    X = np.array([rng.multinomial(60, topics[i % 2]) for i in range(80)])
    model.fit(X[:60])
    assert completion_perplexity(model, X[60:], random_state=rng) == pytest.approx(8.0, rel=0.06)
    stream = lowdim.stream(lambda: iter([sp.csr_array(X[60:75]), sp.csr_array(X[75:])]))
    streamed = completion_perplexity(model, stream, random_state=1)
    # the same halves; codes of a part may stop at another place than those of all
    assert streamed == pytest.approx(completion_perplexity(model, X[60:], random_state=1), rel=1e-3)


# ---- the door ------------------------------------------------------------------------------------


def test_what_is_no_counts_is_refused():
    with pytest.raises(ValueError, match=r"no whole numbers \(first: 0\.5\).*before any weights"):
        split_counts([[1.0, 0.5]])
    with pytest.raises(ValueError, match=r"negative value \(-1\)"):
        split_counts([[1.0, -1.0]])
    for share in (0.0, 1.0):
        with pytest.raises(ValueError, match="leaves one part empty"):
            split_counts([[1]], share)
    with pytest.raises(TypeError, match="takes counts in memory"):
        split_counts(lowdim.stream(lambda: iter([np.eye(2)])))


def test_what_is_no_topic_model_is_refused(rng):
    X = rng.poisson(2.0, size=(20, 6))
    with pytest.raises(TypeError, match="KMeans has no components_; give a fitted topic"):
        completion_perplexity(lowdim.KMeans(2).fit(X), X)
    with pytest.raises(ValueError, match="components_ of PCA have negative values"):
        completion_perplexity(lowdim.PCA(2).fit(X), X)
    with pytest.raises(ValueError, match="X has 6 columns; Known was fitted to 2 words"):
        completion_perplexity(Known(np.eye(2), [0.5, 0.5]), X)
    with pytest.raises(ValueError, match="codes have negative values"):
        completion_perplexity(Known(np.ones((2, 6)), [2.0, -1.0]), X)
    fixed = type("Fixed", (), {"components_": np.ones((2, 6))})()
    with pytest.raises(TypeError, match="Fixed has no transform"):
        completion_perplexity(fixed, X)
    with pytest.raises(ValueError, match="documents with two words or more"):
        completion_perplexity(Known(np.ones((2, 6)), [1.0, 0.0]), np.zeros((3, 6)))
