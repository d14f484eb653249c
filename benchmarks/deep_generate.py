"""`lowdim generate` on a mixed table, beside CTGAN and TVAE of the package ctgan, 100 epochs each.

6 columns: whole numbers, a heavy tail, a category of 4 levels, a flag, counts, two modes; they hang
together through 3 groups of unequal size. What is timed is all from the table to as many drawn
rows; ours is the command itself, which reads and writes files beside that. Quality is the share of
drawn rows and of rows never seen that a discriminator tells right (lower is better, 0.5 the best).
"""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "torch", "ctgan")
N, EPOCHS = 4000, 100
COLUMNS = ("age", "income", "region", "member", "visits", "score")
REGIONS = ("north", "south", "east", "west")
DISCRETE = ["region", "member"]


def numbers(n: int, seed: int) -> np.ndarray:
    """The table, its levels by their numbers: (n, 6)."""
    random = np.random.default_rng(seed)
    g = random.choice(3, size=n, p=[0.6, 0.3, 0.1])
    return np.column_stack(
        [
            np.round(30 + 12 * g + 8 * random.gamma(2.0, size=n)),
            np.round(np.exp(9 + 0.5 * g + 0.4 * random.normal(size=n)), 2),
            (g + random.choice(4, n, p=[0.7, 0.15, 0.1, 0.05])) % 4,
            random.random(n) < 0.2 + 0.3 * g,
            random.poisson(1 + 2 * g),
            np.round(random.choice([-2.0, 2.0], n) + g + 0.5 * random.normal(size=n), 3),
        ]
    )


def table(X: np.ndarray) -> Any:
    import pandas as pd

    frame = pd.DataFrame(X, columns=list(COLUMNS))
    for name in ("age", "visits"):
        frame[name] = frame[name].astype(int)
    frame["region"] = np.array(REGIONS)[X[:, 2].astype(int)]
    frame["member"] = np.where(X[:, 3] > 0, "yes", "no")
    return frame


def rows(shrink: int) -> np.ndarray:
    return numbers(N // shrink, 0)


def ours(X: np.ndarray, method: str) -> Any:
    import pandas as pd

    from lowdim.cli import main

    with tempfile.TemporaryDirectory() as folder:
        real, drawn = Path(folder) / "real.csv", Path(folder) / "drawn.csv"
        table(X).to_csv(real, index=False)
        words = ["generate", str(real), "--method", method, "-o", str(drawn), "-q"]
        main(words, standalone_mode=False)
        return pd.read_csv(drawn)


def theirs(X: np.ndarray, name: str) -> Any:
    import ctgan
    import torch

    torch.manual_seed(0)
    np.random.seed(0)  # noqa: NPY002  which is where ctgan draws from
    model = getattr(ctgan, name)(epochs=EPOCHS)
    model.fit(table(X), DISCRETE)
    return model.sample(len(X))


def told(X: np.ndarray, drawn: Any) -> float:
    """How much of drawn rows and of rows that nobody has seen is told right, mean of 3 folds."""
    from lowdim import TableEncoder
    from lowdim.selection.samples.discriminator import tell_apart

    unseen = table(numbers(len(X), 1))
    encoder = TableEncoder().fit(unseen)
    A, B = (encoder.transform(side[list(COLUMNS)]) for side in (unseen, drawn))
    return float(np.mean([tell_apart(A, B, np.random.default_rng(s)).accuracy for s in range(3)]))


CASES = (
    Case(
        name="generate",
        about="`lowdim generate --method transformer`, 4000 x 6 mixed columns.",
        make=rows,
        ours=Entry("lowdim", partial(ours, method="transformer")),
        peers=[Entry(f"ctgan {name}", partial(theirs, name=name)) for name in ("TVAE", "CTGAN")],
        quality=told,
        higher_is_better=False,
        tolerance=0.02,
        big=True,
        most_rounds=2,
    ),
)
