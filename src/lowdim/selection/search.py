"""Choosing rank and penalty: what predicts entries that were held out best.

The observed entries are dealt into folds. Each fold in turn is hidden, every combination of the
grid is fitted to the rest and predicts the hidden entries. Along a path (penalties from large to
small, ranks from small to large) each fit begins where the one before ended, if the method can do
that (`warm_start`): the whole path then costs little more than its last fit.
"""

from __future__ import annotations

import time
from typing import Any, ClassVar

import numpy as np
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.model_selection import ParameterGrid
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from lowdim.completion.entries import Entries, check_some_observed
from lowdim.completion.spectral import gathered
from lowdim.core.constraints import RANDOM_STATE, Integral, Interval
from lowdim.core.estimator import SameBits
from lowdim.core.progress import watch
from lowdim.core.random import random_generator
from lowdim.selection.splits import entry_folds

FALLING = ("penalty",)  # large to small: from simple to rich, as ranks from small to large
RISING = ("n_components", "max_rank")


def _best_has(name: str) -> Any:
    def check(search: CompletionSearch) -> bool:
        getattr(getattr(search, "best_estimator_", search.estimator), name)
        return True

    return available_if(check)


class CompletionSearch(SameBits, MetaEstimatorMixin, BaseEstimator):
    """Search of a grid of parameters by the error on held-out entries, with warm starts.

    Like scikit-learn's GridSearchCV, but it holds out entries in place of rows: the question of
    completion is what the missing values of partly observed rows are.

    Parameters
    ----------
    estimator : a completer (ALS, SoftImpute, SVP, ...)
    param_grid : dict or list of dicts
        Names of parameters and the values to try.
    cv : int, default=5
        Number of folds, at least 2. More: steadier, slower.
    refit : bool, default=True
        Whether the best combination is fitted to all entries in the end.
    random_state : int, Generator, RandomState or None, default=None
        Deals the entries into folds.

    Attributes
    ----------
    best_params_ : dict
    best_score_ : float
        Minus the root mean squared error of held-out entries, mean of the folds.
    best_index_ : int
        Of the best combination in `cv_results_`.
    best_estimator_ : completer
        Fitted to all entries with `best_params_`; only with refit=True.
    cv_results_ : dict of arrays
        `params`, `param_<name>`, `split<i>_test_score`, `mean_test_score`, `std_test_score`,
        `rank_test_score`, `mean_fit_time`: one value for each combination, in the order of
        scikit-learn's ParameterGrid.
    n_splits_ : int
    refit_time_ : float

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import CompletionSearch, SVP
    >>> random = np.random.default_rng(0)
    >>> X = random.normal(size=(80, 2)) @ random.normal(size=(2, 40))
    >>> X += 0.1 * random.normal(size=X.shape)
    >>> X[random.random(X.shape) < 0.5] = np.nan
    >>> search = CompletionSearch(SVP(), {"n_components": [1, 2, 3, 4]}, random_state=0).fit(X)
    >>> search.best_params_
    {'n_components': 2}
    """

    _parameter_constraints: ClassVar[dict] = {
        "estimator": "no_validation",
        "param_grid": [dict, list],
        "cv": [Interval(Integral, 2, None, closed="left")],
        "refit": ["boolean"],
        "random_state": RANDOM_STATE,
    }

    def __init__(self, estimator, param_grid, *, cv=5, refit=True, random_state=None):
        self.estimator = estimator
        self.param_grid = param_grid
        self.cv = cv
        self.refit = refit
        self.random_state = random_state

    def fit(self, X: Any, y: Any = None) -> CompletionSearch:
        """Try all combinations, and fit the best one to all entries.

        Parameters
        ----------
        X : array with NaN, sparse matrix (stored = observed), Entries without weights, stream or \
                Dask, (n, d)
        y : ignored
        """
        self._validate_params()
        _check_completer(self.estimator)
        grid = list(ParameterGrid(self.param_grid))
        entries = observed_entries(self.estimator, X)
        folds = list(entry_folds(entries, self.cv, random_generator(self.random_state)))
        scores = np.empty((len(grid), self.cv))
        times = np.empty((len(grid), self.cv))
        with watch("search", total=self.cv * len(grid)) as bar:
            done = 0
            for fold, (train, test) in enumerate(folds):
                for path in paths(grid):
                    walk = walked(self.estimator, [grid[i] for i in path], train)
                    for i, (model, seconds) in zip(path, walk, strict=True):
                        scores[i, fold], times[i, fold] = model.score_entries(test), seconds
                        bar.update(done := done + 1)
        self._publish(grid, scores, times)
        if self.refit:
            began = time.perf_counter()
            self.best_estimator_ = clone(self.estimator).set_params(**self.best_params_).fit(X)
            self.refit_time_ = time.perf_counter() - began
        return self

    def _publish(self, grid: list[dict], scores: np.ndarray, times: np.ndarray) -> None:
        mean = scores.mean(axis=1)
        names = sorted({name for params in grid for name in params})
        self.cv_results_ = {
            "mean_fit_time": times.mean(axis=1),
            "std_fit_time": times.std(axis=1),
            **{f"param_{name}": _column(grid, name) for name in names},
            "params": grid,
            **{f"split{fold}_test_score": scores[:, fold] for fold in range(scores.shape[1])},
            "mean_test_score": mean,
            "std_test_score": scores.std(axis=1),
            "rank_test_score": (1 + np.sum(mean[None, :] > mean[:, None], axis=1)).astype(np.int32),
        }
        self.n_splits_ = scores.shape[1]
        self.best_index_ = int(np.argmax(mean))
        self.best_score_ = float(mean[self.best_index_])
        self.best_params_ = grid[self.best_index_]

    @property
    def n_features_in_(self) -> int:
        return self._best().n_features_in_

    def _best(self) -> Any:
        check_is_fitted(self, "best_params_")
        if not hasattr(self, "best_estimator_"):
            raise AttributeError("With refit=False there is no best_estimator_ to ask.")
        return self.best_estimator_

    @_best_has("transform")
    def transform(self, X: Any) -> Any:
        """Codes of rows (the few numbers that stand for each), by the best model."""
        return self._best().transform(X)

    @_best_has("inverse_transform")
    def inverse_transform(self, Z: Any) -> Any:
        """Rows from codes, by the best model."""
        return self._best().inverse_transform(Z)

    @_best_has("impute")
    def impute(self, X: Any, return_std: bool = False) -> Any:
        """X with its missing values filled by the best model; return_std: and how certain."""
        return self._best().impute(X, return_std=return_std)

    @_best_has("complete")
    def complete(self, X: Any = None) -> Any:
        """The matrix with nothing missing, by the best model."""
        return self._best().complete(X)

    @_best_has("predict_entries")
    def predict_entries(self, rows: Any, columns: Any) -> Any:
        """Single entries of the fitted matrix, by the best model."""
        return self._best().predict_entries(rows, columns)

    @_best_has("score")
    def score(self, X: Any, y: Any = None) -> float:
        """The best model's score of further rows."""
        return self._best().score(X)

    @_best_has("score_entries")
    def score_entries(self, X: Any) -> float:
        """The best model's score of further entries of the fitted rows."""
        return self._best().score_entries(X)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        inner = getattr(self.estimator, "__sklearn_tags__", None)
        if inner is not None:
            tags.input_tags = inner().input_tags
        return tags


