"""What `auto` means: one rule for `reduce`, `complete`, `cluster`, `explore` and in Python.

    components   columns in their own units: 'bcv', the fewest whose error on held-out values is
                 within one standard error of the best; columns brought to one scale: 'gain', the
                 fewest that gain nine tenths of what the best number gains over column means.
                 `choose_rank(X)` sees by itself which of the two X is
    clusters     models with a likelihood: BIC; others: silhouette. As `choose_k(X, model)`

Why two rules for components. Held-out values are predicted best by the planted components if the
noise of all columns is the same. Scaling gives each column a noise of its own, and further
components then serve as weights of the columns: little by little they go on to gain.

    planted number found, 120 scaled tables each   random     own columns  one factor   two groups
    (2 to 5 factors, 6 to 40 columns)              loadings   per factor   4x stronger  far apart
    gain                                           0.75       1.00         0.71         0.82
    parallel                                       0.95       1.00         0.42         0.52

Parallel analysis, the other candidate, loses what stands beside a strong factor in a narrow table;
'bcv' alone finds 5.9 of 3 factors with random loadings in 12 columns.

Of a category with a column for each level, the largest level is left out first, since it follows
from the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lowdim.selection.clusters import LARGEST_DEFAULT, KChoice, choose_k
from lowdim.selection.rank import RankChoice, auto_method, choose_rank
from lowdim.tables.codecs import CategoryCodec

if TYPE_CHECKING:
    from lowdim.core.blocks import Blocks
    from lowdim.tables.encoder import TableEncoder
    from lowdim.tables.encoding import Encoding

ROWS, VALUES = 2_000, 100_000  # of the sample that is asked: so many rows, fewer of wide tables
LEAST_ROWS = 300
REPEATS = 5
MOST_RANK = 20
FEWEST_TRIED, BEYOND_CHANCE = 8, 5  # components that are tried: so many more than beat chance


def auto_rank(
    X: np.ndarray, one_scale: bool, random_state: Any = None, parallel: RankChoice | None = None
) -> RankChoice:
    """How many components a matrix supports; 0 where none helps to predict held-out values.

    `parallel` is the choice by parallel analysis, if it is known: it says how many to try.
    """
    parallel = parallel or choose_rank(X, "parallel", random_state=random_state)
    tried = max(parallel.choice + BEYOND_CHANCE, FEWEST_TRIED)
    most = max(min(MOST_RANK, tried, *(side - 1 for side in X.shape)), 1)
    method = auto_method(one_scale)
    return choose_rank(X, method, max_rank=most, repeats=REPEATS, random_state=random_state)


def auto_rank_of_table(rows: Blocks, encoder: TableEncoder, seed: int) -> RankChoice | None:
    """How many components the rows of a table support; None where it is too small to ask.

    rows are those of the table by the fitted encoder.
    """
    encoding = encoder.encoding_
    free = free_columns(encoding)
    n, d = rows.shape[0], int(free.sum())
    if n < 4 or d < 3:
        return None
    X = rows.take(sample_rows(n, rank_rows(d), seed))
    X = np.asarray(X if isinstance(X, np.ndarray) else X.toarray(), dtype=np.float64)
    X = (X / unit_scale(encoding))[:, free]
    return auto_rank(X[:, (~np.isnan(X)).sum(axis=0) > 1], encoder.scale, seed)


def auto_k(
    X: Any, model: Any, random_state: Any = None, most: int = LARGEST_DEFAULT
) -> KChoice | None:
    """How many clusters X has, by the criterion that suits the model; None where rows are too few.

    As many as `most` are tried, from 1 on by BIC, from 2 on by silhouette.
    """
    first = 1 if hasattr(model, "score_samples") else 2
    last = min(most, X.shape[0] - 1)
    if last <= first:
        return None
    return choose_k(X, model, k=range(first, last + 1), random_state=random_state)


# ---- which rows and columns are asked ------------------------------------------------------------


def sample_rows(n: int, size: int, seed: int) -> np.ndarray:
    """`size` distinct rows of n in their order, or all if there are no more."""
    if n <= size:
        return np.arange(n)
    return np.sort(np.random.default_rng(seed).choice(n, size, replace=False))


def rank_rows(n_columns: int) -> int:
    """How many rows the rank is chosen on."""
    return max(LEAST_ROWS, min(ROWS, VALUES // n_columns))


def free_columns(encoding: Encoding) -> np.ndarray:
    """Columns of numbers that follow from no others: of each category all but the largest level."""
    free = np.ones(encoding.width, dtype=bool)
    for codec, span in zip(encoding.codecs, encoding.spans, strict=True):
        if isinstance(codec, CategoryCodec) and codec.left_out < 0:
            free[span.start + int(np.argmax(codec.shares))] = False
    return free


def unit_scale(encoding: Encoding) -> np.ndarray:
    """What divides the columns so that those of levels have variance 1, too, where others have."""
    scale = np.ones(encoding.width)
    for codec, span in zip(encoding.codecs, encoding.spans, strict=True):
        if isinstance(codec, CategoryCodec) and codec.left_out < 0 and codec.scaled:
            scale[span] = np.sqrt(1.0 - codec.shares)  # (1[x = level] - p) / sqrt(p) has 1 - p
    return scale
