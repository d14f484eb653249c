"""What was done to the data, and the script."""

from lowdim.report.explore.sections.account import done_section, script_section
from lowdim.report.page.sections import COPY
from tests.report.samples import HOSTILE


def test_rows_drawn_at_random_are_counted(report):
    findings = report.findings._replace(n_rows_read=1000)
    assert "160 of 1,000 rows were drawn at random, as asked." in done_section(findings).body
    assert "drawn at random, as asked" not in done_section(report.findings).body


def test_columns_that_no_model_has_seen_are_named(report):
    body = done_section(report.findings).body
    assert "<li>No model has seen word and name; the table above says why.</li>" in body


def test_remarks_are_repeated_as_text(report):
    body = done_section(report.findings._replace(remarks=[HOSTILE])).body
    assert HOSTILE not in body and "&lt;/script&gt;" in body


def test_every_stage_has_its_time(report):
    body = done_section(report.findings._replace(seconds={"a": 1.25, "b": 0.04})).body
    assert "Time: a 1.2 s, b 0.0 s." in body


def test_the_script_can_be_copied_as_it_is():
    section = script_section("x = 1 < 2\n")
    assert section.scripts == (COPY,) and "x = 1 &lt; 2\n" in section.body
