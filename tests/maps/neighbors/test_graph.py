"""Neighbours from a sparse graph of distances."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_array_equal

from lowdim.maps.neighbors.graph import smallest_of_graph

GRAPH = sp.csr_array(
    (np.array([2.0, 1.0, 0.5, 3.0, 3.0, 0.1]), [0, 1, 2, 2, 0, 1], [0, 3, 5, 6]), shape=(3, 3)
)


def test_the_smallest_entries_come_first_and_the_row_itself_does_not_count():
    found = smallest_of_graph(GRAPH, 1, own=True)
    assert_array_equal(found.indices, [[2], [0], [1]])
    assert_array_equal(found.distances, [[0.5], [3.0], [0.1]])
    new = smallest_of_graph(GRAPH[:2], 2, own=False)
    assert_array_equal(new.indices, [[2, 1], [0, 2]])


def test_a_row_with_too_few_is_named():
    with pytest.raises(ValueError, match="Row 2 of neighbors has distances to 1 other"):
        smallest_of_graph(GRAPH, 2, own=True, name="neighbors")
