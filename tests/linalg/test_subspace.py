"""A few passes of orthogonal iteration find directions that stand out."""

import numpy as np

from lowdim.linalg.subspace import leading_directions


def test_directions_that_stand_out_are_found(rng):
    U, _ = np.linalg.qr(rng.normal(size=(60, 30)))
    V, _ = np.linalg.qr(rng.normal(size=(30, 30)))
    s = np.concatenate([[40.0, 20.0, 10.0], np.full(27, 0.1)])
    Y = U * s @ V.T
    squares, found = leading_directions(lambda Q: Y.T @ (Y @ Q), 30, 3, rng)
    np.testing.assert_allclose(squares, s[:3] ** 2, rtol=1e-8)
    # errors fall by (0.1 / 10)^2 a pass
    np.testing.assert_allclose(np.abs(found.T @ V[:, :3]), np.eye(3), atol=1e-6)
    assert (found.max(axis=0) >= -found.min(axis=0)).all()


def test_there_are_no_more_directions_than_columns(rng):
    Y = rng.normal(size=(9, 4))
    squares, found = leading_directions(lambda Q: Y.T @ (Y @ Q), 4, 20, rng)
    assert found.shape == (4, 4)
    np.testing.assert_allclose(squares, np.linalg.svd(Y)[1] ** 2, rtol=1e-10)
