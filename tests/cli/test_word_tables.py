"""Tables that the verbs about words print."""

from lowdim.cli.word_tables import accuracies, answers, precisions
from lowdim.report.words.questions import Accuracy, Score


def test_answers_stand_in_columns():
    assert answers([("sea", 0.5), ("a\x1bb", -0.25)], "cosine").splitlines() == [
        "word   cosine",
        "sea    0.5000",
        "a\N{REPLACEMENT CHARACTER}b   -0.2500",
    ]


def test_sections_without_questions_have_no_share():
    found = Accuracy([Score("a", 1, 2, 2), Score("b", 0, 0, 3)], Score("Total", 1, 2, 5))
    lines = [line.split() for line in accuracies(found).splitlines()]
    assert lines[1:] == [["a", "1", "2", "50.0%"], ["b", "0", "0"], ["all", "1", "2", "50.0%"]]


def test_precisions_are_shares():
    assert precisions({1: 0.5, 10: 1.0}).splitlines()[1].split() == ["1", "50.0%"]
