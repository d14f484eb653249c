"""Matching pursuit."""

import numpy as np

from lowdim.sparse.pursuit.matching import mp
from tests.sparse.pursuit.examples import unit_atoms


def twin(D, x, steps):
    z, rest, size = np.zeros(len(D)), x.copy(), np.linalg.norm(D, axis=1)
    for _ in range(steps):
        j = np.argmax(np.abs(D @ rest) / size)
        step = D[j] @ rest / size[j] ** 2
        z[j] += step
        rest = rest - step * D[j]
    return z


def coded(D, X, *args):
    return mp(D @ D.T, X @ D.T, (X**2).sum(axis=1), *args)


def test_kernel_equals_the_textbook(rng):
    D, X = unit_atoms(rng, 25, 8) * rng.uniform(0.5, 2, (25, 1)), rng.standard_normal((10, 8))
    for steps in (0, 1, 6, 20):
        expected = [twin(D, x, steps) for x in X]
        np.testing.assert_allclose(coded(D, X, steps).codes.toarray(), expected, atol=1e-10)


def test_it_ends_at_an_error_or_at_a_number_of_atoms(rng):
    D, X = unit_atoms(rng, 25, 8), rng.standard_normal((10, 8))
    found = coded(D, X, 1000, None, 0.5)
    assert (((X - found.codes @ D) ** 2).sum(axis=1) <= 0.5 + 1e-12).all()
    assert not found.ended_early.any()
    assert (np.diff(coded(D, X, 1000, 3).codes.indptr) <= 3).all()
