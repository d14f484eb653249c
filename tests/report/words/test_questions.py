"""Analogies, and how many are answered."""

import gzip

import pytest

from lowdim.report.words.questions import accuracy, questions_of
from lowdim.tables.errors import TableError
from tests.report.words.planted import QUESTIONS, planted_vectors


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "questions.txt"
    path.write_text(QUESTIONS)
    return path


def test_questions_are_read_by_section(path):
    found = questions_of(path)
    assert list(found.sections) == ["family", "subjects"]
    assert found.sections["family"][1] == ("Boy", "Girl", "father", "mother")


def test_pairs_stand_once_and_in_small_letters(path):
    pairs = questions_of(path).pairs()
    assert pairs["family"][:4] == [
        ("man", "woman"), ("king", "queen"), ("boy", "girl"), ("father", "mother")
    ]  # fmt: skip
    assert len(pairs["family"]) == 7 and pairs["subjects"] == [
        ("ship", "harbour"), ("star", "planet")
    ]  # fmt: skip


def test_a_compressed_file_gives_the_same(path, tmp_path):
    packed = tmp_path / "questions.txt.gz"
    packed.write_bytes(gzip.compress(QUESTIONS.encode()))
    assert questions_of(packed).sections == questions_of(path).sections


def test_questions_may_be_in_memory(path):
    sections = questions_of(path).sections
    found = questions_of(sections)
    assert found.path is None and found.sections == sections


def test_the_accuracy_counts_what_is_right_and_what_is_not_asked(path):
    found = accuracy(planted_vectors(noise=0.01), questions_of(path))
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
        (b": s\na b c d\na b c\n", "line 3: 'a b c' is not four words"),
        (b"\xff\xfe\x00", "not in UTF-8"),
        (gzip.compress(QUESTIONS.encode())[:40], "damaged or cut short"),
    ],
    ids=range(5),
)
def test_what_is_no_file_of_questions_is_refused(tmp_path, content, said):
    (tmp_path / "q.txt").write_bytes(content)
    with pytest.raises(ValueError, match=said):
        questions_of(tmp_path / "q.txt")


def test_an_empty_dict_is_refused():
    with pytest.raises(TableError, match="The dict has no questions"):
        questions_of({"s": []})


def test_a_file_that_is_not_there_is_said():
    with pytest.raises(TableError, match=r"There is no file nowhere\.txt"):
        questions_of("nowhere.txt")
