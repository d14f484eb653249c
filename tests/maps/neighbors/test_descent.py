"""Neighbours by pynndescent: what is made of its answer."""

import sys
import types

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import lowdim
from tests.maps.examples import sorted_neighbors


@pytest.fixture
def stand_in(monkeypatch):
    """Gives all neighbours but of row 3, and the row itself; compiling takes a minute."""
    asked = {}

    class NNDescent:
        def __init__(self, rows, **arguments):
            asked.update(arguments)
            k = arguments["n_neighbors"]
            index, far = sorted_neighbors(rows, k - 1, arguments["metric"])
            index = np.column_stack([np.arange(len(rows)), index])
            index[3, 2:] = -1
            self.neighbor_graph = index, np.column_stack([np.zeros(len(rows)), far])

    module = types.ModuleType("pynndescent")
    module.NNDescent = NNDescent
    monkeypatch.setitem(sys.modules, "pynndescent", module)
    return asked


@pytest.mark.parametrize("metric", ["euclidean", "cosine", "manhattan"])
def test_neighbours_are_measured_and_completed(rng, metric, stand_in):
    X = rng.normal(size=(40, 3))
    found = lowdim.neighbors(X, 5, metric=metric, method="pynndescent", random_state=1)
    assert_array_equal(found.indices, sorted_neighbors(X, 5, metric)[0])
    assert_allclose(found.distances, sorted_neighbors(X, 5, metric)[1], atol=1e-12)
    assert stand_in["n_jobs"] == 1


def test_without_the_package_the_error_says_what_to_install(rng, monkeypatch):
    monkeypatch.setitem(sys.modules, "pynndescent", None)
    with pytest.raises(ImportError, match=r"pip install 'lowdim\[maps\]'"):
        lowdim.neighbors(rng.normal(size=(20, 2)), 3, method="pynndescent")
