"""The table of a comparison: verdicts, text, HTML, data frames and a plot."""

import matplotlib.pyplot as plt
import numpy as np
import pytest
from numpy.testing import assert_allclose
from sklearn.impute import KNNImputer

import lowdim
from tests.selection.compare.shared import comparison, entrant, low_rank


def test_what_differs_surely_is_worse_and_what_does_not_ties():
    table = comparison(
        entrant("sure", [0.52, 0.62, 0.72]),  # 0.02 worse on every split
        entrant("best", [0.50, 0.60, 0.70]),
        entrant("unsure", [0.40, 0.70, 0.74]),  # 0.013 worse in the mean, now better, now worse
        entrant("slight", [0.5001, 0.6001, 0.7001]),  # surely worse, by less than a thousandth
        entrant("failed", [np.nan] * 3, "ValueError: no"),
    )
    assert table.names == ("best", "slight", "unsure", "sure", "failed")
    assert table.winner == "best"
    assert table.ties == ("slight", "unsure")
    assert list(table["verdict"]) == ["best", "tie", "tie", "worse", "failed"]
    assert_allclose(table["difference"][:4], [0, 1e-4, 0.04 / 3, 0.02], atol=1e-12)
    assert table.summary() == "Best: best; not distinguishable from it: slight, unsure."


def test_a_model_that_fails_on_one_split_is_no_tie_however_unsure():
    table = comparison(entrant("best", [0.5, 0.6, 0.7]), entrant("wild", [0.5, 0.6, 300.0]))
    assert list(table["verdict"]) == ["best", "worse"]


def test_the_table_can_be_read(rng):
    table = comparison(
        entrant("PCA", [0.5, 0.6]),
        entrant("a <b>", [0.9, 0.8]),
        entrant("DBSCAN", [np.nan, np.nan], "ValueError: <i>no</i>"),
    )
    text = repr(table)
    assert text.splitlines()[0] == (
        "10% of the entries of 10 x 4 held out, 2 times; error relative to column means"
    )
    assert text.splitlines()[2].split()[:2] == ["PCA", "0.5500"]
    assert text.splitlines()[-1].startswith("Best: PCA")
    html = table._repr_html_()
    assert "a &lt;b&gt;" in html and "<b>" not in html and "<i>" not in html
    assert html.count("<tr>") == 4


@pytest.mark.parametrize("backend", ["pandas", "polars"])
def test_the_table_becomes_a_data_frame(rng, backend):
    table = lowdim.compare(low_rank(rng, 40, 4), [lowdim.PCA(1), KNNImputer()], random_state=0)
    frame = table.to_frame(backend)
    assert list(frame.columns) == [
        *("model", "error", "std_error", "difference", "difference_std_error"),
        *("verdict", "seconds", "parameters", "remark"),
    ]
    assert tuple(frame["model"]) == table.names
    assert_allclose(frame["error"].to_numpy(), table.losses.mean(axis=0))


def test_the_plot_shows_what_ran_and_the_baseline(rng):
    table = comparison(
        entrant("$PCA_", [0.5, 0.6, 0.5]),
        entrant("column means", [1.0, 1.0, 1.0]),
        entrant("DBSCAN", [np.nan] * 3, "ValueError: no"),
    )
    ax = table.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["$PCA_", "column means"]
    worse, good, baseline = ax.lines[-3:]
    assert_allclose(good.get_xdata(), [1.6 / 3])
    assert_allclose(worse.get_xdata(), [1.0])
    assert_allclose(baseline.get_xdata(), [1.0, 1.0])
    assert "column means = 1" in ax.get_xlabel()
    ax.figure.canvas.draw()
    mine = plt.subplots()[1]
    assert table.plot(ax=mine) is mine
