"""The pictures of the page."""

import numpy as np

from lowdim.plots.style import MAIN, MARK
from lowdim.report.words import figures
from tests.report.samples import HOSTILE, MATH


def test_the_map_shows_all_words_with_room_around():
    points = np.array([[0.0, 0.0], [2.0, 1.0]])
    source = figures.word_source("map", points)
    drawn = figures.word_map("map", source)
    assert drawn.x_range.start < 0 < 2 < drawn.x_range.end
    assert drawn.y_range.start < 0 < 1 < drawn.y_range.end
    names = {model.name for model in drawn.select({}) if model.name}
    assert {"map-plot", "map-points", "map-lit", "map-labels"} <= names


def test_words_in_one_place_have_a_map():
    drawn = figures.word_map("map", figures.word_source("map", np.zeros((3, 2))))
    assert drawn.x_range.start < 0 < drawn.x_range.end


def test_arrows_are_orange_where_a_pair_disagrees():
    points = np.arange(8.0).reshape(2, 2, 2)
    columns = figures.arrow_columns([("a", "b"), (MATH, "d")], points, np.array([0.5, -0.1]))
    assert columns["color"] == [MAIN, MARK] and columns["x0"] == [0.0, 4.0]
    assert columns["y1"] == [3.0, 7.0] and columns["second"] == ["b", "d"]
    assert "$$" not in columns["first"][1]
    assert figures.arrows(columns).name == "analogies-plot"


def test_bars_are_percent_and_sections_without_questions_are_empty():
    drawn = figures.accuracies(["a", HOSTILE], np.array([1, 0]), np.array([4, 0]))
    source = drawn.renderers[0].data_source
    assert source.data["share"].tolist() == [25.0, 0.0]


def test_all_words_are_in_the_histogram_of_cosines():
    drawn = figures.agreements(np.array([-1.0, 0.0, 0.999, 1.0]))
    assert drawn.renderers[0].data_source.data["count"].sum() == 4
