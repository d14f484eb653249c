"""Files of analogies."""

import gzip

import pytest

from lowdim.report.words.questions import NO_SECTION, accuracy, read_questions
from lowdim.tables.errors import TableError
from tests.report.words.planted import QUESTIONS, planted_vectors


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "questions.txt"
    path.write_text(QUESTIONS)
    return path


def test_questions_are_read_by_section(path):
    found = read_questions(path)
    assert list(found.sections) == ["family", "subjects"]
    assert found.sections["family"][1] == ("Boy", "Girl", "father", "mother")


def test_pairs_stand_once_and_in_small_letters(path):
    pairs = read_questions(path).pairs()
    assert pairs["family"][:4] == [
        ("man", "woman"), ("king", "queen"), ("boy", "girl"), ("father", "mother")
    ]  # fmt: skip
    assert len(pairs["family"]) == 7 and pairs["subjects"] == [
        ("ship", "harbour"), ("star", "planet")
    ]  # fmt: skip


def test_a_compressed_file_gives_the_same(path, tmp_path):
    packed = tmp_path / "questions.txt.gz"
    packed.write_bytes(gzip.compress(QUESTIONS.encode()))
    assert read_questions(packed).sections == read_questions(path).sections


def test_questions_may_have_no_section(tmp_path):
    (tmp_path / "q.txt").write_text("a b c d\n\n")
    assert read_questions(tmp_path / "q.txt").sections == {NO_SECTION: [("a", "b", "c", "d")]}


def test_the_accuracy_counts_what_is_right_and_what_is_not_asked(path):
    found = accuracy(planted_vectors(noise=0.01), read_questions(path))
    family, subjects = found.sections
    assert (family.name, family.right, family.asked, family.n_questions) == ("family", 3, 3, 4)
    assert subjects.asked == 1 and family.share == 1.0
    assert found.total.asked == 4 and found.total.n_questions == 5
    assert found.total.right == family.right + subjects.right


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "has no questions"),
        (b": only\n", "has no questions"),
        (b"a b c d\na b c\n", "Line 2 of .* is 'a b c'"),
        (b"\xff\xfe\x00", "not a text file in UTF-8"),
    ],
    ids=range(4),
)
def test_what_is_no_file_of_questions_is_refused(tmp_path, content, said):
    (tmp_path / "q.txt").write_bytes(content)
    with pytest.raises(TableError, match=said):
        read_questions(tmp_path / "q.txt")


def test_a_file_that_is_cut_is_refused(tmp_path):
    (tmp_path / "q.gz").write_bytes(gzip.compress(QUESTIONS.encode())[:40])
    with pytest.raises(TableError, match="not a text file"):
        read_questions(tmp_path / "q.gz")


def test_a_file_that_is_not_there_is_said():
    with pytest.raises(TableError, match=r"There is no file nowhere\.txt"):
        read_questions("nowhere.txt")
