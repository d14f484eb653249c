"""Finite mixtures: each row comes from one of K components, and nobody says from which.

    c ~ weights,   x | c = j ~ f(x; theta_j)          f of a family (`families.py`)

    minimise     J = - sum_i w_i log sum_j weight_j f(x_i; theta_j)
                     - s sum_j [T . eta_j - A_j] at the mean T of all rows

by EM. The last line stands for s rows like the average of the table, added to each component: what
a component has not seen is unlikely then, but not impossible, and no variance goes to 0.

    statistics   r_ij = weight_j f(x_i; theta_j) / sum over components     of every row, in logs
                 sum r_ij,   sum r_ij T(x_i) over the observed entries of each column
    update       weight_j = sum r_ij / sum w_i,   theta_j: T has the mean that it has in the rows

Columns are independent within a component, so that tables with columns of several types are no
harder than others: their log densities add up. And a missing entry has none: it drops out.

Cost of a pass: O(n d K) time, for sparse rows O(stored entries K); memory for sums of d K numbers
beside one block.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any, ClassVar, NamedTuple

import narwhals.stable.v2 as nw
import numpy as np
import scipy.sparse as sp
from scipy.special import logsumexp
from sklearn.base import DensityMixin
from sklearn.utils import ClassifierTags
from sklearn.utils.validation import check_is_fitted

from lowdim.cluster.families import FAMILIES, Categorical, Family, Gaussian, Params
from lowdim.cluster.gaussian_collapse import CollapsedComponentWarning
from lowdim.cluster.lloyd import lloyd, part_in_memory
from lowdim.core.blocks import Blocks
from lowdim.core.constraints import AT_LEAST_1, NOT_NEGATIVE, RANDOM_STATE, StrOptions
from lowdim.core.estimator import Estimator
from lowdim.core.loop import fitting, iterate
from lowdim.core.random import random_generator
from lowdim.core.validation import (
    check_at_least,
    check_at_most,
    check_columns_observed,
    check_weights,
)
from lowdim.linalg.moments import column_variances
from lowdim.linalg.observed import observed_columns

# A component with less than this share of the rows keeps this share
LEAST_SHARE = 1e-10

SAME = 1e-9  # objectives that differ by less, relative to their size, are equal

START_PASSES = 10  # of k-means, whose last steps move little
START_SMOOTHING = 1.0  # rows added to each cluster of k-means: its few rows are not the whole truth
START_COLUMNS = 128  # of the rows that k-means sees: more are projected on half as many at random

MOST_CATEGORIES = 10_000  # of one column; a column with more is a name, not a category


class _Mixture(DensityMixin, Estimator):
    """What mixtures have in common, whatever their components."""

    accepts_nan: ClassVar[bool] = True

    n_components: int
    smoothing: float
    tol: float
    max_iter: int
    n_init: int
    random_state: Any
    weights_: np.ndarray

    def fit_predict(self, X, y=None, sample_weight=None):
        """Learn from X, and the most likely component of each row."""
        return self.fit(X, sample_weight=sample_weight).predict(X)

    # ---- which component -------------------------------------------------------------------------

    def predict(self, X):
        """The most likely component of each row, given its observed entries."""
        return self._map(most_likely, X)

    def predict_proba(self, X):
        """Probability of each component, for each row."""
        return self._map(responsibilities, X)

    # ---- judge -----------------------------------------------------------------------------------

    def score_samples(self, X):
        """Log-likelihood of each row, over its observed entries."""
        return self._map(log_density, X)

    def score(self, X, y=None, sample_weight=None):
        """Mean log-likelihood of the rows."""
        total, log_likelihood = self._total(X, sample_weight)
        return log_likelihood / total

    def aic(self, X, sample_weight=None):
        """Akaike's criterion -2 log p(X) + 2 (number of parameters): the lower the better."""
        _, log_likelihood = self._total(X, sample_weight)
        return -2.0 * log_likelihood + 2.0 * self._n_parameters()

    def bic(self, X, sample_weight=None):
        """Schwarz's criterion -2 log p(X) + log n (number of parameters): the lower the better."""
        total, log_likelihood = self._total(X, sample_weight)
        return -2.0 * log_likelihood + np.log(total) * self._n_parameters()

    # ---- inside ----------------------------------------------------------------------------------

    def _learn(self, rows: Blocks, weight: np.ndarray | None, parts: tuple[Part, ...]) -> None:
        """EM from several starts; the best is published."""
        n_rows = rows.shape[0] if weight is None else int(np.count_nonzero(weight))
        check_at_most("n_components", self.n_components, n_rows, "rows of X")
        rows = rows.checked(_check_values, parts)
        parts = tuple(_measured(part, rows, weight) for part in parts)
        whole = rows.fold(sums_of_all, parts, along=(weight,))
        _check_observed(whole, parts, rows.n_columns, getattr(self, "feature_names_in_", None))
        average = _average(whole, parts)
        random = random_generator(self.random_state)

        starts = (
            _start(rows, parts, average, self.n_components, weight, random)
            for _ in range(self.n_init)
        )
        found = [self._fit_from(start, rows, weight, parts, average) for start in starts]
        best = _best(found)
        self.history_, self.converged_ = best.history, best.converged
        self.n_iter_, self.lower_bound_ = len(best.history), -best.objective
        _warn_of_empty(best.mixture)
        self._publish(parts, best.mixture)

    def _fit_from(self, start, rows, weight, parts, average):
        """EM from one start."""
        loop = iterate(self, start, max_iter=self.max_iter, tol=self.tol)
        for mixture in loop:
            sums = rows.fold(statistics, parts, mixture, along=(weight,))
            prior = self.smoothing * log_density_of_average(average, parts, mixture)
            loop.record((sums.objective - prior) / sums.weight)
            loop.params = update(sums, parts, average, self.smoothing)
        return Found(loop.params, loop.history[-1], np.array(loop.history), loop.converged)

    def _opened(self, X):
        """The rows, and the model in the units in which it looks at such rows."""
        rows = self.open_rows(X, reset=False)
        parts, published = self._published()
        weights = self.weights_ / self.weights_.sum()
        params = [part.family.taken_up(one) for part, one in zip(parts, published, strict=True)]
        parts = tuple(
            _in_units_of(part, one, weights, rows.is_sparse)
            for part, one in zip(parts, params, strict=True)
        )
        params = [_moved(part, one) for part, one in zip(parts, params, strict=True)]
        return rows.checked(_check_values, parts), parts, Mixture(weights, tuple(params))

    def _map(self, function, X):
        rows, parts, mixture = self._opened(X)
        return rows.map(function, parts, mixture)

    def _total(self, X, sample_weight):
        """The sum of weights, and log p(X)."""
        rows, parts, mixture = self._opened(X)
        weight = check_weights(sample_weight, rows)
        return rows.fold(_sum_log_density, parts, mixture, along=(weight,))

    def _draw(self, n_samples, random_state):
        """Rows as numbers, and the component of each."""
        check_is_fitted(self)
        n_samples = check_at_least("n_samples", n_samples, 1)
        random = random_generator(random_state)
        parts, published = self._published()
        counts = random.multinomial(n_samples, self.weights_ / self.weights_.sum())
        X = np.empty((n_samples, self.n_features_in_))
        first = 0
        for j, count in enumerate(counts):
            rows = X[first : first + count]
            for part, one in zip(parts, published, strict=True):
                drawn = part.family.draw(part.family.taken_up(one), j, count, random)
                rows[:, part.place] = _decoded(drawn, part)
            first += count
        return X, np.repeat(np.arange(len(counts)), counts)

    def _n_parameters(self):
        parts, published = self._published()
        of_one = sum(
            part.family.n_parameters(part.family.taken_up(one))
            for part, one in zip(parts, published, strict=True)
        )
        return len(self.weights_) * (of_one + 1) - 1


