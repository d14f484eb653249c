"""Packed triangles: against the plain matrices."""

import numpy as np
import pytest

from lowdim.linalg.packed import sweep, unpacked


@pytest.mark.parametrize("p, q", [(1, 0), (3, 0), (4, 2)])
def test_sweeping_inverts_regresses_and_takes_the_determinant(rng, p, q):
    matrices = rng.normal(size=(5, p + q, 9))
    matrices = matrices @ matrices.transpose(0, 2, 1)
    lower = np.tril_indices(p + q)
    T = np.ascontiguousarray(matrices[:, *lower].T)
    log_det = sweep(T, np.zeros(p))
    for swept, matrix, value in zip(T.T, matrices, log_det, strict=True):
        A, B, D = matrix[:p, :p], matrix[:p, p:], matrix[p:, p:]
        slope = np.linalg.solve(A, B)
        expected = np.block([[-np.linalg.inv(A), slope], [slope.T, D - B.T @ slope]])
        np.testing.assert_allclose(unpacked(swept), expected, rtol=1e-8, atol=1e-10)
        assert value == pytest.approx(np.linalg.slogdet(A)[1], abs=1e-10)
