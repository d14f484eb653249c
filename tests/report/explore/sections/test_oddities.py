"""The section of the odd rows."""

import re

from lowdim.report.explore.odd import OddRow, Reason
from lowdim.report.explore.sections.oddities import chance_in_words, odd_section, odd_sentence
from tests.report.samples import HOSTILE


def with_odd(findings, **changed):
    return findings._replace(odd=findings.odd._replace(**changed))


def test_chances_are_said_in_words():
    assert chance_in_words(-2.0) == "1 in 100"
    assert chance_in_words(-12.3) == "1 in 10^12"
    assert chance_in_words(-4.08) == "1 in 12,000"


def test_rows_are_named_and_reasons_are_text(report):
    reason = Reason(HOSTILE, "<1>", "2", 3.14)
    section = odd_section(with_odd(report.findings, rows=[OddRow(7, -4.0, [reason])]))
    assert HOSTILE not in section.body
    assert "is <b>&lt;1&gt;</b> where 2 is expected (3.1 deviations)" in section.body
    line = re.search(r"<tbody><tr><td>(.*?)</td>", section.body)[1]
    assert line == "row &lt;b&gt;7&lt;/b&gt;"


def test_the_sentence_counts_odd_rows(report):
    assert odd_sentence(with_odd(report.findings, n_odd=0)).startswith("No row is odder")
    one, two = (odd_sentence(with_odd(report.findings, n_odd=n)) for n in (1, 2))
    assert one.startswith("1 row is odder") and one.endswith("look at it first.")
    assert two.startswith("2 rows are odder") and two.endswith("look at them first.")
    assert odd_section(with_odd(report.findings, n_odd=1)).tile == ("1", "odd row")