class MixtureModel(_Mixture):
    """Mixture of components of one family: Gaussian, Bernoulli, multinomial, Poisson, or your own.

    Minimises  -log p(X) = - sum_i log sum_j weight_j f(x_i; theta_j),
               by EM from k-means. Columns are independent within a component; NaN drop out.

    Cost: O(n d K) per pass, for sparse X O(stored entries K); O(d K) memory beside one block.
    Use it to cluster binary rows, counts or codes, whose distances mean little.

    Parameters
    ----------
    components : {'gaussian', 'bernoulli', 'multinomial', 'poisson', 'categorical'} or Family, \
default='gaussian'
        What a component is. 'gaussian': real numbers, a mean and a variance for each column.
        'bernoulli': 0 and 1. 'multinomial': counts of which only the proportions within a row
        matter (words of documents). 'poisson': counts whose sizes matter, too. 'categorical':
        values that are only equal or not. Or an object of a class of your own: see
        `lowdim.cluster.families.Family`, which takes a few lines.
    n_components : int, default=2
        Number of components K.
    smoothing : float, default=0.01
        Each component gets this many rows like the average of all rows. Larger: fewer extreme
        probabilities and small variances; 0 is plain maximum likelihood, in which a value that a
        component has not seen is next to impossible (1e-10).
    tol : float, default=1e-4
        Stop when an iteration lowers the objective per row by less.
    max_iter : int, default=200
        Iterations at the most, each a pass over the rows.
    n_init : int, default=1
        Starts, of which the best result is kept.
    random_state : int, Generator, RandomState or None, default=None
        For the start.

    Attributes
    ----------
    weights_ : ndarray of shape (K,)
        Share of the rows in each component.
    means_, variances_ : ndarray of shape (K, d)
        Of 'gaussian' components.
    probabilities_ : ndarray of shape (K, d), or list of d arrays of shape (K, number of categories)
        Of 'bernoulli' and 'multinomial' components; of 'categorical' ones.
    rates_ : ndarray of shape (K, d)
        Of 'poisson' components.
    totals_ : ndarray of shape (K,)
        Mean total of a row of 'multinomial' components, for `sample`.
    categories_ : list of d arrays
        The values of each column, for 'categorical' components.
    parameter_names_ : list of str
        Which of these there are, without the underscore; for your own family, those it names.
    lower_bound_ : float
        Log-likelihood per row at the last iteration, smoothing included.
    n_iter_, history_, converged_ : int, ndarray, bool
        Iterations of the best start, the objective per row at each, and whether they sufficed.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names

    See Also
    --------
    MixedMixture : columns of several types.
    GaussianMixture : Gaussian components with correlated columns.
    MixtureOfFactorAnalyzers : Gaussian components in many, correlated columns.

    Notes
    -----
    k-means starts from at most 20000 rows at random, in which holes stand at the mean of their
    column: of counts it sees square roots (for 'multinomial' of proportions), of categories which
    one it is. More than 128 columns are projected on 64 at random for that.

    A Gaussian variance is at least 1e-6 times that of its column. For 'categorical', a value that
    `fit` has not seen counts as missing. 'multinomial' cannot have missing values. Counts may be
    fractions. A model with a family of your own can be pickled, but not saved with `save`, as a
    file holds no code.

    References
    ----------
    Dempster, Laird and Rubin (1977), section 4.3. McLachlan and Peel (2000), Finite mixture models.

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import MixtureModel
    >>> random = np.random.default_rng(0)
    >>> likes = np.repeat([[0.9, 0.8, 0.1, 0.2], [0.1, 0.3, 0.9, 0.7]], 400, axis=0)
    >>> X = random.random(likes.shape) < likes
    >>> model = MixtureModel("bernoulli", n_components=2, tol=1e-6, random_state=0).fit(X)
    >>> bool(np.abs(np.sort(model.probabilities_[:, 0]) - [0.1, 0.9]).max() < 0.05)
    True
    """

    accepts_sparse: ClassVar[bool] = True

    _parameter_constraints: ClassVar[dict] = {
        "components": [StrOptions(set(FAMILIES)), Family],
        "n_components": [AT_LEAST_1],
        "smoothing": [NOT_NEGATIVE],
        "tol": [NOT_NEGATIVE],
        "max_iter": [AT_LEAST_1],
        "n_init": [AT_LEAST_1],
        "random_state": RANDOM_STATE,
    }

    def __init__(
        self,
        components="gaussian",
        n_components=2,
        *,
        smoothing=0.01,
        tol=1e-4,
        max_iter=200,
        n_init=1,
        random_state=None,
    ):
        self.components = components
        self.n_components = n_components
        self.smoothing = smoothing
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.random_state = random_state

    @fitting
    def fit(self, X, y=None, sample_weight=None):
        """Learn the components from X.

        Parameters
        ----------
        X : array, data frame, sparse matrix, Dask collection or stream of shape (n, d)
            NaN marks missing values. Sparse X is not made dense; zeros are values.
        y : ignored
        sample_weight : array of shape (n,), default=None
            How often each row counts.
        """
        rows = self.open_rows(X)
        weight = check_weights(sample_weight, rows)
        self._learn(rows, weight, (Part(self._family()),))
        return self

    def impute(self, X, return_std=False):
        """X with NaN replaced by their expectation given the row's observed entries.

        Parameters
        ----------
        X : array-like of shape (n, d)
            Sparse X has no missing values, and comes back as it is.
        return_std : bool, default=False
            Also return the standard deviation of every filled entry (0 where X was observed).

        Returns
        -------
        filled : ndarray of shape (n, d)
            For 'categorical' components, the most likely value.
        std : ndarray of shape (n, d), if return_std
            For 'categorical' components, the probability that it is another value.
        """
        return self._map(expectation_with_std if return_std else expectation, X)

    def sample(self, n_samples=1, random_state=None):
        """New rows, and the component of each; rows of one component come together."""
        return self._draw(n_samples, random_state)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        family = self._family()
        tags.input_tags.allow_nan = family.accepts_nan
        tags.input_tags.sparse = family.accepts_sparse
        tags.input_tags.positive_only = family.nonnegative
        # where scikit-learn's checks of sparse rows look up how many columns predict_proba has
        tags.classifier_tags = ClassifierTags(multi_class=self.n_components != 2)
        return tags

    def _family(self) -> Family:
        """What `components` says; the default where it says nothing that is accepted."""
        if isinstance(self.components, Family):
            return self.components
        return FAMILIES.get(str(self.components), Gaussian)()

    def _publish(self, parts, mixture):
        (part,), (params,) = parts, mixture.params
        published = part.family.published(_moved_back(part, params))
        for name in [*getattr(self, "parameter_names_", []), "categories"]:
            self.__dict__.pop(f"{name}_", None)  # of an earlier fit, perhaps with another family
        self.weights_ = mixture.weights
        self.parameter_names_ = list(published)
        for name, value in published.items():
            setattr(self, f"{name}_", value)
        if part.categories is not None:
            self.categories_ = list(part.categories)

    def _published(self):
        check_is_fitted(self)
        published = {name: getattr(self, f"{name}_") for name in self.parameter_names_}
        return (_as_fitted(self._family(), None, getattr(self, "categories_", None)),), (published,)


