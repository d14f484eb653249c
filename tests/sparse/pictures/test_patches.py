import numpy as np
import pytest

from lowdim.sparse.pictures import patches
from lowdim.sparse.pictures.patches import (
    Grid,
    Shape,
    averaged,
    parts_of,
    patch_shape,
    patches_of,
    put_together,
)

CASES = [((9, 11), Shape(3, 3), Grid()), ((9, 11), Shape(3, 3), Grid(2, 1, 0)),
         ((1, 20), Shape(1, 4), Grid(3, 0, 2)), ((8, 8), Shape(8, 8), Grid())]  # fmt: skip


@pytest.mark.parametrize("size, shape, grid", CASES)
def test_putting_together_is_the_adjoint(rng, size, shape, grid):
    x = rng.normal(size=size)
    P = patches_of(x, shape, grid)
    Q = rng.normal(size=P.shape)
    assert np.sum(P * Q) == pytest.approx(np.sum(x * put_together(Q, size, shape, grid)))


@pytest.mark.parametrize("size, shape, grid", CASES)
@pytest.mark.parametrize("each", [1, 7, 10**6])
def test_patches_as_they_are_give_the_picture(rng, monkeypatch, size, shape, grid, each):
    monkeypatch.setattr(patches, "STRIP", each * shape.d)
    x = rng.normal(size=size)

    def estimate(part):
        P = patches_of(x[part.where], shape, part.grid)
        return P, np.ones(len(P))

    total, weight = averaged(size, shape, estimate, grid)
    down, across = grid.counts(size, shape)
    assert weight.sum() == down * across * shape.d
    there = weight > 0
    assert np.allclose(total[there] / weight[there], x[there])
    if each == 1:
        assert len(parts_of(size, shape, grid)) == (across if down == 1 else down)


def test_a_picture_below_a_patch():
    assert patch_shape(4, (9, 9), "x") == (4, 4)
    assert patch_shape(4, (90,), "x") == (1, 16)
    assert patch_shape(4, (9,), "x") == (1, 9)
    with pytest.raises(
        ValueError, match=r"x of 3 x 90 is smaller than a patch \(patch=8\).*patch=3"
    ):
        patch_shape(8, (3, 90), "x")
    with pytest.raises(ValueError, match="patch=1 is too small"):
        patch_shape(1, (3, 90), "x")
