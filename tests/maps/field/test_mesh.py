"""Meshes: how fine they are, and sums of kernels on their nodes."""

import numpy as np
import pytest

import lowdim
from lowdim.maps.field import mesh as meshes
from lowdim.maps.field.mesh import convolved, mesh_over, response
from lowdim.maps.field.radial import radial
from lowdim.maps.field.splines import read, spread

STUDENT = radial("student")


def over(*extent, n=1000, kernel=STUDENT):
    high = np.array(extent)
    return mesh_over(np.zeros_like(high), high, n, kernel)


# ---- how fine ------------------------------------------------------------------------------------


@pytest.mark.parametrize("extent", [(100.0,), (100.0, 60.0), (15.0, 12.5, 10.0)])
def test_the_spacing_is_that_of_the_kernel(extent):
    mesh = over(*extent)
    assert mesh.spacing == meshes.SPACING
    assert mesh.shape == tuple(int(np.ceil(side / meshes.SPACING)) + 6 for side in extent)


@pytest.mark.parametrize("extent", [1e-20, 1e-4, 0.3, 10.0])
def test_small_maps_have_fine_meshes(extent):
    mesh = over(extent, extent / 7)
    cells = extent / mesh.spacing
    assert meshes.CELLS[2] <= cells * (1 + 1e-9) <= meshes.CELLS[2] * 2**0.25 * (1 + 1e-6)


@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("extent", [1e4, 1e9])
def test_large_maps_have_coarse_meshes(axes, extent):
    for n, most in ((50, 2**16), (10**4, 640_000), (10**6, 2**20), (10**7, 10**7)):
        assert np.prod(over(*[extent] * axes, n=n).shape) <= 1.2 * most


def test_points_at_one_place_have_a_mesh():
    assert over(0.0, 0.0).shape == (6, 6)


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_every_point_has_its_nodes(axes, rng):
    for extent in 10.0 ** rng.uniform(-3, 2, size=20):
        low = rng.normal(size=axes) * 100
        high = low + extent * rng.random(axes)
        mesh = mesh_over(low, high, 10, STUDENT)
        for corner in (low, high):
            steps = (corner - mesh.origin) / mesh.spacing
            assert (steps >= 2.25).all()
            assert (steps <= np.array(mesh.shape) - 3.25).all()


def test_a_gauss_needs_little_padding():
    gauss = over(100.0, 100.0, kernel=radial("gauss"))
    assert gauss.padded[0] < 1.3 * gauss.shape[0]
    assert over(100.0, 100.0).padded[0] >= 2 * over(100.0, 100.0).shape[0]


# ---- sums ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "dof"), [("student", 1.0), ("student", 0.5), ("gauss", 1.0)])
@pytest.mark.parametrize("extent", [(30.0,), (30.0, 12.0), (6.0, 9.0, 5.0), (1e-3, 2e-3)])
def test_splines_add_up_to_the_kernel_at_the_nodes(name, dof, extent):
    """A charge whose spline is 1 at one node and 0 at the others gives K there."""
    kernel = radial(name, dof)
    mesh = over(*extent, kernel=kernel)
    weight = np.array([1, 26, 66, 26, 1]) / 120
    field = np.zeros(mesh.shape, np.float32)
    middle = tuple(side // 2 for side in mesh.shape)
    field[middle] = 1
    u = convolved(field, mesh, kernel).astype(np.float64)
    for axis in range(u.ndim):  # what the splines with these coefficients are at the nodes
        u = np.apply_along_axis(np.convolve, axis, u, weight, "same")
        u = np.apply_along_axis(np.convolve, axis, u, weight, "same")
    unit = response(kernel, mesh.spacing, mesh.padded)
    steps = np.indices(mesh.shape).reshape(u.ndim, -1) - np.array(middle)[:, None]
    K = np.exp(kernel.log(((steps * mesh.spacing) ** 2).sum(axis=0))).reshape(mesh.shape)
    inner = tuple(slice(5, -5) for _ in mesh.shape)
    np.testing.assert_allclose(u[inner], (K - unit.base)[inner], atol=2e-5 * (1 - unit.base))


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_the_value_at_ones_own_place_is_the_mean_over_places(axes):
    mesh = over(*[40.0 / 2**axes] * axes)
    unit = response(STUDENT, mesh.spacing, mesh.padded)
    corners = np.array([[0.125, 0.375]] * axes)  # and mirrored: fourth harmonics remain
    places = np.stack(np.meshgrid(*corners), axis=-1).reshape(-1, axes)
    values = []
    for place in places:
        Y = mesh.origin + mesh.spacing * (np.array(mesh.shape) // 2 + place)[None]
        charges = spread(Y, np.ones(1, np.float32), mesh)
        values.append(read(Y, convolved(charges, mesh, STUDENT), mesh)[0][0] + unit.base)
    assert np.mean(values) == pytest.approx(unit.own, abs=1e-4)


@pytest.mark.parametrize("shape", [(257.0, 190.0), (24.0, 21.0, 29.0), (3000.0,)])
def test_the_number_of_threads_changes_no_bit(shape, rng):
    mesh = over(*shape)
    charges = rng.random(mesh.shape).astype(np.float32)
    results = []
    for threads in (1, 2, 3, 5):
        with lowdim.config_context(threads=threads):
            results.append(convolved(charges, mesh, STUDENT))
    for result in results[1:]:
        np.testing.assert_array_equal(results[0], result)


@pytest.mark.parametrize("end", [np.nan, np.inf])
def test_places_that_are_no_numbers_have_no_mesh(end):
    with pytest.raises(FloatingPointError, match=r"beyond all numbers\. Give an init"):
        over(1.0, end)
