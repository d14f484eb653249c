import numpy as np

from lowdim.sparse.denoising.learnt import first_atoms
from lowdim.sparse.inpainting.coded import by_codes
from lowdim.sparse.inpainting.learnt import ERRORS, EVERY, by_stages, stages
from lowdim.sparse.inpainting.pyramid import filled
from lowdim.sparse.pictures.patches import Shape


def texture(n=72):
    """Slanted lines with sharp edges: few atoms of their own, many cosines."""
    y, x = np.mgrid[0:n, 0:n]
    return 60.0 + 120.0 * ((x + 2 * y) % 12 < 5)


def test_learnt_atoms_fill_better_than_cosines(rng):
    x, shape = texture(), Shape(6, 6)
    known = rng.random(x.shape) < 0.5
    first = filled(x, known)
    atoms = stages([(x, known, first)], shape, 64, rng)
    assert len(atoms) == -(-len(ERRORS) // EVERY)
    assert all(np.allclose(np.linalg.norm(D, axis=1), 1, atol=1e-4) for D in atoms)
    found = by_stages(x, known, shape, first, atoms)
    cosines = by_codes(first, x, known, shape, first_atoms(shape, 64))
    assert np.array_equal(found[known], x[known])
    assert np.std((found - x)[~known]) < 0.7 * np.std((cosines - x)[~known])


def test_missing_pixels_do_not_matter(rng):
    x, shape = texture(40), Shape(4, 4)
    known = rng.random(x.shape) < 0.6
    first = filled(x, known)
    found = []
    for there in (x, np.where(known, x, -1e3)):
        random = np.random.default_rng(0)
        atoms = stages([(there, known, first)], shape, 20, random)
        found.append(by_stages(there, known, shape, first, atoms))
    assert np.array_equal(*found)
