"""What the measures of a sample say, in a sentence each."""

from __future__ import annotations

import math
from collections.abc import Callable

from lowdim.selection.samples.judging import SAYS, SampleQuality


def _c2st(x: float) -> str:
    told = f"Of 100 rows, real and drawn, a discriminator tells {100 * x:.0f} right"
    if x < 0.55:
        return f"{told}: hardly more than by chance."
    return f"{told}; 50 would be chance, 100 all. " + (
        "They differ, but not much." if x < 0.7 else "It sees a difference in most of them."
    )


SENTENCES: dict[str, Callable[[float], str]] = {
    "c2st": _c2st,
    "js": lambda x: f"At least {x:.3f} of the 0.693 nats by which two things can differ.",
    "energy": lambda x: "How far apart all rows of both sides are, beyond the distances within.",
    "energy_p": lambda x: (
        f"Random deals of the same rows are as far apart in {100 * x:.0f} of 100 cases"
        + (": no difference is seen." if x > 0.05 else ": the difference is no accident.")
    ),
    "mmd": lambda x: (
        "A difference of both sides by a Gaussian kernel; 0 for the same distribution."
    ),
    "frechet": lambda x: "How far means and covariances are apart.",
    "precision": lambda x: f"{100 * x:.0f} of 100 drawn rows lie where real rows are.",
    "recall": lambda x: f"{100 * x:.0f} of 100 real rows lie where drawn rows are.",
    "density": lambda x: (
        "Whether drawn rows lie among many real ones (1), or at their edge (less)."
    ),
    "coverage": lambda x: (
        f"{100 * x:.0f} of 100 real rows have a drawn one in their neighbourhood."
    ),
    "memorised": lambda x: (
        f"{100 * x:.0f} of 100 drawn rows are nearer to rows that were learned from than to rows "
        "that were held out; about 50 is honest, 100 are copies."
    ),
    "wasserstein": lambda x: (
        f"Values of a column are off by {x:.3f} standard deviations on average."
    ),
    "new_levels": lambda x: (
        "No column has a value that no real row has."
        if x == 0
        else f"In the worst column, {100 * x:.1f} % of the values are such as no real row has."
    ),
    "correlation": lambda x: f"No correlation of two columns changed by more than {x:.2f}.",
}


OF_COLUMNS = ("wasserstein", "new_levels", "correlation")


def lines_of(quality: SampleQuality, what: str = "row") -> list[tuple[str, str, str, str]]:
    """Measure, value, what honest draws have, and a sentence; of those that are known.

    Of other things than rows, nothing is said of their columns.
    """
    lines = []
    for name, (honest, _) in SAYS.items():
        value = float(getattr(quality, name))
        if not (math.isnan(value) or (what != "row" and name in OF_COLUMNS)):
            said = SENTENCES[name](value).replace("row", what)
            lines.append((name, f"{value:.3f}", honest, said))
    return lines
