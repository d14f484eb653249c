"""`lowdim.topics` and what it returns."""

import webbrowser

import pandas as pd
import pytest

import lowdim
from lowdim.report.topics.report import share_table, word_table
from tests.report.topics.planted import planted_texts


def test_the_report_says_what_it_is(topics_report):
    n, v = topics_report.findings.counts.shape
    assert repr(topics_report) == f"TopicsReport({n} documents, {v} terms, 3 topics)"
    assert "<iframe" in topics_report._repr_html_()


def test_the_report_says_that_it_is_about_a_sample():
    texts, _ = planted_texts(60)
    assert "(40 documents, drawn from 60, " in repr(lowdim.topics(texts, 2, sample=40))


def test_the_words_are_a_table(topics_report, tmp_path):
    topics_report.save_words(tmp_path / "words.csv")
    words = pd.read_csv(tmp_path / "words.csv")
    assert list(words.columns) == ["topic", "name", "rank", "word", "probability", "share_of_word"]
    first = words[words["rank"] <= 10].groupby("topic")["word"].agg(list)
    assert first.tolist() == [topic.words for topic in topics_report.findings.topics]
    assert words["share_of_word"].between(0, 1).all()
    assert word_table(topics_report.model, list("abc"), 2).num_rows == 6


def test_the_documents_are_a_table_with_a_column_per_topic(topics_report, tmp_path):
    topics_report.save_documents(tmp_path / "shares.csv")
    table = pd.read_csv(tmp_path / "shares.csv")
    assert list(table.columns) == ["id", *topics_report.model.get_feature_names_out()]
    assert table.shape == (len(topics_report.findings.shares), 4)
    assert table.iloc[:, 1:].sum(axis=1).round(9).eq(1).all()


def test_ids_with_halves_of_surrogate_pairs_can_be_written(topics_report):
    table = share_table(["a\ud800"], topics_report.findings.shares[:1], list("xyz"))
    assert table["id"].to_pylist() == ["a?"] and table.column_names == ["id", *"xyz"]


def test_show_opens_the_page(topics_report, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    path = topics_report.show()
    assert opened == [path.as_uri()] and "<h2" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("wishes", "said"),
    [
        ({"k": 0}, "k=0 is too small"),
        ({"k": "many"}, "k='many' must be an int"),
        ({"method": "lsi"}, "method='lsi' is not known"),
        ({"ngrams": 0}, "ngrams=0 is too small"),
        ({"sample": 1}, "sample=1 is too small"),
        ({"random_state": None}, "random_state=None must be a whole number"),
        ({"language": "xx"}, "not a built-in stop list: xx"),
        ({"text": "body"}, "text='body' names a column"),
    ],
    ids=str,
)
def test_bad_arguments_are_refused(wishes, said):
    with pytest.raises(ValueError, match=said):
        lowdim.topics(planted_texts(10)[0], **{"k": 2, **wishes})


def test_documents_without_words_are_refused():
    with pytest.raises(ValueError, match="empty vocabulary"):
        lowdim.topics(["", "!", "?", ""], 2)
