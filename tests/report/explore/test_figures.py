"""The pictures of the page: what is drawn is what was given."""

import numpy as np
from bokeh.models import ColumnDataSource, Span
from numpy.testing import assert_allclose

from lowdim.report.explore.figures import (
    LINE,
    MOST_ARROWS,
    MOST_SCREE,
    NAMED_ARROWS,
    circle,
    contest,
    criterion,
    missing_map,
    oddness,
    scree,
)


def source_with(figure, *names):
    """The data of the first source that has these columns."""
    return next(
        s.data for s in figure.select({"type": ColumnDataSource}) if set(names) <= set(s.data)
    )


def lines(figure):
    return [span.location for span in figure.select({"type": Span})]


def test_a_scree_plot_is_in_percent_and_components_beyond_the_kept_ones_are_faint():
    share = np.linspace(0.2, 0.0, 40)
    data = source_with(scree(share, share / 2, 3), "share", "chance")
    assert len(data["share"]) == MOST_SCREE
    assert_allclose(data["share"], 100 * share[:MOST_SCREE])
    assert_allclose(data["chance"], 50 * share[:MOST_SCREE])
    assert np.flatnonzero(np.diff(data["alpha"])).tolist() == [2]


def test_a_criterion_is_marked_where_it_was_chosen():
    sizes, curve = np.arange(1, 6), np.array([5.0, 3.0, 2.0, 2.5, 4.0])
    figure = criterion(sizes, curve, np.full(5, 0.5), 3, "clusters", "BIC")
    assert lines(figure) == [3]
    bars = source_with(figure, "low", "high")
    assert_allclose(bars["high"] - bars["low"], 1.0)
    assert figure.legend[0].items[0].label.value == "chosen: 3"


def test_a_criterion_without_errors_has_no_bars():
    figure = criterion(np.arange(3), np.arange(3.0), None, 0, "rank", "error")
    assert not any("low" in s.data for s in figure.select({"type": ColumnDataSource}))


def test_a_comparison_has_bars_of_two_standard_errors_and_the_best_on_top():
    figure = contest(
        ["a", "b"], np.array([0.5, 0.9]), np.array([0.1, 0.2]), np.array([True, False])
    )
    data = source_with(figure, "error", "low")
    assert_allclose(data["low"], [0.3, 0.5])
    assert_allclose(data["high"], [0.7, 1.3])
    assert data["alpha"][0] > data["alpha"][1]
    assert figure.y_range.start > figure.y_range.end  # downwards
    assert lines(figure) == [1.0]  # what column means have


def test_bands_without_missing_values_are_not_drawn():
    bands = np.array([[0.0, 1.0], [0.5, 0.0]])  # (bands, columns)
    data = source_with(missing_map(bands, np.array([0, 10, 30]), ["x", "y"]), "share")
    assert data["name"] == ["y", "x"]
    assert_allclose(data["share"], [100, 50])
    assert data["left"].tolist() == [0, 10] and data["last"].tolist() == [9, 29]


def test_the_circle_has_the_longest_arrows(rng):
    correlations = rng.uniform(-0.7, 0.7, size=(60, 3))
    names = [f"c{f}" for f in range(60)]
    data = source_with(circle(correlations, names), "zero")
    length = np.hypot(*correlations[:, :2].T)
    longest = np.argsort(-length)[:MOST_ARROWS]
    assert sorted(data["name"]) == sorted(names[f] for f in longest)
    assert_allclose(np.hypot(data["x"], data["y"]), length[longest])


def test_names_in_the_circle_stand_apart(rng):
    figure = circle(rng.uniform(-0.7, 0.7, size=(60, 2)), [f"c{f}" for f in range(60)])
    texts = [r.data_source.data for r in figure.renderers if type(r.glyph).__name__ == "Text"]
    assert len(texts) == 2
    for side in texts:
        assert 0 < len(side["name"]) <= NAMED_ARROWS
        gaps = np.diff(np.sort(side["y"]))
        assert np.all(gaps > LINE)


def test_the_line_between_chance_and_odd_is_one_in_twenty_tables():
    chance = np.array([-1.0, -9.0, -0.5, -2.0])
    figure = oddness(chance, ["one", "three"], np.array([1, 3]))
    data = source_with(figure, "score")
    assert data["score"].tolist() == [9.0, 2.0] and data["label"] == ["one", "three"]
    assert_allclose(lines(figure), [np.log10(80)])
    even = source_with(oddness(chance, ["two"], np.array([2])), "score")
    assert data["color"][0] == data["color"][1] != even["color"][0]
