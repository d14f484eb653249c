"""The section of the odd rows."""

from lowdim.report.explore.sections.oddities import chance_in_words


def test_chances_are_said_in_words():
    assert chance_in_words(-2.0) == "1 in 100"
    assert chance_in_words(-12.3) == "1 in 10^12"
