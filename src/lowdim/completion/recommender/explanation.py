"""Why an item is recommended: what each rating of the user contributes to its score.

An explanation is exact, since the regression is linear in what the user has rated: with
A = P + sum_o f_j f_j' (o: rated items),

    z_i = A^-1 sum_o y_j f_j         so        s_ij = m_j + sum_o  y_o  f_o' A^-1 w_j
                                                          (what the rating of item o contributes)
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.completion.coding import Coding
from lowdim.core.result_table import ResultTable


class Explanation(NamedTuple):
    """score = baseline + sum of contributions + rest."""

    score: float
    baseline: float
    rest: float
    contributions: ResultTable  # item, title, rating, contribution; the largest first

    def __str__(self) -> str:
        return f"score {self.score:.4g}, of which {self.baseline:.4g} for everyone\n" + str(
            self.contributions
        )


def contributions(row: Any, coding: Coding, w: np.ndarray, z: np.ndarray) -> np.ndarray:
    """What each stored entry of a row (1, d) adds to z'w, for z the ridge regression of the row.

    Under z >= 0 the regression is linear in the entries as long as the same codes are 0: those that
    are 0 in `z` take no part.
    """
    on, columns = coding.on, row.indices
    free = z > 0 if coding.method == "nonnegative" else np.ones(len(z), dtype=bool)
    F = on.F[columns][:, free].astype(np.float64)
    if coding.confidence is None:
        y = (row.data - coding.mean[columns]) / coding.scale[columns]
        weight = np.ones(len(y))
    else:
        weight = coding.confidence * row.data.astype(np.float64)
        y = np.where(weight > 0, 1.0 + weight, 0.0)
    penalty = on.penalty[free] * (weight.sum() if on.by_count else 1.0)
    A = F.T @ (F * weight[:, None]) + np.diag(penalty)
    if on.gram is not None:
        A += on.gram[np.ix_(free, free)]
    influence = np.linalg.lstsq(A, w[free].astype(np.float64), rcond=None)[0]
    return y * (F @ influence)
