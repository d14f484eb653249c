"""How many clusters do the data have?

    bic         -2 log p(X) + log n (number of parameters)                     the least
    aic         -2 log p(X) + 2 (number of parameters)                         the least
    icl         bic + 2 (entropy of the memberships): clusters must be apart   the least
    heldout     - log p of rows that the fit has not seen, per row; error on entries that it has not
                seen where there is no likelihood                              the fewest, to 1 SE
    silhouette  are rows nearer to their own cluster than to the next?         the largest
    gap         log W expected without clusters - log W                        the fewest, to 1 SE
    elbow       where the curve of - log p(X), or of the inertia W, bends

W is the sum of squared distances from the means of the clusters. The criteria of a likelihood ask
how many components describe the density; silhouette, gap and icl, how many groups lie apart.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.special import xlogy
from sklearn.base import BaseEstimator, clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from lowdim.cluster.quality import QualityInput, silhouette_of
from lowdim.core.blocks import Blocks, is_dask
from lowdim.core.progress import watch
from lowdim.core.random import random_generator
from lowdim.core.validation import check_at_least, check_at_most, check_choice

CRITERIA = ("bic", "aic", "icl", "silhouette", "elbow", "gap", "heldout")
MODELS = ("gmm", "kmeans")

LARGEST_DEFAULT = 10  # clusters that are tried if nobody says how many
STARTS = 4  # of k-means, so that one unlucky start is no step in the curve
HELD_OUT_SHARE = 0.1  # of the entries

LABELS = {
    "bic": "BIC",
    "aic": "AIC",
    "icl": "ICL",
    "silhouette": "silhouette",
    "elbow": "inertia, or negative log-likelihood by row",
    "gap": "gap",
    "heldout": "held-out error",
}


class EndOfRangeWarning(UserWarning):
    """The best number is the first or the last one tried: a better one may lie beyond."""


@dataclass(frozen=True)
class KChoice:
    """A number of clusters and the evidence for it.

    Attributes
    ----------
    choice : int
        The number of clusters.
    sizes : ndarray of shape (m,)
        The numbers that were compared.
    curve : ndarray of shape (m,)
        The criterion for each. 'bic', 'aic', 'icl' and 'heldout' are better when lower,
        'silhouette' and 'gap' when higher; 'elbow' is the inertia, or -log p(X) by row.
    errors : ndarray of shape (m,) or None
        Standard errors of the curve, where it is an estimate.
    criterion : str
    model : estimator
        Fitted to X with this number of clusters.
    """

    choice: int
    sizes: np.ndarray
    curve: np.ndarray
    errors: np.ndarray | None
    criterion: str
    model: Any

    def __repr__(self) -> str:
        return (
            f"KChoice(choice={self.choice}, criterion={self.criterion!r}, "
            f"sizes={self.sizes[0]}..{self.sizes[-1]}, model={type(self.model).__name__})"
        )

    def plot(self, ax: Any = None) -> Any:
        """The curve with its standard errors and the choice; returns the matplotlib Axes."""
        from lowdim import plots

        lower_is_better = self.criterion != "gap"
        ax = plots.curve_with_errors(
            self.sizes,
            self.curve,
            self.errors if lower_is_better else None,
            self.choice,
            ax=ax,
            xlabel="clusters",
            ylabel=LABELS[self.criterion],
        )
        if self.errors is not None and not lower_is_better:
            ax.errorbar(self.sizes, self.curve, self.errors, fmt="none", capsize=3, zorder=2)
        return ax


def choose_k(
    X: Any,
    model: Any = "gmm",
    k: Iterable[int] | int | None = None,
    criterion: str | None = None,
    *,
    repeats: int = 10,
    max_rows: int = 10_000,
    random_state: Any = None,
) -> KChoice:
    """How many clusters X has.

    Parameters
    ----------
    X : array, data frame, sparse matrix, Dask collection or stream of shape (n, d)
        What the model accepts; 'silhouette' and 'gap' need numbers, 'gap' complete rows.
    model : {'gmm', 'kmeans'} or estimator, default='gmm'
        `GaussianMixture`, `KMeans`, or any estimator with `n_clusters` or `n_components`, for
        example GaussianMixture(covariance_type="diag") or MixedMixture().
    k : iterable of int, int or None, default=None
        The numbers to compare; an int K means 1 to K, None means 1 to 10, as far as there are rows
        ('silhouette' begins with 2).
    criterion : {'bic', 'aic', 'icl', 'silhouette', 'elbow', 'gap', 'heldout'} or None, default=None
        None is 'bic' for models with a likelihood, else 'silhouette'.
        'bic' and 'aic' balance likelihood and number of parameters, as the methods of the model do;
        aic tends to more clusters. 'icl' adds twice the entropy of the memberships, and so counts
        groups rather than components. 'heldout' is the negative log-likelihood of held-out rows in
        cross-validation; for models without a likelihood, the squared error on held-out entries
        relative to column means: the fewest clusters are taken that are not worse than the best by
        more than one standard error. 'silhouette' takes the largest one. 'gap' takes the first
        number whose gap is not below the next by more than one standard error of that. 'elbow'
        takes the point farthest below the line between the ends of the curve.
    repeats : int, default=10
        Folds of 'heldout', reference data sets of 'gap'; more are slower and steadier.
    max_rows : int, default=10000
        'gap' and 'heldout' work on a random sample of so many rows, 'silhouette' compares the pairs
        of a fifth of that.
    random_state : int, Generator, RandomState or None, default=None
        For samples, splits and reference data, and for models that have no seed of their own.

    Returns
    -------
    KChoice
        With `.choice`, `.sizes`, `.curve`, `.errors`, `.model` (fitted) and `.plot()`.

    Notes
    -----
    A warning says when the choice is at the end of the range. Lecture notes often write half of
    aic and bic, which does not change the choice.

    With full covariances, a component of no more rows than columns is flat, and its likelihood only
    bounded by reg_covar: a mixture that has one is not chosen by 'bic', 'aic' or 'icl' as long as
    there is another.

    The reference data of 'gap' are uniform in the box along the principal axes of X. It, and
    'silhouette', look at hard clusters, of a mixture, too.

    References
    ----------
    Tibshirani, Walther and Hastie (2001), Estimating the number of clusters in a data set via the
    gap statistic, section 4. Biernacki, Celeux and Govaert (2000), Assessing a mixture model for
    clustering with the integrated completed likelihood. Schwarz (1978). Akaike (1974).

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(300, 2)) + 8 * np.repeat(np.eye(3, 2), 100, axis=0)
    >>> lowdim.choose_k(X, k=range(1, 6), random_state=0).choice
    3
    >>> lowdim.choose_k(X, "kmeans", k=6, criterion="gap", random_state=0).choice
    3
    """
    template = _template(model)
    likelihood = hasattr(template, "score_samples")
    criterion = criterion or ("bic" if likelihood else "silhouette")
    check_choice("criterion", criterion, CRITERIA)
    _check_has(template, criterion)
    repeats = check_at_least("repeats", repeats, 2)
    max_rows = check_at_least("max_rows", max_rows, 10)
    random = random_generator(random_state)
    sizes = _sizes(k, criterion, _n_rows(X))
    task = Task(template, sizes, random)

    if criterion == "gap":
        found = _gap(X, task, repeats, max_rows)
    elif criterion == "heldout":
        errors = _held_out_rows if likelihood else _held_out_entries
        found = _fewest_near_best(errors(X, task, repeats, max_rows))
    else:
        found = _by_full_fits(X, task, criterion, max_rows)
    choice = int(sizes[found.best])
    _warn_at_end(choice, sizes, criterion)
    fitted = found.model if found.model is not None else task.model(choice).fit(X)
    return KChoice(choice, sizes, found.curve, found.errors, criterion, fitted)


class Found(NamedTuple):
    """The curve, and where on it the choice is."""

    best: int
    curve: np.ndarray
    errors: np.ndarray | None = None
    model: Any = None


class Task(NamedTuple):
    """Which models are compared."""

    template: Any
    sizes: np.ndarray
    random: np.random.Generator

    def model(self, size: int) -> Any:
        """The unfitted model with this many clusters; seeded, unless it has a seed of its own."""
        model = clone(self.template).set_params(**{_size_name(self.template): int(size)})
        if model.get_params().get("random_state", 0) is None:
            model.set_params(random_state=int(self.random.integers(2**31)))
        return model


# ---- criteria of models that have seen all rows --------------------------------------------------


def _by_full_fits(X: Any, task: Task, criterion: str, max_rows: int) -> Found:
    judge = _silhouettes(X, task, max_rows) if criterion == "silhouette" else _JUDGES[criterion]
    models, curve = [], []
    with watch("choosing k", total=len(task.sizes)) as bar:
        for done, size in enumerate(task.sizes):
            models.append(task.model(size).fit(X))
            curve.append(judge(models[-1], X))
            bar.update(done + 1)
    values = np.array(curve)
    if criterion == "elbow":
        best = elbow(task.sizes, values)
    elif criterion == "silhouette":
        best = int(np.argmax(values))
    else:
        bad = np.array([not _has_enough_rows(model, _n_rows(X)) for model in models])
        best = int(np.argmin(values if bad.all() else np.where(bad, np.inf, values)))
    return Found(best, values, None, models[best])


def _has_enough_rows(model: Any, n: int) -> bool:
    """Whether each component has the rows that its covariance takes; fewer lie in a plane."""
    if getattr(model, "covariance_type", None) != "full":
        return True
    return bool(n * model.weights_.min() >= model.means_.shape[1] + 1)


def _bic(model: Any, X: Any) -> float:
    return float(model.bic(X))


def _aic(model: Any, X: Any) -> float:
    return float(model.aic(X))


def _icl(model: Any, X: Any) -> float:
    resp = np.asarray(model.predict_proba(X), dtype=np.float64)
    return float(model.bic(X)) - 2.0 * float(xlogy(resp, resp).sum())


def _misfit(model: Any, X: Any) -> float:
    """Inertia, or -log p(X) by row."""
    return float(model.inertia_) if hasattr(model, "inertia_") else -float(model.score(X))


_JUDGES = {"bic": _bic, "aic": _aic, "icl": _icl, "elbow": _misfit}


def _silhouettes(X: Any, task: Task, max_rows: int) -> Any:
    """A judge that compares the same rows for all models; one cluster for all rows counts as 0."""
    rows = QualityInput().open_rows(X)
    n, size = rows.shape[0], max(max_rows // 5, 10)
    index = np.arange(n)
    if n > size:
        index = np.sort(task.random.choice(n, size=size, replace=False))

    def judge(model: Any, X: Any) -> float:
        labels = np.asarray(model.predict(X))
        n_clusters = len(np.unique(labels[index]))
        return silhouette_of(rows, labels, index) if 2 <= n_clusters < len(index) else 0.0

    return judge


def elbow(sizes: np.ndarray, curve: np.ndarray) -> int:
    """Which point lies farthest below the line between the ends; the first if none does."""
    fall = curve[0] - curve[-1]
    if fall <= 0:
        return 0
    x = (sizes - sizes[0]) / (sizes[-1] - sizes[0])
    y = (curve - curve[-1]) / fall
    return int(np.argmax(1.0 - x - y))


# ---- the gap statistic ---------------------------------------------------------------------------


def _gap(X: Any, task: Task, repeats: int, max_rows: int) -> Found:
    Y = _numbers(_sample(X, max_rows, task.random))
    if np.isnan(Y).any():
        raise ValueError(
            "X has NaN; criterion='gap' needs complete rows. Choose 'bic', 'heldout' or "
            "'silhouette', or fill them with the impute(X) of a model."
        )
    mean = Y.mean(axis=0)
    _, _, axes = scipy.linalg.svd(Y - mean, full_matrices=False)
    scores = (Y - mean) @ axes.T
    low, high = scores.min(axis=0), scores.max(axis=0)
    expected = np.empty((repeats, len(task.sizes)))
    with watch("gap statistic", total=repeats + 1) as bar:
        observed = _log_dispersions(Y, task)
        for b in range(repeats):
            reference = task.random.uniform(low, high, size=scores.shape) @ axes + mean
            expected[b] = _log_dispersions(reference, task)
            bar.update(b + 2)
    gap = expected.mean(axis=0) - observed
    errors = expected.std(axis=0) * np.sqrt(1.0 + 1.0 / repeats)
    return Found(first_within_error(gap, errors), gap, errors)


def first_within_error(gap: np.ndarray, errors: np.ndarray) -> int:
    """The first k with gap(k) >= gap(k + 1) - error(k + 1); the last if there is none."""
    enough = gap[:-1] >= gap[1:] - errors[1:]
    return int(np.argmax(enough)) if enough.any() else len(gap) - 1


def _log_dispersions(Y: np.ndarray, task: Task) -> np.ndarray:
    """log W for each number of clusters."""
    return np.array([np.log(_dispersion(Y, task.model(size).fit(Y))) for size in task.sizes])


def _dispersion(Y: np.ndarray, model: Any) -> float:
    """W: squared distances of the rows from the mean of their cluster; at least rounding error."""
    labels = np.asarray(model.predict(Y))
    count = np.bincount(labels)
    sums = np.stack([np.bincount(labels, weights=column) for column in Y.T], axis=1)
    means = sums / np.maximum(count, 1)[:, None]
    W = float(np.square(Y - means[labels]).sum())
    least = np.finfo(np.float64).eps ** 2 * float(np.square(Y).sum())
    return max(W, least, np.finfo(np.float64).tiny)


# ---- held-out data -------------------------------------------------------------------------------


def _held_out_rows(X: Any, task: Task, repeats: int, max_rows: int) -> np.ndarray:
    """- log p by row of each fold, learned from the others: (folds, sizes)."""
    sample = _sample(X, max_rows, task.random)
    n = _num_samples(sample)
    folds = np.array_split(task.random.permutation(n), min(repeats, n))
    check_at_most("k", int(task.sizes[-1]), n - max(map(len, folds)), "rows that are not held out")
    errors = np.empty((len(folds), len(task.sizes)))
    with watch("held-out rows", total=len(folds)) as bar:
        for f, out in enumerate(folds):
            held = _safe_indexing(sample, np.sort(out))
            kept = _safe_indexing(sample, np.setdiff1d(np.arange(n), out))
            errors[f] = [-task.model(size).fit(kept).score(held) for size in task.sizes]
            bar.update(f + 1)
    return errors


def _held_out_entries(X: Any, task: Task, repeats: int, max_rows: int) -> np.ndarray:
    """Squared error on held-out entries relative to that of column means: (splits, sizes).

    A row with holes goes to the cluster nearest in what is left of it, whose center fills them.
    """
    Y = _numbers(_sample(X, max_rows, task.random))
    observed = np.isfinite(Y)
    errors = np.empty((repeats, len(task.sizes)))
    with watch("held-out entries", total=repeats) as bar:
        for split in range(repeats):
            held = observed & (task.random.random(Y.shape) < HELD_OUT_SHARE)
            held[~(observed & ~held).any(axis=1)] = False  # no row and no column loses all it has
            held[:, ~(observed & ~held).any(axis=0)] = False
            kept, (i, f), truth = np.where(held, np.nan, Y), held.nonzero(), Y[held]
            by_means = np.square(np.nanmean(kept, axis=0)[f] - truth).sum()
            for at, size in enumerate(task.sizes):
                model = task.model(size).fit(kept)
                guess = model.cluster_centers_[np.asarray(model.predict(kept))[i], f]
                errors[split, at] = np.square(guess - truth).sum() / (by_means or 1.0)
            bar.update(split + 1)
    return errors


def _fewest_near_best(errors: np.ndarray) -> Found:
    """The fewest clusters that are not worse than the best by more than a standard error.

    errors (splits, sizes) share their splits, so the standard error is that of the differences.
    """
    curve = errors.mean(axis=0)
    excess = errors - errors[:, [int(np.argmin(curve))]]
    spread = excess.std(axis=0, ddof=1) / np.sqrt(len(errors))
    near = excess.mean(axis=0) <= spread
    return Found(int(np.argmax(near)), curve, errors.std(axis=0, ddof=1) / np.sqrt(len(errors)))


# ---- the door ------------------------------------------------------------------------------------


def _template(model: Any) -> Any:
    """The estimator that `model` says."""
    if isinstance(model, str):
        check_choice("model", model, MODELS)
        if model == "gmm":
            from lowdim.mixture.gaussian.estimator import GaussianMixture

            return GaussianMixture()
        from lowdim.cluster.kmeans.estimator import KMeans

        return KMeans(n_init=STARTS)
    if isinstance(model, type) or not isinstance(model, BaseEstimator):
        raise TypeError(
            f"model={model!r} is not known; choose one of {', '.join(map(repr, MODELS))}, or give "
            "an estimator such as KMeans(n_init=10)."
        )
    _size_name(model)
    return model


def _size_name(model: Any) -> str:
    """The argument that says how many clusters."""
    for name in ("n_clusters", "n_components"):
        if name in model.get_params() and hasattr(model, "predict"):
            return name
    raise TypeError(
        f"model={model!r} finds no clusters: it needs n_clusters or n_components, and predict. "
        "Give one such as KMeans() or GaussianMixture()."
    )


def _check_has(model: Any, criterion: str) -> None:
    needed = {"bic": ["bic"], "aic": ["aic"], "icl": ["bic", "predict_proba"]}
    lacking = [name for name in needed.get(criterion, []) if not hasattr(model, name)]
    if lacking:
        raise ValueError(
            f"criterion={criterion!r} needs a model with {lacking[0]}, which "
            f"{type(model).__name__} does not have; choose 'silhouette', 'gap', 'heldout' or "
            "'elbow', or model='gmm'."
        )


def _sizes(k: Any, criterion: str, n: int) -> np.ndarray:
    """The numbers of clusters to compare, increasing."""
    least = 2 if criterion == "silhouette" else 1
    most = n - 1 if criterion == "silhouette" else n
    if k is None:
        k = range(least, min(LARGEST_DEFAULT, most) + 1)
    elif isinstance(k, Integral):
        k = range(least, check_at_least("k", k, least) + 1)
    if isinstance(k, str) or not isinstance(k, Iterable):
        raise TypeError(f"k={k!r} is not known; give numbers of clusters, for example range(1, 9).")
    sizes = sorted({check_at_least("k", size, least) for size in k})
    fewest = 3 if criterion == "elbow" else 2
    if len(sizes) < fewest:
        raise ValueError(
            f"k has {len(sizes)} different numbers; criterion={criterion!r} compares at least "
            f"{fewest}. X has {n} rows."
        )
    check_at_most("k", sizes[-1], most, "rows of X" if most == n else "rows of X less 1")
    return np.array(sizes)


def _warn_at_end(choice: int, sizes: np.ndarray, criterion: str) -> None:
    least = 2 if criterion == "silhouette" else 1
    if choice == sizes[-1] or (choice == sizes[0] > least):
        where = "largest" if choice == sizes[-1] else "smallest"
        warnings.warn(
            f"By {criterion!r} the best number of clusters is {choice}, the {where} one tried; a "
            "better one may lie beyond. Try a wider range of k.",
            EndOfRangeWarning,
            stacklevel=3,
        )


def _n_rows(X: Any) -> int:
    if isinstance(X, Blocks) or is_dask(X):
        return QualityInput().open_rows(X).shape[0]
    return int(_num_samples(X))


def _sample(X: Any, max_rows: int, random: np.random.Generator) -> Any:
    """X itself if it is in memory and not larger, else so many of its rows at random."""
    n = _n_rows(X)
    in_memory = not (isinstance(X, Blocks) or is_dask(X))
    if in_memory and n <= max_rows:
        return X
    index = np.arange(n)
    if n > max_rows:
        index = np.sort(random.choice(n, size=max_rows, replace=False))
    return _safe_indexing(X, index) if in_memory else QualityInput().open_rows(X).take(index)


def _numbers(X: Any) -> np.ndarray:
    """X as a dense float64 array."""
    values = QualityInput().open_rows(X).in_memory
    return (values.toarray() if sp.issparse(values) else values).astype(np.float64)
