"""A look at a map: stress and gradient against plain sums and differences."""

import numpy as np
import pytest
from scipy.optimize import check_grad

import lowdim
from lowdim.maps.mds import guttman
from lowdim.maps.mds.guttman import (
    look_at_pairs,
    look_at_rows,
    measure_pairs,
    pair_distances,
    pairs_look,
    rows_look,
    square_look,
)
from tests.maps.mds.examples import list_of, noisy, random_weights, raw_stress


def test_borg_and_groenens_step():
    """Modern Multidimensional Scaling (2005), section 8.6: one Guttman transform."""
    D = np.array([[0, 5, 3, 4], [5, 0, 2, 2], [3, 2, 0, 1], [4, 2, 1, 0]], dtype=float)
    Y = np.array([[-0.266, -0.539], [0.451, 0.252], [0.016, -0.238], [-0.200, 0.524]])
    look = square_look(D, Y)
    expected = [[-1.415, -2.471], [1.633, 1.107], [0.249, -0.067], [-0.468, 1.431]]
    moved = Y - Y.mean(axis=0) - look.gradient / 8
    np.testing.assert_allclose(moved, expected, atol=1.1e-3)  # Y has three digits
    np.testing.assert_allclose(look.stress, 34.29899, atol=5e-3)


@pytest.mark.parametrize("k", [1, 2, 5])
def test_stress_and_gradient_are_those_of_the_sum(rng, k):
    D, Y = noisy(rng, 12), rng.normal(size=(12, k))
    W = random_weights(rng, 12)
    pairs = list_of(D, W)

    def listed(Y):
        return pairs_look(pairs.first, pairs.second, pairs.weight, pairs.dissimilarity, Y)

    np.testing.assert_allclose(square_look(D, Y).stress, raw_stress(D, Y), rtol=1e-12)
    np.testing.assert_allclose(listed(Y).stress, raw_stress(D, Y, W), rtol=1e-12)
    for look in (lambda Y: square_look(D, Y), listed):
        error = check_grad(
            lambda y, look=look: look(y.reshape(Y.shape)).stress,
            lambda y, look=look: look(y.reshape(Y.shape)).gradient.ravel(),
            Y.ravel(),
        )
        assert error < 1e-5 * np.abs(look(Y).gradient).max()


def test_a_square_is_a_list_of_all_its_pairs(rng):
    D, Y = noisy(rng, 40), rng.normal(size=(40, 3))
    pairs = list_of(D)
    square = square_look(D + np.diag(rng.random(40)), Y)  # the diagonal does not count
    listed = pairs_look(pairs.first, pairs.second, pairs.weight, pairs.dissimilarity, Y)
    np.testing.assert_allclose(square.stress, listed.stress, rtol=1e-12)
    np.testing.assert_allclose(square.gradient, listed.gradient, rtol=1e-9, atol=1e-11)


def test_single_precision_agrees(rng):
    D, Y = noisy(rng, 60), rng.normal(size=(60, 2))
    single, double = square_look(D.astype(np.float32), Y), square_look(D, Y)
    np.testing.assert_allclose(single.stress, double.stress, rtol=1e-5)
    np.testing.assert_allclose(single.gradient, double.gradient, atol=1e-4)
    assert single.gradient.dtype == np.float64


def test_points_in_one_place_do_not_push_each_other():
    D, Y = np.array([[0.0, 1.0], [1.0, 0.0]]), np.zeros((2, 2))
    pairs = list_of(D)
    for look in (
        square_look(D, Y),
        pairs_look(pairs.first, pairs.second, pairs.weight, pairs.dissimilarity, Y),
    ):
        assert look.stress == 1.0
        assert not look.gradient.any()


def test_rows_are_looked_at_each_for_itself(rng):
    f, y, Y = rng.random((7, 20)), rng.normal(size=(7, 2)), rng.normal(size=(20, 2))
    together = rows_look(f, y, Y)
    for i in range(7):
        alone = rows_look(f[i : i + 1], y[i : i + 1], Y)
        assert alone.stress[0] == together.stress[i]
        np.testing.assert_array_equal(alone.gradient[0], together.gradient[i])


def test_threads_change_no_bit(rng, monkeypatch):
    monkeypatch.setattr(guttman, "PAIRS_PER_PIECE", 64)
    D, Y = noisy(rng, 40), rng.normal(size=(40, 2))
    pairs = list_of(D)
    looks = []
    for threads in (1, 3):
        with lowdim.config_context(threads=threads):
            looks.append(square_look(D, Y))
            looks.append(
                pairs_look(pairs.first, pairs.second, pairs.weight, pairs.dissimilarity, Y)
            )
    for left, right in (looks[::2], looks[1::2]):
        assert left.stress == right.stress
        np.testing.assert_array_equal(left.gradient, right.gradient)


def test_kernels_are_their_plain_loops(rng):
    n, k = 9, 3
    f, Y = rng.random((4, n)), rng.normal(size=(n, k))
    columns = np.ascontiguousarray(Y.T)
    results = []
    for look in (look_at_rows, look_at_rows.python):
        gradient, stress = np.empty((k, 4)), np.empty(4)
        look(f, np.ascontiguousarray(columns[:, :4]), columns, gradient, stress, np.empty(n))
        results.append((gradient, stress))
    for compiled, plain in zip(*results, strict=True):
        np.testing.assert_allclose(compiled, plain, rtol=1e-12, atol=1e-13)
    pairs = list_of(noisy(rng, n), random_weights(rng, n))
    first, second, delta, weight, _ = pairs
    sums = []
    for look in (look_at_pairs, look_at_pairs.python):
        gradient = np.zeros((n, k))
        sums.append((look(first, second, weight, delta, Y, gradient), gradient))
    np.testing.assert_allclose(sums[0][0], sums[1][0], rtol=1e-12)
    np.testing.assert_allclose(sums[0][1], sums[1][1], atol=1e-12)
    plain = np.empty(len(first))
    measure_pairs.python(first, second, Y, plain)
    np.testing.assert_allclose(pair_distances(first, second, Y), plain, rtol=1e-14)