class MixedMixture(_Mixture):
    """Mixture for tables with columns of several types: numbers, counts, categories, yes or no.

    Minimises  -log p(X) = - sum_i log sum_j weight_j prod_f p_f(x_if; theta_jf),
               by EM from k-means. Columns are independent within a component (latent class
               analysis, latent profile analysis); missing entries drop out.

    Cost: O(n d K) per pass; O(m K) memory beside one block, m counting all categories.
    Use it to cluster a data frame as it is, with text columns and holes.

    Parameters
    ----------
    n_components : int, default=2
        Number of components K.
    columns : dict or None, default=None
        Which columns are of which family: {'poisson': ['visits'], 'categorical': [3, 4]}, by name
        or number; families are 'gaussian', 'categorical', 'poisson', 'bernoulli' and 'multinomial'
        (all of these columns as the counts of one row). Columns that are not in there go by their
        type: text, categories and booleans of a data frame are 'categorical', numbers 'gaussian'.
    smoothing : float, default=0.01
        Each component gets this many rows like the average of all rows; see `MixtureModel`.
    tol : float, default=1e-4
        Stop when an iteration lowers the objective per row by less.
    max_iter : int, default=200
        Iterations at the most, each a pass over the rows.
    n_init : int, default=1
        Starts, of which the best result is kept.
    random_state : int, Generator, RandomState or None, default=None
        For the start.

    Attributes
    ----------
    weights_ : ndarray of shape (K,)
        Share of the rows in each component.
    parameters_ : dict
        By family a dict of its parameters: parameters_['gaussian']['means'] of shape (K, number of
        Gaussian columns), parameters_['categorical']['probabilities'] a list of arrays of shape
        (K, number of categories), and so on, as `MixtureModel` has them.
    columns_ : dict
        By family an array of the numbers of its columns.
    categories_ : list of arrays
        The categories of each column of columns_['categorical'], sorted.
    lower_bound_ : float
        Log-likelihood per row at the last iteration, smoothing included.
    n_iter_, history_, converged_ : int, ndarray, bool
        Iterations of the best start, the objective per row at each, and whether they sufficed.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names

    See Also
    --------
    MixtureModel : all columns of one type, sparse X included.

    Notes
    -----
    A category that `fit` has not seen counts as missing. Integers are numbers unless `columns` says
    that they are codes or counts: nothing in a column of 1, 2 and 3 tells. Text needs a data frame
    in memory; arrays, streams and Dask collections hold numbers, which may be codes.

    The start is that of `MixtureModel`, on all columns side by side.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from lowdim import MixedMixture
    >>> random = np.random.default_rng(0)
    >>> kind = np.repeat([0, 1], 200)
    >>> table = pd.DataFrame({
    ...     "length": random.normal([10.0, 14.0], 1.0, size=(200, 2)).T.ravel(),
    ...     "color": np.where(random.random(400) < np.where(kind, 0.9, 0.2), "red", "blue"),
    ... })
    >>> table.loc[::10, "color"] = None
    >>> model = MixedMixture(2, random_state=0).fit(table)
    >>> [str(category) for category in model.categories_[0]]
    ['blue', 'red']
    >>> bool((model.predict(table)[kind == 0] == model.predict(table)[0]).mean() > 0.95)
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [AT_LEAST_1],
        "columns": [dict, None],
        "smoothing": [NOT_NEGATIVE],
        "tol": [NOT_NEGATIVE],
        "max_iter": [AT_LEAST_1],
        "n_init": [AT_LEAST_1],
        "random_state": RANDOM_STATE,
    }

    def __init__(
        self,
        n_components=2,
        *,
        columns=None,
        smoothing=0.01,
        tol=1e-4,
        max_iter=200,
        n_init=1,
        random_state=None,
    ):
        self.n_components = n_components
        self.columns = columns
        self.smoothing = smoothing
        self.tol = tol
        self.max_iter = max_iter
        self.n_init = n_init
        self.random_state = random_state

    @fitting
    def fit(self, X, y=None, sample_weight=None):
        """Learn the components from X.

        Parameters
        ----------
        X : data frame, array, Dask collection or stream of shape (n, d)
            Null and NaN mark missing values.
        y : ignored
        sample_weight : array of shape (n,), default=None
            How often each row counts.
        """
        frame = _frame(X)
        self._labels = {} if frame is None else _labels(frame)
        rows = self.open_rows(X)
        weight = check_weights(sample_weight, rows)
        names = getattr(self, "feature_names_in_", None)
        families = _families(self.columns, rows.n_columns, names, self._labels)
        parts = tuple(Part(FAMILIES[name](), columns) for name, columns in families.items())
        self.columns_ = families
        self._learn(rows, weight, parts)
        return self

    def impute(self, X, return_std=False):
        """X with missing entries filled, given the row's observed entries.

        Numbers get their expectation, categories the most likely one.

        Parameters
        ----------
        X : data frame or array of shape (n, d)
        return_std : bool, default=False
            Also return how uncertain every filled entry is: the standard deviation of a number, the
            probability that a category is another one; 0 where X was observed.

        Returns
        -------
        filled : like X
            A data frame if X is one in memory, with the same columns.
        std : ndarray of shape (n, d), if return_std
        """
        if not return_std:
            return self._like(X, self._map(expectation, X))
        filled, std = self._map(expectation_with_std, X)
        return self._like(X, filled), std

    def sample(self, n_samples=1, random_state=None):
        """New rows, and the component of each; rows of one component come together.

        With text columns, the rows are an array of objects:
        `pandas.DataFrame(rows, columns=model.feature_names_in_)` is a table of them.
        """
        X, component = self._draw(n_samples, random_state)
        if not self._labels:
            return X, component
        table = X.astype(object)
        for name, labels in self._labels.items():
            table[:, int(name)] = labels[X[:, int(name)].astype(np.int64)]
        return table, component

    def open_rows(self, X, *, reset=True, check_finite=True, min_rows=None):
        """X as Blocks, validated; text becomes the number of its category, if it is known."""
        if not reset:
            check_is_fitted(self)
        frame = _frame(X)
        if frame is not None:
            X = _encoded_frame(frame, self._labels).to_native()
        elif self._labels and not isinstance(X, Blocks):
            raise ValueError(
                f"{type(self).__name__} was fitted to a data frame with text or boolean columns; X "
                f"is a {type(X).__name__}. Give it a data frame with the same columns."
            )
        rows = super().open_rows(X, reset=reset, check_finite=check_finite, min_rows=min_rows)
        if frame is not None:
            _check_labelled(frame, self._labels)
        return rows

    def _like(self, X, filled):
        """The filled values as a frame of X's kind, if X is one."""
        frame = _frame(X)
        return filled if frame is None else _filled_frame(frame, filled, self._labels)

    def _publish(self, parts, mixture):
        self.weights_ = mixture.weights
        self.parameters_ = {
            name: part.family.published(_moved_back(part, params))
            for name, part, params in zip(self.columns_, parts, mixture.params, strict=True)
        }
        self.__dict__.pop("categories_", None)
        if "categorical" in self.columns_:
            (values,) = (part.categories for part in parts if part.categories is not None)
            self.categories_ = [
                self._labels.get(str(f), known)
                for f, known in zip(self.columns_["categorical"], values, strict=True)
            ]

    def _published(self):
        check_is_fitted(self)
        parts = []
        for name, columns in self.columns_.items():
            categories = None
            if name == "categorical":
                categories = [
                    np.arange(float(len(known))) if str(f) in self._labels else known
                    for f, known in zip(columns, self.categories_, strict=True)
                ]
            parts.append(_as_fitted(FAMILIES[name](), columns, categories))
        return tuple(parts), tuple(self.parameters_.values())


