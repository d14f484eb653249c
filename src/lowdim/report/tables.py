"""Tables of factor loadings, as psychologists read them.

A factor model says  cov(x) = L phi L' + diag(noise),  phi the correlations of the factors.
The variance of variable i is its communality (L phi L')_ii, which the factors explain, plus its
uniqueness noise_i. Factor j explains (phi L'L)_jj of the variance of all variables; over the
factors these sums of squared loadings add up to the sum of the communalities.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.utils import check_array

from lowdim.core.result_table import column_widths, text_table

LONGEST_NAME = 32


class LoadingsTable(NamedTuple):
    """Loadings and what they explain; `print(table.to_text())` shows it."""

    names: tuple[str, ...]  # of the variables
    loadings: np.ndarray  # (d, k)  the pattern
    communalities: np.ndarray  # (d,)  variance that the factors explain
    uniqueness: np.ndarray  # (d,)  variance that they do not
    ss_loadings: np.ndarray  # (k,)  variance that each factor explains: phi L'L, diagonal
    proportion: np.ndarray  # (k,)  the same, as part of the variance of all variables
    cumulative: np.ndarray  # (k,)  its running sum
    phi: np.ndarray | None  # (k, k)  correlations of the factors; None if uncorrelated
    standardized: bool  # whether variables are scaled to unit variance

    def to_text(self, cutoff: float = 0.3, *, digits: int = 3, sort: bool = False) -> str:
        """The table as text.

        Parameters
        ----------
        cutoff : float, default=0.3
            Loadings smaller than this in absolute value are left blank; 0 shows all.
        digits : int, default=3
            Digits after the point.
        sort : bool, default=False
            Group the variables by the factor on which they load most, the largest first.
        """
        names = [_shortened(name) for name in self.names]
        factors = [f"F{j + 1}" for j in range(self.loadings.shape[1])]

        def numbers(values: np.ndarray, smallest: float = 0.0) -> list[str]:
            return [_number(v, digits) if abs(v) >= smallest else "" for v in values]

        of_variables = [["", *factors, "communality", "uniqueness"]]
        for i in _grouped(self.loadings) if sort else range(len(names)):
            variance = np.array([self.communalities[i], self.uniqueness[i]])
            of_variables.append([names[i], *numbers(self.loadings[i], cutoff), *numbers(variance)])
        of_factors = [
            ["", *factors],
            ["SS loadings", *numbers(self.ss_loadings)],
            ["Proportion Var", *numbers(self.proportion)],
            ["Cumulative Var", *numbers(self.cumulative)],
        ]
        parts = [of_variables, of_factors]
        if self.phi is not None:
            correlations = zip(factors, self.phi, strict=True)
            parts.append([["Factor correlations", *factors]])
            parts[-1] += [[factor, *numbers(row)] for factor, row in correlations]

        kind = "standardized" if self.standardized else "in the units of the variables"
        blank = f"; below {cutoff:g} left blank" if cutoff > 0 else ""
        widths = column_widths([line for part in parts for line in part])
        right = range(1, len(widths))
        tables = [text_table(part, right=right, widths=widths) for part in parts]
        return "\n\n".join([f"Loadings ({kind}{blank})", *tables])


def loadings_table(
    loadings: Any,
    noise_variance: Any,
    names: Sequence[Any] | None = None,
    phi: Any = None,
    *,
    standardized: bool = True,
) -> LoadingsTable:
    """Loadings, communalities, uniqueness and the variance each factor explains.

    Parameters
    ----------
    loadings : array-like of shape (n_features, n_factors)
        The pattern, one row per variable: `components_.T`, or the `loadings` of a Rotation.
    noise_variance : array-like of shape (n_features,)
        Variance of each variable that the factors leave unexplained.
    names : sequence of str or None, default=None
        Names of the variables; None means x0, x1, ...
    phi : array-like of shape (n_factors, n_factors) or None, default=None
        Correlations of the factors, for oblique rotations; None (or the identity): uncorrelated.
    standardized : bool, default=True
        Divide each variable by its standard deviation under the model, as if the correlation
        matrix had been analysed: loadings of orthogonal factors are then correlations of variable
        and factor, and communality and uniqueness add up to 1. False keeps the units of the
        variables.

    Returns
    -------
    LoadingsTable
        Named tuple of arrays, with `to_text`.

    Notes
    -----
    Proportions are of the total variance, the sum of all communalities and uniquenesses. R's
    `print.loadings` divides by the number of variables instead, which is the same where
    standardized, and may exceed 1 where not. A variable without variance has loadings of 0.

    Examples
    --------
    >>> from lowdim.report.tables import loadings_table
    >>> table = loadings_table([[0.8, 0.1], [1.2, 0.0], [0.2, 0.6]], [0.35, 2.56, 0.6],
    ...                        ["speed", "power", "calm"])
    >>> print(table.to_text(cutoff=0.3))
    Loadings (standardized; below 0.3 left blank)
    <BLANKLINE>
                          F1      F2  communality  uniqueness
    speed              0.800                0.650       0.350
    power              0.600                0.360       0.640
    calm                       0.600        0.400       0.600
    <BLANKLINE>
                          F1      F2
    SS loadings        1.040   0.370
    Proportion Var     0.347   0.123
    Cumulative Var     0.347   0.470
    """
    L = check_array(loadings, dtype=np.float64, input_name="loadings")
    noise = _check_noise(noise_variance, len(L))
    names = tuple(f"x{i}" for i in range(len(L))) if names is None else tuple(map(str, names))
    if len(names) != len(L):
        raise ValueError(f"names has {len(names)} entries for {len(L)} rows of loadings.")
    if phi is not None:
        phi = _check_phi(phi, L.shape[1])

    communalities = (L * _structure(L, phi)).sum(axis=1)
    variance = communalities + noise
    if standardized:
        scale = np.where(variance > 0, variance, 1.0)
        L = L / np.sqrt(scale)[:, None]
        communalities, noise, variance = communalities / scale, noise / scale, variance / scale
    ss_loadings = (L * _structure(L, phi)).sum(axis=0)
    proportion = ss_loadings / (variance.sum() or 1.0)
    return LoadingsTable(
        names=names,
        loadings=L,
        communalities=communalities,
        uniqueness=noise,
        ss_loadings=ss_loadings,
        proportion=proportion,
        cumulative=np.cumsum(proportion),
        phi=phi,
        standardized=standardized,
    )


def _structure(L: np.ndarray, phi: np.ndarray | None) -> np.ndarray:
    return L if phi is None else L @ phi


def _grouped(loadings: np.ndarray) -> np.ndarray:
    """Order of the variables: by the factor with the largest loading, then by its size."""
    size = np.abs(loadings)
    return np.lexsort((-size.max(axis=1), size.argmax(axis=1)))


def _number(value: float, digits: int) -> str:
    """The number with this many digits, never as a negative zero."""
    return f"{round(value, digits) + 0.0:.{digits}f}"


def _shortened(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else name[: LONGEST_NAME - 1] + "…"


def _check_noise(noise_variance: Any, d: int) -> np.ndarray:
    noise = check_array(
        noise_variance, ensure_2d=False, dtype=np.float64, input_name="noise_variance"
    )
    if noise.shape != (d,):
        raise ValueError(
            f"noise_variance has shape {noise.shape}; loadings have {d} rows, so it must be ({d},)."
        )
    if (noise < 0).any():
        i = int(np.argmax(noise < 0))
        raise ValueError(f"noise_variance[{i}]={noise[i]:g} is negative; variances are 0 or more.")
    return noise


def _check_phi(phi: Any, k: int) -> np.ndarray | None:
    """Factor correlations, or None where there are none."""
    phi = check_array(phi, dtype=np.float64, input_name="phi")
    if phi.shape != (k, k):
        raise ValueError(f"phi has shape {phi.shape}; loadings have {k} columns: ({k}, {k}).")
    return None if np.array_equal(phi, np.eye(k)) else phi
