"""The section about two vocabularies."""

import numpy as np

from lowdim.report.words.against import Against, Moved
from lowdim.report.words.sections.against import against_section
from tests.report.samples import HOSTILE


def two(found, against):
    both = [found.vocabularies[0], found.vocabularies[0]._replace(name=HOSTILE)]
    return found._replace(vocabularies=both, against=against)


def test_words_that_moved_are_named_and_stay_text(found):
    moved = [Moved(HOSTILE, 0.1, ["a"], [HOSTILE]), Moved("b", 0.2, [], [])]
    against = Against("by turning", True, 4, np.array([0.1, 0.2, 0.8, 0.9]), moved, moved, moved)
    section = against_section(two(found, against))
    assert HOSTILE not in section.body and section.tile == ("4", "words are in both")
    assert "4 words are in both" in section.lead and "0.50 or more" in section.lead
    assert section.body.count("by turning") == 1 and set(section.figures) == {"agreements"}


def test_without_words_of_both_there_are_matches_alone(found):
    match = [Moved("a", 0.3, [], ["x", "y"])]
    section = against_section(two(found, Against("as", False, 0, np.zeros(0), [], [], match)))
    assert section.figures == {} and "<bdi>x</bdi>, <bdi>y</bdi>" in section.body
    assert section.lead == "0 words are in both."


def test_one_vocabulary_has_no_such_section(found):
    assert against_section(found) is None
