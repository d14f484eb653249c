import numpy as np

from lowdim.sparse.denoising.learnt import first_atoms
from lowdim.sparse.inpainting.coded import by_codes
from lowdim.sparse.pictures.patches import Shape


def test_few_atoms_are_found_from_half_of_the_pixels(rng):
    shape = Shape(6, 6)
    D = first_atoms(shape, 64)
    r, c = np.mgrid[0:40, 0:40]
    x = 128 + 60 * np.cos(np.pi * (r + 0.5) / 8) + 40 * np.cos(np.pi * (c + 0.5) / 8)
    known = rng.random(x.shape) < 0.6
    guess = np.full(x.shape, x.mean())
    found = by_codes(guess, x * known, known, shape, D)
    assert np.array_equal(found[known], x[known])
    assert np.std((found - x)[~known]) < 0.25 * np.std((guess - x)[~known])


def test_nothing_known_nearby_leaves_the_guess(rng):
    x, known = np.full((30, 30), 9.0), np.zeros((30, 30), bool)
    known[:4] = True
    found = by_codes(
        np.full((30, 30), 5.0), x * known, known, Shape(4, 4), first_atoms(Shape(4, 4), 16)
    )
    assert (found[10:] == 5).all() and np.allclose(found[:7], 9)
