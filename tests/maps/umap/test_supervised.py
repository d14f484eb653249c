"""Labels and targets in the graph."""

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.maps.umap.supervised import (
    checked_labels,
    checked_targets,
    connected_again,
    joined_by_labels,
    joined_by_targets,
)
from tests.maps.umap.examples import graph_of


def test_labels_weaken_edges_between_them():
    graph = sp.csr_array(np.array([[0, 1, 0.5], [1, 0, 0.5], [0.5, 0.5, 0]], np.float32))
    joined = joined_by_labels(graph, np.array([0, 0, 1]), 0.5).toarray()
    # exp(-5) / 2 between labels; the third row's strongest edge is made 1, and united with it
    weak = 0.5 * np.exp(-5.0)
    np.testing.assert_allclose(joined[0, 1], 1.0)
    np.testing.assert_allclose(joined[0, 2], 1.0 + weak - weak, rtol=1e-4)


def test_an_unknown_label_weakens_less():
    one = np.ones((3, 3), np.float32) - np.eye(3, dtype=np.float32)
    chain = sp.csr_array(one)
    known = joined_by_labels(chain, np.array([0, 0, 1]), 0.9)
    unknown = joined_by_labels(chain, np.array([0, 0, -1]), 0.9)
    np.testing.assert_allclose(unknown.toarray()[0, 1], 1.0)
    assert known.nnz == unknown.nnz == 6
    # before every row's strongest edge is 1 again the third row has exp(-1) to both
    np.testing.assert_allclose(unknown.toarray()[2, :2], [1.0, 1.0], rtol=1e-4)


def test_full_weight_cuts_edges_between_labels(rng):
    X = rng.normal(size=(60, 3))
    labels = np.arange(60) % 2
    joined = joined_by_labels(graph_of(X), labels, 1.0)
    row = np.repeat(np.arange(60), np.diff(joined.indptr))
    assert (labels[row] == labels[joined.indices]).all()


@pytest.mark.parametrize("weight", [0.2, 0.5, 0.8])
def test_targets_intersect_by_powers(rng, weight):
    graph, targets = graph_of(rng.normal(size=(40, 3)), 8), graph_of(rng.normal(size=(40, 1)), 8)
    left, right = graph.toarray().astype(float), targets.toarray().astype(float)
    union = (left > 0) | (right > 0)
    left = np.where(left > 0, left, max(graph.data.min() / 2, 1e-8))
    right = np.where(right > 0, right, min(max(targets.data.min() / 2, 1e-8), 1e-4))
    s = weight
    mixed = left * right ** (s / (1 - s)) if s < 0.5 else left ** ((1 - s) / s) * right
    expected = connected_again(sp.csr_array(np.where(union, mixed, 0.0)))
    found = joined_by_targets(graph, targets, weight)
    np.testing.assert_allclose(found.toarray(), expected.toarray(), rtol=1e-4, atol=1e-7)


def test_edges_without_a_target_are_weak_however_large_the_weights_of_targets_are():
    # rows 0 and 1, and 2 and 3, are joined in both; all weights of targets are 1, and half of the
    # smallest is no small one
    graph = sp.csr_array(np.ones((4, 4)) - np.eye(4))
    targets = sp.csr_array(np.kron(np.eye(2), [[0.0, 1.0], [1.0, 0.0]]))
    found = joined_by_targets(graph, targets, 0.5).toarray()
    weak = 1e-4 + 1e-4 - 1e-4**2  # both directions are united
    eps = np.finfo(np.float32).eps  # the union, 1 - (1 - v)^2, is one of float32 near 1
    np.testing.assert_allclose(found[0], [0.0, 1.0, weak, weak], atol=eps)


def test_every_row_has_an_edge_of_weight_1_again(rng):
    graph = graph_of(rng.normal(size=(50, 3)))
    joined = connected_again(sp.csr_array(graph * 0.1))
    np.testing.assert_allclose(joined.max(axis=1).toarray(), 1.0)
    assert abs(joined - joined.T).max() == 0


def test_labels_may_be_words_and_numbers():
    np.testing.assert_array_equal(
        checked_labels([3, -1, 3, 5], 4) == -1, [False, True, False, False]
    )
    words = checked_labels(np.array(["a", "b", "a"], dtype=object), 3)
    assert words[0] == words[2] != words[1]
    some = checked_labels(np.array(["a", None, -1], dtype=object), 3)
    np.testing.assert_array_equal(some == -1, [False, True, True])
    np.testing.assert_array_equal(checked_labels([[1], [2]], 2), [0, 1])
    np.testing.assert_array_equal(checked_labels([True, False], 2), [1, 0])


WRONG = {
    "too few": ([0, 1], "y has 2 values, and X has 3 rows"),
    "one value": (1, "y has one value"),
    "two columns": (np.zeros((3, 2)), "one label for each row"),
    "nan": ([0.0, np.nan, 1.0], "-1 marks labels that are unknown"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_wrong_labels_are_refused(kind):
    y, message = WRONG[kind]
    with pytest.raises(ValueError, match=message):
        checked_labels(y, 3)


def test_wrong_targets_are_refused():
    assert checked_targets([1, 2, 3], 3).shape == (3, 1)
    with pytest.raises(ValueError, match="target_metric='categorical' for labels"):
        checked_targets(["a", "b", "c"], 3)
    with pytest.raises(ValueError, match="y has 2 values"):
        checked_targets([1, 2], 3)
    with pytest.raises(ValueError, match="NaN or infinity"):
        checked_targets([1, 2, np.inf], 3)
