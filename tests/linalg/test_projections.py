"""Projections onto subspaces given by any basis."""

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp

from lowdim.linalg import (
    coordinates,
    orthonormal_basis,
    principal_angles,
    project,
    project_orthonormal,
    projector,
    residuals,
)

# ---- golden values -------------------------------------------------------------------------------


def test_projection_onto_a_line_worked_by_hand():
    # (1, 1) has the projection (x + y) / 2 in both entries
    np.testing.assert_allclose(project([[3.0, 5.0]], [[1.0], [1.0]]), [[4.0, 4.0]], rtol=1e-15)
    np.testing.assert_allclose(residuals([[3.0, 5.0]], [[1.0], [1.0]]), [[-1.0, 1.0]], rtol=1e-15)
    np.testing.assert_allclose(projector([[1.0], [1.0]]), np.full((2, 2), 0.5), rtol=1e-15)
    np.testing.assert_allclose(coordinates([[3.0, 5.0]], [[2.0], [2.0]]), [[2.0]], rtol=1e-15)


def test_angles_between_known_subspaces():
    plane, tilted = np.eye(3)[:, :2], np.array([[1.0, 0.0], [0.0, np.cos(0.3)], [0.0, np.sin(0.3)]])
    np.testing.assert_allclose(principal_angles(plane, tilted), [0.0, 0.3], atol=1e-15)
    np.testing.assert_allclose(principal_angles(plane, [[0.0], [0.0], [5.0]]), [np.pi / 2])
    tiny = np.array([[1.0], [1e-12]])  # cos(1e-12) is 1 in floating point
    np.testing.assert_allclose(principal_angles(tiny, [[1.0], [0.0]]), [1e-12], rtol=1e-3)


# ---- the derivation ------------------------------------------------------------------------------


def test_projector_is_symmetric_idempotent_and_keeps_the_span(rng):
    B = rng.standard_normal((6, 3))
    P = projector(B)
    np.testing.assert_allclose(P, P.T, atol=1e-15)
    np.testing.assert_allclose(P @ P, P, atol=1e-14)
    np.testing.assert_allclose(P @ B, B, atol=1e-14)
    assert np.trace(P) == pytest.approx(3.0)


def test_projection_is_the_nearest_point_of_the_span(rng):
    X, B = rng.standard_normal((4, 7)), rng.standard_normal((7, 3))
    best = np.linalg.norm(X - project(X, B), axis=1)
    Z = coordinates(X, B)
    for _ in range(50):
        others = (Z + 0.01 * rng.standard_normal(Z.shape)) @ B.T
        assert np.all(np.linalg.norm(X - others, axis=1) >= best)


def test_residuals_are_orthogonal_to_the_basis_even_when_tiny(rng):
    B = rng.standard_normal((20, 4))
    X = 1e10 * rng.standard_normal((5, 4)) @ B.T + rng.standard_normal((5, 20))
    R = residuals(X, B)
    np.testing.assert_allclose(R @ orthonormal_basis(B), 0.0, atol=1e-13)
    np.testing.assert_allclose(R, X - project(X, B), atol=1e-4)  # 1e10 times rounding


# ---- properties ----------------------------------------------------------------------------------


def test_only_the_span_matters(rng):
    X, B = rng.standard_normal((5, 8)), rng.standard_normal((8, 3))
    mixed = B @ rng.standard_normal((3, 3))
    dependent = np.column_stack([B, B @ rng.standard_normal((3, 2)), np.zeros(8)])
    scaled = B * [1e-200, 1.0, 1e200]
    for other in (mixed, dependent, scaled):
        np.testing.assert_allclose(project(X, other), project(X, B), atol=1e-11)
        assert orthonormal_basis(other).shape == (8, 3)
        np.testing.assert_allclose(principal_angles(other, B), np.zeros(3), atol=1e-10)


