"""The fixed point for one source and for all."""

import numpy as np
import pytest

from lowdim import FastICA
from lowdim.linear.ica.fixed_point import _basis_with, decorrelated


def test_a_basis_begins_with_the_vector_it_is_given(rng):
    for w in (rng.normal(size=5), np.eye(5)[0], -np.eye(5)[0]):
        w = w / np.linalg.norm(w)
        basis = _basis_with(w)
        np.testing.assert_allclose(basis[0], w, atol=1e-14)
        np.testing.assert_allclose(basis @ basis.T, np.eye(5), atol=1e-14)


def test_decorrelated_rows_are_orthonormal(rng):
    W = decorrelated(rng.normal(size=(4, 4)))
    np.testing.assert_allclose(W @ W.T, np.eye(4), atol=1e-13)


@pytest.mark.parametrize("algorithm", ["parallel", "deflation"])
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_rows_that_are_far_from_white_are_refused(algorithm, rng):
    model = FastICA(algorithm=algorithm, whiten=False, fun="cube", random_state=0)
    with pytest.raises(ValueError, match="With whiten=False, X must have variances of about 1"):
        model.fit(1e200 * rng.normal(size=(30, 3)))
