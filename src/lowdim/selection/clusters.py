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
from dataclasses import dataclass, field
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator

from lowdim.core.random import random_generator
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_at_most, check_choice
from lowdim.selection.choice import Choice
from lowdim.selection.cluster_criteria import (
    SizedModels,
    by_full_fits,
    by_losses,
    entry_losses,
    gap_statistic,
    n_rows,
    row_losses,
)

CRITERIA = ("bic", "aic", "icl", "silhouette", "elbow", "gap", "heldout")
MODELS = ("gmm", "kmeans")

LARGEST_DEFAULT = 10  # clusters that are tried if nobody says how many
STARTS = 4  # of k-means, so that one unlucky start is no step in the curve


class EndOfRangeWarning(UserWarning):
    """The best number is the first or the last one tried: a better one may lie beyond."""


@dataclass(frozen=True, repr=False)
class KChoice(Choice):
    """A number of clusters and the evidence for it; `print(choice)` says it in a sentence.

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
    per_repeat : ndarray of shape (repeats, m) or None
        The curve in each fold of 'heldout', against each reference data set of 'gap'; `spread` is
        its standard deviation.
    criterion : str
    model : estimator
        Fitted to X with this number of clusters.
    """

    model: Any = field(default=None, kw_only=True)

    counts: ClassVar[str] = "cluster"
    labels: ClassVar[dict[str, str]] = {
        "bic": "BIC",
        "aic": "AIC",
        "icl": "ICL",
        "silhouette": "silhouette",
        "elbow": "inertia, or negative log-likelihood by row",
        "gap": "gap",
        "heldout": "held-out error",
    }
    reasons: ClassVar[dict[str, str]] = {
        "bic": "the lowest BIC",
        "aic": "the lowest AIC",
        "icl": "the lowest ICL",
        "silhouette": "the largest silhouette",
        "elbow": "where the curve bends",
        "gap": "the fewest whose gap the next does not beat by more than one standard error",
        "heldout": "the fewest whose held-out error is within one standard error of the best",
    }

    def __repr__(self) -> str:
        return (
            f"KChoice(choice={self.choice}, criterion={self.criterion!r}, "
            f"sizes={self.sizes[0]}..{self.sizes[-1]}, model={type(self.model).__name__})"
        )


@single_threaded_blas()
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
        None is 'bic' for models with a likelihood, else 'silhouette', as `-k auto` of the command
        line and the page of `lowdim.explore`.
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
        With `.choice`, `.sizes`, `.curve`, `.errors`, `.model` (fitted) and `.plot()`; `print`
        gives a sentence.

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
    sizes = _sizes(k, criterion, n_rows(X))
    models = SizedModels(template, _size_name(template), sizes, random)

    if criterion == "gap":
        evidence = gap_statistic(X, models, repeats, max_rows)
    elif criterion == "heldout":
        losses = row_losses if likelihood else entry_losses
        evidence = by_losses(losses(X, models, repeats, max_rows))
    else:
        evidence = by_full_fits(X, models, criterion, max_rows)
    choice = int(sizes[evidence.best])
    _warn_at_end(choice, sizes, criterion)
    return KChoice(
        choice,
        sizes,
        evidence.curve,
        criterion,
        errors=evidence.errors,
        per_repeat=evidence.per_repeat,
        model=models.of_size(choice).fit(X) if evidence.model is None else evidence.model,
    )


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
