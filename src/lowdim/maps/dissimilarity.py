"""Dissimilarities: made of similarities, and looked at before a map is made of them.

one-minus      1 - s
correlation    sqrt(1 - r)                              a multiple of a Euclidean distance
reverse        max s + min s - s
neglog         -log(s / max(1, max s))
cooccurrence   1 / (1 + s_ij sum s / (sum_j s_ij sum_i s_ij))
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.result_table import PrintedTable
from lowdim.core.threads import ordered_map, single_threaded_blas
from lowdim.core.validation import check_choice
from lowdim.linalg.checks import power_of_two
from lowdim.maps.constant import additive_constant
from lowdim.maps.coordinates import ROUNDING, all_eigenvalues, centre_twice, squared
from lowdim.maps.square import ASYMMETRY, any_square, square_matrix

METHODS = ("one-minus", "correlation", "reverse", "neglog", "cooccurrence")
MOST = 500  # objects that are looked at: triangles are the cube of them
SLACK = 1e-9  # of the largest: what rounding adds to a side of a triangle

# shares above which dissimilarities are called not quite, and not at all, Euclidean
SOME, MANY = 0.01, 0.2


@single_threaded_blas()
def dissimilarity(S: Any, method: str = "one-minus") -> np.ndarray:
    """Dissimilarities from similarities.

    Parameters
    ----------
    S : array or data frame of shape (n, n)
        How alike objects are, two by two; symmetric. The diagonal is not looked at, but for
        'cooccurrence', where it counts.
    method : str, default='one-minus'
        'one-minus': 1 - s, for s between 0 and 1, such as shares of people who took one for the
        other. 'correlation': sqrt(1 - r): Euclidean, up to a factor. 'reverse': the largest and the
        smallest similarity together, less s: for scales such as 1 to 9 (if some are negative, the
        largest less s). 'neglog': -log s, for
        probabilities (s is divided by the largest, if that is above 1): similarities that multiply
        become distances that add up. 'cooccurrence': 1 / (1 + s_ij sum / (sum_i sum_j)), for
        counts: how often two occur together, beside how often that would happen by chance.

    Returns
    -------
    ndarray of shape (n, n)
        Symmetric, 0 or more; 0 on the diagonal. NaN stays.

    See Also
    --------
    check_dissimilarity : what kind of map suits.

    Examples
    --------
    >>> import lowdim
    >>> from lowdim.datasets import load_ekman
    >>> D = lowdim.dissimilarity(load_ekman().similarity)
    >>> D[0, :3].round(2)
    array([0.  , 0.14, 0.58])
    """
    check_choice("method", method, METHODS)
    negative = method in ("one-minus", "correlation", "reverse")
    S = square_matrix(
        S, "S", f"method={method!r}", nan=True, negative=negative, zero_diagonal=False
    )
    pairs = S[~np.eye(len(S), dtype=bool)]
    low, high = (float(f(pairs)) for f in (np.nanmin, np.nanmax)) if _any(pairs) else (0.0, 0.0)
    if method in ("one-minus", "correlation"):
        _check_at_most_1(S, high, method)
        D = 1.0 - S
        D = np.sqrt(np.maximum(D, 0.0)) if method == "correlation" else np.maximum(D, 0.0)
    elif method == "reverse":
        D = np.maximum((high - S) + low, 0.0) if low >= 0 else high - S
    elif method == "neglog":
        D = _neglog(S, low, max(1.0, high))
    else:
        D = _beside_chance(S)
    np.fill_diagonal(D, 0.0)
    return (D + D.T) / 2


def _any(pairs: np.ndarray) -> bool:
    return bool((~np.isnan(pairs)).any())


def _check_at_most_1(S: np.ndarray, high: float, method: str) -> None:
    if high > 1.0 + ASYMMETRY:
        i, j = np.argwhere((S == high) & ~np.eye(len(S), dtype=bool))[0]
        raise ValueError(
            f"S has the similarity {high:g} for {i} and {j}; method={method!r} needs at most 1. "
            "For other scales choose method='reverse', for counts 'cooccurrence'."
        )


def _neglog(S: np.ndarray, low: float, high: float) -> np.ndarray:
    if not low > 0:
        i, j = np.argwhere((S == 0) & ~np.eye(len(S), dtype=bool))[0]
        raise ValueError(
            f"S has the similarity 0 for {i} and {j}, whose logarithm is infinite; add a small "
            "number to all similarities, or choose method='one-minus'."
        )
    filled = S.copy()
    np.fill_diagonal(filled, high)
    return -np.log(filled / high)


def _beside_chance(S: np.ndarray) -> np.ndarray:
    unit = power_of_two(float(np.nanmax(S, initial=0.0)))
    S = S / unit
    known = np.nan_to_num(S)
    sums = known.sum(axis=1)
    if (sums == 0).any():
        i = int(np.argmax(sums == 0))
        raise ValueError(
            f"S has no counts for {i}: what never occurs is not alike to anything. Leave it out."
        )
    return 1.0 / (1.0 + S / sums[:, None] / sums * known.sum())


# ---- what dissimilarities are like ---------------------------------------------------------------


@dataclass(frozen=True, repr=False)
class DissimilarityCheck(PrintedTable):
    """What was found of dissimilarities; prints itself, and what kind of map suits.

    Attributes
    ----------
    n_objects, n_looked_at : int
        Beyond 500 objects some of them are looked at, drawn with a fixed seed.
    is_symmetric : bool
    asymmetry : float
        The largest difference between two directions, as a part of the largest dissimilarity.
    has_zero_diagonal : bool
    n_negative, n_missing : int
        Pairs below 0, and pairs that are NaN.
    n_triangles, n_violations : int
        Triples, and those of them in which one side is longer than the other two together.
    worst_triangle : tuple of int, or None
        (i, j, k): the way from i to j is shorter over k, by the most.
    worst_excess : float
        By how much, in units of the dissimilarities.
    n_negative_eigenvalues : int
        Of B = -1/2 J D^2 J; none if the dissimilarities are Euclidean distances.
    negative_share : float
        Their part of the sum of the sizes of all eigenvalues.
    plane_share : float
        The part of the positive eigenvalues that the largest two are.
    additive_constant : float
        The least constant that makes all Euclidean when it is added.
    advice : str
        What kind of map suits.
    """

    n_objects: int
    n_looked_at: int
    is_symmetric: bool
    asymmetry: float
    has_zero_diagonal: bool
    n_negative: int
    n_missing: int
    n_triangles: int
    n_violations: int
    worst_triangle: tuple[int, int, int] | None
    worst_excess: float
    n_negative_eigenvalues: int
    negative_share: float
    plane_share: float
    additive_constant: float
    advice: str

    def _values(self) -> dict[str, list[Any]]:
        lines = dict(_lines(self))
        return {"": list(lines), "found": list(lines.values())}

    def _rest(self) -> list[str]:
        return ["", self.advice]


@single_threaded_blas()
def check_dissimilarity(D: Any) -> DissimilarityCheck:
    """What dissimilarities are like, and what kind of map suits them.

    Parameters
    ----------
    D : array or data frame of shape (n, n), or of the n (n - 1) / 2 pairs
        Any numbers: what is wrong with them is in the result.

    Returns
    -------
    DissimilarityCheck
        Symmetry, zero diagonal, how many triangles are broken and the worst, negative eigenvalues
        and their share, the additive constant; printed, a table and an advice.

    Notes
    -----
    Cost: O(n^3) up to 500 objects; of more, 500 are looked at.

    Examples
    --------
    >>> import lowdim
    >>> from lowdim.datasets import load_ekman
    >>> found = lowdim.check_dissimilarity(1 - load_ekman().similarity)
    >>> found.n_negative_eigenvalues, round(found.additive_constant, 6)
    (2, 0.206313)
    """
    whole = any_square(D, "D", "check_dissimilarity")
    n = len(whole)
    chosen = np.arange(n)
    if n > MOST:
        chosen = np.sort(np.random.default_rng(0).choice(n, MOST, replace=False))
    A = whole[np.ix_(chosen, chosen)]
    seen = _seen(whole)
    unit = seen.largest or 1.0
    is_symmetric = seen.asymmetry <= ASYMMETRY * unit
    twice = 2 if is_symmetric else 1
    found: dict[str, Any] = {
        "n_objects": n,
        "n_looked_at": len(chosen),
        "is_symmetric": is_symmetric,
        "asymmetry": seen.asymmetry / unit,
        "has_zero_diagonal": not (np.abs(np.diagonal(whole)) > ASYMMETRY * unit).any(),
        "n_negative": seen.negative // twice,
        "n_missing": seen.missing // twice,
    }
    A = (A + A.T) / 2
    np.fill_diagonal(A, 0.0)
    found |= _triangles(A, chosen) | _eigenvalues(A)
    return DissimilarityCheck(**found, advice=_advice(found))


class _Seen(NamedTuple):
    largest: float  # the largest size
    asymmetry: float  # the largest difference between two directions
    negative: int  # entries off the diagonal below 0
    missing: int  # and those that are NaN


def _seen(A: np.ndarray) -> _Seen:
    """One look at a square matrix, some rows at a time."""
    size, found = max(1, 2**20 // len(A)), []
    for first in range(0, len(A), size):
        rows, columns = A[first : first + size], A[:, first : first + size].T
        inside = np.arange(first, first + len(rows))
        off = np.ones(rows.shape, dtype=bool)
        off[np.arange(len(rows)), inside] = False
        with np.errstate(invalid="ignore"):  # infinity less infinity
            away = np.nan_to_num(np.abs(rows - columns))
        largest = np.abs(rows[~np.isnan(rows)]).max(initial=0.0)
        negative, missing = ((rows < 0) & off).sum(), (np.isnan(rows) & off).sum()
        found.append((largest, away.max(initial=0.0), negative, missing))
    largest, asymmetry, negative, missing = zip(*found, strict=True)
    return _Seen(float(max(largest)), float(max(asymmetry)), int(sum(negative)), int(sum(missing)))


def _triangles(A: np.ndarray, names: np.ndarray) -> dict[str, Any]:
    """Triples in which a side is longer than the other two; a broken one has one such side."""
    n, A = len(A), np.maximum(A, 0.0)  # what is negative is no length
    slack = SLACK * float(np.nanmax(np.abs(A), initial=0.0))

    def over(k: int) -> tuple[int, float, int]:
        with np.errstate(invalid="ignore"):
            excess = A - A[:, k, None]
            excess -= A[k]
        excess[np.isnan(excess)] = 0.0
        excess[k], excess[:, k] = 0.0, 0.0
        place = int(np.argmax(excess))
        return int((excess > slack).sum()) // 2, float(excess.flat[place]), place

    count, worst, triangle = 0, 0.0, None
    for k, (broken, excess, place) in enumerate(ordered_map(over, range(n))):
        count += broken
        if excess > max(worst, slack):
            i, j = sorted(divmod(place, n))
            worst, triangle = excess, (int(names[i]), int(names[j]), int(names[k]))
    return {
        "n_triangles": n * (n - 1) * (n - 2) // 6,
        "n_violations": count,
        "worst_triangle": triangle,
        "worst_excess": worst,
    }


def _eigenvalues(A: np.ndarray) -> dict[str, Any]:
    unknown = np.nan
    if not np.isfinite(A).all() or (A < 0).any():
        return {
            "n_negative_eigenvalues": 0,
            "negative_share": unknown,
            "plane_share": unknown,
            "additive_constant": unknown,
        }
    unit = power_of_two(float(A.max(initial=0.0)))
    B = squared(A / unit)
    centre_twice(B)
    values = all_eigenvalues(B)
    size = float(np.abs(values).sum())
    negative = values[values < -ROUNDING * len(A) * np.abs(values).max(initial=0.0)]
    positive = float(np.maximum(values, 0.0).sum())
    return {
        "n_negative_eigenvalues": len(negative),
        "negative_share": float(np.abs(negative).sum()) / size if size > 0 else 0.0,
        "plane_share": float(np.maximum(values[:2], 0.0).sum()) / positive if positive else 1.0,
        "additive_constant": additive_constant(A / unit) * unit,
    }


def _lines(found: DissimilarityCheck) -> list[tuple[str, str]]:
    def yes(value: bool) -> str:
        return "yes" if value else "no"

    looked = "" if found.n_looked_at == found.n_objects else f", {found.n_looked_at} looked at"
    symmetric = yes(found.is_symmetric)
    if not found.is_symmetric:
        symmetric += f": directions differ by {found.asymmetry:.1%} of the largest"
    lines = [
        ("objects", f"{found.n_objects:,}{looked}"),
        ("symmetric", symmetric),
        ("zero diagonal", yes(found.has_zero_diagonal)),
        ("negative pairs", f"{found.n_negative:,}"),
        ("missing pairs", f"{found.n_missing:,}"),
        ("triangles broken", f"{found.n_violations:,} of {found.n_triangles:,}"),
    ]
    if found.worst_triangle is not None:
        i, j, k = found.worst_triangle
        worst = f"{i} to {j} is {found.worst_excess:.4g} shorter over {k}"
        lines.append(("the worst of them", worst))
    if np.isfinite(found.negative_share):
        lines += [
            (
                "negative eigenvalues",
                f"{found.n_negative_eigenvalues:,}, {found.negative_share:.1%} of all",
            ),
            ("in two dimensions", f"{found.plane_share:.1%} of the positive ones"),
            ("additive constant", f"{found.additive_constant:.6g}"),
        ]
    return lines


def _advice(found: dict[str, Any]) -> str:
    """What kind of map suits, in a sentence or two."""
    if found["n_negative"]:
        return (
            "Some pairs are negative, which dissimilarities are not. Are these similarities? "
            "lowdim.dissimilarity makes dissimilarities of them."
        )
    if not found["has_zero_diagonal"]:
        return (
            "The diagonal is not 0. Are these similarities? lowdim.dissimilarity makes "
            "dissimilarities of them."
        )
    first = ""
    if not found["is_symmetric"]:
        first = "Both directions differ: give maps (D + D.T) / 2. "
    if found["n_missing"]:
        return first + "Some pairs are missing: lowdim.MDS leaves them out."
    if not np.isfinite(found["negative_share"]):
        return first + "Some pairs are infinite: make them NaN, and lowdim.MDS leaves them out."
    if found["n_negative_eigenvalues"] == 0:
        return first + (
            "These are Euclidean distances: ClassicalMDS is exact with enough dimensions. Sammon "
            "and MDS show small distances better."
        )
    if found["n_violations"] > SOME * found["n_triangles"] and found["negative_share"] > MANY:
        return first + (
            "These are far from distances: trust their order alone, with "
            "MDS(transformation='ordinal')."
        )
    if found["n_violations"] and found["negative_share"] > MANY:
        return first + (
            "These are far from Euclidean distances, but few triangles are broken: look at the "
            "worst of them first. Pairs that are wrong count no more as NaN: MDS leaves them out."
        )
    if found["negative_share"] > MANY:
        return first + (
            "These are distances, but far from Euclidean ones: MDS, or "
            "MDS(transformation='ordinal') for their order alone."
        )
    if found["negative_share"] > SOME:
        return first + (
            "These are no Euclidean distances, but not far from some: MDS or Sammon, "
            "MDS(transformation='interval'), or ClassicalMDS(additive_constant=True)."
        )
    return first + "These are nearly Euclidean distances: ClassicalMDS, MDS and Sammon all suit."
