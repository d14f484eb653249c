"""What is said of the number of topics."""

import numpy as np

from lowdim.report.topics.sections.number import number_section, number_sentence
from lowdim.selection.topics import TopicsChoice


def choice(best):
    sizes, curve = np.array([2, 3, 4]), np.array([30.0, 20.0, 21.0])
    return TopicsChoice(best, sizes, curve, "completion", errors=np.ones(3))


def test_the_curve_is_drawn_with_the_choice(found):
    section = number_section(found._replace(choice=choice(3)))
    assert list(section.figures) == ["number"] and section.lead.startswith("3 topics, of 2 to 4")


def test_a_number_that_was_given_needs_no_section(found):
    assert number_section(found._replace(choice=None)) is None


def test_the_largest_number_tried_is_said_to_be_that():
    assert number_sentence(choice(4)).endswith("more may be better yet.")
    assert "more may be" not in number_sentence(choice(3))
