"""The section of the filled table."""

import numpy as np
import pytest

import lowdim
from lowdim.report.explore import payload
from lowdim.report.explore.sections.filled import FILLED, filled_section, filled_sentence

pytestmark = pytest.mark.usefixtures("few_models")


def test_the_page_says_which_model_filled_missing_values_and_why(report):
    assert f"Filled by {report.findings.filler.name}. {report.findings.filler.why}" in report.html


def test_a_table_without_missing_values_has_no_section_of_filled_values():
    page = lowdim.explore(np.random.default_rng(0).normal(size=(60, 3))).html
    assert 'id="filled"' not in page and "no value is missing" in page


def test_the_sentence_counts_the_values_and_names_the_best_column(report):
    parts = [part._replace(known=0.2) for part in report.findings.filled]
    parts[1] = parts[1]._replace(known=0.8)
    n = [len(part.rows) for part in parts]
    said = filled_sentence(report.findings._replace(filled=parts))
    mean = (0.2 * sum(n) + 0.6 * n[1]) / sum(n)
    assert said.startswith(f"{sum(n)} missing values are filled by {report.findings.filler.name}")
    assert f"explain {100 * mean:.0f} % of their variance on average, most of b (80 %)" in said


@pytest.mark.parametrize(
    ("known", "words"),
    [(0.8, "well"), (0.5, "a fair guess"), (0.2, "a rough guess"), (0.1, "hardly better")],
)
def test_how_far_to_trust_a_column_is_said_in_words(report, known, words):
    parts = [part._replace(known=known) for part in report.findings.filled]
    body = filled_section(report.findings._replace(filled=parts)).body
    assert body.count(f"<td>{words}") == len(parts)


def test_values_that_the_page_has_no_room_for_are_counted(report, monkeypatch):
    sizes = [len(part.rows) for part in report.findings.filled]
    monkeypatch.setattr(payload, "FILLED_VALUES", sum(sizes[:2]))
    section = filled_section(report.findings)
    assert f"filled values of 2 of {len(sizes)} columns" in section.body
    assert len(section.data["columns"]) == 2 and section.scripts == (FILLED,)
    monkeypatch.setattr(payload, "FILLED_VALUES", 0)
    section = filled_section(report.findings)
    assert section.data is None and section.scripts == () and "Every value" not in section.body
