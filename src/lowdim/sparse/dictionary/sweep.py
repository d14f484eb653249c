"""The sweep of K-SVD: each atom together with its coefficients, the others being as they are.

    R = X_N - (Z D without d_l)_N      rows N that use atom l, what the other atoms leave of them
    minimise over h, g     sum_i w_i |R_i - g_i h|^2,     |h| = 1

    approximate    h = R'Wg / |R'Wg|,   g = R h        one step of power iteration (Algorithm 1)
    exact          h, g of the largest singular value of sqrt(W) R

Neither raises the sum of squared errors. Where R'Wg = 0 the atom stays: any h is as good. With
missing values the sums run over what is observed,

    h_f = d_f + sum_i w_i g_i E_if / sum_i w_i g_i^2 m_if
    g_i = sum_f m_if R_if h_f / sum_f m_if h_f^2

and 'exact' repeats this. E = X - Z D is kept up to date, 0 where X is missing: an atom costs
O(|N| d), a sweep over codes with s non-zeros O(n s d).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp

from lowdim.core.kernel import kernel

ROUNDS = 30  # of alternation for an atom that is to be exact, with missing values


class Swept(NamedTuple):
    atoms: np.ndarray  # (k, d)
    codes: sp.csr_array  # (n, k)  with the non-zeros that there were
    rest: np.ndarray  # (n, d)  X - Z D


def sweep(
    rest: np.ndarray,
    codes: sp.csr_array,
    atoms: np.ndarray,
    weight: np.ndarray | None,
    observed: np.ndarray | None,
    exact: bool,
) -> Swept:
    """All atoms once, one after the other.

    Parameters
    ----------
    rest : array of shape (n, d)
        X - Z D, 0 where X is missing. It is written into.
    codes : csr_array of shape (n, k)
    atoms : array of shape (k, d), rows of length 1
    weight : array of shape (n,) or None
    observed : bool array of shape (n, d), or None where nothing is missing
    exact : whether atoms are singular vectors
    """
    D, z = np.array(atoms, order="C"), codes.data.copy()
    numbers = sp.csr_array((np.arange(codes.nnz), codes.indices, codes.indptr), shape=codes.shape)
    by_atom = numbers.tocsc()
    first, row, place = (
        np.asarray(part, np.int64) for part in (by_atom.indptr, by_atom.indices, by_atom.data)
    )
    w = np.ones(len(rest)) if weight is None else np.require(weight, requirements=["C", "W"])
    rest = np.require(rest, requirements=["C", "W"])
    if observed is not None:
        room = np.empty((2, D.shape[1]))
        observed = np.require(observed, requirements=["C", "W"])
        _observed_atoms(first, row, place, z, rest, D, w, observed, ROUNDS if exact else 1, room)
    elif exact:
        _exact_atoms(first, row, place, z, rest, D, w)
    else:
        _atoms(first, row, place, z, rest, D, w, np.empty(D.shape[1]))
    return Swept(D, sp.csr_array((z, codes.indices, codes.indptr), shape=codes.shape), rest)


def _exact_atoms(first: Any, row: Any, place: Any, z: Any, E: Any, D: Any, w: Any) -> None:
    root = np.sqrt(w)
    for j in range(len(D)):
        part = slice(first[j], first[j + 1])
        i, g = row[part], z[place[part]]
        R = E[i] + np.outer(g, D[j])
        h = leading_direction(R * root[i, None].astype(R.dtype))
        if h is None:
            continue
        h *= -1.0 if h @ D[j] < 0 else 1.0  # the atom does not turn round
        g = R @ h
        E[i] = R - np.outer(g, h)
        D[j], z[place[part]] = h, g


def leading_direction(R: np.ndarray) -> np.ndarray | None:
    """The right singular vector of the largest singular value; None if R is 0 or has no rows."""
    n, d = R.shape
    if not R.any():
        return None
    R = R / np.abs(R).max()
    G = R.T @ R if d <= n else R @ R.T
    last = len(G) - 1
    top = scipy.linalg.eigh(G, subset_by_index=(last, last), check_finite=False)[1][:, 0]
    h = top if d <= n else R.T @ top
    return np.asarray(h / np.linalg.norm(h))


# ---- kernels -------------------------------------------------------------------------------------


@kernel(any_order=True)
def _atoms(first, row, place, z, E, D, weight, h):
    """One step of power iteration for each atom; z, E and D are written into."""
    k, d = D.shape
    for j in range(k):
        total = 0.0
        for f in range(d):
            h[f] = 0.0
        for e in range(first[j], first[j + 1]):
            x, g = E[row[e]], z[place[e]]
            wg = weight[row[e]] * g
            total += wg * g
            for f in range(d):
                h[f] += wg * x[f]
        squares = 0.0
        for f in range(d):
            h[f] += total * D[j, f]
            squares += h[f] * h[f]
        if not squares > 0.0:
            continue
        scale, common = 1.0 / squares**0.5, 0.0
        for f in range(d):
            h[f] *= scale
            common += h[f] * D[j, f]
        for e in range(first[j], first[j + 1]):
            x, g = E[row[e]], z[place[e]]
            new = g * common
            for f in range(d):
                new += x[f] * h[f]
            for f in range(d):
                x[f] += g * D[j, f] - new * h[f]
            z[place[e]] = new
        for f in range(d):
            D[j, f] = h[f]


@kernel(any_order=True)
def _observed_atoms(first, row, place, z, E, D, weight, observed, rounds, room):
    """The same for rows with missing values, each atom `rounds` times."""
    k, d = D.shape
    h, size = room[0], room[1]
    for turn in range(k * rounds):
        j = turn // rounds
        for f in range(d):
            h[f] = 0.0
            size[f] = 0.0
        for e in range(first[j], first[j + 1]):
            x, m, g = E[row[e]], observed[row[e]], z[place[e]]
            wg = weight[row[e]] * g
            for f in range(d):
                h[f] += wg * x[f]
                size[f] += wg * g if m[f] else 0.0
        squares = 0.0
        for f in range(d):
            h[f] = D[j, f] + (h[f] / size[f] if size[f] > 0.0 else 0.0)
            squares += h[f] * h[f]
        if first[j] == first[j + 1] or not squares > 0.0:
            continue
        scale = 1.0 / squares**0.5
        for f in range(d):
            h[f] *= scale
        for e in range(first[j], first[j + 1]):
            x, m, g = E[row[e]], observed[row[e]], z[place[e]]
            above, below = 0.0, 0.0
            for f in range(d):
                a = h[f] if m[f] else 0.0
                above += (x[f] + g * D[j, f]) * a
                below += a * a
            new = above / below if below > 0.0 else g
            for f in range(d):
                x[f] += g * D[j, f] - new * h[f] if m[f] else 0.0
            z[place[e]] = new
        for f in range(d):
            D[j, f] = h[f]
