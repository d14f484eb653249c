"""`lowdim analogy`: A is to B as C is to what?"""

import pytest

from tests.report.words.planted import QUESTIONS, planted_vectors


@pytest.fixture
def vectors(tmp_path):
    found = planted_vectors(noise=0.01)
    found.save(tmp_path / "v.lowdim")
    (tmp_path / "q.txt").write_text(QUESTIONS)
    return found


@pytest.mark.parametrize("method", ["3cosadd", "3cosmul", "pair"])
def test_planted_analogies_are_answered(run, vectors, method):
    said = run("analogy", "v.lowdim", "man", "king", "woman", "--method", method, "-n", 2).stdout
    lines = said.splitlines()
    assert len(lines) == 3 and lines[1].split()[0] == "queen"


def test_questions_are_counted_by_section(run, vectors):
    lines = run("analogy", "v.lowdim", "--questions", "q.txt").stdout.splitlines()
    assert lines[0].split() == ["section", "right", "asked", "share"]
    assert lines[1].split() == ["family", "3", "3", "100.0%"]
    assert lines[-1].split()[0] == "all" and lines[-1].split()[2] == "4"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["v.lowdim", "man", "king"], "Give three words, or --questions FILE"),
        (["v.lowdim"], "Give three words"),
        (["v.lowdim", "man", "--questions", "q.txt"], "Give three words, or --questions"),
        (["v.lowdim", "man", "kingg", "woman"], "near it are 'king'"),
        (["v.lowdim", "--questions", "nowhere.txt"], "There is no file nowhere.txt"),
        (["v.lowdim", "--questions", "q.txt", "--method", "pair"], "answered by 3cosadd"),
        (["nowhere.bin", "a", "b", "c"], "There is no file nowhere.bin"),
    ],
    ids=str,
)
def test_bad_input_is_one_line(refused, vectors, arguments, said):
    assert said in refused("analogy", *arguments)
