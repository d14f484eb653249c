"""ICA by maximum likelihood: the density, and where the gradient vanishes."""

import numpy as np
import pytest
from scipy.integrate import quad

from lowdim import FastICA
from lowdim.core.opening import as_blocks
from lowdim.linear.ica.contrasts import Contrast
from lowdim.linear.ica.fixed_point import decorrelated
from lowdim.linear.ica.likelihood import _log_constants, gradient
from lowdim.linear.ica.statistics import MixedRows
from lowdim.linear.ica.whitening import whitening


def test_the_constants_normalise_the_densities():
    peaked, _ = quad(lambda y: np.exp(-(y**2) / 2) / np.cosh(y), -40, 40)
    flat, _ = quad(lambda y: np.exp(-(y**2) / 2) * np.cosh(y), -40, 40)
    np.testing.assert_allclose(_log_constants(), np.log([peaked, flat]), rtol=1e-9)
    assert flat == pytest.approx(np.sqrt(2 * np.pi) * np.exp(0.5))  # E cosh v = exp(1/2)


def test_the_natural_gradient_vanishes_at_the_end(rng):
    """E f(y_i) y_j = 1 if i = j, else 0, for f(y) = y + tanh y or y - tanh y."""
    S = np.column_stack([rng.laplace(size=(2000, 2)), rng.uniform(-1, 1, size=(2000, 1))])
    X = S @ rng.normal(size=(3, 3))
    rows, model = as_blocks(X), FastICA(tol=1e-7, max_iter=2000)
    mean, K, n = whitening(rows, None, None, white=False)
    start = decorrelated(rng.normal(size=(3, 3)))
    W = gradient(model, MixedRows(rows, None, n, mean, K, Contrast.of("logcosh", None)), start)
    Y = (X - mean) @ (W @ K).T
    for i, y in enumerate(Y.T):
        left = [Y.T @ (y + sign * np.tanh(y)) / len(Y) - np.eye(3)[i] for sign in (1.0, -1.0)]
        assert min(np.abs(residual).max() for residual in left) < 1e-6
    assert model.converged_
