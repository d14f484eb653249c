"""What another start or another setting changes: the map made again, next to the first.

A map that is learned from a random start, or has a setting that says how far a row looks, could
have come out otherwise. It is fitted again to some rows with one thing changed at a time; how many
neighbours in the map stay neighbours says how much depends on it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from lowdim.report.maps.keeping import NEIGHBORS, in_unit, near_in_map, shared_neighbors
from lowdim.report.maps.kinds import Kind, Settings, estimator_of
from lowdim.selection.auto import sample_rows

CHANGED_ROWS = 1_000
FACTOR = 3  # by which perplexity and neighbours are divided and multiplied


class Again(NamedTuple):
    """A map made again.

    Attributes
    ----------
    what : str
        What was changed: 'perplexity 90'.
    arguments : dict
    Y : ndarray (m, 2)
    agreement : float
        Share of the nearest points of each point that stay among its nearest.
    """

    what: str
    arguments: dict[str, Any]
    Y: np.ndarray
    agreement: float


class Changes(NamedTuple):
    """A map of some rows, and the same with one thing changed.

    Attributes
    ----------
    kind : Kind
    rows : ndarray of int (m,)
        Among the drawn rows.
    first : ndarray (m, 2)
    again : list of Again
    """

    kind: Kind
    rows: np.ndarray
    first: np.ndarray
    again: list[Again]

    @property
    def agreement(self) -> float:
        """The least agreement."""
        return min(one.agreement for one in self.again)


def changes_of(kind: Kind, settings: Settings, X: Any) -> Changes | None:
    """The map of some drawn rows made again, one thing changed at a time; None: nothing can be."""
    rows = sample_rows(X.shape[0], CHANGED_ROWS, settings.seed)
    n = len(rows)
    usual = replace(settings, perplexity=_at_most(settings.perplexity, (n - 1) / 3),
                    n_neighbors=_at_most(settings.n_neighbors, n - 1))  # fmt: skip
    first = estimator_of(kind, usual, n)
    wanted = variants(first.get_params(), n)
    if kind.keeps == "axes" or not wanted or n < 8:
        return None
    some = X[rows]
    Y = np.asarray(first.fit(some).embedding_)
    k = min(NEIGHBORS, n - 1)
    near, again = near_in_map(Y, k), []
    for what, arguments in wanted:
        other = np.asarray(estimator_of(kind, usual, n, **arguments).fit(some).embedding_)
        share = float(shared_neighbors(near, near_in_map(other, k)).mean()) / k
        again.append(Again(what, arguments, laid_on(other, Y), share))
    return Changes(kind, rows, Y, again)


def _at_most(value: Any, most: float) -> Any:
    return None if value is None else type(value)(min(value, most))


def variants(usual: dict[str, Any], n: int) -> list[tuple[str, dict[str, Any]]]:
    """What can be changed in a map of n rows: another start, and how far a row looks."""
    seed = usual.get("random_state") or 0
    found: list[tuple[str, dict[str, Any]]] = []
    if "init" in usual:
        start = {"random_state": seed + 1, "init": "random"}
        found.append(("a random start", start))
    if "perplexity" in usual:
        for value in _around(usual["perplexity"], 2.0, (n - 1) / 3):
            found.append((f"perplexity {value:g}", {"perplexity": value}))
    if "n_neighbors" in usual:
        for value in _around(usual["n_neighbors"], 2, n - 1):
            found.append((f"{value:g} neighbours", {"n_neighbors": int(value)}))
    return found


def _around(value: float, least: float, most: float) -> list[float]:
    """A third and three times a value, as far as it goes."""
    low, high = max(value / FACTOR, least), min(value * FACTOR, most)
    return [float(round(x)) for x in (low, high) if abs(x - value) >= 1]


def laid_on(Y: np.ndarray, target: np.ndarray) -> np.ndarray:
    """A map turned, mirrored and scaled to lie on another one as well as it can (Procrustes)."""
    (A, _), (B, unit) = (in_unit(M - M.mean(axis=0)) for M in (Y, target))
    U, s, Vt = np.linalg.svd(A.T @ B)
    total = float((A**2).sum())
    scale = float(s.sum()) / total if total > 0 else 1.0
    return scale * unit * A @ (U @ Vt) + target.mean(axis=0)
