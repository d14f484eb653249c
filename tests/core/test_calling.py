"""Warnings point at the line that called lowdim."""

import warnings

import numpy as np
import pytest

import lowdim
from lowdim.core.calling import level_of_caller


def test_outside_lowdim_it_is_the_line_itself():
    assert level_of_caller() == 1


CALLS = {
    "FactorAnalysis": lambda: lowdim.FactorAnalysis(2).fit(heywood()),
    "FastICA": lambda: lowdim.FastICA(2, whiten=False, max_iter=1, tol=0).fit(np.eye(4)[:, :3]),
    "KMeans": lambda: lowdim.KMeans(3, n_init=1).fit(np.repeat([[0.0], [1.0]], 5, axis=0)),
    "GaussianMixture": lambda: lowdim.GaussianMixture(2, max_iter=1, random_state=0).fit(
        np.random.default_rng(0).normal(size=(50, 2))
    ),
    "TableEncoder": lambda: unknown_level(),
}


def heywood():
    """Two columns that are nearly one: a factor of their own explains the first one wholly."""
    random = np.random.default_rng(3)
    z = random.normal(size=(200, 2))
    return np.column_stack([z[:, 0], z[:, 0] + 1e-4 * z[:, 1], z[:, 1], random.normal(size=200)])


def unknown_level():
    pd = pytest.importorskip("pandas")
    table = pd.DataFrame({"a": ["x", "y"] * 10, "b": range(20)})
    encoder = lowdim.TableEncoder().fit(table)
    return encoder.transform(table.replace("y", "z"))


@pytest.mark.parametrize("name", CALLS)
def test_a_warning_points_at_this_file(name):
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        CALLS[name]()
    assert seen, "nothing was warned of"
    assert {warning.filename for warning in seen} == {__file__}
