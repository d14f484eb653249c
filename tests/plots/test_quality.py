"""Shepard's diagram and the curve of kept neighbours."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import lowdim
from lowdim import plots
from lowdim.plots.quality import MANY_PAIRS
from tests.plots.reading import curves, legend_texts


def test_pairs_are_points_and_disparities_a_curve(rng):
    D = np.abs(rng.normal(size=(12, 12)))
    found = lowdim.shepard(D + D.T, rng.normal(size=(12, 2)))
    for ax in (plots.shepard(found), plots.shepard(*found)):
        assert_array_equal(ax.collections[0].get_offsets(), np.column_stack(found[:2]))
        (curve,) = curves(ax)
        assert_array_equal(curve, np.column_stack([found.dissimilarity, found.disparity]))
        assert ax.get_xlabel() == "dissimilarity"


def test_without_disparities_there_is_no_curve():
    assert curves(plots.shepard([1, 2, 3], [2, 1, 3])) == []


def test_many_pairs_are_counted(rng):
    n = MANY_PAIRS + 1
    ax = plots.shepard(rng.random(n), rng.random(n))
    assert ax.collections[0].get_array().sum() == n


def test_kept_neighbours_are_a_curve_over_sizes(rng):
    R = np.linspace(0.8, 0.0, 3000)
    ax = plots.kept_neighbors(R, n_neighbors=10, name="first")
    plots.kept_neighbors(R / 2, name="second", ax=ax)
    first, second = (c for c in curves(ax) if len(c) > 2)
    assert len(first) <= 500
    assert_allclose(first[:, 1], R[first[:, 0].astype(int) - 1])
    assert_allclose(second[:, 1], first[:, 1] / 2)
    assert first[0, 0] == 1 and first[-1, 0] == 3000
    assert legend_texts(ax) == ["first", "second"]
    assert ax.get_xscale() == "log"


def test_bad_input():
    with pytest.raises(ValueError, match="distance has 2 entries where 3 are needed"):
        plots.shepard([1, 2, 3], [1, 2])
    with pytest.raises(ValueError, match="distance is None; give what"):
        plots.shepard([1, 2, 3])


def test_shares_are_drawn_beside_those_of_honest_draws():
    ax = plots.sample_shares({"recall": 0.6, "c2st": 0.9}, {"c2st": 0.5, "recall": 1.0})
    aim, found = (line.get_xdata().tolist() for line in ax.lines)
    assert aim == [1.0, 0.5] and found == [0.6, 0.9]
    with pytest.raises(ValueError, match="honest lacks 'recall'"):
        plots.sample_shares({"recall": 0.6}, {})
