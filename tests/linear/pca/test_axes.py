"""What the solvers share."""

import numpy as np
import pytest

from lowdim.linear.pca.axes import (
    Axes,
    NotFiniteError,
    completed,
    largest_turn,
    require_finite,
    rounding_of,
    top_of,
)


def axes_with(scatter, W):
    """Axes of 10 rows of zero mean."""
    total = float(np.sum(scatter))
    return Axes(10.0, np.zeros(len(W)), W, scatter, total, 1.0, np.dtype(np.float64), 1e-14)


def test_an_axis_without_variance_is_the_first_unit_vector_outside_the_others():
    W = np.array([[1.0, 0.6], [0.0, 0.8], [0.0, 0.0]])  # the second column is rounding
    found = completed(axes_with(np.array([4.0, 1e-20]), W), 2)
    np.testing.assert_allclose(found.W, [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], atol=1e-15)
    np.testing.assert_array_equal(found.scatter, [4.0, 0.0])


def test_axes_that_are_not_there_are_added_and_those_that_are_stay(rng):
    W, _ = np.linalg.qr(rng.normal(size=(8, 3)))
    axes = axes_with(np.array([3.0, 2.0, 1.0]), W)
    assert completed(axes, 3) is axes
    more = completed(axes, 6)
    np.testing.assert_array_equal(more.W[:, :3], W)
    np.testing.assert_allclose(more.W.T @ more.W, np.eye(6), atol=1e-12)
    np.testing.assert_array_equal(more.scatter, [3.0, 2.0, 1.0, 0.0, 0.0, 0.0])


@pytest.mark.parametrize("k", [1, 3, 10])
def test_the_top_of_a_matrix_is_numpys_whatever_the_driver(rng, k):
    A = rng.normal(size=(10, 10))
    S = A @ A.T
    values, vectors = top_of(S, k)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(S)[::-1][:k], rtol=1e-10)
    np.testing.assert_allclose(S @ vectors, vectors * values, atol=1e-10 * values[0])


def test_a_negative_eigenvalue_is_rounding():
    assert (top_of(np.diag([2.0, -1e-16]), 2)[0] == [2.0, 0.0]).all()


def test_a_turn_does_not_depend_on_the_sign():
    W = np.eye(3)[:, :2]
    assert largest_turn(W, W * [1.0, -1.0]) == 0.0
    turned = np.column_stack([W[:, 0], [0.0, np.cos(0.3), np.sin(0.3)]])
    assert largest_turn(W, turned) == pytest.approx(2 * np.sin(0.15))


def test_sums_that_are_not_finite_are_refused():
    require_finite(np.ones(2))
    for bad in (np.nan, np.inf):
        with pytest.raises(NotFiniteError):
            require_finite(np.array([1.0, bad]))


def test_rounding_follows_the_dtype():
    assert rounding_of(np.dtype(np.float32)) > 1e8 * rounding_of(np.dtype(np.float64))
