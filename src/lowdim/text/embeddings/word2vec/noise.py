"""Rows that meet the same words of noise: small products of matrices, four rows at a time.

X = H N'        scores of rows h with words of noise
h += g N        what a row moves by
C += G' H       what the rows of noise move by, where they stand in the table
"""

from __future__ import annotations

import numpy as np

from lowdim.core.kernel import kernel


@kernel(any_order=True, within=True)
def noise_scores(H, start, n, N, x):
    """Scores of n rows of H from `start` on with all rows of N, one row after the other."""
    n_noise, width = N.shape
    for b in range(n):
        for s in range(0, n_noise, 4):
            x0, x1, x2, x3 = np.float32(0), np.float32(0), np.float32(0), np.float32(0)
            for f in range(width):
                h = H[start + b, f]
                x0 += h * N[s, f]
                x1 += h * N[s + 1, f]
                x2 += h * N[s + 2, f]
                x3 += h * N[s + 3, f]
            at = b * n_noise + s
            x[at], x[at + 1], x[at + 2], x[at + 3] = x0, x1, x2, x3


@kernel(any_order=True, within=True)
def add_noise(table, row, N, g, first):
    """table[row] += sum_s g[first + s] N[s]."""
    n_noise, width = N.shape
    for s in range(0, n_noise, 4):
        g0, g1, g2, g3 = g[first + s], g[first + s + 1], g[first + s + 2], g[first + s + 3]
        for f in range(width):
            table[row, f] += g0 * N[s, f] + g1 * N[s + 1, f] + g2 * N[s + 2, f] + g3 * N[s + 3, f]


@kernel(any_order=True, within=True)
def move_noise(C, noise, number, H, start, n, g):
    """C[noise[number, s]] += sum_b g_bs H[start + b] over n rows, in whole fours."""
    n_noise, width = noise.shape[1], H.shape[1]
    for s in range(n_noise):
        c = noise[number, s]
        for b in range(0, n, 4):
            at, h = b * n_noise + s, start + b
            g0, g1 = g[at], g[at + n_noise]
            g2, g3 = g[at + 2 * n_noise], g[at + 3 * n_noise]
            for f in range(width):
                C[c, f] += g0 * H[h, f] + g1 * H[h + 1, f] + g2 * H[h + 2, f] + g3 * H[h + 3, f]