# ---- the parts of a table ------------------------------------------------------------------------


class Part(NamedTuple):
    """Columns of one family, and how they are looked at."""

    family: Family
    columns: np.ndarray | None = None  # their numbers; None: all
    origin: np.ndarray | None = None  # (d,)  families of reals see (x - origin) / unit
    unit: np.ndarray | None = None  # (d,)
    categories: tuple[np.ndarray, ...] | None = None  # values of each column, whose numbers it sees

    @property
    def place(self) -> Any:
        return slice(None) if self.columns is None else self.columns


def encoded(X: Any, part: Part) -> Any:
    """A block's columns of a part, as its family sees them."""
    V = X if part.columns is None else X[:, part.columns]
    if part.unit is not None:
        if sp.issparse(V):
            return V.astype(np.float64) @ sp.diags_array(1.0 / part.unit)
        return (V - part.origin) / part.unit
    if part.categories is not None:
        return _category_numbers(V, part.categories)
    return V.astype(np.float64, copy=False)


def _decoded(V: np.ndarray, part: Part) -> np.ndarray:
    """Values that a family gives, in the units and categories of the table."""
    if part.unit is not None:
        return part.origin + V * part.unit
    if part.categories is not None:
        numbers = V.astype(np.int64)
        return np.column_stack([known[numbers[:, f]] for f, known in enumerate(part.categories)])
    return V


