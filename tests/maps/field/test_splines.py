"""Splines between points and nodes: kernels beside NumPy, what they reproduce, threads."""

import numpy as np
import pytest
from scipy.interpolate import BSpline

import lowdim
from lowdim.maps.field import splines
from lowdim.maps.field.mesh import mesh_over
from lowdim.maps.field.radial import radial
from lowdim.maps.field.splines import read, spread

B = BSpline.basis_element(np.arange(-3.0, 4.0), extrapolate=False)
SLOPE = B.derivative()


def bumps(places, nodes, spline):
    """(n, nodes): a spline about each node at each place."""
    return np.nan_to_num(spline(places[:, None] - np.arange(nodes)))


def points_and_mesh(axes, rng, n=50):
    Y = rng.uniform(-4, 6, size=(n, axes)).astype(np.float32)
    return Y, mesh_over(Y.min(axis=0), Y.max(axis=0), n, radial("student"))


def factors(Y, mesh, spline_of):
    steps = (Y - mesh.origin) / mesh.spacing
    return [bumps(steps[:, axis], side, spline_of(axis)) for axis, side in enumerate(mesh.shape)]


SUBSCRIPTS = {1: "ia", 2: "ia,ib", 3: "ia,ib,ic"}


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_charges_are_spread_as_numpy_does(axes, rng):
    Y, mesh = points_and_mesh(axes, rng)
    charges = rng.normal(size=len(Y)).astype(np.float32)
    expected = np.einsum(
        f"i,{SUBSCRIPTS[axes]}->{'abc'[:axes]}", charges, *factors(Y, mesh, lambda _: B)
    )
    np.testing.assert_allclose(spread(Y, charges, mesh), expected, atol=2e-5)


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_values_and_gradients_are_read_as_numpy_does(axes, rng):
    Y, mesh = points_and_mesh(axes, rng)
    nodes = rng.normal(size=mesh.shape).astype(np.float32)
    values, gradients = read(Y, nodes, mesh)

    def summed(spline_of):
        return np.einsum(
            f"{'abc'[:axes]},{SUBSCRIPTS[axes]}->i", nodes, *factors(Y, mesh, spline_of)
        )

    np.testing.assert_allclose(values, summed(lambda _: B), atol=2e-5)
    for along in range(axes):
        expected = summed(lambda axis, along=along: SLOPE if axis == along else B) / mesh.spacing
        np.testing.assert_allclose(gradients[:, along], expected, atol=1e-3)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_all_charge_arrives_at_its_place(dtype, rng):
    """Splines add up to 1, and the mean of the nodes by their weights is the point."""
    Y = rng.uniform(-4, 6, size=(50, 2)).astype(dtype)
    mesh = mesh_over(Y.min(axis=0), Y.max(axis=0), 50, radial("student"))
    charges = rng.random(50).astype(np.float32)
    nodes = spread(Y, charges, mesh).astype(np.float64)
    assert nodes.sum() == pytest.approx(charges.sum(), rel=1e-5)
    for axis in range(2):
        place = mesh.origin[axis] + mesh.spacing * np.arange(mesh.shape[axis])
        moment = nodes.sum(axis=1 - axis) @ place
        assert moment == pytest.approx(charges @ Y[:, axis], abs=1e-3)


def test_the_number_of_threads_changes_no_bit(rng, monkeypatch):
    monkeypatch.setattr(splines, "PIECE", 64)
    monkeypatch.setattr(splines, "BLOCK", 64)
    Y, mesh = points_and_mesh(2, rng, n=3000)
    charges = rng.random(3000).astype(np.float32)
    results = []
    for threads in (1, 2, 3):
        with lowdim.config_context(threads=threads):
            nodes = spread(Y, charges, mesh)
            results.append((nodes, *read(Y, nodes, mesh)))
    for other in results[1:]:
        for left, right in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(left, right)


def test_pieces_add_up_to_the_whole(rng, monkeypatch):
    Y, mesh = points_and_mesh(2, rng, n=3000)
    charges = rng.random(3000).astype(np.float32)
    whole = spread(Y, charges, mesh)
    monkeypatch.setattr(splines, "PIECE", 64)
    np.testing.assert_allclose(spread(Y, charges, mesh), whole, rtol=1e-4)
