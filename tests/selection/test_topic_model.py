"""Texts in, shares out, one file."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import lowdim
from lowdim.selection.topic_model import names_from, relevance_order, topics_of_terms
from tests.report.topics.planted import SUBJECTS, planted_texts

METHODS = ("lda", "plsa", "nmf")


@pytest.fixture(scope="module")
def texts():
    return planted_texts()[0]


@pytest.fixture(scope="module", params=METHODS)
def model(request, texts):
    return lowdim.TopicModel(3, method=request.param, random_state=0).fit(texts)


def test_planted_subjects_are_found(model, texts):
    labels = np.array(planted_texts()[1])
    main = model.transform(texts).argmax(axis=1)
    for subject, words in SUBJECTS.items():
        (topic,) = np.unique(main[labels == subject])
        assert set(model.top_words(8, relevance=1.0)[topic]) <= set(words)


def test_shares_and_topics_add_up_to_one(model, texts):
    shares = model.transform([*texts, "", "unheard words"])
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    np.testing.assert_allclose(model.components_.sum(axis=1), 1.0)
    assert model.topic_weights_.sum() == pytest.approx(1.0)
    assert (np.diff(model.topic_weights_) <= 0).all()


def test_a_text_without_known_words_says_nothing(model):
    empty, unknown = model.transform(["", "unheard words"])
    np.testing.assert_allclose(empty, unknown)
    if model.method != "lda":
        np.testing.assert_allclose(empty, model.topic_weights_)


def test_unknown_words_are_a_share_of_those_that_are_no_stop_words(model):
    texts = ["The ship and the xylophone", "", "star moon", "xylophone"]
    shares, unknown = model.transform(texts, return_unknown=True)
    assert unknown.tolist() == [0.5, 0.0, 0.0, 1.0]
    np.testing.assert_array_equal(shares, model.transform(texts))
    assert model.transform(["", "the"], return_unknown=True)[1].tolist() == [0, 0]


def test_fit_transform_is_fit_and_transform(texts):
    one = lowdim.TopicModel(3, random_state=0)
    np.testing.assert_allclose(one.fit_transform(texts), one.transform(texts))


def test_a_file_holds_all_of_it(model, texts, tmp_path):
    model.save(tmp_path / "m.lowdim")
    loaded = lowdim.load(tmp_path / "m.lowdim")
    np.testing.assert_array_equal(loaded.transform(texts[:5]), model.transform(texts[:5]))
    assert loaded.get_feature_names_out().tolist() == model.get_feature_names_out().tolist()
    assert loaded.similar_terms("ship", 3) == model.similar_terms("ship", 3)


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("order_", np.array([0, 1, 3])),
        ("components_", np.ones((3, 2))),
        ("topic_weights_", np.ones(4)),
        ("n_components_", 2),
    ],
    ids=str,
)
def test_a_model_that_contradicts_itself_has_no_file(texts, tmp_path, attribute, value):
    model = lowdim.TopicModel(3, random_state=0).fit(texts)
    setattr(model, attribute, value)
    with pytest.raises(TypeError, match=r"cannot save TopicModel: .*components_|order_"):
        model.save(tmp_path / "bad.lowdim")


def test_similar_terms_stand_in_the_same_topics(model):
    found = model.similar_terms("ship", 5)
    assert {word for word, _ in found} <= set(SUBJECTS["sea"]) - {"ship"}
    values = [cosine for _, cosine in found]
    assert values == sorted(values, reverse=True) and max(values) <= 1.0
    with pytest.raises(ValueError, match=r"'sheep' is none of the \d+ terms; near it are .*'ship'"):
        model.similar_terms("sheep")


def test_columns_are_named_after_their_topics(model):
    names = model.get_feature_names_out()
    assert len(set(names)) == 3 and names[0].startswith("topic1_")


def test_a_vectorizer_of_the_users_is_copied_and_used(texts):
    vectorizer = lowdim.CountVectorizer(stop_words=["the", "and"], max_features=12)
    model = lowdim.TopicModel(2, vectorizer=vectorizer, random_state=0).fit(texts)
    assert model.components_.shape == (2, 12) and not hasattr(vectorizer, "vocabulary_")


def test_texts_may_come_as_a_corpus_or_as_an_iterator(texts):
    expected = lowdim.TopicModel(3, random_state=0).fit(texts).components_
    for given in (lowdim.corpus(texts), iter(texts), tuple(texts)):
        model = lowdim.TopicModel(3, random_state=0).fit(given)
        np.testing.assert_array_equal(model.components_, expected)


def test_bytes_are_decoded_and_missing_texts_are_empty(texts):
    model = lowdim.TopicModel(2, random_state=0).fit([text.encode() for text in texts])
    shares = model.transform([None, "", b"ship"])
    np.testing.assert_array_equal(shares[0], shares[1])
    assert shares[2].max() > shares[1].max()


def test_documents_that_are_cut_already_are_left_to_the_vectorizer(texts):
    vectorizer = lowdim.CountVectorizer(analyzer=list)
    cut = [text.lower().split() for text in texts]
    model = lowdim.TopicModel(2, vectorizer=vectorizer, random_state=0).fit(cut)
    assert model.transform([["ship"], ["moon"]]).shape == (2, 2)


def test_auto_finds_the_planted_number(texts):
    model = lowdim.TopicModel(random_state=0).fit(texts)
    assert model.n_components_ == model.choice_.choice
    assert model.n_components_ == 3


def test_relevance_goes_from_frequent_to_exclusive():
    topics = np.array([[0.6, 0.4, 0.0], [0.6, 0.0, 0.4]])
    weights = np.array([0.5, 0.5])
    assert relevance_order(topics, weights, 1.0, 2).tolist() == [[0, 1], [0, 2]]
    assert relevance_order(topics, weights, 0.0, 1).tolist() == [[1], [2]]
    with pytest.raises(ValueError, match="relevance=2"):
        relevance_order(topics, weights, 2, 1)


def test_topics_of_terms_follow_from_bayes():
    topics = np.array([[0.5, 0.5, 0.0], [0.1, 0.0, 0.9]])
    P = topics_of_terms(topics, np.array([0.25, 0.75]))
    np.testing.assert_allclose(P, [[5 / 8, 3 / 8], [1, 0], [0, 1]])


def test_names_do_not_repeat_words_of_larger_topics():
    assert names_from([["a", "b", "c"], ["a", "d", "b"], ["a", "b"]], 2) == ["a, b", "d", "a, b"]


def test_bad_arguments_are_refused_before_any_work(texts):
    with pytest.raises(ValueError, match="'method' parameter of TopicModel"):
        lowdim.TopicModel(method="lsi").fit(texts)
    with pytest.raises(ValueError, match="'n_components' parameter"):
        lowdim.TopicModel(0).fit(texts)
    with pytest.raises(ValueError, match="A text was given where many are expected"):
        lowdim.TopicModel(2).fit("one text")
    with pytest.raises(NotFittedError):
        lowdim.TopicModel(2).transform(texts)
