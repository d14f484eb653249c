"""The section with the map."""

from lowdim.report.words.payload import map_payload
from lowdim.report.words.plane import Plane
from lowdim.report.words.sections.map import map_section, map_sentence


def test_it_has_a_map_a_glance_and_their_script(found):
    section = map_section(found, map_payload(found)[0])
    assert set(section.figures) == {"map", "glance"} and section.scripts[0].name == "words"
    assert section.tile.value == str(len(found.words)) and "24 dimensions" in section.body


def test_it_says_how_much_the_map_keeps(found):
    flat = found._replace(plane=Plane(found.plane.points, 0.064))
    assert "6.4 % of it" in map_sentence(flat) and "may be far apart" in map_sentence(flat)
    true = found._replace(plane=Plane(found.plane.points, 0.8))
    assert "80 % of it" in map_sentence(true) and "far apart" not in map_sentence(true)


def test_it_says_what_a_map_of_neighbours_keeps(found):
    said = map_sentence(found._replace(plane=Plane(found.plane.points, 0.48, True)))
    assert "the map has 48 % among its nearest" in said and "says nothing" in said


def test_it_says_how_many_words_are_left_out(found):
    first = found.vocabularies[0]._replace(n_all=10**6)
    said = map_sentence(found._replace(vocabularies=[first]))
    assert said.startswith(f"The {len(found.words)} commonest of 1,000,000 words")
