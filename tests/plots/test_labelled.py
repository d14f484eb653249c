"""Maps with names and colours of their own."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from numpy.testing import assert_array_equal

from lowdim import plots
from tests.plots.reading import legend_texts, texts


def test_points_have_names_beside_them(rng):
    Y = np.array([[0.0, 0.0], [4.0, 1.0], [1.0, 5.0]])
    ax = plots.map(Y, text=["Athens", "Rome", None])
    assert_array_equal(ax.collections[0].get_offsets(), Y)
    assert sorted(texts(ax)) == ["Athens", "Rome"]
    for text in ax.texts:
        place = {"Athens": Y[0], "Rome": Y[1]}[text.get_text()]
        away = np.abs(np.array(text.get_position()) - place)
        assert 0 < away.max() < 1.0


def test_names_that_have_no_room_are_left_out(rng):
    Y = rng.normal(size=(400, 2))
    ax = plots.map(Y, text=[f"point number {i}" for i in range(400)])
    assert 1 <= len(texts(ax)) < 400
    ax.figure.canvas.draw()
    boxes = [text.get_window_extent() for text in ax.texts]
    covered = sum(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert covered <= 0.1 * len(boxes)


def test_colours_may_be_given(rng):
    Y = rng.normal(size=(3, 2))
    for colors in (["#ff0000", "lime", "blue"], np.eye(3)):
        ax = plots.map(Y, colors=colors)
        drawn = [to_hex(c) for c in ax.collections[-1].get_facecolors()]
        assert drawn == ["#ff0000", "#00ff00", "#0000ff"]
        assert len(ax.collections) == 1


def test_groups_and_quantities_as_in_every_map(rng):
    Y = rng.normal(size=(30, 3))
    assert legend_texts(plots.map(Y, ["a", "b", "c"] * 10)) == ["a", "b", "c"]
    ax = plots.map(Y, colors=np.arange(30), colors_name="age", axes=(2, 0))
    assert ax.figure.axes[1].get_ylabel() == "age"


def test_a_dollar_in_a_name_is_a_dollar():
    ax = plots.map(np.eye(2), text=["a $x$", "b"])
    assert "a $x$" in texts(ax)
    ax.figure.canvas.draw()


def test_one_point_and_points_in_one_place():
    for Y in ([[1.0, 2.0]], [[1.0, 1.0]] * 4):
        assert texts(plots.map(Y, text=["here"] * len(Y))) == ["here"] * min(len(Y), 4)


def test_bad_input(rng):
    Y = rng.normal(size=(5, 2))
    with pytest.raises(ValueError, match="text is 3 entries; give one name for each of the 5"):
        plots.map(Y, text=["a", "b", "c"])
    with pytest.raises(ValueError, match="text is 'names'"):
        plots.map(Y, text="names")
    with pytest.raises(ValueError, match="choose one"):
        plots.map(Y, list("aabbc"), colors=["red"] * 5)
    with pytest.raises(ValueError, match="colors does not hold colours"):
        plots.map(Y, colors=["no such colour"] * 5)
    with pytest.raises(ValueError, match=r"colors has shape \(2, 3\)"):
        plots.map(Y, colors=np.zeros((2, 3)))
