"""Figures: what is in the Axes. How they look is judged by eye, not here."""

import builtins
import subprocess
import sys

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Annotation
from numpy.testing import assert_allclose, assert_array_equal

from lowdim.plots import figures as plots


@pytest.fixture(autouse=True)
def nothing_stays():
    """No test leaves a figure open, or other settings than it found."""
    plt.switch_backend("Agg")
    before = dict(matplotlib.rcParams)
    yield
    plt.close("all")
    assert dict(matplotlib.rcParams) == before


def texts(ax):
    return [text.get_text().strip() for text in ax.texts if text.get_text()]


def legend_texts(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def arrows(ax):
    return [child for child in ax.get_children() if isinstance(child, Annotation)]


def curves(ax):
    """Lines of the picture that have points, as arrays (m, 2)."""
    return [line.get_xydata() for line in ax.lines if len(line.get_xydata()) > 0]


def circle_of(rng, d):
    """Correlations of d variables with 3 components."""
    C = rng.standard_normal((d, 3))
    return C / np.linalg.norm(C, axis=1, keepdims=True)


EVERY_FIGURE = {
    "scree": lambda **ax: plots.scree([0.6, 0.3, 0.1], 2, [0.1] * 3, [0.4, 0.3, 0.2], **ax),
    "curve_with_errors": lambda **ax: plots.curve_with_errors(
        [0, 1, 2], [1.0, 0.4, 0.5], [0.1] * 3, 1, **ax
    ),
    "trace": lambda **ax: plots.trace([3.0, 2.0, 1.5], **ax),
    "correlation_circle": lambda **ax: plots.correlation_circle([[0.5, 0.5], [-0.9, 0.1]], **ax),
    "biplot": lambda **ax: plots.biplot(
        [[1.0, 2.0], [-1.0, 0.0]], [[0.5, 0.5], [-0.9, 0.1]], labels=["a", "b"], **ax
    ),
    "loadings_heatmap": lambda **ax: plots.loadings_heatmap([[0.5, 0.5], [-0.9, 0.1]], **ax),
    "scatter_map": lambda **ax: plots.scatter_map([[1.0, 2.0], [-1.0, 0.0]], **ax),
    "missing_map": lambda **ax: plots.missing_map([[1.0, np.nan], [2.0, 3.0]], **ax),
}


# ---- every figure --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY_FIGURE)
def test_a_figure_is_drawn_on_the_axes_given_and_they_are_returned(name):
    ax = Figure().subplots()  # not known to pyplot
    assert EVERY_FIGURE[name](ax=ax) is ax
    assert ax.has_data()
    ax.figure.canvas.draw()
    assert plt.get_fignums() == []


@pytest.mark.parametrize("name", EVERY_FIGURE)
def test_a_figure_opens_one_figure_of_its_own_where_none_is_given(name):
    ax = EVERY_FIGURE[name]()
    assert plt.get_fignums() == [ax.figure.number]
    ax.figure.canvas.draw()


@pytest.mark.parametrize("name", EVERY_FIGURE)
def test_a_figure_without_matplotlib_says_what_to_install(name, monkeypatch):
    real_import = builtins.__import__

    def without_matplotlib(name, *args, **kwargs):
        if name.split(".")[0] == "matplotlib":
            raise ModuleNotFoundError("No module named 'matplotlib'")
        return real_import(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_matplotlib)
    with pytest.raises(ImportError, match=r'pip install "lowdim\[report\]"'):
        EVERY_FIGURE[name]()


def test_matplotlib_is_imported_by_the_first_figure_only():
    code = "import sys; import lowdim.plots.figures; print('matplotlib' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_house_style_lasts_as_long_as_the_with():
    before = dict(matplotlib.rcParams)
    with plots.house_style():
        assert matplotlib.rcParams["axes.spines.top"] is False
        colors = matplotlib.rcParams["axes.prop_cycle"].by_key()["color"]
        assert colors == list(plots.PALETTE)
    assert dict(matplotlib.rcParams) == before


# ---- how many components -------------------------------------------------------------------------


def test_scree_fills_the_chosen_components_and_tells_their_share():
    ax = plots.scree([0.5, 0.25, 0.15, 0.1], chosen=2)
    joined, kept, dropped, border = curves(ax)
    assert_allclose(joined, [[1, 50], [2, 25], [3, 15], [4, 10]])
    assert_allclose(kept, [[1, 50], [2, 25]])
    assert_allclose(dropped, [[3, 15], [4, 10]])
    assert_allclose(border[:, 0], 2.5)
    assert ax.get_title() == ""
    assert ax.get_title(loc="left") == "2 components explain 75 %"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("component", "variance explained (%)")
    assert ax.get_ylim()[0] == 0


def test_scree_shows_errors_and_parallel_analysis():
    ax = plots.scree([0.6, 0.4], errors=[0.05, 0.02], parallel=[0.5, 0.45])
    (bars,) = ax.collections
    assert_allclose(bars.get_segments(), [[[1, 55], [1, 65]], [[2, 38], [2, 42]]])
    assert legend_texts(ax) == ["parallel analysis"]
    assert_allclose(curves(ax)[-1], [[1, 50], [2, 45]])


@pytest.mark.parametrize(
    ("chosen", "title"), [(0, "0 components explain 0 %"), (1, "1 component explains 60 %")]
)
def test_scree_counts_in_english(chosen, title):
    assert plots.scree([0.6, 0.4], chosen).get_title(loc="left") == title


def test_curve_has_its_band_the_one_error_line_and_the_choice():
    ax = plots.curve_with_errors(
        [0, 1, 2, 3], [1.0, 0.35, 0.30, 0.4], [0.1, 0.06, 0.07, 0.1], 1, ylabel="error"
    )
    band = ax.collections[0].get_paths()[0].vertices
    assert band[:, 1].min() == pytest.approx(0.30 - 0.07)  # at size 2; 0.29 at size 1
    assert band[:, 1].max() == pytest.approx(1.1)
    rule, curve, position, mark = curves(ax)
    assert_allclose(rule[:, 1], 0.37)
    assert_allclose(curve[:, 1], [1.0, 0.35, 0.30, 0.4])
    assert_allclose(position[:, 0], 1)
    assert_allclose(mark, [[1, 0.35]])
    assert legend_texts(ax) == ["± 1 SE", "best + 1 SE", "chosen: 1"]
    assert ax.get_ylabel() == "error"


def test_curve_without_errors_is_only_a_curve():
    ax = plots.curve_with_errors([1, 2, 3], [3.0, 2.0, 1.0])
    assert len(ax.collections) == 0
    assert len(curves(ax)) == 1
    assert ax.get_legend() is None


def test_curve_is_held_against_its_reference():
    ax = plots.curve_with_errors([1, 2], [3.0, 1.0], None, 1, reference=[2.0, 1.5], xlabel="rank")
    assert_allclose(curves(ax)[0], [[1, 2.0], [2, 1.5]])
    assert legend_texts(ax) == ["reference", "chosen: 1"]
    assert ax.get_xlabel() == "rank"


def test_curve_has_ticks_at_whole_numbers_only():
    ax = plots.curve_with_errors([1, 2, 3], [3.0, 2.0, 1.0])
    assert_array_equal(ax.get_xticks() % 1, 0)


def test_trace_tells_where_it_ended():
    ax = plots.trace([5.0, 3.0, 2.5], ylabel="-log p")
    whole, last = curves(ax)
    assert_allclose(whole, [[1, 5.0], [2, 3.0], [3, 2.5]])
    assert_allclose(last, [[3, 2.5]])
    assert ax.get_title(loc="left") == "2.5 after 3 iterations"
    assert ax.get_xscale() == "linear"
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("iteration", "-log p")


def test_trace_of_several_runs_has_a_legend_and_long_ones_a_logarithmic_axis():
    ax = plots.trace({"EM": np.linspace(9, 1, 1000), "_fast": [9.0, 1.0]})
    assert legend_texts(ax) == ["EM", "_fast"]
    assert ax.get_xscale() == "log"
    assert len(curves(ax)) == 4


# ---- variables -----------------------------------------------------------------------------------


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
    expected = {f"x{i}" for i in np.argsort(-length)[: plots.MAX_LABELS]}
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
    assert "n" * (plots.LONGEST_LABEL - 1) + "…" in texts(ax)


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


# ---- rows ----------------------------------------------------------------------------------------


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
    n = plots.MANY_POINTS
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


def test_missing_map_shows_holes_and_counts_them():
    X = np.array([[1, np.nan, 2], [3, 4, 5], [6, np.nan, np.nan], [7, 8, 9]])
    ax = plots.missing_map(X, ["a", "b", "c$"])
    assert_array_equal(ax.images[0].get_array(), np.isnan(X))
    assert [t.get_text() for t in ax.get_xticklabels()] == ["a", "b  50 %", "c$  25 %"]
    assert ax.get_xlabel() == "25 % missing; 2 of 4 rows complete"
    assert ax.get_ylim() == (4, 0)


def test_bands_of_a_long_table_have_the_mean_of_their_rows(rng):
    X = np.where(rng.random((1013, 3)) < 0.3, np.nan, 1.0)
    ax = plots.missing_map(X)
    share = np.asarray(ax.images[0].get_array())
    assert share.shape == (plots.MAX_BANDS, 3)
    assert_allclose(share[0], np.isnan(X[:2]).mean(axis=0))  # 1013 / 400 = 2.53 rows
    assert_allclose(share[1], np.isnan(X[2:5]).mean(axis=0))


def test_missing_map_takes_whole_numbers_and_booleans():
    assert plots.missing_map([[1, 2], [3, 4]]).get_xlabel() == "0 % missing; 2 of 2 rows complete"
    plots.missing_map(np.ones((3, 2), dtype=bool))


@pytest.mark.parametrize("d", [2, 20, 35, 150])
def test_names_of_columns_stand_outside_the_map(rng, d):
    X = np.where(rng.random((50, d)) < 0.3, np.nan, 1.0)
    ax = plots.missing_map(X, [f"quantity {f}" for f in range(d)])
    ax.figure.draw_without_rendering()
    top = ax.get_window_extent().y1
    assert all(label.get_window_extent().y0 >= top - 1 for label in ax.get_xticklabels())


# ---- placing of names ----------------------------------------------------------------------------


def test_positions_far_enough_apart_stay():
    wanted = np.array([3.0, 1.0, 2.0])
    assert_allclose(plots.spread_out(wanted, 0.5, 0, 4), wanted)


def test_close_positions_part_about_their_middle():
    assert_allclose(plots.spread_out(np.array([1.0, 1.0, 5.0]), 1.0, 0, 9), [0.5, 1.5, 5.0])


def test_positions_stay_within_their_bounds(rng):
    wanted = rng.uniform(-10, 10, size=12)
    placed = plots.spread_out(wanted, 0.5, -3.0, 3.0)
    assert placed.min() >= -3 and placed.max() <= 3
    in_order = placed[np.argsort(wanted)]
    assert np.all(np.diff(in_order) >= 0.5 - 1e-12)


def test_boxes_are_moved_apart_and_free_ones_stay(rng):
    centers = rng.uniform(0, 3, size=(30, 2))
    centers[-1] = [100.0, 100.0]
    sizes = np.column_stack([rng.uniform(0.5, 1.5, 30), np.full(30, 0.2)])
    placed = plots.move_apart(centers, sizes)
    assert_array_equal(placed[[0, -1]], centers[[0, -1]])
    for i in range(30):
        for j in range(i):
            apart = np.abs(placed[i] - placed[j]) - (sizes[i] + sizes[j]) / 2
            assert apart.max() > -0.01


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: plots.scree([]), r"variance_ratio has shape \(0,\)"),
        (lambda: plots.scree([[0.5]]), r"variance_ratio has shape \(1, 1\)"),
        (lambda: plots.scree([0.5], chosen=2), "chosen=2 is not between 0 and the 1 components"),
        (lambda: plots.scree([0.5], errors=[0.1, 0.1]), "errors has 2 entries where 1 are needed"),
        (lambda: plots.scree([0.5], parallel=[0.1, 0.1]), "parallel has 2 entries"),
        (lambda: plots.curve_with_errors([1, 2], [1.0]), "curve has 1 entries where 2"),
        (lambda: plots.curve_with_errors([1, 2], [1.0, 2.0], None, 3), "choice=3 is not one of"),
        (lambda: plots.trace([]), r"history has shape \(0,\)"),
        (lambda: plots.trace({}), "history is empty"),
        (lambda: plots.correlation_circle([[2.0, 0.0]]), "rows longer than 1"),
        (lambda: plots.correlation_circle([[0.1]]), r"axes=\(0, 1\) must be two of the 1 columns"),
        (lambda: plots.correlation_circle([[0.1, np.nan]]), "NaN or infinity .first in row 0."),
        (lambda: plots.correlation_circle([[0.1, 0.2]], ["a", "b"]), "names has 2 entries where 1"),
        (lambda: plots.biplot([1.0, 2.0], [[0.1, 0.2]]), r"Z has shape \(2,\)"),
        (lambda: plots.biplot(np.eye(2), [[1.0, 2.0]], labels=[1]), r"labels has shape \(1,\)"),
        (lambda: plots.loadings_heatmap([0.1]), r"loadings has shape \(1,\)"),
        (lambda: plots.loadings_heatmap([[0.1]], factor_names=["a", "b"]), "factor_names has 2"),
        (lambda: plots.scatter_map(np.eye(2), labels=[1, 2], colors=[1, 2]), "both given"),
        (lambda: plots.scatter_map(np.eye(2), colors=[1, 2, 3]), "colors has 3 entries where 2"),
        (lambda: plots.scatter_map(np.eye(2), axes=(0, 2)), r"axes=\(0, 2\) must be two of the 2"),
        (lambda: plots.missing_map(np.empty((0, 3))), r"X has shape \(0, 3\)"),
        (lambda: plots.missing_map([[1.0]], ["a", "b"]), "names has 2 entries where 1"),
    ],
)  # fmt: skip
def test_bad_arguments_are_named_and_open_no_figure(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()
    assert plt.get_fignums() == []
