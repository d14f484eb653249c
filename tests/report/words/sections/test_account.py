"""What was done, and the script."""

from lowdim.report.words.payload import map_payload
from lowdim.report.words.sections import all_sections
from lowdim.report.words.sections.account import done_section, script_section


def test_every_step_is_said(found):
    section = done_section(found._replace(remarks=["A remark \u202e."]))
    assert "vectors of 24 numbers" in section.body and "divided by their lengths" in section.body
    assert "A remark \N{REPLACEMENT CHARACTER}." in section.body


def test_vectors_without_counts_are_said_to_be(found):
    first = found.vocabularies[0]._replace(counts=None)
    said = done_section(found._replace(vocabularies=[first])).body
    assert "How often words were seen is not known" in said
    assert "How often" not in done_section(found).body


def test_the_script_can_be_copied(found):
    section = script_section("import lowdim")
    assert section.id == "script" and "import lowdim" in section.body


def test_sections_without_findings_are_left_out(found):
    sections = all_sections(found, map_payload(found)[0], "script")
    assert [section.id for section in sections] == [
        "map",
        "clusters",
        "analogies",
        "done",
        "script",
    ]
