"""The section of the map."""

import re
from dataclasses import replace

from lowdim.report.explore import payload
from lowdim.report.explore.sections import rows
from lowdim.report.explore.sections.rows import map_section


def test_the_target_colours_the_rows_at_first(report):
    section = map_section(report.findings, seed=0)
    chosen = re.search('<option value="(.)" selected>([^<]*)', section.body)
    assert chosen.groups() == ("1", "word")
    without = replace(report.findings.encoded, target=None)
    section = map_section(report.findings._replace(encoded=without), seed=0)
    assert re.search('<option value="(.)" selected>([^<]*)', section.body)[2] == "cluster"


def test_the_map_and_the_glance_have_the_same_points(report):
    figures = map_section(report.findings, seed=0).figures
    sources = [figure.renderers[0].data_source for figure in figures.values()]
    assert list(figures) == ["map", "glance"] and sources[0] is sources[1]


def test_what_is_left_out_is_said(report, monkeypatch):
    assert "drawn, chosen at random" not in map_section(report.findings, seed=0).body
    monkeypatch.setattr(payload, "MAP_ROWS", 100)
    monkeypatch.setattr(rows, "MAP_ROWS", 100)
    monkeypatch.setattr(payload, "MAP_VALUES", 400)
    section = map_section(report.findings, seed=0)
    assert "100 of the 160 rows are drawn, chosen at random." in section.body
    assert "Of the 6 columns the 4 " in section.body
    assert section.data["n"] == 100 and section.data["rows"] is not None
