"""Whether rows of a basis can measure what is sparse in another one.

    share_j = max_i <w_i, u_j>^2        of an atom u_j, by the rows w_i of the basis W

An atom lies in about 1 / share_j rows of W. Of those M D / (share_j D^2) are measured on average,
so where the largest share is much, atoms are seen once or not at all, and no solver can find them.
Gaussian measurements see all atoms alike. (Candes and Romberg, 2007, Sparsity and incoherence in
compressive sampling: M has to grow with D max_j share_j.)
"""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from lowdim.core.calling import level_of_caller
from lowdim.sparse.bases.operator import Basis
from lowdim.sparse.sensing.measuring import Measurement

LEAST_SEEN = 4.0  # numbers in which an atom should be measured, on average
UNSEEN = 1e-20  # of the square of an atom: rounding
MOST_NUMBERS = 2**22  # of the atoms that are looked at
ADVICE = (
    "Choose measurement='gaussian' or 'bernoulli', which go with every basis; 'pixels' goes with "
    "waves ('dct', 'dft', 'hadamard'), 'dct' and 'dft' go with spikes ('identity')."
)


class Seen(NamedTuple):
    """Of atoms."""

    share: float  # the largest that one row of W has of an atom
    least: float  # the least that is measured of the square of an atom


def seen_atoms(W: Measurement, U: Basis) -> Seen:
    """How rows of a basis see atoms: all of them, or an even choice where they are many."""
    D, L = U.shape
    most = max(1, MOST_NUMBERS // D)
    chosen = np.unique(np.linspace(0, L - 1, min(L, most)).astype(int))
    share, least = 0.0, np.inf
    for some in np.array_split(chosen, -(-len(chosen) * D // 2**20)):
        codes = np.zeros((len(some), L))
        codes[np.arange(len(some)), some] = 1.0
        squares = np.square(W.whole(U.synthesize(codes)))
        squares /= squares.sum(axis=1, keepdims=True)
        share = max(share, float(squares.max()))
        least = min(least, float(squares[:, W.chosen].sum(axis=1).min()))
    return Seen(share, least)


def check_pair(W: Measurement, U: Basis, names: str) -> None:
    """Raise where an atom is not measured at all, warn where atoms are seen in few numbers."""
    M, D = W.shape
    if W.chosen is None or M == D:
        return
    found = seen_atoms(W, U)
    if found.least < UNSEEN:
        raise ValueError(
            f"{names}: some atoms are in none of the {M} of {D} numbers that are measured, so rows "
            f"that have them cannot be made again. {ADVICE}"
        )
    if M / D < LEAST_SEEN * found.share:
        warnings.warn(
            f"{names}: one number can hold {found.share:.0%} of an atom, and {M} of {D} are "
            f"measured; rows with atoms that are hardly seen will not be made again. {ADVICE}",
            UserWarning,
            stacklevel=level_of_caller(),
        )
