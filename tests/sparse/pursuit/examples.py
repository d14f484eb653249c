"""Dictionaries, signals, and NumPy twins of the pursuits."""

import numpy as np


def unit_atoms(rng, k, d, dtype=np.float64):
    D = rng.standard_normal((k, d))
    return (D / np.linalg.norm(D, axis=1, keepdims=True)).astype(dtype)


def planted(rng, n, k, d, s, noise=0.0):
    """Atoms, codes of s non-zeros away from 0, and signals."""
    D, Z = unit_atoms(rng, k, d), np.zeros((n, k))
    for z in Z:
        z[rng.choice(k, s, replace=False)] = rng.uniform(1, 2, s) * rng.choice([-1, 1], s)
    return D, Z, Z @ D + noise * rng.standard_normal((n, d))


def greedy_twin(D, x, n_nonzero, max_squared_error=-1.0, least_squares=False):
    """The textbook: choose an atom, project on all that are chosen, go on with the rest."""
    k, chosen, rest, z = len(D), [], x, np.zeros(len(D))
    while len(chosen) < n_nonzero and rest @ rest > max_squared_error:
        others = [m for m in range(k) if m not in chosen]
        if least_squares:
            left = [np.linalg.norm(x - _projected(D[[*chosen, m]], x)[0]) for m in others]
            chosen.append(others[int(np.argmin(left))])
        else:
            chosen.append(others[int(np.argmax(np.abs(D[others] @ rest)))])
        projection, share = _projected(D[chosen], x)
        rest = x - projection
        z = np.zeros(k)
        z[chosen] = share
    return z


def _projected(A, x):
    share = np.linalg.lstsq(A.T, x)[0]
    return share @ A, share


def objective(D, X, Z, alpha):
    return 0.5 * ((X - Z @ D) ** 2).sum(axis=1) + alpha * np.abs(Z).sum(axis=1)


def lasso_gap(D, X, Z, alpha):
    """How far a code is from the minimum at the most, by duality: relative to |x|^2 / 2."""
    rest = X - Z @ D
    c = np.abs(rest @ D.T).max(axis=1)
    dual = rest * np.minimum(1.0, alpha / np.maximum(c, 1e-300))[:, None]
    value = 0.5 * (X**2).sum(axis=1) - 0.5 * ((X - dual) ** 2).sum(axis=1)
    return (objective(D, X, Z, alpha) - value) / (0.5 * (X**2).sum(axis=1))
