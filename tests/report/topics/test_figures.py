"""The pictures of the page."""

import numpy as np

from lowdim.report.topics.figures import (
    LARGEST_CIRCLE,
    circle_sizes,
    lengths,
    lines_over_time,
    methods,
    topic_circles,
)
from tests.report.samples import MATH


def source_of(figure, at=0):
    return figure.renderers[at].data_source.data


def test_every_document_with_words_is_in_one_bar():
    n_words = np.array([0, 1, 1, 2, 50, 1000])
    assert source_of(lengths(n_words))["count"].sum() == 5
    assert source_of(lengths(np.array([0, 0])))["count"].sum() == 0


def test_areas_of_circles_are_as_the_shares():
    sizes = circle_sizes(np.array([0.4, 0.1]))
    assert sizes[0] == LARGEST_CIRCLE and sizes[1] == LARGEST_CIRCLE / 2
    assert circle_sizes(np.array([1.0, 1e-9]))[1] > 5  # still to be tapped


def test_topics_fill_the_map_and_both_axes_have_one_scale():
    points = np.array([[0.9, -0.1], [-0.1, 0.1], [0.0, 0.3]])  # one topic is unlike the others
    p = topic_circles(points, np.full(3, 1 / 3), ["a", "b", "c"])
    (left, right), (low, high) = ((r.start, r.end) for r in (p.x_range, p.y_range))
    assert left < -0.1 and right > 0.9 and low < -0.1 and high > 0.3
    np.testing.assert_allclose([right - left, high - low], 1.25)


def test_names_of_topics_are_no_formulas():
    p = topic_circles(np.zeros((1, 2)), np.ones(1), [MATH])
    assert "$$" not in source_of(p)["name"][0] and source_of(p)["number"] == ["1"]


def test_methods_have_bars_of_two_standard_errors():
    p = methods(["a", "b"], np.array([10.0, 20.0]), np.array([1.0, 2.0]), np.array([True, False]))
    assert source_of(p)["low"].tolist() == [8.0, 16.0]
    assert source_of(p, 1)["alpha"].tolist() == [1.0, 0.15]


def test_lines_are_drawn_for_the_topics_that_are_chosen():
    shares = np.array([[0.1, 0.9], [0.4, np.nan]])
    p = lines_over_time(["2001", "2002"], shares, ["one", "two"], [1])
    assert source_of(p)["share"][0] == 90 and len(p.legend[0].items) == 1
