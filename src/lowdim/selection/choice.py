"""A size that was chosen, the evidence for it, and the rules that choose.

    L (r, m)    losses of m sizes in r repeats; all sizes share the repeats
    excess      mean over r of L[:, s] - L[:, b], where b is the best size: with its standard error
    choice      the first size whose excess is at most one standard error: the fewest near the best

Losses of a hard split are large for all sizes; their differences know nothing of that, so that the
paired standard error is the smaller and the honest one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np


@dataclass(frozen=True, repr=False)
class Choice:
    """A size and the evidence for it; `print(choice)` says it in a sentence.

    Attributes
    ----------
    choice : int
        The size: a number of components, or of clusters.
    sizes : ndarray of shape (m,)
        The numbers that were compared.
    curve : ndarray of shape (m,)
        The criterion for each.
    criterion : str
    errors : ndarray of shape (m,) or None
        Standard errors of the curve, where it is an estimate.
    reference : ndarray of shape (m,) or None
        What the curve is held against.
    per_repeat : ndarray of shape (repeats, m) or None
        The criterion in each repeat; the curve is its mean. None where nothing is repeated.
    """

    choice: int
    sizes: np.ndarray
    curve: np.ndarray
    criterion: str
    errors: np.ndarray | None = field(default=None, kw_only=True)
    reference: np.ndarray | None = field(default=None, kw_only=True)
    per_repeat: np.ndarray | None = field(default=None, kw_only=True)

    counts: ClassVar[str] = "size"  # what one of them is called
    labels: ClassVar[dict[str, str]] = {}  # of the curve, by criterion
    reasons: ClassVar[dict[str, str]] = {}  # why this one, by criterion

    @property
    def spread(self) -> np.ndarray | None:
        """Standard deviation of the criterion from one repeat to the next, (m,); None without."""
        return None if self.per_repeat is None else self.per_repeat.std(axis=0, ddof=1)

    def sentence(self) -> str:
        """The choice in plain words."""
        some = self.counts if self.choice == 1 else f"{self.counts}s"
        span = f"of {self.sizes[0]} to {self.sizes[-1]}"
        return f"{self.choice} {some}, {span}: {self.reasons[self.criterion]}."

    def __str__(self) -> str:
        return self.sentence()

    def plot(self, ax: Any = None) -> Any:
        """The curve with its standard errors and the choice; returns the matplotlib Axes."""
        from lowdim.plots import curve_with_errors

        return curve_with_errors(
            self.sizes,
            self.curve,
            self.errors,
            self.choice if self.choice in self.sizes else None,
            reference=self.reference,
            one_error_line=self.criterion not in ("gap", "gain"),  # which have rules of their own
            xlabel=f"{self.counts}s",
            ylabel=self.labels[self.criterion],
            ax=ax,
        )


# ---- the one-standard-error rule -----------------------------------------------------------------


class Excess(NamedTuple):
    """How much more than the best each size loses, and the standard error of that."""

    mean: np.ndarray  # (m,)
    error: np.ndarray  # (m,)


def standard_error(losses: np.ndarray, overlap: float = 0.0) -> np.ndarray:
    """Standard error of the mean of losses (repeats, ...).

    Repeats whose training data overlap are less than independent: Nadeau and Bengio (2003) put
    1 / repeats + overlap in the place of 1 / repeats, with overlap = share / (1 - share) where a
    share of the data is held out.
    """
    n = len(losses)
    return losses.std(axis=0, ddof=1) / np.sqrt(n / (1.0 + n * overlap))


def excess_over(losses: np.ndarray, best: int, overlap: float = 0.0) -> Excess:
    """Paired differences of losses (repeats, m) from those of the best."""
    difference = losses - losses[:, [best]]
    return Excess(difference.mean(axis=0), standard_error(difference, overlap))


def fewest_near_best(losses: np.ndarray) -> int:
    """The first of the sizes that is not worse than the best by more than one standard error."""
    excess = excess_over(losses, int(np.argmin(losses.mean(axis=0))))
    return int(np.argmax(excess.mean <= excess.error))


# ---- other rules ---------------------------------------------------------------------------------


def first_within_error(gap: np.ndarray, errors: np.ndarray) -> int:
    """The first k with gap(k) >= gap(k + 1) - error(k + 1); the last if there is none."""
    enough = gap[:-1] >= gap[1:] - errors[1:]
    return int(np.argmax(enough)) if enough.any() else len(gap) - 1


def elbow(sizes: np.ndarray, curve: np.ndarray) -> int:
    """Which point lies farthest below the line between the ends; the first if none does."""
    fall = curve[0] - curve[-1]
    if fall <= 0:
        return 0
    x = (sizes - sizes[0]) / (sizes[-1] - sizes[0])
    y = (curve - curve[-1]) / fall
    return int(np.argmax(1.0 - x - y))
