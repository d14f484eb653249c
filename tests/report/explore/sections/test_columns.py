"""The section of the table's columns."""

import re

import pytest

from lowdim.report.explore.missingness import Pattern
from lowdim.report.explore.sections import columns
from lowdim.report.explore.sections.columns import pattern_sentence, table_section


def with_patterns(findings, *patterns):
    return findings._replace(missing=findings.missing._replace(patterns=list(patterns)))


def test_every_column_has_a_line(report, planted):
    section = table_section(report.findings)
    assert section.body.count("<tr>") == 1 + len(planted().columns)
    assert section.lead.startswith("160 rows and 8 columns: 6 numbers, 1 target and 1 id")
    absent = int(planted().iloc[:, :6].isna().sum().sum())
    assert f"{absent} values are missing" in section.lead and "missing" in section.figures


def test_missing_values_are_counted_with_their_share(report, planted):
    absent = int(planted()["a"].isna().sum())
    line = re.search(r"<tr><td>a</td>.*?</tr>", table_section(report.findings).body, re.S)[0]
    assert f'<td class="number">{absent} ({100 * absent / 160:.1f}'.removesuffix(".0") in line


def test_of_many_columns_the_first_are_listed(report, monkeypatch):
    monkeypatch.setattr(columns, "MOST_LISTED", 3)
    assert "And 5 more columns." in table_section(report.findings).body


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        (Pattern("a", "b", True, 0.5), "a is missing together with b (correlation +0.50)"),
        (Pattern("a", "b", True, -0.5), "a is missing where there is a value of b"),
        (Pattern("a", "b", False, 0.5), "a is missing more often where b is high"),
        (Pattern("a", "<b>", False, -0.5), "a is missing more often where &lt;b&gt; is low"),
    ],
)
def test_patterns_are_said_in_words(report, pattern, words):
    findings = with_patterns(report.findings, pattern)
    assert f"<li>{words}" in table_section(findings).body
    assert "Values are not missing at random" in pattern_sentence(findings)


def test_that_there_is_no_pattern_is_said(report):
    assert "no sign" in pattern_sentence(with_patterns(report.findings))
