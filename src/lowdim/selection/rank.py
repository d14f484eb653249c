"""How many components do the data support?

    bcv        error on held-out blocks (Owen and Perry 2009), or on held-out entries with NaN
    gain       the same; the fewest that gain nine tenths of what the best gains over column means
    heldout    error on held-out entries of a matrix of which only some were observed
    parallel   variances against those of columns shuffled independently (Horn 1965)
    mle        evidence of probabilistic PCA (Minka 2000)
    elbow      where the curve of variances bends
    variance   the fewest that explain a given share

'auto', the default, is 'gain' where all columns have the same variance, else 'bcv';
`lowdim.selection.auto` says why.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.linalg

from lowdim.core.blocks import Blocks
from lowdim.core.random import random_generator
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import (
    check_at_least,
    check_at_most,
    check_choice,
    check_finite_rows,
    check_number,
    open_rows_for,
)
from lowdim.linalg.moments import covariance
from lowdim.linear.pca.axes import rounding_of
from lowdim.linear.pca.estimator import PCA
from lowdim.linear.pca.minka import minka_evidence
from lowdim.selection.choice import Choice, elbow, fewest_near_best, standard_error
from lowdim.selection.rank_errors import block_errors, completion_errors, entry_errors
from lowdim.selection.splits import columns_of, varies

METHODS = ("auto", "bcv", "gain", "parallel", "elbow", "mle", "variance", "heldout")
NEARLY = 0.9  # of what the best number of components gains over none
ONE_SCALE = 1.1  # the largest standard deviation of a column is at most so many times the smallest


class RankChoice(Choice):
    """A number of components and the evidence for it; `print(choice)` says it in a sentence.

    Attributes
    ----------
    choice : int
        The number of components.
    ranks, sizes : ndarray of shape (m,)
        The numbers that were compared.
    curve : ndarray of shape (m,)
        For each: held-out mean squared error relative to that of the column means ('bcv', 'gain'),
        variance ('parallel', 'elbow'), log evidence ('mle'), explained share ('variance').
    errors : ndarray of shape (m,) or None
        Standard errors of the curve, where it is an estimate.
    reference : ndarray of shape (m,) or None
        What the curve is held against ('parallel': the 95% quantile of shuffled data).
    per_repeat : ndarray of shape (repeats, m) or None
        The curve in each random split ('bcv', 'gain', 'heldout'); `spread` is its standard
        deviation.
    method, criterion : str
    """

    counts: ClassVar[str] = "component"
    labels: ClassVar[dict[str, str]] = {
        "bcv": "held-out error (1: column means)",
        "gain": "held-out error (1: column means)",
        "heldout": "held-out error (1: the mean of all entries)",
        "parallel": "variance",
        "elbow": "variance",
        "mle": "log evidence",
        "variance": "explained share of variance",
    }
    reasons: ClassVar[dict[str, str]] = {
        "bcv": "the fewest whose error on held-out values is within one standard error of the best "
        "(bi-cross-validation)",
        "gain": "the fewest that gain nine tenths of what the best gains in predicting held-out "
        "values",
        "heldout": "the fewest whose error on held-out entries is within one standard error of the "
        "best",
        "parallel": "as many as explain more than in columns shuffled at random (parallel "
        "analysis)",
        "elbow": "where the curve of variances bends",
        "mle": "the largest evidence of probabilistic PCA",
        "variance": "the fewest that explain the share asked for",
    }

    @property
    def ranks(self) -> np.ndarray:
        """The numbers of components that were compared."""
        return self.sizes

    @property
    def method(self) -> str:
        """How the number was chosen."""
        return self.criterion

    def __repr__(self) -> str:
        return (
            f"RankChoice(choice={self.choice}, method={self.method!r}, ranks=0..{self.ranks[-1]})"
        )


@single_threaded_blas()
def choose_rank(
    X: Any,
    method: str = "auto",
    *,
    max_rank: int | None = None,
    threshold: float = 0.9,
    repeats: int = 10,
    max_rows: int = 10_000,
    random_state: Any = None,
) -> RankChoice:
    """How many principal components X supports.

    Parameters
    ----------
    X : array, data frame, sparse matrix, Dask collection or stream of shape (n, d)
        NaN marks missing values. Of more than `max_rows` rows a random sample is used, except by
        'elbow', 'mle' and 'variance', which need only the covariance.
    method : {'auto', 'bcv', 'gain', 'heldout', 'parallel', 'elbow', 'mle', 'variance'}, \
            default='auto'
        'auto' is 'gain' where the columns have been brought to one scale (their standard
        deviations differ by a tenth at most), else 'bcv'; `-k auto` of the command line and the
        page of `lowdim.explore` follow the same rule. `.method` of the result says which it was.
        'bcv' predicts held-out blocks of the matrix (held-out entries if there are NaN) and takes
        the fewest components that are not worse than the best by more than one standard error.
        'gain' looks at the same errors, and takes the fewest components that gain nine tenths of
        what the best number gains over column means, if these are fewer.
        'heldout' does as 'bcv', with held-out entries by matrix completion: of a sparse X only the
        stored entries are observed, of an array those that are not NaN, and most may be missing;
        the rank is that of X less one mean of all entries.
        'parallel' keeps components whose variance exceeds the 95% quantile of what columns shuffled
        independently give. 'mle' maximises the evidence of probabilistic PCA. 'elbow' takes the
        point of the scree farthest from the line between its ends. 'variance' explains `threshold`.
    max_rank : int, default=None
        Largest number considered; None means what the method can judge, at most 50 for 'bcv' and
        'gain'.
    threshold : float, default=0.9
        Share of the variance for 'variance'.
    repeats : int, default=10
        Random splits of 'bcv', 'gain' and 'heldout', shuffles of 'parallel'; more are slower and
        steadier.
    max_rows : int, default=10000
        Size of the random sample of rows for 'bcv', 'gain' and 'parallel'.
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    RankChoice
        With `.choice`, `.ranks`, `.curve`, `.errors` and `.plot()`; `print` gives a sentence.

    Notes
    -----
    'bcv' assumes noise of one variance in all columns. Standardising gives each column a noise of
    its own, and further components then go on to gain a little, as weights of the columns: 'gain'
    leaves them out. 'parallel' assumes columns of one variance: with unequal ones, chance is that
    of the largest column.

    References
    ----------
    Owen and Perry (2009), Bi-cross-validation of the SVD, section 3. Horn (1965). Minka (2000).

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(300, 3)) @ random.normal(size=(3, 20))
    >>> X += 0.5 * random.normal(size=X.shape)
    >>> lowdim.choose_rank(X, random_state=0).choice
    3
    """
    check_choice("method", method, METHODS)
    check_number("threshold", threshold, 0.0, 1.0, open_low=True)
    check_at_least("repeats", repeats, 2)
    check_at_least("max_rows", max_rows, 4)
    random = random_generator(random_state)
    if method == "heldout":  # of a sparse X the stored entries count, not its zeros
        return _by_error(completion_errors(X, max_rank, repeats, random), method)
    rows = open_rows_for("choose_rank", X, nan=True, only_observed=True)
    has_nan = bool(check_finite_rows("choose_rank", rows, allow_nan=True).nan.any())
    n, d = rows.shape
    if min(n, d) < 2:
        raise ValueError(f"X is {n} x {d}; choosing a rank needs at least 2 rows and 2 columns.")
    if max_rank is not None:
        max_rank = check_at_most("max_rank", max_rank, min(n, d), "that X allows, min(n, d)")
    if method in ("auto", "bcv", "gain", "parallel"):
        sample = _sample(rows, max_rows, random)
        method = auto_method(has_one_scale(sample)) if method == "auto" else method
        if method == "parallel":
            return _parallel(sample, max_rank, repeats, random)
        errors = entry_errors if has_nan else block_errors
        return _by_error(errors(sample, max_rank, repeats, random), method)
    return _from_spectrum(method, _spectrum(rows, has_nan, random), max_rank, threshold)


def auto_method(one_scale: bool) -> str:
    """What 'auto' means for columns that were brought to one scale, or that keep their units."""
    return "gain" if one_scale else "bcv"


def has_one_scale(X: np.ndarray) -> bool:
    """Whether all columns that vary have about the same standard deviation."""
    varying = X[:, varies(X)]
    if varying.shape[1] == 0:
        return False
    spread = columns_of(varying).spread
    return bool(spread.max() <= ONE_SCALE * spread.min())


def _by_error(losses: np.ndarray, method: str) -> RankChoice:
    """The choice by losses (repeats, ranks), which begin with 0 components."""
    ranks, curve, errors = np.arange(losses.shape[1]), losses.mean(axis=0), standard_error(losses)
    choice = fewest_near_best(losses)
    if method == "gain":
        enough = curve <= curve.min() + (1 - NEARLY) * (curve[0] - curve.min())
        choice = min(choice, int(np.argmax(enough)))
    return RankChoice(choice, ranks, curve, method, errors=errors, per_repeat=losses)


# ---- from the spectrum ---------------------------------------------------------------------------


class Spectrum(NamedTuple):
    variance: np.ndarray  # all variances, decreasing
    n: float
    floor: float  # variances up to it are rounding


def _spectrum(rows: Blocks, has_nan: bool, random: np.random.Generator) -> Spectrum:
    if has_nan:
        pca = PCA(random_state=random).fit(rows if rows.in_memory is None else rows.in_memory)
        return Spectrum(pca.explained_variance_.astype(np.float64), float(rows.shape[0]), 0.0)
    weight, _, scatter, unit = covariance(rows)
    values = scipy.linalg.eigvalsh(scatter)[::-1]
    variance = np.maximum(values, 0.0) / (weight - 1) * unit**2
    return Spectrum(variance, weight, rounding_of(rows.dtype) * variance[0])


def _from_spectrum(
    method: str, spectrum: Spectrum, max_rank: int | None, threshold: float
) -> RankChoice:
    variance, n, floor = spectrum
    d = len(variance)
    if method == "mle":
        if n < d:
            raise ValueError(
                f"method='mle' needs at least as many rows as columns, X is {int(n)} x {d}; choose "
                "'bcv' or 'parallel'."
            )
        ranks = np.arange(0, min(max_rank or d - 1, d - 1) + 1)
        curve = np.array([minka_evidence(variance, int(k), n, floor) for k in ranks])
        return RankChoice(int(ranks[np.argmax(curve)]), ranks, curve, method)
    ranks = np.arange(1, (max_rank or min(int(n), d)) + 1)
    curve = variance[: len(ranks)]
    if method == "elbow":
        return RankChoice(max(1, elbow(ranks, curve)), ranks, curve, method)
    share = np.cumsum(variance) / max(variance.sum(), np.finfo(float).tiny)
    enough = min(int(np.searchsorted(share, threshold - 1e-12)) + 1, len(ranks))
    return RankChoice(enough, ranks, share[: len(ranks)], method)


def _parallel(
    X: np.ndarray, max_rank: int | None, repeats: int, random: np.random.Generator
) -> RankChoice:
    """Horn's parallel analysis; NaN stand at their column's mean, in the shuffles, too."""
    X = _filled_with_means(X)
    limit = max_rank or min(X.shape)
    variance = _variances(X)[:limit]
    shuffled = np.array([_variances(random.permuted(X, axis=0))[:limit] for _ in range(repeats)])
    reference = np.quantile(shuffled, 0.95, axis=0)
    # of components that only rounding distinguishes, none is above chance
    above = variance > reference + 1e-10 * variance[0]
    choice = int(np.argmin(above)) if not above.all() else limit
    ranks = np.arange(1, limit + 1)
    return RankChoice(choice, ranks, variance, "parallel", reference=reference)


def _variances(X: np.ndarray) -> np.ndarray:
    D = X - X.mean(axis=0)
    squares = scipy.linalg.eigvalsh(D.T @ D if D.shape[1] <= D.shape[0] else D @ D.T)[::-1]
    return np.maximum(squares, 0.0) / (len(X) - 1)


# ---- helpers -----------------------------------------------------------------------------------


def _sample(rows: Blocks, max_rows: int, random: np.random.Generator) -> np.ndarray:
    """At most max_rows rows as a dense float64 array."""
    n = rows.shape[0]
    index = np.arange(n) if n <= max_rows else np.sort(random.permutation(n)[:max_rows])
    sample = rows.take(index)
    return (sample.toarray() if rows.is_sparse else np.asarray(sample)).astype(np.float64)


def _filled_with_means(X: np.ndarray) -> np.ndarray:
    missing = np.isnan(X)
    return np.where(missing, np.nanmean(X, axis=0), X) if missing.any() else X
