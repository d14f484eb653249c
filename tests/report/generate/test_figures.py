"""Figures of columns."""

import numpy as np

from lowdim.report.generate.columns import Shares
from lowdim.report.generate.figures import column_figure


def test_levels_and_numbers_are_drawn():
    half = np.array([0.5, 0.5])
    levels = column_figure(Shares("k", ["$$a", "b"], None, False, half, half), "l")
    assert levels.yaxis[0].major_label_overrides[1] == "b"
    assert "$$a" not in levels.yaxis[0].major_label_overrides[0]  # no formula
    for is_date in (False, True):
        edges = np.array([0.0, 1.0, 2.0])
        numbers = column_figure(Shares("x", None, edges, is_date, half, half), "n")
        assert len(numbers.renderers) == 2
