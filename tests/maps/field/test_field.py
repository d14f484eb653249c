"""The field beside direct sums: values, forces, Z; at points and at other places."""

import numpy as np
import pytest

import lowdim
from lowdim.maps.field import Field, mesh

KERNELS = [("student", 1.0), ("student", 0.5), ("student", 4.0), ("gauss", 1.0)]


def clustered(rng, n, axes, extent):
    centers = rng.uniform(size=(8, axes))
    Y = centers[rng.integers(0, 8, n)] + 0.05 * rng.normal(size=(n, axes))
    Y -= Y.min(axis=0)
    return (extent * (Y / Y.max() - 0.5)).astype(np.float32)


def error(found, exact):
    return np.sqrt(((found - exact) ** 2).sum() / (exact.astype(np.float64) ** 2).sum())


# ---- golden --------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["direct", "mesh"])
def test_two_points_by_hand(method):
    """Distance 2: K = 1/5, of gradient 2 * 2 / 25 away from each other (the field falls)."""
    field = Field(np.array([[0.0, 0.0], [2.0, 0.0]]), method=method, spacing=0.1)
    values, gradients = field.at(np.array([[0.0, 0.0], [2.0, 0.0]]))
    np.testing.assert_allclose(values, 1.2, atol=1e-3)
    np.testing.assert_allclose(gradients, [[0.16, 0], [-0.16, 0]], atol=1e-3)
    # on a mesh, a point has own only by the mean over places in a cell
    assert values.sum() - 2 * field.own == pytest.approx(0.4, abs=1e-3)


# ---- beside direct sums --------------------------------------------------------------------------


@pytest.mark.parametrize(("kernel", "dof"), KERNELS)
@pytest.mark.parametrize(("axes", "extent"), [(1, 100.0), (2, 30.0), (3, 12.0)])
def test_a_mesh_gives_the_direct_sums(kernel, dof, axes, extent, rng):
    Y = clustered(rng, 600, axes, extent)
    field, exact = (Field(Y, kernel=kernel, dof=dof, method=m) for m in ("mesh", "direct"))
    (values, gradients), (true_values, true_gradients) = field.at(Y), exact.at(Y)
    assert error(values, true_values) < 0.005
    assert error(gradients, true_gradients) < 0.03
    Z, true_Z = values.sum() - 600 * field.own, true_values.sum() - 600
    assert pytest.approx(true_Z, rel=3e-4) == Z


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_errors_fall_with_the_fifth_power_of_the_spacing(axes, rng, monkeypatch):
    monkeypatch.setattr(mesh, "MOST_NODES", (2**22, 2**22))  # as fine as is asked for
    Y = clustered(rng, 600, axes, {1: 100.0, 2: 40.0, 3: 12.5}[axes])
    exact = Field(Y, method="direct").at(Y)[1]
    errors = [error(Field(Y, method="mesh", spacing=h).at(Y)[1], exact) for h in (0.5, 0.25)]
    assert errors[1] < errors[0] / 12


@pytest.mark.parametrize(("kernel", "dof"), KERNELS)
@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("extent", [1e-9, 1e-4, 1.0])
def test_small_maps_keep_their_digits(kernel, dof, axes, extent, rng):
    """Where K is next to 1 everywhere, forces are the small rest."""
    Y = clustered(rng, 400, axes, extent)
    gradients = Field(Y, kernel=kernel, dof=dof, method="mesh").at(Y)[1]
    assert error(gradients, Field(Y, kernel=kernel, dof=dof, method="direct").at(Y)[1]) < 3e-4


def test_forces_on_all_points_cancel(rng):
    Y = clustered(rng, 2000, 2, 60.0)
    gradients = Field(Y, method="mesh").at(Y)[1]
    assert np.abs(gradients.sum(axis=0)).max() < 1e-2 * np.abs(gradients).sum()


@pytest.mark.parametrize("method", ["mesh", "direct"])
def test_charges_count(method, rng):
    """A point of charge 2 is two points; charges may be of both signs."""
    Y = clustered(rng, 300, 2, 20.0)
    charges = rng.integers(0, 3, size=300)
    charged = Field(Y, charges, method=method).at(Y)
    repeated = Field(np.repeat(Y, charges, axis=0), method=method).at(Y)
    for left, right in zip(charged, repeated, strict=True):
        assert error(left, right) < 0.03
    minus = Field(Y, -charges, method=method).at(Y)
    np.testing.assert_array_equal(minus[0], -charged[0])


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_other_places_are_read_too_on_and_off_the_mesh(axes, rng):
    Y = clustered(rng, 500, axes, 12.5)
    places = rng.uniform(-8, 8, size=(200, axes)).astype(np.float32)
    found, exact = (Field(Y, method=m).at(places) for m in ("mesh", "direct"))
    assert error(found[0], exact[0]) < 0.005
    assert error(found[1], exact[1]) < 0.03
    one_by_one = [Field(Y, method="mesh").at(place[None])[0][0] for place in places[:20]]
    np.testing.assert_allclose(found[0][:20], one_by_one, rtol=1e-6)


def test_any_number_of_axes_has_direct_sums(rng):
    Y = rng.normal(size=(30, 6))
    difference = Y[:, None] - Y
    values = (1 / (1 + (difference**2).sum(axis=2))).sum(axis=1)
    np.testing.assert_allclose(Field(Y).at(Y)[0], values, rtol=1e-5)


@pytest.mark.parametrize("method", ["mesh", "direct"])
def test_points_at_one_place_have_no_forces(method):
    values, gradients = Field(np.full((5, 2), 3.0), method=method).at(np.full((5, 2), 3.0))
    np.testing.assert_allclose(values, 5.0, rtol=0.03)
    np.testing.assert_allclose(gradients, 0.0, atol=0.25)


@pytest.mark.parametrize("shift", [1e3, 1e7])
def test_where_the_map_is_makes_no_difference(shift, rng):
    Y = rng.normal(size=(400, 2)) * 8
    near, away = (Field(A, method="mesh").at(A) for A in (Y, Y + shift))
    assert error(away[1], near[1]) < 1e-3


def test_the_number_of_threads_changes_no_bit(rng):
    Y = clustered(rng, 70_000, 2, 150.0)
    results = []
    for threads in (1, 2, 3):
        with lowdim.config_context(threads=threads):
            results.append(Field(Y).at(Y))
    for other in results[1:]:
        for left, right in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(left, right)
