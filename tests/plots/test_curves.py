"""Curves: what is in the Axes. How they look is judged by eye, not here."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lowdim import plots
from tests.plots.reading import curves, legend_texts


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


def test_comparison_fills_the_good_and_keeps_the_order():
    ax = plots.comparison(
        ["$PCA_", "a", "b"], [0.4, 0.5, 1.0], [0.01, 0.2, 0.0], [True, True, False], baseline=1.0
    )
    worse, good, baseline = ax.lines[-3:]
    assert_allclose(good.get_xydata(), [[0.4, 0], [0.5, 1]])
    assert_allclose(worse.get_xydata(), [[1.0, 2]])
    assert_allclose(baseline.get_xdata(), 1.0)
    assert [label.get_text() for label in ax.get_yticklabels()] == ["$PCA_", "a", "b"]
    assert_allclose(ax.collections[0].get_segments()[1], [[0.1, 1], [0.9, 1]])  # two errors
    assert ax.get_ylim()[0] > ax.get_ylim()[1]  # the first on top