def walked(estimator: Any, path: list[dict], X: Any) -> Any:
    """The fitted model at each point of a path, and the seconds it took."""
    model = clone(estimator)
    warm = "warm_start" in model.get_params()
    if warm:
        model.set_params(warm_start=True)
    for params in path:
        model = model if warm else clone(model)
        began = time.perf_counter()
        model.set_params(**params).fit(X)
        yield model, time.perf_counter() - began


def paths(grid: list[dict]) -> list[list[int]]:
    """The grid's combinations as paths from simple to rich that differ in nothing else."""
    groups: dict[str, list[int]] = {}
    for i, params in enumerate(grid):
        others = {k: v for k, v in params.items() if k not in (*FALLING, *RISING)}
        groups.setdefault(repr(sorted(others.items())), []).append(i)

    def richness(i: int) -> tuple:
        ranks = [grid[i].get(name) or np.inf for name in RISING]
        return (*ranks, *(-grid[i].get(name, 0) for name in FALLING))

    return [sorted(group, key=richness) for group in groups.values()]


def observed_entries(estimator: Any, X: Any) -> Any:
    """The observed entries of whatever the estimator accepts."""
    if isinstance(X, Entries) and X.weight is not None:
        raise ValueError(
            "Held-out entries count the same, and these Entries have weights; use Entries without."
        )
    entries = gathered(clone(estimator).open_entries(X))
    check_some_observed(entries.nnz, type(estimator).__name__)
    return entries


def _check_completer(estimator: Any) -> None:
    if not hasattr(estimator, "score_entries"):
        raise TypeError(
            f"{type(estimator).__name__} cannot be scored by held-out entries; estimator must be a "
            "completer such as SoftImpute, SVP or ALS."
        )


def _column(grid: list[dict], name: str) -> np.ma.MaskedArray:
    """The values of one parameter, masked where a combination does not have it."""
    values = np.ma.masked_all(len(grid), dtype=object)
    for i, params in enumerate(grid):
        if name in params:
            values[i] = params[name]
    return values
