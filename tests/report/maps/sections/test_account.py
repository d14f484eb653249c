"""What was done to the table."""

from lowdim.report.maps.sections.account import done_section, script_section


def test_what_concerns_all_maps_is_said(found):
    body = done_section(found).body
    assert "No map has seen word and name." in body or "No map has seen name and word." in body
    assert "Missing values were not filled with means" in body
    assert "Clusters are those of a Gaussian mixture" in body and "t-SNE" in body


def test_the_script_is_there_to_copy():
    section = script_section("x < 1")
    assert "x &lt; 1" in section.body and section.lead.startswith("This script gives the maps")
