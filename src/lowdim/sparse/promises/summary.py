"""`guarantees`: what a dictionary promises, in words."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from lowdim.core.threads import single_threaded_blas
from lowdim.sparse.promises.products import coherence, unit_atoms, welch_bound


class Guarantees(NamedTuple):
    """What is known of a dictionary; prints itself in words."""

    shape: tuple[int, int]
    coherence: float
    welch_bound: float
    sparsity: float  # codes of so many non-zeros are surely found; infinity: all of them
    frame_bounds: tuple[float, float]  # a |x|^2 <= |U'x|^2 <= b |x|^2
    condition_number: float  # sqrt(b / a)

    def __str__(self) -> str:
        D, L = self.shape
        low, high = self.frame_bounds
        spans = low > 0
        lines = [
            f"{L:,} atoms for signals of {D:,} numbers.",
            f"Coherence {self.coherence:.4g}: two atoms have at most this in common. No {L:,} "
            f"atoms in {D:,} dimensions have less than {self.welch_bound:.4g} (Welch).",
            self._promise(),
            f"Frame bounds {low:.4g} and {high:.4g}, condition number {self.condition_number:.4g}: "
            + (
                "all atoms together span every signal."
                if spans
                else "some signals are no sum of the atoms."
            ),
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return str(self)

    def _promise(self) -> str:
        if math.isinf(self.sparsity):
            return (
                "The atoms are orthogonal: every signal has one code only, and any method finds it."
            )
        s = int(self.sparsity)
        if s == 0:
            return (
                "No code is sure to be found: two atoms are the same up to their sign. Leave out "
                "doubles (lowdim.sparse.union(..., distinct=True))."
            )
        number = "1 atom" if s == 1 else f"at most {s} atoms"
        return (
            f"A signal that is a sum of {number} has no other code as sparse, and both orthogonal "
            "matching pursuit and basis pursuit find it. Denser codes are often found, too, but "
            "coherence does not promise it."
        )


@single_threaded_blas()
def guarantees(U):
    """What the coherence of a dictionary promises: which codes are surely found.

    Parameters
    ----------
    U : array of shape (D, L), Basis or LinearOperator
        Atoms as columns; they are taken with length 1.

    Returns
    -------
    Guarantees
        `coherence`, `sparsity` (the largest s < (1 + 1 / coherence) / 2), `welch_bound`,
        `frame_bounds` and `condition_number`. Prints itself in words.

    Examples
    --------
    >>> from lowdim import sparse
    >>> U = sparse.union(sparse.basis("identity", 64), sparse.basis("hadamard", 64))
    >>> sparse.guarantees(U).sparsity
    4
    """
    V = unit_atoms(U)
    D, L = V.shape
    mu = coherence(V)
    values = np.linalg.svd(V, compute_uv=False)
    high = float(values[0] ** 2)
    low = float(values[-1] ** 2) if L >= D else 0.0
    low = low if low > 1e-14 * high else 0.0
    condition = math.sqrt(high / low) if low else math.inf
    return Guarantees((D, L), mu, welch_bound(D, L), _sparsity(mu), (low, high), condition)


def _sparsity(mu: float) -> float:
    """The largest whole s < (1 + 1 / mu) / 2."""
    if mu <= 1e-14:
        return math.inf
    return math.ceil((1.0 + 1.0 / mu) / 2.0 * (1.0 - 1e-12)) - 1
