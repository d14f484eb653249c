"""The section of linked maps."""

from lowdim.report.maps.sections.side_by_side import maps_section, maps_sentence


def test_maps_are_named_from_the_one_that_keeps_most(found):
    said = maps_sentence(found)
    titles = [one.kind.title for one in sorted(found.maps, key=lambda one: -one.kept.share)]
    places = [said.index(f"{title} ") for title in titles]
    assert places == sorted(places) and said.startswith("Of the 10 nearest rows of each row")


def test_every_map_has_its_canvases_and_the_first_colour_is_the_target(found):
    section = maps_section(found)
    for j in range(len(found.maps)):
        assert f'id="maps-points-{j}"' in section.body and f'id="maps-over-{j}"' in section.body
    assert '<option value="1" selected>word</option>' in section.body
    assert '<option value="kept">neighbours kept, of 10</option>' in section.body


def test_only_components_have_axes(found):
    body = maps_section(found).body
    assert body.count("left and up mean nothing") == len(found.maps) - 1
    assert "right: component 1, " in body
