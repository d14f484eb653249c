"""The forms of a covariance."""

import numpy as np
import pytest
from sklearn.datasets import load_iris

from lowdim import GaussianMixture
from lowdim.mixture.gaussian.covariances import KINDS, scaled_squares
from tests.mixture.gaussian.examples import each_kind

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


# ---- golden values -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind, number",
    # K - 1 weights, K d means, and of covariances with d = 4 columns and K = 3 components:
    [
        ("full", 14 + 3 * 10),
        ("tied", 14 + 10),
        ("diag", 14 + 12),
        ("spherical", 14 + 3),
        ("unit", 14),
    ],
)
def test_the_number_of_parameters_is_that_of_the_covariance_type(kind, number):
    X = load_iris().data
    model = GaussianMixture(3, covariance_type=kind, random_state=0).fit(X)
    assert model._n_parameters() == number
    # 2 log p cancels: what is left is number (log n - 2)
    gap = model.bic(X) - model.aic(X)
    assert gap == pytest.approx(number * (np.log(150) - 2), rel=1e-9)


# ---- the derivation ------------------------------------------------------------------------------


def test_squares_expanded_or_not_are_the_same(rng):
    Y, means, whiten = rng.normal(size=(70, 4)), rng.normal(size=(3, 4)), rng.random((3, 4)) + 0.5
    direct = np.square((Y - means[:, None]) * whiten[:, None]).sum(axis=2)
    np.testing.assert_allclose(scaled_squares(Y, means, whiten), direct, rtol=1e-10, atol=1e-12)
    far = means + 1e7  # here the expansion would leave two digits
    np.testing.assert_allclose(scaled_squares(Y + 1e7, far, whiten), direct, rtol=1e-6, atol=1e-6)


# ---- components that collapse --------------------------------------------------------------------


@each_kind
def test_the_halves_of_a_component_have_its_moments(kind, rng):
    form, d = KINDS[kind], 3
    A = rng.normal(size=(2, d, d))
    C = A @ np.swapaxes(A, 1, 2)
    C = {"full": C, "tied": C[0]}.get(kind, np.repeat(rng.random((2, 1)) + 0.5, d, axis=1))
    offset = 0.7 * form.longest_axis(C, 0)
    halves = form.halved(C, offset, 1.0, 0, 1)
    two = np.square(offset) + form.variances(halves)[0]
    if kind == "unit":
        np.testing.assert_array_equal(halves, C[[0, 0]])
    else:  # spherical ones can keep their size on average only
        want = form.variances(C)[0]
        same = (two.mean(), want.mean()) if kind == "spherical" else (two, want)
        np.testing.assert_allclose(*same, rtol=1e-10)


@each_kind
def test_projected_covariances_are_those_of_projected_rows(kind, rng):
    k, d = 3, 4
    A = rng.normal(size=(k, d, d))
    C = A @ np.swapaxes(A, 1, 2)
    full = {"full": C, "tied": np.tile(C[0], (k, 1, 1))}.get(kind)
    if full is None:
        C = np.repeat(rng.random((k, 1)) + 0.5, d, axis=1) if kind != "diag" else rng.random((k, d))
        full = np.stack([np.diag(v) for v in C])
    axes = rng.normal(size=(d, 2))
    given = C[0] if kind == "tied" else C
    expected = np.einsum("fa,jfg,gb->jab", axes, full, axes)
    np.testing.assert_allclose(KINDS[kind].projected(given, axes, k), expected, rtol=1e-10)
