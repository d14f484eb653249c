"""`lowdim.words` and what it returns."""

import webbrowser

import pytest

import lowdim
from tests.report.words.planted import planted_vectors, planted_words


def test_the_report_says_what_it_is(words_report):
    n, k = len(planted_words(nasty=True)), len(words_report.findings.groups.groups)
    assert repr(words_report) == f"WordsReport({n} words, 24 dimensions, {k} clusters)"
    assert "<iframe" in words_report._repr_html_() and "lowdim words" in words_report._repr_html_()


def test_show_opens_the_page(words_report, monkeypatch):
    opened = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    path = words_report.show()
    assert opened == [path.as_uri()] and "<h2" in path.read_text(encoding="utf-8")


def test_a_path_names_the_page(tmp_path):
    planted_vectors().save(tmp_path / "my.lowdim")
    report = lowdim.words(tmp_path / "my.lowdim")
    assert report.findings.vocabularies[0].name == "my.lowdim"
    assert "<title>my.lowdim: how words are related</title>" in report.html
    assert lowdim.words(tmp_path / "my.lowdim", name="M").findings.vocabularies[0].name == "M"


@pytest.mark.parametrize(
    ("wishes", "said"),
    [
        ({"align": "maybe"}, "align='maybe' is not known"),
        ({"n_words": 0}, "n_words=0 is too small"),
        ({"n_words": 10**6}, "n_words=1000000 is more than the 20000 words"),
        ({"random_state": None}, "random_state=None must be a whole number"),
        ({"questions": "nowhere.txt"}, "There is no file nowhere.txt"),
        ({"against": "nowhere.vec"}, "There is no file nowhere.vec"),
    ],
    ids=str,
)
def test_bad_arguments_are_refused(wishes, said):
    with pytest.raises(ValueError, match=said):
        lowdim.words(planted_vectors(), **wishes)


def test_what_is_no_vectors_is_refused():
    with pytest.raises(ValueError, match="has no word vectors"):
        lowdim.words([[1.0, 2.0]])
