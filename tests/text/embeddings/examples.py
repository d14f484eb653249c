"""Counts that several tests of word vectors share."""

import numpy as np

# cherry, strawberry, digital, information x computer, data, result, pie, sugar (Jurafsky and
# Martin, Speech and language processing, figure 6.5), one added to each
FOUR_WORDS = 1.0 + np.array(
    [[2, 8, 9, 442, 25], [0, 0, 1, 60, 19], [1670, 1683, 85, 5, 4], [3325, 3982, 378, 5, 13]]
)


def poisson_counts(rng, n=20, v=12, d=2, mean=30.0):
    """Counts of pairs whose logarithms have low rank, some of them 0."""
    relation = rng.normal(size=(n, d)) @ rng.normal(size=(d, v)) / 2
    return rng.poisson(mean * np.exp(relation)).astype(float)


def cosines(vectors):
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return unit @ unit.T


def numeric_gradient(f, x, step=1e-6):
    """Central differences of f, by each number of x."""
    gradient = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        there = x.copy()
        there[i] += step
        back = x.copy()
        back[i] -= step
        gradient[i] = (f(there) - f(back)) / (2 * step)
    return gradient