def _category_numbers(V: np.ndarray, categories: Sequence[np.ndarray]) -> np.ndarray:
    """Which category each entry is; NaN for one that is missing or unknown."""
    numbers = np.full(V.shape, np.nan)
    for f, known in enumerate(categories):
        if len(known) == 0:
            continue
        place = np.minimum(np.searchsorted(known, V[:, f]), len(known) - 1)
        is_known = known[place] == V[:, f]
        numbers[is_known, f] = place[is_known]
    return numbers


def _check_values(X: Any, parts: tuple[Part, ...]) -> None:
    if sp.issparse(X) and np.isnan(X.data).any():
        raise ValueError("X is sparse and has NaN; give it as an array to treat them as missing.")
    for part in parts:
        part.family.check(X if part.columns is None else X[:, part.columns])


def _measured(part: Part, rows: Blocks, weight: np.ndarray | None) -> Part:
    """The part with the units or the categories that its columns have."""
    if part.family.real:
        mean, std = _mean_and_std(rows, weight)
        largest = std.max() or 1.0
        typical = largest * np.sqrt(np.mean((std / largest) ** 2)) or 1.0
        unit = np.where(std > 0, std, typical)
        return part._replace(origin=mean[part.place], unit=unit[part.place])
    if isinstance(part.family, Categorical):
        return _as_fitted(part.family, part.columns, _seen_categories(rows, part.place, weight))
    return part


def _as_fitted(family: Family, columns: Any, categories: Sequence[np.ndarray] | None) -> Part:
    """A part with known categories, if it has any."""
    if categories is None:
        return Part(family, columns)
    sizes = [len(known) for known in categories]
    return Part(Categorical(sizes), columns, categories=tuple(categories))


