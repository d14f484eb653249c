"""How many topics documents have."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.decomposition import NMF, LatentDirichletAllocation
from sklearn.exceptions import ConvergenceWarning

import lowdim
from lowdim import PLSA, choose_topics
from lowdim.selection.clusters import EndOfRangeWarning
from lowdim.selection.topics import MODELS, TopicsChoice, _sizes

PEER = LatentDirichletAllocation(max_iter=5)


def planted(rng, n=60, topics=3, words=6, length=40):
    """Documents of one topic each; no word belongs to two."""
    phi = np.kron(np.eye(topics), np.full(words, 1 / words))
    return np.array([rng.multinomial(length, phi[i % topics]) for i in range(n)])


# ---- a planted truth -----------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["lda", "plsa"])
def test_planted_topics_are_counted(rng, model):
    choice = choose_topics(sp.csr_array(planted(rng)), [2, 3, 8], model=model, random_state=rng)
    assert choice.choice == 3
    assert choice.model.n_components == 3 and choice.model.components_.shape == (3, 18)
    assert choice.per_repeat.shape == (3, 3)
    np.testing.assert_allclose(choice.curve, choice.per_repeat.mean(axis=0))
    # a topic has six words, and shares that are smoothed let some others in
    assert choice.curve[1] == pytest.approx(6.0, rel=0.1)
    assert choice.curve[0] > 7.0


class Neighbours(BaseEstimator):
    """Topics of words that stand side by side, as many of them in each."""

    def __init__(self, n_components=2):
        self.n_components = n_components

    def fit(self, X, y=None):
        topic = np.arange(X.shape[1]) * self.n_components // X.shape[1]
        self.components_ = (topic == np.arange(self.n_components)[:, None]).astype(float)
        return self

    def transform(self, X):
        return X @ self.components_.T


def test_coherent_topics_are_counted(rng):
    X = sp.csr_array(planted(rng, length=100))  # a document has all words of its topic
    model = Neighbours()
    choice = choose_topics(X, [1, 2, 3, 6, 9], model=model, criterion="coherence", random_state=rng)
    assert choice.choice == 3
    # halves of topics are as coherent as topics: the fewest are taken
    np.testing.assert_allclose(choice.curve[2:], 1.0)
    assert (choice.curve[:2] < 0.6).all()


def test_streams_are_sampled(rng):
    X = planted(rng)
    stream = lowdim.stream(lambda: iter([X[:30], X[30:]]))
    choice = choose_topics(stream, [1, 3, 9], model=Neighbours(), random_state=rng, max_rows=40)
    assert choice.choice == 3
    assert choice.curve[1] == pytest.approx(6.0, rel=1e-2)


# ---- the prior -----------------------------------------------------------------------------------


def test_the_prior_is_chosen_on_held_out_words(rng):
    X = planted(rng, length=10)
    choice = choose_topics(X, [1, 12, 50], alpha=[2.0, 0.05], random_state=rng, repeats=2)
    # documents of one topic: shares are all or nothing
    assert choice.alpha == 0.05 and choice.model.doc_topic_prior == 0.05
    assert choice.alphas.tolist() == [0.05, 2.0] and choice.by_alpha.shape == (3, 2)
    assert choice.by_alpha[1, 0] < choice.by_alpha[1, 1]
    np.testing.assert_allclose(choice.curve, choice.by_alpha.min(axis=1))
    assert str(choice).endswith("alpha = 0.05.")


def test_priors_are_compared_for_one_number_of_topics(rng, recwarn):
    X = planted(rng, length=10)
    choice = choose_topics(X, [12], alpha=[2.0, 0.05], random_state=rng, repeats=2)
    assert choice.choice == 12 and choice.alpha == 0.05 and choice.by_alpha.shape == (1, 2)
    assert str(choice) == "12 topics, as asked for; alpha = 0.05."
    assert not [w for w in recwarn if issubclass(w.category, EndOfRangeWarning)]
    pytest.importorskip("matplotlib")
    assert choice.plot().get_xlabel() == "topics"


# ---- what is said --------------------------------------------------------------------------------


def test_a_choice_says_itself_and_draws_itself():
    pytest.importorskip("matplotlib")
    curve, errors = np.array([9.0, 6.0, 6.5]), np.full(3, 0.1)
    choice = TopicsChoice(3, np.array([2, 3, 6]), curve, "completion", errors=errors, model=PEER)
    assert str(choice) == (
        "3 topics, of 2 to 6: the fewest whose perplexity is within one standard error of the best."
    )
    assert repr(choice) == (
        "TopicsChoice(choice=3, criterion='completion', sizes=2..6, "
        "model=LatentDirichletAllocation)"
    )
    axes = choice.plot()
    assert axes.get_xlabel() == "topics"
    assert axes.get_ylabel() == "perplexity of held-out words"


def test_the_end_of_the_range_is_warned_of(rng):
    with pytest.warns(EndOfRangeWarning, match="2, the largest one tried"):
        choose_topics(planted(rng), [1, 2], model=PEER, random_state=rng, repeats=2)


def test_only_the_model_that_is_returned_says_that_it_has_not_converged(rng):
    X, hasty = planted(rng, n=30), PLSA(max_iter=1, tol=1e-12)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        choose_topics(X, [1, 3, 9], model=hasty, random_state=rng, repeats=2)
    said = [one for one in caught if issubclass(one.category, ConvergenceWarning)]
    assert [str(one.message)[:17] for one in said] == ["PLSA stopped afte"]  # of three starts


def test_a_seed_repeats_a_choice(rng):
    X = planted(rng, n=30)
    first, again = (choose_topics(X, [1, 3, 9], model="plsa", random_state=1) for _ in range(2))
    np.testing.assert_array_equal(first.per_repeat, again.per_repeat)
    assert isinstance(first, TopicsChoice)


def test_the_usual_numbers_are_as_many_as_there_are_documents_for():
    assert _sizes(None, 10**6).tolist() == [2, 5, 10, 20, 30, 50, 75, 100]
    assert _sizes(None, 200).tolist() == [2, 5, 10, 20]
    assert _sizes(None, 12).tolist() == [1, 2]
    assert _sizes(25, 10**6).tolist() == [2, 5, 10, 20, 25]
    assert _sizes(2, 10**6).tolist() == [1, 2]
    assert _sizes([9, 3, 3], 10**6).tolist() == [3, 9]


# ---- the door ------------------------------------------------------------------------------------


def test_models_are_known_by_name():
    for name, (cls, _) in MODELS.items():
        if hasattr(lowdim, cls):
            assert hasattr(getattr(lowdim, cls), "transform"), name


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"model": "lsa"}, ValueError, "model='lsa' is not known; choose one of 'lda', 'plsa'"),
        ({"model": NMF}, TypeError, "give an estimator such as"),
        ({"model": lowdim.KMeans()}, TypeError, "finds no topics: it needs n_components"),
        ({"criterion": "bic"}, ValueError, "criterion='bic' is not known"),
        ({"k": [3]}, ValueError, "k has 1 different numbers; at least 2 are compared"),
        ({"k": [3], "alpha": [0.1]}, ValueError, "at least 2 are compared"),
        ({"k": "many"}, TypeError, "give numbers of topics"),
        ({"k": [2, 61]}, ValueError, "k=61 is more than the 60 documents"),
        ({"repeats": 1}, ValueError, "repeats=1 is too small"),
        ({"model": NMF(), "alpha": [0.1]}, ValueError, "doc_topic_prior, which NMF does not have"),
        ({"alpha": [0.1, -1.0]}, ValueError, "must be numbers above 0"),
    ],
)
def test_what_cannot_be_chosen_from_is_refused(arguments, error, message):
    X = np.ones((60, 4), dtype=int)
    with pytest.raises(error, match=message):
        choose_topics(X, **{"k": [2, 3], "model": PEER, **arguments})


def test_documents_without_words_are_left_out():
    with pytest.raises(ValueError, match="X has 2 documents with words"):
        choose_topics(np.vstack([np.eye(2), np.zeros((9, 2))]), [1, 2], model=PEER)
