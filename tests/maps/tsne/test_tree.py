"""Barnes and Hut's tree: its cells, and sums beside direct ones."""

import numpy as np
import pytest

import lowdim
from lowdim.maps.field import Field
from lowdim.maps.tsne import tree as module
from lowdim.maps.tsne.tree import grow, tree_sums


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_every_cell_is_followed_by_its_parts(axes, rng):
    tree = grow(rng.normal(size=(200, axes)).astype(np.float32))
    cells = len(tree.points)
    assert cells < 400
    assert tree.points[0] == 200
    assert (tree.points[tree.side == 0] == 1).all()
    for cell in np.flatnonzero(tree.side > 0):
        part, total, parts = cell + 1, 0.0, 0
        while part < tree.jump[cell]:
            total, parts, part = total + tree.points[part], parts + 1, tree.jump[part]
        assert part == tree.jump[cell]
        assert total == tree.points[cell]
        assert 2 <= parts <= 2**axes


@pytest.mark.parametrize("axes", [1, 2, 3])
def test_a_cell_has_the_mean_of_its_points_which_are_within_its_side(axes, rng):
    Y = rng.normal(size=(100, axes)).astype(np.float32)
    tree = grow(Y)
    np.testing.assert_allclose(tree.means[0], Y.mean(axis=0), atol=1e-6)
    leaves = tree.side == 0
    np.testing.assert_allclose(np.sort(tree.means[leaves], axis=0), np.sort(Y, axis=0), atol=1e-6)
    assert (tree.jump[leaves] == np.flatnonzero(leaves) + 1).all()


@pytest.mark.parametrize("dof", [1.0, 2.0, 0.7])
@pytest.mark.parametrize("axes", [1, 2, 3])
def test_sums_approach_direct_ones(axes, dof, rng):
    Y = (10 * rng.normal(size=(500, axes))).astype(np.float32)
    values, gradients = Field(Y, dof=dof, method="direct").at(Y)
    for angle, tolerance in ((0.5, 0.05), (0.1, 0.003), (1e-4, 1e-5)):
        found = tree_sums(Y, dof, angle)
        assert np.abs(found[0] - values).max() < tolerance * values.max()
        assert np.linalg.norm(found[1] - gradients) < tolerance * np.linalg.norm(gradients)


def test_points_at_one_place_are_one_cell():
    Y = np.repeat(np.array([[0, 0], [3, 4]], np.float32), 50, axis=0)
    values, gradients = tree_sums(Y, 1.0, 0.5)
    np.testing.assert_allclose(values, 50 + 50 / 26, rtol=1e-5)
    np.testing.assert_allclose(gradients[0], np.array([6, 8]) * 50 / 26**2, rtol=1e-4)
    same = tree_sums(np.zeros((7, 2), np.float32), 1.0, 0.5)
    np.testing.assert_array_equal(same[0], 7)
    np.testing.assert_array_equal(same[1], 0)


def test_the_number_of_threads_changes_no_bit(rng, monkeypatch):
    monkeypatch.setattr(module, "BLOCK", 64)
    Y = rng.normal(size=(500, 2)).astype(np.float32)
    results = []
    for threads in (1, 2, 3):
        with lowdim.config_context(threads=threads):
            results.append(tree_sums(Y, 1.0, 0.5))
    for other in results[1:]:
        for left, right in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(left, right)
