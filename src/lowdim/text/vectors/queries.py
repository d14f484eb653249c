"""What word vectors are asked: cosines with a query, and the words of the largest.

    cos(w, q) = w.q / (|w| |q|),   0 if one of them is 0

Queries are made in float64 and compared in the dtype of the vectors. Equal scores are ranked by the
number of the word. Rows without a length are like no other.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from lowdim.linalg.products import dense_times

COSMUL_EPS = 1e-6  # Levy and Goldberg (2014), equation 4


class Nearest(NamedTuple):
    """For each query the words that are most alike, the most alike one first."""

    index: np.ndarray  # type: ignore[assignment]  # (n, topn)  into `index_to_key`
    similarity: np.ndarray  # (n, topn)


def lengths(X: np.ndarray) -> np.ndarray:
    """|x| of each row, in the dtype of X; nothing overflows."""
    largest = np.abs(X).max(axis=1, initial=0.0)
    if not len(X) or (largest.max() < 1e15 and largest.min() > 1e-15):
        return np.sqrt(np.einsum("ij,ij->i", X, X))
    scale = np.where(largest > 0, largest, 1).astype(X.dtype)
    X = X / scale[:, None]
    return np.sqrt(np.einsum("ij,ij->i", X, X)) * scale


def unit_rows(X: np.ndarray, length: np.ndarray | None = None) -> np.ndarray:
    """Rows of length 1; rows of zeros stay."""
    length = lengths(X) if length is None else length
    return np.divide(X, length[:, None], out=np.zeros_like(X), where=length[:, None] > 0)


def unit(x: np.ndarray) -> np.ndarray:
    """The vector over its length, in float64; zeros stay."""
    x = np.asarray(x, np.float64)
    largest = np.abs(x).max(initial=0.0)
    if largest == 0:
        return x
    x = x / largest
    return x / np.linalg.norm(x)


def cosines(X: np.ndarray, length: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Of each row of X with q, whose length may be any: divided by those of the rows alone."""
    product = dense_times(X, q.astype(X.dtype)[:, None])[:, 0]
    return np.divide(product, length, out=np.zeros_like(product), where=length > 0)


def best(scores: np.ndarray, n: int, leave_out: Iterable[int] = ()) -> np.ndarray:
    """The numbers of the n largest scores, the largest first; of equals, the first."""
    left = sorted(set(leave_out))
    n = min(n, len(scores) - len(left))
    if n <= 0:
        return np.empty(0, np.intp)
    scores = scores.copy()
    scores[left] = -np.inf
    if n < len(scores):
        least = np.partition(scores, len(scores) - n)[len(scores) - n]
        candidates = np.flatnonzero(scores >= least)
    else:
        candidates = np.arange(len(scores))
    candidates = candidates[np.argsort(-scores[candidates], kind="stable")]
    return candidates[~np.isin(candidates, left)][:n]


def shifted(cosine: np.ndarray) -> np.ndarray:
    """Cosines from 0 to 1, for products of them."""
    return (1 + cosine) / 2


def pair_direction(cosine_q: np.ndarray, at_c: float, cosine_c: np.ndarray) -> np.ndarray:
    """cos(u_d - u_c, q) of unit vectors u_d: q has length 1, and |u_d - u_c|^2 = 2 - 2 cos."""
    distance = np.sqrt(np.maximum(2 - 2 * cosine_c, 0))
    small = distance < np.sqrt(8 * np.finfo(cosine_c.dtype).eps)  # the same direction as c
    return np.where(small, 0, (cosine_q - at_c) / np.where(small, 1, distance))


def as_list(value: Any) -> list[Any]:
    """One word or vector, or several of them, as a list."""
    if value is None:
        return []
    if isinstance(value, str | int | np.integer) or (
        isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype.kind in "biuf"
    ):
        return [value]
    if isinstance(value, tuple) and len(value) == 2 and _is_weight(value[1]):
        return [value]
    return list(value)


def with_weight(item: Any, usual: float) -> tuple[Any, float]:
    """(word or vector, weight) of what stands in a list of them."""
    if isinstance(item, tuple) and len(item) == 2 and _is_weight(item[1]):
        return item[0], float(item[1])
    return item, usual


def _is_weight(value: Any) -> bool:
    return isinstance(value, float | np.floating | int | np.integer) and not isinstance(value, bool)
