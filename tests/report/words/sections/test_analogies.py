"""The sections about analogies."""

import numpy as np

from lowdim.report.words.questions import Accuracy, Score
from lowdim.report.words.relations import Relation
from lowdim.report.words.sections.analogies import (
    accuracy_section,
    accuracy_sentence,
    arrow_section,
)
from tests.report.samples import HOSTILE


def relation(name, cosine):
    pairs = [(f"a{i}", f"b{i}") for i in range(4)]
    return Relation(name, pairs, np.zeros((4, 2, 2)), np.full(4, cosine), 4, 9)


def test_the_arrows_of_the_pairs_that_agree_most_are_shown_first(found):
    some = [relation("weak", 0.1), relation(HOSTILE, 0.6)]
    section = arrow_section(found._replace(relations=some))
    assert '<option value="1" selected>' in section.body and HOSTILE not in section.body
    assert "+0.60 with the others" in section.lead and "“weak” (+0.10)" in section.lead
    assert section.tile.value == "0.60" and "4 of 9" in section.body


def test_without_pairs_there_is_no_section(found):
    assert arrow_section(found._replace(relations=[])) is None
    assert accuracy_section(found) is None


def test_the_accuracy_has_a_line_by_section_and_one_for_all(found):
    scores = [Score("a", 1, 4, 5), Score(HOSTILE, 0, 0, 3)]
    total = Score("Total accuracy", 1, 4, 8)
    section = accuracy_section(found._replace(accuracy=Accuracy(scores, total)))
    assert section.tile == ("25 %", "of analogies are right")
    assert section.body.count("<tr>") == 4 and HOSTILE not in section.body
    assert section.lead == (
        "1 of 4 questions are answered rightly (25 %); 4 more have a word that is not known."
    )


def test_the_best_section_is_named():
    scores = [Score("a", 1, 4, 4), Score("b", 3, 4, 4)]
    said = accuracy_sentence(Score("", 4, 8, 8), scores)
    assert said == "4 of 8 questions are answered rightly (50 %), most of “b” (75 %)."


def test_no_question_may_have_been_asked():
    said = accuracy_sentence(Score("", 0, 0, 8), [Score("a", 0, 0, 8)])
    assert said.startswith("No question has only words that are known")
