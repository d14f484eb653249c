"""Walls of small pictures: every picture in its place, what is missing in a colour of its own."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from lowdim import plots
from lowdim.plots import walls
from tests.plots.reading import texts


def canvas(ax):
    """The picture that was drawn, (height, width, 3)."""
    return np.asarray(ax.images[0].get_array())


def test_a_wall_is_about_as_many_pictures_high_as_wide(rng):
    X = rng.random((7, 4))
    drawn = canvas(plots.wall(X, (2, 2), ax=Figure().subplots()))
    assert drawn.shape == (8, 8, 3)
    scaled = (X - X.min()) / (X.max() - X.min())
    np.testing.assert_allclose(drawn[3:5, 3:5, 0], scaled[4].reshape(2, 2))
    assert (drawn[6:, 3:] == 1).all()


def test_pictures_are_above_their_reconstructions():
    X = np.array([[0.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 0.0]])
    ax = plots.reconstructions(X, 1.0 - X, (2, 2), ax=Figure().subplots())
    drawn = canvas(ax)
    assert drawn.shape == (5, 5, 3)  # 2 + 1 + 2: a gap of a pixel
    np.testing.assert_array_equal(drawn[:2, :2, 0], X[0].reshape(2, 2))
    np.testing.assert_array_equal(drawn[3:, :2, 0], 1.0 - X[0].reshape(2, 2))
    np.testing.assert_array_equal(drawn[:2, 3:, 0], X[1].reshape(2, 2))
    assert texts(ax) == ["row", "decoded"]
    assert ax.get_title(loc="left") == "mean squared error 1"


def test_many_rows_go_on_in_the_next_line(rng):
    X = rng.random((15, 4))
    ax = plots.reconstructions(X, X, (2, 2), ax=Figure().subplots())
    drawn = canvas(ax)
    assert drawn.shape == (4 * 3 - 1, 12 * 3 - 1, 3)
    scaled = (X[13] - X.min()) / (X.max() - X.min())  # all pictures share one scale
    np.testing.assert_allclose(drawn[6:8, 3:5, 0], scaled.reshape(2, 2))
    assert (drawn[6:, 9:] == 1).all()  # nothing after the last
    assert texts(ax) == ["row", "decoded"] * 2


def test_the_second_number_of_a_code_goes_upwards():
    rows = np.zeros((2, 3, 1))
    rows[1, 2] = 1.0  # first[2], second[1]
    ax = plots.latent_plane(rows, [-1, 0, 1], [-2, 2], (1, 1), ax=Figure().subplots())
    np.testing.assert_array_equal(canvas(ax)[:, :, 0], [[0, 0, 1], [0, 0, 0]])
    assert texts(ax) == ["2", "-2", "-1", "0", "1"]


def test_time_goes_to_the_right(rng):
    rows = rng.random((2, 3, 4))
    ax = plots.noise_chain(rows, [0, 50, 100], (2, 2), ax=Figure().subplots())
    scaled = (rows - rows.min()) / (rows.max() - rows.min())
    np.testing.assert_allclose(canvas(ax)[3:5, 6:8, 0], scaled[1, 2].reshape(2, 2))
    assert [text for text in texts(ax) if text] == ["t = 0", "50", "100"]


def test_each_number_of_a_code_has_a_line(rng):
    ax = plots.traversals(rng.random((3, 5, 6)), np.linspace(-1, 1, 5), ax=Figure().subplots())
    assert texts(ax)[:3] == ["code 1", "code 2", "code 3"] and texts(ax)[3] == "-1"
    curves = [line for line in ax.lines if len(line.get_xdata()) == 6]
    assert len(curves) == 15


def test_missing_values_are_coloured_and_the_truth_stands_beneath():
    X = np.array([[0.0, np.nan, 1.0, 0.5]])
    filled, truth = np.array([[0.0, 0.75, 1.0, 0.5]]), np.array([[0.0, 0.25, 1.0, 0.5]])
    ax = plots.filled_rows(X, filled, truth, (2, 2), ax=Figure().subplots())
    drawn = canvas(ax)
    np.testing.assert_allclose(drawn[0, 1], walls.HOLE)
    np.testing.assert_allclose(drawn[3, 1], 0.75)
    np.testing.assert_allclose(drawn[6, 1], 0.25)
    assert texts(ax) == ["missing", "filled", "truth"]
    assert ax.get_title(loc="left") == "25 % missing; filled to 0.5 on average (root mean square)"


def test_curves_leave_missing_values_out_and_mark_them():
    X = [[0.0, np.nan, 1.0]]
    ax = plots.filled_rows(X, [[0.0, 0.5, 1.0]], ax=Figure().subplots())
    first = next(line for line in ax.lines if len(line.get_xdata()) == 3)
    np.testing.assert_array_equal(np.isnan(first.get_ydata()), [False, True, False])
    assert any(line.get_marker() == "|" and len(line.get_xdata()) == 1 for line in ax.lines)


def test_colours_of_images_are_kept(rng):
    X = rng.random((1, 12))
    X[0, :2] = 0.0, 1.0  # so that the scale is that of X
    ax = plots.reconstructions(X, X, (2, 2, 3), ax=Figure().subplots())
    np.testing.assert_allclose(canvas(ax)[:2], X.reshape(2, 2, 3))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: plots.reconstructions(np.eye(4), np.eye(3)), "X_hat has shape"),
        (lambda: plots.reconstructions([1.0, 2.0], [1.0, 2.0]), "X has shape"),
        (lambda: plots.reconstructions(np.eye(4), np.eye(4), (3, 2)), "is not that of an image"),
        (lambda: plots.reconstructions(np.eye(4), np.eye(4), (2, 1, 2)), "is not that of an image"),
        (lambda: plots.latent_plane(np.ones((2, 3, 4)), [1, 2], [1, 2]), "first has 2 entries"),
        (lambda: plots.latent_plane(np.ones((2, 4)), [1], [1]), "rows has shape"),
        (lambda: plots.traversals(np.ones((41, 3, 4)), [1, 2, 3]), "at most 40"),
        (lambda: plots.filled_rows(np.eye(2), np.eye(2), np.eye(3)), "truth has shape"),
    ],
)
def test_what_does_not_fit_is_refused(call, message):
    with pytest.raises(ValueError, match=message):
        call()
