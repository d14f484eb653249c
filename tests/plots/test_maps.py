"""Maps of rows: points, groups, quantities and counts."""

import numpy as np
from matplotlib.colors import to_hex
from numpy.testing import assert_array_equal

from lowdim import plots
from lowdim.plots.maps import MANY_POINTS, move_apart
from tests.plots.reading import legend_texts, texts


def test_map_has_the_points_and_no_ticks(rng):
    Z = rng.standard_normal((50, 4))
    ax = plots.scatter_map(Z, axes=(3, 1))
    assert_array_equal(ax.collections[0].get_offsets(), Z[:, [3, 1]])
    assert len(ax.get_xticks()) == len(ax.get_yticks()) == 0
    assert ax.get_aspect() == 1.0


def test_more_points_are_smaller_paler_and_pixels(rng):
    styles = []
    for n in (50, 5000, 50_000):
        (points,) = plots.scatter_map(rng.standard_normal((n, 2))).collections
        styles.append((points.get_sizes()[0], points.get_alpha(), -points.get_rasterized()))
    assert styles == sorted(styles, reverse=True)
    assert len(set(styles)) == 3


def test_very_many_points_are_counted(rng):
    n = MANY_POINTS
    ax = plots.scatter_map(rng.standard_normal((n, 2)))
    (cells,) = ax.collections
    assert cells.get_array().sum() == n
    assert ax.figure.axes[1].get_ylabel() == "rows per cell"


def test_few_groups_have_a_legend_and_many_are_named_in_the_map(rng):
    Z = rng.standard_normal((200, 2))
    few = plots.scatter_map(Z, labels=np.arange(200) % 10)
    assert legend_texts(few) == [str(j) for j in range(10)]
    many = plots.scatter_map(Z, labels=np.arange(200) % 25)
    assert many.get_legend() is None
    assert sorted(texts(many)) == sorted(str(j) for j in range(25))
    colors = {to_hex(color) for color in many.collections[0].get_facecolors()}
    assert len(colors) == 25


def test_labels_may_be_of_mixed_kinds():
    ax = plots.scatter_map(np.eye(3), labels=np.array(["a", None, 3], dtype=object))
    assert legend_texts(ax) == ["3", "None", "a"]


def test_a_quantity_is_shown_by_colour_and_nan_is_grey(rng):
    Z = rng.standard_normal((40, 2))
    value = np.where(np.arange(40) < 10, np.nan, np.arange(40))
    ax = plots.scatter_map(Z, colors=value, colors_name="price $")
    unknown, known = ax.collections
    assert_array_equal(unknown.get_offsets(), Z[:10])
    order = np.argsort(known.get_array())
    assert_array_equal(known.get_array()[order], np.arange(10, 40))
    assert_array_equal(known.get_offsets()[order], Z[10:])
    assert ax.figure.axes[1].get_ylabel() == "price $"
    ax.figure.canvas.draw()


def test_boxes_are_moved_apart_and_free_ones_stay(rng):
    centers = rng.uniform(0, 3, size=(30, 2))
    centers[-1] = [100.0, 100.0]
    sizes = np.column_stack([rng.uniform(0.5, 1.5, 30), np.full(30, 0.2)])
    placed = move_apart(centers, sizes)
    assert_array_equal(placed[[0, -1]], centers[[0, -1]])
    for i in range(30):
        for j in range(i):
            apart = np.abs(placed[i] - placed[j]) - (sizes[i] + sizes[j]) / 2
            assert apart.max() > -0.01
