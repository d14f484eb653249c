"""Small maps, and their divergence written out."""

import numpy as np
import scipy.sparse as sp


def random_affinities(rng, n, part=0.3):
    """A symmetric P of sum 1, some pairs of it 0."""
    P = rng.random((n, n)) * (rng.random((n, n)) < part)
    P = P + P.T
    np.fill_diagonal(P, 0)
    return sp.csr_array(P / P.sum())


def plain_divergence(Y, P, dof):
    """KL(P || Q), pair by pair in double precision."""
    Y, P = Y.astype(np.float64), sp.csr_array(P).toarray()
    square = ((Y[:, None] - Y) ** 2).sum(axis=2)
    w = (1 + square / dof) ** (-(dof + 1) / 2)
    np.fill_diagonal(w, 0)
    Q = w / w.sum()
    some = P > 0
    return float((P[some] * np.log(P[some] / Q[some])).sum())


def clusters(rng, n=120, d=6, k=3, gap=10.0):
    """Rows about k centers, and their labels."""
    labels = np.arange(n) % k
    return rng.normal(size=(n, d)) + gap * rng.normal(size=(k, d))[labels], labels
