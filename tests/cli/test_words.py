"""`lowdim words`: a page about word vectors."""

import pytest

from tests.report.words.planted import QUESTIONS, planted_vectors, turned


@pytest.fixture
def folder(tmp_path):
    planted_vectors(noise=0.01).save(tmp_path / "v.lowdim")
    turned(planted_vectors()).save(tmp_path / "other.lowdim")
    (tmp_path / "q.txt").write_text(QUESTIONS)
    return tmp_path


def test_it_writes_a_page(run, folder):
    said = run("words", "v.lowdim").stdout
    assert said.splitlines()[0].startswith("WordsReport(46 words, 24 dimensions")
    page = (folder / "words.html").read_text(encoding="utf-8")
    assert 'id="map"' in page and 'id="accuracy"' not in page and 'id="against"' not in page


def test_questions_and_other_vectors_have_sections(run, folder):
    words = "words v.lowdim --questions q.txt --against other.lowdim --words 30 -o b.html -q"
    assert run(*words.split()).output == ""
    page = (folder / "b.html").read_text(encoding="utf-8")
    assert 'id="accuracy"' in page and 'id="against"' in page


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere.txt"], "There is no file nowhere.txt"),
        (["v.lowdim", "-o", "v.lowdim"], "End --output in .html"),
        (["v.lowdim", "-o", "v.pdf"], "End --output in .html"),
        (["v.lowdim", "--questions", "nowhere.txt"], "There is no file nowhere.txt"),
        (["v.lowdim", "--questions", "v.lowdim"], "not in UTF-8"),
        (["v.lowdim", "--against", "q.csv"], "There is no file q.csv"),
        (["v.lowdim", "--words", "0"], "0 is not in the range"),
    ],
    ids=str,
)
def test_bad_input_is_one_line(refused, folder, arguments, said):
    assert said in refused("words", *arguments)
