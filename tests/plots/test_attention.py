"""Weights of attention as a picture."""

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure

from lowdim import plots


def test_rows_are_what_is_said_and_columns_what_is_looked_at():
    A = np.tril(np.ones((3, 3))) / np.arange(1, 4)[:, None]
    ax = plots.attention_map(A, ["a", "b", "c"], ax=Figure().subplots())
    assert [t.get_text() for t in ax.get_yticklabels()] == ["a", "b", "c"]
    assert [t.get_text() for t in ax.get_xticklabels()] == ["start", "a", "b"]
    (image,) = ax.get_images()
    shown = image.get_array()
    np.testing.assert_array_equal(shown.mask, np.triu(np.ones((3, 3), bool), 1))
    np.testing.assert_allclose(shown.filled(0.0), A)


def test_many_entries_have_few_names():
    ax = plots.attention_map(np.eye(200), ax=Figure().subplots())
    assert len(ax.get_yticks()) <= 60


def test_what_is_not_square_is_refused():
    with pytest.raises(ValueError, match=r"weights has shape \(2, 3\)"):
        plots.attention_map(np.ones((2, 3)))
