"""Rows that meet the same words of noise: small products of matrices, two rows by four at a time.

X = H N'        scores of rows h with words of noise
h += g N        what a row moves by
C += G' H       what the rows of noise move by, where they stand in the table

An odd number of rows is taken with the row after them: arrays have room for it.
"""

from __future__ import annotations

import numpy as np

from lowdim.core.kernel import kernel

_0 = np.float32(0)


@kernel(any_order=True, within=True)
def noise_scores(H, start, n, N, x):
    """Scores of n rows of H from `start` on with all rows of N, one row after the other."""
    n_noise, width = N.shape
    for b in range(0, n, 2):
        i, j = start + b, start + b + 1
        for s in range(0, n_noise, 4):
            x0, x1, x2, x3 = _0, _0, _0, _0
            y0, y1, y2, y3 = _0, _0, _0, _0
            for f in range(width):
                h, k = H[i, f], H[j, f]
                n0, n1, n2, n3 = N[s, f], N[s + 1, f], N[s + 2, f], N[s + 3, f]
                x0 += h * n0
                x1 += h * n1
                x2 += h * n2
                x3 += h * n3
                y0 += k * n0
                y1 += k * n1
                y2 += k * n2
                y3 += k * n3
            at = b * n_noise + s
            x[at], x[at + 1], x[at + 2], x[at + 3] = x0, x1, x2, x3
            at += n_noise
            x[at], x[at + 1], x[at + 2], x[at + 3] = y0, y1, y2, y3


@kernel(any_order=True, within=True)
def add_noise(table, i, j, N, g, first):
    """table[i] += sum_s g[first + s] N[s], and table[j] by the numbers of the row after; i != j."""
    n_noise, width = N.shape
    for s in range(0, n_noise, 4):
        at = first + s
        g0, g1, g2, g3 = g[at], g[at + 1], g[at + 2], g[at + 3]
        at += n_noise
        e0, e1, e2, e3 = g[at], g[at + 1], g[at + 2], g[at + 3]
        for f in range(width):
            n0, n1, n2, n3 = N[s, f], N[s + 1, f], N[s + 2, f], N[s + 3, f]
            table[i, f] += g0 * n0 + g1 * n1 + g2 * n2 + g3 * n3
            table[j, f] += e0 * n0 + e1 * n1 + e2 * n2 + e3 * n3


@kernel(any_order=True, within=True)
def move_noise(C, noise, number, H, start, n, g, N):
    """C[noise[number, s]] += sum_b g_bs H[start + b] over n rows, in whole fours; N is used up."""
    n_noise, width = N.shape
    for s in range(0, n_noise, 2):
        for f in range(width):
            N[s, f] = _0
            N[s + 1, f] = _0
        for b in range(0, n, 4):
            at, h = b * n_noise + s, start + b
            g0, g1 = g[at], g[at + n_noise]
            g2, g3 = g[at + 2 * n_noise], g[at + 3 * n_noise]
            at += 1
            e0, e1 = g[at], g[at + n_noise]
            e2, e3 = g[at + 2 * n_noise], g[at + 3 * n_noise]
            for f in range(width):
                h0, h1, h2, h3 = H[h, f], H[h + 1, f], H[h + 2, f], H[h + 3, f]
                N[s, f] += g0 * h0 + g1 * h1 + g2 * h2 + g3 * h3
                N[s + 1, f] += e0 * h0 + e1 * h1 + e2 * h2 + e3 * h3
    for s in range(n_noise if n > 0 else 0):  # of no rows: others may be at work on these words
        c = noise[number, s]
        for f in range(width):
            C[c, f] += N[s, f]
