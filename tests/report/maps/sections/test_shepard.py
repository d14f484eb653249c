"""The section of Shepard plots."""

from lowdim.report.maps.sections.shepard import shepard_section


def test_every_map_has_a_plot(found):
    section = shepard_section(found)
    assert list(section.figures) == [f"shepard-{one.kind.name}" for one in found.maps]
    best = max(found.maps, key=lambda one: one.kept.distance_correlation)
    assert section.lead.startswith(f"{best.kind.title} keeps the order of distances best: ")
