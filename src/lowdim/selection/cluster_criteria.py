"""Criteria for a number of clusters: of models of all rows, of reference data, of held-out data.

`choose_k` says what they are. Each gives the curve, and where on it the choice is.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from scipy.special import xlogy
from sklearn.base import clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import _num_samples

from lowdim.cluster.quality import silhouette_of
from lowdim.core.blocks import Blocks, is_dask
from lowdim.core.progress import watch
from lowdim.core.validation import check_at_most, open_rows_for
from lowdim.selection.choice import elbow, fewest_near_best, first_within_error, standard_error
from lowdim.selection.splits import HELD_OUT_SHARE, hide_entries


class SizedModels(NamedTuple):
    """The models that are compared: one template with different numbers of clusters."""

    template: Any
    size_name: str  # the argument that says how many clusters
    sizes: np.ndarray
    random: np.random.Generator

    def of_size(self, size: int) -> Any:
        """The unfitted model with this many clusters; seeded, unless it has a seed of its own."""
        model = clone(self.template).set_params(**{self.size_name: int(size)})
        if model.get_params().get("random_state", 0) is None:
            model.set_params(random_state=int(self.random.integers(2**31)))
        return model


class Evidence(NamedTuple):
    """The curve of a criterion, and where on it the choice is."""

    best: int
    curve: np.ndarray
    errors: np.ndarray | None = None
    per_repeat: np.ndarray | None = None
    model: Any = None  # fitted to all rows, where that was done anyway


# ---- criteria of models that have seen all rows --------------------------------------------------


def by_full_fits(X: Any, models: SizedModels, criterion: str, max_rows: int) -> Evidence:
    """'bic', 'aic', 'icl', 'silhouette' or 'elbow' of models that have seen all rows."""
    judge = _silhouettes(X, models, max_rows) if criterion == "silhouette" else _JUDGES[criterion]
    fitted, curve = [], []
    with watch("choosing k", total=len(models.sizes)) as bar:
        for done, size in enumerate(models.sizes):
            fitted.append(models.of_size(size).fit(X))
            curve.append(judge(fitted[-1], X))
            bar.update(done + 1)
    values = np.array(curve)
    if criterion == "elbow":
        best = elbow(models.sizes, values)
    elif criterion == "silhouette":
        best = int(np.argmax(values))
    else:
        bad = np.array([not _has_enough_rows(model, n_rows(X)) for model in fitted])
        best = int(np.argmin(values if bad.all() else np.where(bad, np.inf, values)))
    return Evidence(best, values, model=fitted[best])


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


def _silhouettes(X: Any, models: SizedModels, max_rows: int) -> Any:
    """A judge that compares the same rows for all models; one cluster for all rows counts as 0."""
    rows = open_rows_for("choose_k", X, nan=True)
    n, size = rows.shape[0], max(max_rows // 5, 10)
    index = np.arange(n)
    if n > size:
        index = np.sort(models.random.choice(n, size=size, replace=False))

    def judge(model: Any, X: Any) -> float:
        labels = np.asarray(model.predict(X))
        n_clusters = len(np.unique(labels[index]))
        return silhouette_of(rows, labels, index) if 2 <= n_clusters < len(index) else 0.0

    return judge


# ---- the gap statistic ---------------------------------------------------------------------------


def gap_statistic(X: Any, models: SizedModels, repeats: int, max_rows: int) -> Evidence:
    """How much smaller log W is than that of data without clusters, drawn from a box."""
    Y = _numbers(_sample(X, max_rows, models.random))
    if np.isnan(Y).any():
        raise ValueError(
            "X has NaN; criterion='gap' needs complete rows. Choose 'bic', 'heldout' or "
            "'silhouette', or fill them with the impute(X) of a model."
        )
    mean = Y.mean(axis=0)
    _, _, axes = scipy.linalg.svd(Y - mean, full_matrices=False)
    scores = (Y - mean) @ axes.T
    low, high = scores.min(axis=0), scores.max(axis=0)
    expected = np.empty((repeats, len(models.sizes)))
    with watch("gap statistic", total=repeats + 1) as bar:
        observed = _log_dispersions(Y, models)
        for b in range(repeats):
            reference = models.random.uniform(low, high, size=scores.shape) @ axes + mean
            expected[b] = _log_dispersions(reference, models)
            bar.update(b + 2)
    gap = expected.mean(axis=0) - observed
    errors = expected.std(axis=0) * np.sqrt(1.0 + 1.0 / repeats)
    return Evidence(first_within_error(gap, errors), gap, errors, expected - observed)


def _log_dispersions(Y: np.ndarray, models: SizedModels) -> np.ndarray:
    """log W for each number of clusters."""
    return np.array([np.log(_dispersion(Y, models.of_size(size).fit(Y))) for size in models.sizes])


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


def row_losses(X: Any, models: SizedModels, repeats: int, max_rows: int) -> np.ndarray:
    """- log p by row of each fold, learned from the others: (folds, sizes)."""
    sample = _sample(X, max_rows, models.random)
    n = _num_samples(sample)
    folds = np.array_split(models.random.permutation(n), min(repeats, n))
    check_at_most(
        "k", int(models.sizes[-1]), n - max(map(len, folds)), "rows that are not held out"
    )
    errors = np.empty((len(folds), len(models.sizes)))
    with watch("held-out rows", total=len(folds)) as bar:
        for f, out in enumerate(folds):
            held = _safe_indexing(sample, np.sort(out))
            kept = _safe_indexing(sample, np.setdiff1d(np.arange(n), out))
            errors[f] = [-models.of_size(size).fit(kept).score(held) for size in models.sizes]
            bar.update(f + 1)
    return errors


def entry_losses(X: Any, models: SizedModels, repeats: int, max_rows: int) -> np.ndarray:
    """Squared error on held-out entries relative to that of column means: (splits, sizes).

    A row with missing values goes to the cluster nearest in what is left of it, whose center fills
    them.
    """
    Y = _numbers(_sample(X, max_rows, models.random))
    losses = np.empty((repeats, len(models.sizes)))
    with watch("held-out entries", total=repeats) as bar:
        for split in range(repeats):
            hidden = hide_entries(Y, HELD_OUT_SHARE, models.random)
            for at, size in enumerate(models.sizes):
                model = models.of_size(size).fit(hidden.kept)
                labels = np.asarray(model.predict(hidden.kept))
                guess = model.cluster_centers_[labels[hidden.row], hidden.column]
                losses[split, at] = hidden.error_of(guess)
            bar.update(split + 1)
    return losses


def by_losses(losses: np.ndarray) -> Evidence:
    """The fewest clusters that are not worse than the best by more than a standard error."""
    best, curve = fewest_near_best(losses), losses.mean(axis=0)
    return Evidence(best, curve, standard_error(losses), losses)


# ---- rows of whatever holds them -----------------------------------------------------------------


def n_rows(X: Any) -> int:
    """How many rows X has, in memory or not."""
    if isinstance(X, Blocks) or is_dask(X):
        return open_rows_for("choose_k", X, nan=True).shape[0]
    return int(_num_samples(X))


def _sample(X: Any, max_rows: int, random: np.random.Generator) -> Any:
    """X itself if it is in memory and not larger, else so many of its rows at random."""
    n = n_rows(X)
    in_memory = not (isinstance(X, Blocks) or is_dask(X))
    if in_memory and n <= max_rows:
        return X
    index = np.arange(n)
    if n > max_rows:
        index = np.sort(random.choice(n, size=max_rows, replace=False))
    if in_memory:
        return _safe_indexing(X, index)
    return open_rows_for("choose_k", X, nan=True).take(index)


def _numbers(X: Any) -> np.ndarray:
    """X as a dense float64 array."""
    values = open_rows_for("choose_k", X, nan=True).in_memory
    return (values.toarray() if sp.issparse(values) else values).astype(np.float64)
