import numpy as np
import pytest

from lowdim import sparse
from lowdim.sparse.compression.bands import (
    _wavelet_lengths,
    default_level,
    fixed_bands,
    zigzag,
    zigzag_cosines,
)


@pytest.mark.parametrize("size", [(1,), (7,), (64,), (16, 24), (13, 9), (1, 5)])
@pytest.mark.parametrize("kind", ["haar", "bior4.4", "db3", "dct", "dft", "hadamard", "identity"])
def test_a_plane_comes_back(rng, size, kind):
    bands = fixed_bands(kind, size, None, 8)
    x = rng.normal(size=size)
    found = bands.analyze(x)
    assert [band.shape for band in found] == bands.shapes
    assert len(bands.references) == len(bands.lengths) == len(bands.scales) == len(found)
    assert np.allclose(bands.synthesize(found), x, atol=1e-9)


def test_wavelets_are_those_of_the_basis(rng):
    x = rng.normal(size=(32, 16))
    found = fixed_bands("sym4", (32, 16), 2, None).analyze(x)
    z = sparse.basis("sym4", (32, 16), level=2).analyze(x.ravel())
    assert np.allclose(np.concatenate([band.ravel() for band in found]), z)


@pytest.mark.parametrize("kind", ["bior4.4", "bior3.1", "rbio2.2"])
@pytest.mark.parametrize("axes", [1, 2])
def test_lengths_are_those_of_atoms(kind, axes):
    size = (64,) * axes
    bands = fixed_bands(kind, size, 2, None)
    for i, shape in enumerate(bands.shapes):
        code = [np.zeros(s) for s in bands.shapes]
        code[i][shape[0] // 2, shape[1] // 2] = 1.0
        assert np.linalg.norm(bands.synthesize(code)) == pytest.approx(bands.lengths[i], rel=1e-6)


def test_orthonormal_atoms_have_length_one():
    assert _wavelet_lengths("db4", 2, 3) == (1.0,) * 10


def test_zigzag_is_that_of_jpeg():
    assert zigzag(8)[:10].tolist() == [0, 1, 8, 16, 9, 2, 3, 10, 17, 24]
    assert sorted(zigzag(8)) == list(range(64))
    U = zigzag_cosines(4)
    assert np.allclose(U @ U.T, np.eye(16))
    assert np.allclose(U[0], 0.25)


def test_levels_end_where_atoms_are_as_long_as_the_plane():
    assert default_level("haar", (8,)) == 3
    assert default_level("bior4.4", (256, 256)) == 5
    assert default_level("bior4.4", (3, 300)) == 1
