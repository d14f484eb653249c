"""How far an online rule moves at step t: one vocabulary for all of them.

    count         1 / t               a mean of all so far
    harmonic      eta0 / t
    decreasing    eta0 / t^power_t    settles as well, and later: Robbins and Monro's conditions
    constant      eta0                follows a drift; a number stands for itself

What t counts belongs to the method: rows (`OnlineRegression`), rows that a center has won
(`KMeans`), batches (Oja's rule in `PCA`, `LinearAutoencoder`, in fifties). So does eta0.
"""

from __future__ import annotations

FALLING = ("count", "harmonic", "decreasing")
POWER_T = 0.6  # between 1/2 and 1: steps add up to infinity, their squares do not


def power_of(gain: str | float, power_t: float = POWER_T) -> float:
    """The p of a gain that falls like t^-p."""
    if gain in ("count", "harmonic"):
        return 1.0
    return power_t if gain == "decreasing" else 0.0
