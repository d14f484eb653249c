"""All pairs, by each way to sum them up."""

import numpy as np
import pytest

from lowdim.maps.tsne.repulsion import repulsion


@pytest.mark.parametrize("dof", [1.0, 2.0])
@pytest.mark.parametrize("axes", [1, 2, 3])
@pytest.mark.parametrize("method", ["auto", "fft", "barnes_hut", "exact"])
def test_every_method_gives_the_sums_of_the_definition(method, axes, dof, rng):
    Y = (2 * rng.normal(size=(200, axes))).astype(np.float32)
    difference = Y[:, None].astype(np.float64) - Y
    near = 1 / (1 + (difference**2).sum(axis=2) / dof)
    w = near ** ((dof + 1) / 2)
    gradients = -(dof + 1) / dof * np.einsum("ij,ijk->ik", w * near, difference)
    push = repulsion(Y, method, dof, 0.2)
    assert pytest.approx(w.sum() - 200, rel=2e-3) == push.Z
    assert np.linalg.norm(push.gradients - gradients) < 0.02 * np.linalg.norm(gradients)


def test_an_angle_of_0_is_exact(rng):
    Y = rng.normal(size=(50, 2)).astype(np.float32)
    tree, exact = repulsion(Y, "barnes_hut", 1.0, 0.0), repulsion(Y, "exact", 1.0)
    np.testing.assert_array_equal(tree.gradients, exact.gradients)


def test_many_dimensions_have_direct_sums(rng):
    Y = rng.normal(size=(30, 5)).astype(np.float32)
    auto, exact = repulsion(Y, "auto", 1.0), repulsion(Y, "exact", 1.0)
    np.testing.assert_array_equal(auto.gradients, exact.gradients)