def test_codes_and_projection_belong_together(rng):
    X = rng.standard_normal((5, 8))
    for B in (rng.standard_normal((8, 3)), np.ones((8, 3)), rng.standard_normal((8, 12))):
        np.testing.assert_allclose(coordinates(X, B) @ B.T, project(X, B), atol=1e-12)


def test_zero_basis_explains_nothing(rng):
    X, zero = rng.standard_normal((3, 4)), np.zeros((4, 2))
    np.testing.assert_array_equal(project(X, zero), np.zeros((3, 4)))
    np.testing.assert_array_equal(residuals(X, zero), X)
    np.testing.assert_array_equal(projector(zero), np.zeros((4, 4)))
    np.testing.assert_array_equal(coordinates(X, zero), np.zeros((3, 2)))
    assert principal_angles(zero, np.eye(4)).shape == (0,)


@pytest.mark.parametrize("scale", [1e-150, 1e150])
def test_scale_of_rows_and_basis_does_not_matter(scale, rng):
    X, B = rng.standard_normal((5, 8)), rng.standard_normal((8, 3))
    np.testing.assert_allclose(project(X * scale, B / scale) / scale, project(X, B), atol=1e-13)


def test_float32_stays_float32(rng):
    X, B = (rng.standard_normal(shape).astype(np.float32) for shape in ((5, 8), (8, 3)))
    for result in (project(X, B), residuals(X, B), coordinates(X, B), projector(B)):
        assert result.dtype == np.float32


# ---- two roads, one result -----------------------------------------------------------------------


def test_projector_is_basis_times_pseudo_inverse(rng):
    B = rng.standard_normal((7, 4))
    B[:, 3] = B[:, 0] - B[:, 1]
    np.testing.assert_allclose(projector(B), B @ np.linalg.pinv(B), atol=1e-13)


def test_orthonormal_and_general_projection_agree(rng):
    X, W = rng.standard_normal((5, 8)), np.linalg.qr(rng.standard_normal((8, 3)))[0]
    np.testing.assert_allclose(project_orthonormal(X, W), project(X, W), atol=1e-14)


def test_sparse_rows_agree_with_dense(rng):
    X, B = sp.random_array((20, 8), density=0.3, rng=rng, format="csr"), rng.random((8, 3))
    for function in (project, residuals, coordinates):
        np.testing.assert_allclose(function(X, B), function(X.toarray(), B), atol=1e-13)


def test_angles_agree_with_scipy(rng):
    B, C = rng.standard_normal((9, 3)), rng.standard_normal((9, 5))
    np.testing.assert_allclose(
        principal_angles(B, C), scipy.linalg.subspace_angles(B, C)[::-1], atol=1e-14
    )


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", [project, residuals, coordinates, project_orthonormal])
def test_bad_arguments_are_named(function):
    with pytest.raises(ValueError, match=r"X has 3 columns and [BW] has 2 rows"):
        function(np.ones((4, 3)), np.eye(2))
    with pytest.raises(ValueError, match="X holds NaN"):
        function([[np.nan, 1.0]], np.eye(2))
    with pytest.raises(ValueError, match=r"[BW] holds infinity"):
        function([[1.0, 1.0]], [[np.inf], [0.0]])
    with pytest.raises(ValueError, match="X is empty"):
        function(np.ones((0, 2)), np.eye(2))


def test_a_basis_that_is_not_orthonormal_is_refused_where_it_must_be():
    with pytest.raises(ValueError, match=r"not orthonormal .* use project\(X, W\)"):
        project_orthonormal([[1.0, 1.0]], [[2.0], [0.0]])


def test_subspaces_of_different_spaces_have_no_angles():
    with pytest.raises(ValueError, match="B has 3 rows and C has 2"):
        principal_angles(np.eye(3), np.eye(2))
    with pytest.raises(TypeError, match="B is sparse"):
        principal_angles(sp.eye_array(3).tocsr(), np.eye(3))
