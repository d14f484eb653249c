"""Errors by number of components: closed forms, and when the search stops."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from lowdim.selection.rank_errors import _upwards, block_errors, completion_errors, entry_errors


def exact(rng, n=60, d=8, k=2):
    return rng.normal(size=(n, k)) @ rng.normal(size=(k, d))


@pytest.mark.parametrize("errors", [block_errors, entry_errors])
def test_a_matrix_of_low_rank_is_predicted_exactly_by_its_rank(rng, errors):
    losses = errors(exact(rng), 3, 2, rng)
    assert losses.shape == (2, 4)
    assert_allclose(losses[:, 0], 1.0)  # column means
    assert (losses[:, 2] < 1e-3).all()
    assert (losses[:, 1] > 0.01).all()


def test_completion_predicts_entries_of_a_matrix_that_is_half_missing(rng):
    X = exact(rng, 120, 40)
    X[rng.random(X.shape) < 0.5] = np.nan
    losses = completion_errors(X, 3, 2, rng)
    assert_allclose(losses[:, 0], 1.0)
    assert (losses[:, 2] < 0.02).all()
    assert (losses[:, 1] > 0.05).all()


def test_the_error_of_a_block_is_that_of_the_formula(rng):
    # one component: A ~ B pinv(D) C with the leading singular pair of D, less the kept means
    X = rng.normal(size=(10, 4))
    seed = int(rng.integers(1000))
    losses = block_errors(X, 1, 1, np.random.default_rng(seed))
    order = np.random.default_rng(seed)
    row, column = order.permutation(10), order.permutation(4)
    expected = []
    for out, kept in [(row[:5], row[5:]), (row[5:], row[:5])]:
        for left, right in [(column[:2], column[2:]), (column[2:], column[:2])]:
            Y = X - X[kept].mean(axis=0)
            U, s, Vt = np.linalg.svd(Y[np.ix_(kept, right)], full_matrices=False)
            pinv = np.outer(Vt[0], U[:, 0]) / s[0]
            A, B, C = (Y[np.ix_(i, f)] for i, f in [(out, left), (out, right), (kept, left)])
            expected.append(np.sum((A - B @ pinv @ C) ** 2) / np.sum(A**2))
    assert_allclose(losses, [[1.0, np.mean(expected)]])


def test_ranks_are_tried_until_the_error_has_risen_three_times():
    curve = [0.5, 0.4, 0.6, 0.7, 0.8, 0.1]
    losses = _upwards(lambda: iter(curve), 6, 3)
    assert_array_equal(losses, [[1.0, 0.5, 0.4, 0.6, 0.7, 0.8]] * 3)
    assert_array_equal(_upwards(lambda: iter(curve), 3, 1), [[1.0, 0.5, 0.4, 0.6]])


def test_a_matrix_too_small_for_blocks_is_refused(rng):
    with pytest.raises(ValueError, match="too small to hold out blocks"):
        block_errors(rng.normal(size=(2, 5)), None, 2, rng)
