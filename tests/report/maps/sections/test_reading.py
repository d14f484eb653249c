"""The section on what may be read from maps."""

from markupsafe import escape

from lowdim.report.maps.says import reading
from lowdim.report.maps.sections.reading import reading_section


def test_every_sentence_stands_in_the_section(found):
    body = reading_section(found).body
    for one in found.maps:
        said = reading(one, found)
        for sentence in [*said.may, *said.may_not]:
            assert str(escape(sentence)) in body


def test_the_lead_names_the_maps_for_neighbours_and_for_distances(found):
    section = reading_section(found)
    best = max(found.maps, key=lambda one: one.kept.share)
    assert best.kind.title in section.lead and best.kind.title in section.tile.what


def test_the_lead_says_if_no_map_shows_how_far_apart_rows_are(found):
    def lead(correlation):
        maps = [
            one._replace(kept=one.kept._replace(distance_correlation=correlation))
            for one in found.maps
        ]
        return reading_section(found._replace(maps=maps)).lead

    assert "no map shows well" in lead(0.52) and "by 0.52 (Spearman" in lead(0.52)
    assert "no map" not in lead(0.9)


def test_figures_are_those_of_the_findings(found):
    body = reading_section(found).body
    for one in found.maps:
        assert f"<td>{one.kind.title}</td>" in body
        assert f"{one.kept.trustworthiness:.3f}" in body and f"{one.kept.stress:.3f}" in body


def test_one_map_alone_is_not_compared(found):
    section = reading_section(found._replace(maps=found.maps[:1]))
    assert section.lead == "What a map of PCA shows of the data, and what it does not."
