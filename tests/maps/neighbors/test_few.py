"""Few points: the bound lets the nearest through, whatever the scores."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lowdim.maps.neighbors.few import nearest_by_scores, strides_for


def nearest(X, k, K, own=True, run=nearest_by_scores):
    """The k nearest by the kernel and a score that the others stay below."""
    n = len(X)
    X = np.ascontiguousarray(X, np.float32)
    offset = -(X * X).sum(axis=1) / 2
    work = (
        np.empty(strides_for(K, n), np.float32),
        np.empty(n + 1, np.int32),
        np.empty(n + 1, np.float32),
    )
    found = np.empty((n, k), np.int32), np.empty((n, k)), np.empty(n, np.float32)
    run(X @ X.T, offset, X, X, np.zeros(n), 0 if own else -1, K, *work, *found)
    return found


def true_nearest(X, k, own=True):
    D = ((X[:, None].astype(float) - X) ** 2).sum(axis=2)
    if own:
        np.fill_diagonal(D, np.inf)
    return np.argsort(D, axis=1, kind="stable")[:, :k], np.sort(D, axis=1)[:, :k]


@pytest.mark.parametrize("own", [True, False])
@pytest.mark.parametrize(("n", "k", "K"), [(300, 5, 7), (300, 60, 70), (40, 30, 34), (3, 1, 2)])
def test_nearest_are_those_of_sorting(rng, n, k, K, own):
    X = rng.integers(0, 9, size=(n, 5)).astype(np.float32)  # many equal distances: by number
    index, squares, _ = nearest(X, k, K, own)
    expected = true_nearest(X, k, own)
    assert_array_equal(index, expected[0])
    assert_array_equal(squares, expected[1])


def test_at_least_K_reach_the_bound_and_hardly_more(rng):
    X, K = rng.normal(size=(400, 6)).astype(np.float32), 20
    bound = nearest(X, 10, K)[2]
    scores = X @ X.T - (X * X).sum(axis=1) / 2
    np.fill_diagonal(scores, -np.inf)
    reached = (scores >= bound[:, None] - 1e-5).sum(axis=1)
    assert reached.min() >= K
    assert reached.mean() < 1.5 * K


def test_crowds_in_few_strides_are_thinned_out(rng):
    """Every eighth row is of one group: the neighbours of a row are in an eighth of the strides."""
    n, K = 640, 20
    X = 100.0 * rng.normal(size=(8, 4))[np.arange(n) % 8] + rng.normal(size=(n, 4))
    X = X.astype(np.float32)
    index, _, bound = nearest(X, 15, K)
    assert_array_equal(index, true_nearest(X, 15)[0])
    scores = X @ X.T - (X * X).sum(axis=1) / 2
    assert ((scores >= bound[:, None]).sum(axis=1) <= 2 * K + 1).all()


def test_the_kernel_is_its_python_twin(rng):
    X = rng.normal(size=(70, 9))
    for K in (12, 60):
        for compiled, plain in zip(
            nearest(X, 10, K), nearest(X, 10, K, run=nearest_by_scores.python), strict=True
        ):
            np.testing.assert_allclose(compiled, plain, rtol=1e-6, atol=1e-5)
