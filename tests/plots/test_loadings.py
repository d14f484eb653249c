"""Variables: arrows, names and tables of colours."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from numpy.testing import assert_allclose, assert_array_equal

from lowdim import plots
from lowdim.plots.arrows import MAX_LABELS
from lowdim.plots.style import LONGEST_LABEL
from tests.plots.reading import arrows, circle_of, curves, legend_texts, texts


@pytest.mark.parametrize("d", [1, 4, 25, 40])
def test_circle_has_an_arrow_and_a_name_for_each_variable(rng, d):
    C = circle_of(rng, d)
    names = [f"variable {i}" for i in range(d)]
    ax = plots.correlation_circle(C, names, axes=(2, 0))
    assert_allclose([arrow.xy for arrow in arrows(ax)], C[:, [2, 0]])
    assert sorted(texts(ax)) == sorted([*names, "component 3 →", "↑ component 1"])
    assert_allclose(np.hypot(*curves(ax)[0].T), 1.0)


@pytest.mark.parametrize("d", [4, 25, 80])
def test_no_name_covers_another(rng, d):
    C = circle_of(rng, d)
    C[: d // 2] = C[0]  # half of the arrows are one
    ax = plots.correlation_circle(C, [f"a long name {i}" for i in range(d)])
    assert_no_overlap(ax)
    for ax in (plots.correlation_circle(np.abs(C)), plots.biplot(rng.standard_normal((50, 3)), C)):
        assert_no_overlap(ax)


def assert_no_overlap(ax):
    ax.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.texts if text.get_text().strip()]
    assert len(boxes) > 3
    for i, box in enumerate(boxes):
        assert ax.figure.bbox.contains(box.x0 + 1, box.y0 + 1)  # nor does one leave the figure
        assert ax.figure.bbox.contains(box.x1 - 1, box.y1 - 1)
        for other in boxes[:i]:
            width = min(box.x1, other.x1) - max(box.x0, other.x0)
            height = min(box.y1, other.y1) - max(box.y0, other.y0)
            # boxes have the height of the tallest letters: they may touch, the letters not
            assert width <= 0 or height <= 0.15 * box.height


def test_only_the_longest_of_many_arrows_are_named(rng):
    C = circle_of(rng, 100) * np.linspace(0.1, 1, 100)[:, None]
    ax = plots.correlation_circle(C)
    length = np.hypot(*C[:, :2].T)
    expected = {f"x{i}" for i in np.argsort(-length)[:MAX_LABELS]}
    assert expected == {text for text in texts(ax) if text.startswith("x")}
    assert len(arrows(ax)) == 100


def test_shares_stand_beside_the_components():
    ax = plots.correlation_circle([[0.5, 0.5]], variance_ratio=[0.7296, 0.2288])
    assert {"component 1 (73 %) →", "↑ component 2 (22.9 %)"} < set(texts(ax))


def test_a_name_is_text_and_not_mathematics():
    ax = plots.correlation_circle([[0.5, 0.5], [0.1, 0.9]], ["price $ per $", "_x^2"])
    assert {"price $ per $", "_x^2"} < set(texts(ax))
    assert not any(text.get_parse_math() for text in ax.texts if "$" in text.get_text())
    ax.figure.canvas.draw()


def test_a_long_name_is_shortened():
    ax = plots.correlation_circle([[0.5, 0.5]], ["n" * 100])
    assert "n" * (LONGEST_LABEL - 1) + "…" in texts(ax)


def test_a_variable_without_correlation_is_named_all_the_same():
    ax = plots.correlation_circle([[0.0, 0.0], [0.5, 0.1]], ["none", "some"])
    assert {"none", "some"} < set(texts(ax))
    ax.figure.canvas.draw()


def test_biplot_has_points_arrows_names_and_groups(rng):
    Z, W = rng.standard_normal((60, 3)), rng.standard_normal((5, 3))
    labels = np.repeat(["b", "a", "_c"], 20)
    ax = plots.biplot(Z, W, list("vwxyz"), labels, axes=(1, 2), variance_ratio=[0.5, 0.3, 0.1])
    (points,) = ax.collections
    assert_array_equal(np.sort(points.get_offsets(), axis=0), np.sort(Z[:, 1:], axis=0))
    assert legend_texts(ax) == ["_c", "a", "b"]
    assert sorted(texts(ax)) == list("vwxyz")
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("component 2 (30 %)", "component 3 (10 %)")


def test_arrows_of_a_biplot_keep_directions_and_ratios_and_fit_the_points(rng):
    Z, W = 1000 * rng.standard_normal((60, 2)), rng.standard_normal((5, 2))
    tips = np.array([arrow.xy for arrow in arrows(plots.biplot(Z, W))])
    assert_allclose(tips / W, tips[0, 0] / W[0, 0], rtol=1e-10)
    assert np.hypot(*tips.T).max() == pytest.approx(0.9 * np.hypot(*Z.T).max())


def test_points_keep_the_colour_of_their_group(rng):
    Z = np.vstack([rng.normal(-5, 1, size=(30, 2)), rng.normal(5, 1, size=(30, 2))])
    ax = plots.biplot(Z, [[1.0, 0.0]], labels=[1] * 30 + [10] * 30)
    (points,) = ax.collections
    for (x, y), color in zip(points.get_offsets(), points.get_facecolors(), strict=True):
        assert to_hex(color).upper() == plots.PALETTE[0 if x + y < 0 else 1]
    assert legend_texts(ax) == ["1", "10"]


def test_heatmap_prints_each_loading_and_large_ones_in_bold():
    L = np.array([[0.9, -0.004], [-0.31, 0.2]])
    ax = plots.loadings_heatmap(L, ["a", "b"], ["one", "two"], cutoff=0.3)
    assert_array_equal(ax.images[0].get_array(), L)
    assert ax.images[0].get_clim() == (-0.9, 0.9)
    assert texts(ax) == ["0.90", "0.00", "-0.31", "0.20"]
    assert [text.get_weight() for text in ax.texts] == ["bold", "normal", "bold", "normal"]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["a", "b"]
    assert [label.get_text() for label in ax.get_xticklabels()] == ["one", "two"]
    assert len(ax.figure.axes) == 2  # the colour bar


def test_a_large_heatmap_has_no_numbers_and_not_every_name():
    ax = plots.loadings_heatmap(np.ones((200, 20)))
    assert texts(ax) == []
    assert len(ax.get_yticklabels()) < 70
    assert ax.get_yticklabels()[1].get_text() == "x3"


def test_heatmap_of_zeros_is_white():
    ax = plots.loadings_heatmap(np.zeros((3, 2)))
    assert ax.images[0].get_clim() == (-1, 1)
