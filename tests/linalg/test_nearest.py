"""The best columns of many rows: against sorting all scores."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose, assert_array_equal

from lowdim import config_context
from lowdim.linalg import nearest
from lowdim.linalg.nearest import best_among, best_columns, best_of, unit_rows


def sorted_twin(Z, W, offset, n, seen=None):
    """All scores, sorted: what `best_columns` must give."""
    scores = Z @ W.T + offset
    if seen is not None:
        scores[seen.toarray() != 0] = -np.inf
    column = np.argsort(-scores, axis=1, kind="stable")[:, :n]
    score = np.take_along_axis(scores, column, axis=1)
    return np.where(np.isfinite(score), column, -1), score


# Golden values


def test_the_best_columns_come_first_and_equal_scores_by_number():
    Z, W = np.array([[1.0], [-1.0]]), np.array([[2.0], [5.0], [2.0], [-1.0]])
    best = best_columns(Z, W, np.array([0.0, 0.0, 0.0, 10.0]), 3)
    assert_array_equal(best.column, [[3, 1, 0], [3, 0, 2]])
    assert_array_equal(best.score, [[9.0, 5.0, 2.0], [11.0, -2.0, -2.0]])


def test_a_row_with_too_few_columns_says_so():
    Z, W = np.ones((1, 1)), np.arange(4.0)[:, None]
    seen = sp.csr_array(np.array([[0, 1, 0, 1]]))
    best = best_columns(Z, W, np.array([-np.inf, 0, 0, 0]), 3, leave_out=seen)
    assert_array_equal(best.column, [[2, -1, -1]])
    assert_array_equal(best.score, [[2.0, -np.inf, -np.inf]])


def test_similarity_is_the_cosine_in_the_metric():
    F = np.array([[1.0, 0.0], [0.0, 2.0], [0.0, 0.0]])
    metric = np.array([[2.0, 1.0], [1.0, 2.0]])
    products = unit_rows(F, metric) @ unit_rows(F, metric).T
    assert_allclose(products, [[1.0, 0.5, 0.0], [0.5, 1.0, 0.0], [0, 0, 0]], atol=1e-15)


# The kernel and its twin


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [1, 7, 100])
def test_the_kernel_gives_what_sorting_gives(rng, dtype, n):
    Z = rng.integers(-3, 4, size=(23, 3)).astype(dtype)  # small integers: many equal scores
    W = rng.integers(-3, 4, size=(50, 3)).astype(dtype)
    offset = rng.integers(0, 3, size=50).astype(dtype)
    offset[rng.random(50) < 0.2] = -np.inf
    seen = sp.random_array((23, 50), density=0.3, rng=rng, format="csr")
    best = best_columns(Z, W, offset, n, leave_out=seen)
    column, score = sorted_twin(Z, W, offset, n, seen)
    assert best.score.dtype == dtype and best.column.shape == (23, min(n, 50))
    assert_array_equal(best.column, column)
    assert_array_equal(best.score, score)


@pytest.mark.parametrize("n", [1, 20, 32, 33])
def test_rows_that_begin_with_a_bound_keep_what_sorting_gives(rng, n):
    scores = rng.normal(size=(12, 300)).astype(np.float32)
    scores[1] = scores[1].round()  # many equal ones
    scores[2] = 5.0
    scores[3, :280] = -np.inf  # fewer than n may be left
    scores[4, ::3] = np.nan  # take no part
    scores[5, 64:] = scores[5, :64].min()
    scores[6] = np.sort(scores[6])  # every one better than those before
    offset = rng.normal(size=300).astype(np.float32)
    offset[::7] = -np.inf
    best = best_of(lambda i, j: scores[i, j].copy(), 12, offset, n, (12, 300))
    left = np.where(np.isnan(scores), -np.inf, scores)
    scores = left + offset
    column = np.argsort(-scores, axis=1, kind="stable")[:, :n]
    score = np.take_along_axis(scores, column, axis=1)
    column = np.where(np.isfinite(score), column, -1)
    assert_array_equal(best.column, column)
    assert_array_equal(best.score, score)


def test_blocks_and_threads_do_not_change_the_result(rng, monkeypatch):
    Z, W, offset = rng.normal(size=(40, 4)), rng.normal(size=(30, 4)), rng.normal(size=30)
    seen = sp.random_array((40, 30), density=0.3, rng=rng, format="csr")
    expected = sorted_twin(Z, W, offset, 5, seen)[0]
    for size in (1, 2000, 2**20):
        monkeypatch.setattr(nearest, "BLOCK_BYTES", size)
        for threads in (1, 3):
            with config_context(threads=threads):
                best = best_columns(Z, W, offset, 5, leave_out=seen)
            assert_array_equal(best.column, expected)


def test_columns_may_come_in_another_order(rng):
    Z = rng.integers(-3, 4, size=(40, 3)).astype(float)  # many equal scores
    W = rng.integers(-3, 4, size=(130, 3)).astype(float)
    order, offset = rng.permutation(130), np.zeros(130)
    moved = W[order]
    best = best_of(lambda i, j: Z[i] @ moved[j].T, 40, offset[order], 9, (16, 70), numbers=order)
    assert_array_equal(best.column, sorted_twin(Z, W, offset, 9)[0])


@pytest.mark.parametrize("d", [1, 2, 20, 41])
def test_products_that_are_made_once_give_the_same(rng, d, monkeypatch):
    monkeypatch.setattr(nearest, "BLOCK_ROWS", 7)
    W = rng.integers(-3, 4, size=(d + 4, 3)).astype(np.float32)  # many equal scores
    offset, order = -np.square(W).sum(axis=1) / 2, rng.permutation(d + 4)
    itself = sp.eye_array(d + 4, format="csr")
    expected = sorted_twin(W, W, offset, 4, itself)
    for threads in (1, 3):
        with config_context(threads=threads):
            best = best_among(W[order], offset[order], 4, order)
        assert_array_equal(best.column[np.argsort(order)], expected[0])
        assert_array_equal(best.score[np.argsort(order)], expected[1])


@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_in_a_tournament_every_team_meets_every_other_once(n):
    rounds = list(nearest._rounds(list(range(n))))
    assert all(len({team for pair in pairs for team in pair}) == 2 * len(pairs) for pairs in rounds)
    met = sorted(tuple(sorted(pair)) for pairs in rounds for pair in pairs)
    assert met == [(a, b) for a in range(n) for b in range(a + 1, n)]


def test_read_only_arrays_are_taken_and_left_as_they_are(rng):
    Z, W, offset = rng.normal(size=(5, 2)), rng.normal(size=(8, 2)), np.zeros(8)
    for array in (Z, W, offset):
        array.flags.writeable = False
    assert_array_equal(best_columns(Z, W, offset, 2).column, sorted_twin(Z, W, offset, 2)[0])


def test_nearest_rows_are_those_of_the_smallest_distances(rng):
    X, Y = rng.normal(size=(12, 3)), rng.normal(size=(30, 3))
    best = best_columns(X, Y, -np.square(Y).sum(axis=1) / 2, 4)
    squares = np.square(X[:, None] - Y).sum(axis=2)
    assert_array_equal(best.column, np.argsort(squares, axis=1)[:, :4])
    found = np.square(X).sum(axis=1)[:, None] - 2 * best.score
    assert_allclose(found, np.sort(squares, axis=1)[:, :4], atol=1e-12)
    itself = sp.eye_array(30, format="csr")  # is nearest to each row
    others = best_columns(Y, Y, -np.square(Y).sum(axis=1) / 2, 1, leave_out=itself).column[:, 0]
    between = np.square(Y[:, None] - Y).sum(axis=2) + np.diag(np.full(30, np.inf))
    assert_array_equal(others, between.argmin(axis=1))


def test_similarities_do_not_depend_on_how_the_model_is_written(rng):
    Z, W, A = rng.normal(size=(60, 3)), rng.normal(size=(20, 3)), rng.normal(size=(3, 3))
    A += 3 * np.eye(3)  # U A and V A^-T give the same products
    Z2, W2 = Z @ A, W @ np.linalg.inv(A).T
    F, F2 = unit_rows(W, np.cov(Z.T)), unit_rows(W2, np.cov(Z2.T))
    assert_allclose(F @ F.T, F2 @ F2.T, atol=1e-9)
    assert_allclose(F @ F.T, np.corrcoef(W @ Z.T), atol=1e-12)
