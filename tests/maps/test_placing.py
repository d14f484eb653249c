import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.maps.field import Field
from lowdim.maps.field.radial import radial
from lowdim.maps.placing import (
    Rows,
    evaluated,
    largest_shares,
    neighbor_shares,
    placed,
    weighted_median,
)

KERNELS = {"gauss": radial("gauss"), "student": radial("student"), "heavy": radial("student", 0.5)}
each_kernel = pytest.mark.parametrize("name", KERNELS)


def exact(places, kernel):
    """phi and its gradient by their definition."""

    def at(Z):
        difference = Z[:, None, :] - places
        value, slope = kernel.value_and_slope((difference**2).sum(axis=2))
        return value.sum(axis=1), 2 * (slope[:, :, None] * difference).sum(axis=1)

    return at


def example(rng, m=6, n=80, k=15):
    places = 3 * rng.normal(size=(n, 2))
    near = rng.integers(0, n, size=m)
    order = np.argsort(np.linalg.norm(places[near][:, None] - places, axis=2), axis=1)
    shares = rng.dirichlet(np.ones(k), size=m)
    return places, order[:, :k], shares


@each_kernel
def test_the_objective_is_the_divergence_and_its_gradient_the_numerical_one(rng, name):
    kernel = KERNELS[name]
    places, neighbors, shares = example(rng)
    rows, push = Rows(shares, places[neighbors]), exact(places, kernel)
    Y = rng.normal(size=(6, 2))
    found = evaluated(Y, rows, push, kernel)
    square = ((Y[:, None] - places) ** 2).sum(axis=2)
    log_q = kernel.log(square) - np.log(np.exp(kernel.log(square)).sum(axis=1, keepdims=True))
    expected = -(shares * np.take_along_axis(log_q, neighbors, axis=1)).sum(axis=1)
    np.testing.assert_allclose(found.objective, expected, rtol=1e-10)
    for axis in range(2):
        step = 1e-6 * np.eye(2)[axis]
        up, down = (evaluated(Y + s, rows, push, kernel).objective for s in (step, -step))
        np.testing.assert_allclose(found.gradient[:, axis], (up - down) / 2e-6, atol=1e-6)


@each_kernel
def test_places_are_the_minimum(rng, name):
    kernel = KERNELS[name]
    places, neighbors, shares = example(rng)
    push = exact(places, kernel)
    Y = placed(shares, neighbors, places, push, kernel)
    rows = Rows(shares, places[neighbors])
    here = evaluated(Y, rows, push, kernel)
    assert np.abs(here.gradient).max() < 2e-3
    for _ in range(10):
        nearby = Y + 0.1 * rng.normal(size=Y.shape)
        assert (evaluated(nearby, rows, push, kernel).objective > here.objective - 1e-6).all()


def test_with_gauss_the_mean_of_the_points_under_q_is_that_under_p(rng):
    places, neighbors, shares = example(rng)
    Y = placed(shares, neighbors, places, exact(places, KERNELS["gauss"]), KERNELS["gauss"])
    q = np.exp(-((Y[:, None] - places) ** 2).sum(axis=2))
    q /= q.sum(axis=1, keepdims=True)
    under_p = (shares[:, :, None] * places[neighbors]).sum(axis=1)
    np.testing.assert_allclose(q @ places, under_p, atol=0.01)


@each_kernel
def test_a_field_gives_the_same_places(rng, name):
    kernel = KERNELS[name]
    places, neighbors, shares = example(rng, n=300)
    field = Field(places, kernel=kernel.name, dof=kernel.dof, method="mesh", spacing=0.25)
    Y = placed(shares, neighbors, places, field.at, kernel)
    expected = placed(shares, neighbors, places, exact(places, kernel), kernel)
    np.testing.assert_allclose(Y, expected, atol=0.05)


@each_kernel
def test_a_place_does_not_depend_on_the_other_rows(rng, name):
    kernel = KERNELS[name]
    places, neighbors, shares = example(rng)
    push = exact(places, kernel)
    together = placed(shares, neighbors, places, push, kernel)
    for i in range(len(together)):
        alone = placed(shares[[i]], neighbors[[i]], places, push, kernel)
        np.testing.assert_allclose(alone[0], together[i], atol=1e-9)


def test_between_clusters_the_neighbours_stand_in_for_an_empty_field(rng):
    places = np.vstack([rng.normal(size=(10, 2)), rng.normal(size=(10, 2)) + 40.0])
    neighbors, shares = np.array([[0, 10]]), np.array([[0.5, 0.5]])
    Y = placed(
        shares, neighbors, places, lambda Z: (np.zeros(1), np.zeros((1, 2))), KERNELS["gauss"]
    )
    assert np.isfinite(Y).all()
    assert np.abs(Y).max() < 45


def test_the_weighted_median_is_where_half_of_the_share_is():
    around = np.array([[[0.0, 5.0], [1.0, 1.0], [10.0, 3.0]]])
    np.testing.assert_array_equal(weighted_median(around, np.array([[0.2, 0.2, 0.6]])), [[10, 3]])
    np.testing.assert_array_equal(weighted_median(around, np.array([[0.4, 0.2, 0.4]])), [[1, 3]])


def test_shares_have_perplexity_5_or_a_third_of_the_neighbours(rng):
    for k, perplexity in ((15, 5.0), (6, 2.0), (2, 1.0)):
        p = neighbor_shares(np.sort(rng.random((4, k)) + 1, axis=1))
        entropy = -np.where(p > 0, p * np.log(np.where(p > 0, p, 1)), 0).sum(axis=1)
        np.testing.assert_allclose(np.exp(entropy), perplexity, rtol=1e-6)


@pytest.mark.parametrize("form", [np.asarray, sp.csr_array], ids=["dense", "csr"])
def test_the_largest_affinities_are_neighbours(form):
    S = np.array([[0.0, 3.0, 1.0, 4.0], [1e-300, 0.0, 0.0, 0.0]])
    numbers, shares = largest_shares(form(S), 2)
    np.testing.assert_array_equal(numbers[0], [3, 1])
    np.testing.assert_allclose(shares, [[4 / 7, 3 / 7], [1, 0]])
    with pytest.raises(ValueError, match="row 1 of X has affinities from 0 to 0"):
        largest_shares(form(np.array([[1.0, 0.0], [0.0, 0.0]])), 2)