def _mean_and_std(rows: Blocks, weight: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Of each column; sparse rows are measured from 0, where most of their entries are."""
    if not rows.is_sparse:
        columns = observed_columns(rows, weight)
        return columns.mean, columns.std
    total, mean, scatter, unit = column_variances(rows, weight)
    return np.zeros(rows.n_columns), np.hypot(np.sqrt(scatter / total) * unit, mean)


def _seen_categories(rows: Blocks, place: Any, weight: np.ndarray | None) -> list[np.ndarray]:
    """The different values of each column, sorted; a pass over the rows."""
    seen: list[np.ndarray] = []
    for X, w in rows.batches(2**16, along=(weight,)):
        V = (X if w is None else X[w > 0])[:, place].astype(np.float64)
        new = [np.unique(column[~np.isnan(column)]) for column in V.T]
        seen = [np.union1d(*both) for both in zip(seen, new, strict=True)] if seen else new
        for f, known in enumerate(seen):
            if len(known) > MOST_CATEGORIES:
                column = f if isinstance(place, slice) else place[f]
                raise ValueError(
                    f"Column {column} of X has more than {MOST_CATEGORIES} categories; it looks "
                    "like a name or a number. Drop it, or let another family describe it."
                )
    return seen


def _in_units_of(part: Part, params: Params, weights: np.ndarray, sparse: bool) -> Part:
    """The part in the units of the whole mixture, measured from 0 for sparse rows."""
    if not part.family.real:
        return part
    mean, variance = part.family.mean(params), part.family.variance(params)
    origin = np.zeros(mean.shape[1]) if sparse else weights @ mean
    unit = np.sqrt(weights @ (variance + np.square(mean - origin)))
    return part._replace(origin=origin, unit=unit)


def _moved(part: Part, params: Params) -> Params:
    """The parameters of what the family sees."""
    if part.unit is None or part.origin is None:
        return params
    return part.family.moved(params, part.origin, part.unit)


def _moved_back(part: Part, params: Params) -> Params:
    """The parameters of the columns as they are."""
    if part.unit is None or part.origin is None:
        return params
    return part.family.moved(params, -part.origin / part.unit, 1.0 / part.unit)


# ---- learning ------------------------------------------------------------------------------------


class Mixture(NamedTuple):
    """The parameters."""

    weights: np.ndarray  # (K,)
    params: tuple[Params, ...]  # of each part


class Found(NamedTuple):
    """Where EM came to from one start."""

    mixture: Mixture
    objective: float
    history: np.ndarray
    converged: bool


class Sums(NamedTuple):
    """What the E step adds up."""

    weight: float  # sum w
    sum_resp: np.ndarray  # (K,)  sum w r_j
    counts: tuple[np.ndarray, ...]  # of each part (K, d): sum w r_j over observed entries
    sums: tuple[tuple[np.ndarray, ...], ...]  # of each part and T (K, m): sum w r_j T
    objective: float  # - sum w log p(x)


class Terms(NamedTuple):
    """A block's rows as the family of a part sees them."""

    T: tuple[Any, ...]  # (b, m)
    observed: np.ndarray | None  # (b, d); None: all
    base: np.ndarray  # (b,)  h(x)
    d: int


def statistics(
    X: Any, parts: tuple[Part, ...], mixture: Mixture, weight: np.ndarray | None
) -> Sums:
    """What one block of rows adds up."""
    terms = [_terms(X, part) for part in parts]
    resp, density = _resp(terms, parts, mixture)
    w = np.ones(len(resp)) if weight is None else weight
    resp *= w[:, None]
    counts, sums = _weighted_sums(terms, resp)
    return Sums(float(w.sum()), resp.sum(axis=0), counts, sums, -float(w @ density))


def update(sums: Sums, parts: tuple[Part, ...], average: Sums, smoothing: float) -> Mixture:
    """The mixture that follows from the sums: EM's step, which never raises J."""
    weights = np.maximum(sums.sum_resp / sums.weight, LEAST_SHARE)
    params = []
    for part, count, parts_of_sum, mean in zip(
        parts, sums.counts, sums.sums, average.sums, strict=True
    ):
        n = part.family.by_statistic(count) + smoothing
        means = (
            np.where(n > 0, (one + smoothing * m) / np.where(n > 0, n, 1.0), m)
            for one, m in zip(parts_of_sum, mean, strict=True)
        )
        params.append(part.family.update(*means))
    return Mixture(weights / weights.sum(), tuple(params))


def sums_of_all(X: Any, parts: tuple[Part, ...], weight: np.ndarray | None) -> Sums:
    """What one block adds up for a single component that has all rows."""
    terms = [_terms(X, part) for part in parts]
    resp = (np.ones(X.shape[0]) if weight is None else weight)[:, None]
    total = float(resp.sum())
    return Sums(total, np.array([total]), *_weighted_sums(terms, resp), 0.0)


def _average(whole: Sums, parts: tuple[Part, ...]) -> Sums:
    """The same for one row: the mean of T over all rows that observe it."""
    means = tuple(
        tuple(one / part.family.by_statistic(count) for one in sums)
        for part, count, sums in zip(parts, whole.counts, whole.sums, strict=True)
    )
    return Sums(1.0, np.ones(1), tuple(map(np.ones_like, whole.counts)), means, 0.0)


def log_density_of_average(average: Sums, parts: tuple[Part, ...], mixture: Mixture) -> float:
    """sum_j [T . eta_j - A_j] at the mean of T."""
    total = 0.0
    for part, params, means in zip(parts, mixture.params, average.sums, strict=True):
        for mean, eta in zip(means, part.family.natural(params), strict=True):
            total += float((mean * eta).sum())
        A = part.family.log_partition(params)
        total -= 0.0 if A is None else float(A.sum())
        if part.unit is not None:
            total -= len(mixture.weights) * float(np.log(part.unit).sum())
    return total


def _terms(X: Any, part: Part) -> Terms:
    V = encoded(X, part)
    T, observed = part.family.terms(V)
    base = part.family.row_base(V)
    if part.unit is not None:  # the density of x is that of (x - origin) / unit, divided by unit
        log_unit = np.log(part.unit)
        base = base - (log_unit.sum() if observed is None else observed @ log_unit)
    return Terms(T, observed, base, V.shape[1])


def _weighted_sums(terms: list[Terms], resp: np.ndarray) -> tuple[tuple, tuple]:
    """For each part: sum of resp over the observed entries of a column, and sums of resp T."""
    counts, sums = [], []
    for T, observed, _, d in terms:
        if observed is None:
            counts.append(np.repeat(resp.sum(axis=0)[:, None], d, axis=1))
        else:
            counts.append(resp.T @ observed)
        sums.append(tuple(np.ascontiguousarray((one.T @ resp).T) for one in T))
    return tuple(counts), tuple(sums)


def _log_joint(terms: list[Terms], parts: tuple[Part, ...], mixture: Mixture) -> np.ndarray:
    """log weight_j + log f(x_o; theta_j) of every row and component, (b, K)."""
    joint = np.tile(np.log(mixture.weights), (len(terms[0].base), 1))
    for (T, observed, base, _), part, params in zip(terms, parts, mixture.params, strict=True):
        for one, eta in zip(T, part.family.natural(params), strict=True):
            joint += one @ eta.T
        A = part.family.log_partition(params)
        if A is not None:
            joint -= A.sum(axis=1) if observed is None else observed @ A.T
        joint += base[:, None]
    return joint


def _resp(
    terms: list[Terms], parts: tuple[Part, ...], mixture: Mixture
) -> tuple[np.ndarray, np.ndarray]:
    """Responsibilities (b, K) and log p(x_o) (b,)."""
    resp = _log_joint(terms, parts, mixture)
    largest = resp.max(axis=1)
    resp -= largest[:, None]
    np.exp(resp, out=resp)
    total = resp.sum(axis=1)
    resp /= total[:, None]
    return resp, largest + np.log(total)


def _best(found: list[Found]) -> Found:
    """The lowest objective; of those that only rounding tells apart, the first."""
    lowest = min(one.objective for one in found)
    return next(one for one in found if one.objective <= lowest + SAME * max(1.0, abs(lowest)))


def _check_observed(whole: Sums, parts: tuple[Part, ...], d: int, names: Any) -> None:
    count = np.empty(d)
    for part, of_part in zip(parts, whole.counts, strict=True):
        count[part.place] = of_part[0]
    check_columns_observed(count, names)


def _warn_of_empty(mixture: Mixture) -> None:
    empty = np.flatnonzero(mixture.weights <= 2 * LEAST_SHARE)
    if len(empty):
        warnings.warn(
            f"{len(empty)} of {len(mixture.weights)} components lost all their rows (first: "
            f"{empty[0]}). Try fewer n_components or a larger n_init.",
            CollapsedComponentWarning,
            stacklevel=5,
        )


# ---- what is done to a block ---------------------------------------------------------------------


def log_joint(X: Any, parts: tuple[Part, ...], mixture: Mixture) -> np.ndarray:
    """log weight_j + log f(x_o; theta_j) of every row and component, (b, K)."""
    return _log_joint([_terms(X, part) for part in parts], parts, mixture)


def log_density(X: Any, parts: tuple[Part, ...], mixture: Mixture) -> np.ndarray:
    """log p(x_o) of every row."""
    return logsumexp(log_joint(X, parts, mixture), axis=1)


def most_likely(X: Any, parts: tuple[Part, ...], mixture: Mixture) -> np.ndarray:
    """The component of the largest responsibility."""
    return log_joint(X, parts, mixture).argmax(axis=1)


def responsibilities(X: Any, parts: tuple[Part, ...], mixture: Mixture) -> np.ndarray:
    """p(j | x_o) of every row and component."""
    resp, _ = _resp([_terms(X, part) for part in parts], parts, mixture)
    return resp.astype(X.dtype, copy=False)


def expectation(X: Any, parts: tuple[Part, ...], mixture: Mixture) -> Any:
    """E[x | x_o] in the holes; observed entries stay as they are, bit for bit."""
    return _filled(X, parts, mixture, "fill", X)


def expectation_with_std(X: Any, parts: tuple[Part, ...], mixture: Mixture) -> tuple[Any, Any]:
    """The same, and how uncertain it is; 0 where X is observed."""
    return expectation(X, parts, mixture), _filled(X, parts, mixture, "doubt", np.zeros_like(X))


def _filled(
    X: Any, parts: tuple[Part, ...], mixture: Mixture, what: str, otherwise: np.ndarray
) -> Any:
    """`otherwise`, with what the families say of holes in the holes of X."""
    if sp.issparse(X):
        return otherwise
    result, holes = otherwise.copy(), np.isnan(X)
    some = holes.any(axis=1)
    if some.any():
        rows = X[some]
        resp, _ = _resp([_terms(rows, part) for part in parts], parts, mixture)
        said = np.empty(rows.shape)
        for part, params in zip(parts, mixture.params, strict=True):
            if what == "fill":
                said[:, part.place] = _decoded(part.family.fill(params, resp), part)
            else:
                doubt = part.family.doubt(params, resp)
                said[:, part.place] = doubt if part.unit is None else doubt * part.unit
        result[some] = np.where(holes[some], said, otherwise[some])
    return result


class _DensitySum(NamedTuple):
    weight: float
    log_density: float


def _sum_log_density(
    X: Any, parts: tuple[Part, ...], mixture: Mixture, weight: np.ndarray | None
) -> _DensitySum:
    density = log_density(X, parts, mixture)
    w = np.ones(len(density)) if weight is None else weight
    return _DensitySum(float(w.sum()), float(w @ density))


# ---- the start -----------------------------------------------------------------------------------


def _start(
    rows: Blocks,
    parts: tuple[Part, ...],
    average: Sums,
    k: int,
    weight: np.ndarray | None,
    random: np.random.Generator,
) -> Mixture:
    """The components that the clusters of k-means make."""
    X, w = part_in_memory(rows, random, weight)
    F = np.hstack([_features(X, part, w, random) for part in parts])
    labels = _by_appearance(lloyd(F, k, random, w, max_iter=START_PASSES).labels)
    resp = w[:, None] * (labels[:, None] == np.arange(k))
    counts, sums = _weighted_sums([_terms(X, part) for part in parts], resp)
    sums_of_start = Sums(float(w.sum()), resp.sum(axis=0), counts, sums, 0.0)
    return update(sums_of_start, parts, average, START_SMOOTHING)


def _by_appearance(labels: np.ndarray) -> np.ndarray:
    """The same clusters, numbered as they appear: runs of k-means that tie number them anew."""
    _, first, cluster = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[cluster]


def _features(X: Any, part: Part, weight: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """What k-means compares of a part: centred, complete, and not too many columns."""
    F = part.family.features(encoded(X, part))
    sparse = sp.issparse(F)
    if not sparse:
        F = _centred(F, weight, part.family.alike)
    if F.shape[1] > START_COLUMNS:
        F = F @ random.normal(size=(F.shape[1], START_COLUMNS // 2)) / np.sqrt(START_COLUMNS // 2)
    elif sparse:
        F = F.toarray()
    return _centred(F, weight, True) if sparse else F


def _centred(F: np.ndarray, weight: np.ndarray, alike: bool) -> np.ndarray:
    """Columns of mean 0, and of variance 1 unless they are alike; holes stand at the mean."""
    observed = ~np.isnan(F)
    total = np.maximum(weight @ observed, np.finfo(np.float64).tiny)
    F = np.where(observed, F - weight @ np.where(observed, F, 0.0) / total, 0.0)
    if not alike:
        std = np.sqrt(weight @ np.square(F) / total)
        F /= np.where(std > 0, std, 1.0)
    return F


# ---- data frames ---------------------------------------------------------------------------------


def _frame(X: Any) -> Any:
    """X as a narwhals data frame in memory, or None if it is none."""
    frame = nw.from_native(X, pass_through=True)
    return frame if isinstance(frame, nw.DataFrame) else None


def _families(
    columns: dict | None, d: int, names: Any, labels: dict[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """By family the numbers of its columns: as `columns` says, the others by their type."""
    family_of = ["categorical" if str(f) in labels else "gaussian" for f in range(d)]
    told: dict[int, str] = {}
    for family, listed in (columns or {}).items():
        if family not in FAMILIES:
            raise ValueError(
                f"columns has the family {family!r}; choose from {', '.join(map(repr, FAMILIES))}."
            )
        for column in [listed] if isinstance(listed, str | int) else listed:
            f = _column_number(column, d, names)
            if f in told:
                raise ValueError(
                    f"columns has column {column!r} twice, as {told[f]!r} and as {family!r}."
                )
            if str(f) in labels and family != "categorical":
                raise ValueError(
                    f"columns says that column {column!r} is {family!r}, but it holds text or "
                    "booleans. Convert it to numbers first, or let it be 'categorical'."
                )
            told[f] = family_of[f] = family
    return {
        name: np.flatnonzero([of == name for of in family_of])
        for name in FAMILIES
        if name in family_of
    }


def _column_number(column: Any, d: int, names: Any) -> int:
    if isinstance(column, str):
        known = [] if names is None else list(names)
        if column not in known:
            listed = ", ".join(known[:5]) if known else "X has no names; give numbers"
            raise ValueError(f"columns has {column!r}, which is no column of X ({listed}).")
        return known.index(column)
    f = check_at_least("a number in columns", column, 0)
    if f >= d:
        raise ValueError(f"columns has the number {f}, but X has {d} columns, from 0 to {d - 1}.")
    return f


def _labels(frame: Any) -> dict[str, np.ndarray]:
    """The categories of each column that does not hold numbers, by the column's number."""
    return {
        str(f): _labels_of(column)
        for f, column in enumerate(frame.iter_columns())
        if _is_category(column)
    }


def _is_category(column: Any) -> bool:
    """Text, categories that are not numbers, booleans."""
    if column.dtype in (nw.String, nw.Boolean):
        return True
    if column.dtype in (nw.Categorical, nw.Enum, nw.Object):
        return not all(
            isinstance(value, int | float | np.number) and not isinstance(value, bool)
            for value in set(_known_values(column))
        )
    return False


def _known_values(column: Any) -> list:
    return column.drop_nulls().to_list()


def _labels_of(column: Any) -> np.ndarray:
    """The different values, sorted: booleans as such, all else as text."""
    values = set(_known_values(column))
    if values and all(isinstance(value, bool | np.bool_) for value in values):
        return np.array(sorted(values), dtype=bool)
    return np.array(sorted(map(str, values)), dtype=object)


def _encoded_frame(frame: Any, labels: dict[str, np.ndarray]) -> Any:
    """The frame with numbers for labels: NaN for a null or an unknown one."""
    new = []
    for f, column in enumerate(frame.iter_columns()):
        if str(f) in labels:
            known = labels[str(f)]
            numbers = {str(label): float(number) for number, label in enumerate(known)}
            values = [numbers.get(str(value), np.nan) for value in column.to_list()]
            nulls = column.is_null().to_numpy()
            new.append((column.name, np.where(nulls, np.nan, values)))
        elif column.dtype in (nw.Categorical, nw.Enum) and not _is_category(column):
            new.append((column.name, np.array(column.to_list(), dtype=np.float64)))
    return _with_columns(frame, new)


def _check_labelled(frame: Any, labels: dict[str, np.ndarray]) -> None:
    """Raise if a column that held text or booleans in `fit` holds numbers now."""
    for f, column in enumerate(frame.iter_columns()):
        if str(f) in labels and column.dtype.is_numeric():
            raise ValueError(
                f"Column {column.name!r} holds numbers, but in fit it held text or booleans (such "
                f"as {labels[str(f)][0]!r}). Give it as it was in fit."
            )


def _filled_frame(frame: Any, filled: np.ndarray, labels: dict[str, np.ndarray]) -> Any:
    """The frame with the filled values in columns that had holes."""
    numbers = _encoded_frame(frame, labels)
    new = []
    for f, column in enumerate(numbers.iter_columns()):
        if column.is_null().any() or column.is_nan().any():
            known = labels.get(str(f))
            values = filled[:, f] if known is None else known[filled[:, f].astype(np.int64)]
            new.append((column.name, values))
    whole = _with_columns(frame, new)
    for name, dtype in frame.schema.items():
        if dtype in (nw.Categorical, nw.Enum) and whole[name].dtype != dtype:
            whole = whole.with_columns(whole[name].cast(dtype))
    return whole.to_native()


def _with_columns(frame: Any, columns: list[tuple[str, np.ndarray]]) -> Any:
    return frame.with_columns(
        nw.new_series(name, values.tolist(), backend=frame.implementation)
        for name, values in columns
    )
