"""What is said of topics over time."""

import numpy as np

from lowdim.report.topics.sections.time import time_section, time_sentence
from lowdim.report.topics.times import OverTime


def moving(found, shares):
    n = np.full(len(shares), 10)
    time = OverTime([str(2000 + i) for i in range(len(shares))], "year", n, np.array(shares), 3)
    return found._replace(time=time)


def test_what_grew_and_what_shrank_is_named(found):
    names = [topic.name for topic in found.topics]
    said = time_sentence(moving(found, [[0.5, 0.3, 0.2], [0.4, 0.3, 0.3], [0.2, 0.3, 0.5]]))
    assert said == (
        f"From 2000 to 2002, {names[2]} grew most (from 20 % to 50 %), and {names[0]} shrank most "
        "(from 50 % to 20 %)."
    )


def test_topics_that_keep_their_shares_are_said_so(found):
    assert "keep their shares" in time_sentence(moving(found, [[0.5, 0.3, 0.2]] * 3))


def test_periods_without_words_have_a_place(found):
    section = time_section(moving(found, [[0.5, 0.3, 0.2], [np.nan] * 3, [0.2, 0.3, 0.5]]))
    assert (
        set(section.figures) == {"time", "periods"} and "3 documents have no date" in section.body
    )


def test_no_dates_no_section(found):
    assert time_section(found._replace(time=None)) is None
