"""Topics in a plane: those that use the same words lie close together.

    JS(p, q) = H((p + q) / 2) - H(p) / 2 - H(q) / 2     in bits, from 0 to 1

The root of it is a distance (Endres, Schindelin 2003). Classical scaling puts the topics into the
plane in which squared distances are kept best.
"""

from __future__ import annotations

import numpy as np

EXACT_VALUES = 2 * 10**8  # k^2 v: up to here all terms are looked at, beyond
MOST_TERMS = 4_000  # the most frequent, and the others together
STEPS = 200


def divergences(topics: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    """Jensen-Shannon divergences between the rows of topics (k, v), in bits: (k, k)."""
    k, v = topics.shape
    P = topics
    if k * k * v > EXACT_VALUES and v > MOST_TERMS:
        mass = topics.sum(axis=0) if weights is None else weights @ topics
        top = np.argsort(-mass, kind="stable")[:MOST_TERMS]
        rest = 1.0 - topics[:, top].sum(axis=1, keepdims=True)
        P = np.hstack([topics[:, top], np.maximum(rest, 0.0)])
    entropy = _entropy(P)
    D = np.zeros((k, k))
    for i in range(k - 1):
        middle = _entropy((P[i + 1 :] + P[i]) / 2)
        D[i, i + 1 :] = middle - (entropy[i + 1 :] + entropy[i]) / 2
    return np.clip(D + D.T, 0.0, 1.0)


def _entropy(P: np.ndarray) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return -np.where(P > 0, P * np.log2(P), 0.0).sum(axis=1)


def classical_scaling(squared: np.ndarray, dimensions: int = 2) -> np.ndarray:
    """Points (k, dimensions) whose squared distances are nearest to these in the sense of B.

    B = -1/2 J D2 J = V diag(l) V',   points V_+ sqrt(l_+)     (Torgerson 1952)
    """
    k = len(squared)
    centered = squared - squared.mean(axis=0)
    B = -0.5 * (centered - centered.mean(axis=1, keepdims=True))
    values, vectors = np.linalg.eigh((B + B.T) / 2)
    top = np.argsort(-values, kind="stable")[:dimensions]
    points = vectors[:, top] * np.sqrt(np.maximum(values[top], 0.0))
    signs = np.where(points[np.abs(points).argmax(axis=0), np.arange(len(top))] < 0, -1.0, 1.0)
    points *= signs
    return np.hstack([points, np.zeros((k, dimensions - points.shape[1]))])


def document_plane(shares: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Documents (n, 2) between their topics, nearer to the larger ones: weights are theta^2."""
    squares = shares**2
    return (squares @ points) / np.maximum(squares.sum(axis=1, keepdims=True), 1e-300)


def spread_points(squared: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Points (k, 2) whose distances are nearest to the roots of these: least squares.

    minimise  sum_ij (d_ij - |x_i - x_j|)^2   by   X <- B(X) X / k,   b_ij = -d_ij / |x_i - x_j|

    Each step lowers the stress (de Leeuw 1977). Unlike a projection, which puts topics that differ
    in other directions on top of each other, it leaves room between all of them.
    """
    k = len(squared)
    d = np.sqrt(squared)
    X = start + 1e-3 * np.random.default_rng(0).normal(size=start.shape)
    for _ in range(STEPS if k > 1 else 0):
        distance = np.sqrt(((X[:, None] - X[None]) ** 2).sum(axis=2))
        B = -np.divide(d, distance, out=np.zeros_like(d), where=distance > 1e-12)
        B[np.diag_indices(k)] = -B.sum(axis=1)
        X = B @ X / k
    return X
