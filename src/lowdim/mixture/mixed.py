"""Mixtures of tables with columns of several types: log densities of the families add up.

    c ~ weights,   x | c = j ~ prod over families f of  f(x_columns of f; theta_jf)

    minimise     J = - sum_i w_i log sum_j weight_j prod_f f(x_i; theta_jf)  - smoothing

by EM, which is in `em.py`. `mixed_columns.py` makes numbers of text, and text of numbers.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from sklearn.utils.validation import check_is_fitted, validate_data

from lowdim.core.blocks import Blocks
from lowdim.core.loop import fitting
from lowdim.core.output import in_columns_of_x
from lowdim.core.shapes import Below, Maybe, ShapeError
from lowdim.core.validation import check_weights
from lowdim.mixture.families import FAMILIES
from lowdim.mixture.finite.base import FiniteMixture
from lowdim.mixture.finite.parts import (
    Part,
    as_fitted,
    category_shapes,
    moved_back,
    published_shapes,
    seen_shapes,
)
from lowdim.mixture.mixed_columns import (
    families_of,
    filled_table,
    header,
    labels_of,
    rows_of,
)
from lowdim.tables.opening import open_columns


class MixedMixture(FiniteMixture):
    """Mixture for tables with columns of several types: numbers, counts, categories, yes or no.

    Minimises  -log p(X) = - sum_i log sum_j weight_j prod_f p_f(x_if; theta_jf),
               by EM from k-means. Columns are independent within a component (latent class
               analysis, latent profile analysis); missing entries drop out.

    Cost: O(n d K) per pass; O(m K) memory beside one block, m counting all categories.
    Use it to cluster a data frame as it is, with text columns and missing values.

    Parameters
    ----------
    n_components : int, default=2
        Number of components K.
    columns : dict or None, default=None
        Which columns are of which family: {'poisson': ['visits'], 'categorical': [3, 4]}, by name
        or number; families are 'gaussian', 'categorical', 'poisson', 'bernoulli' and 'multinomial'
        (all of these columns as the counts of one row). Columns that are not in there go by their
        type: text, booleans and categories that are not numbers are 'categorical', numbers
        'gaussian'.
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
    that they are categories or counts: nothing in a column of 1, 2 and 3 says so. Text comes in
    data frames, dicts of arrays and files; arrays, streams and Dask collections hold numbers, which
    may stand for categories.

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
        **FiniteMixture._parameter_constraints,
        "columns": [dict, None],
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
        super().__init__(n_components, smoothing, tol, max_iter, n_init, random_state)
        self.columns = columns

    @fitting
    def fit(self, X, y=None, sample_weight=None):
        """Learn the components from X.

        Parameters
        ----------
        X : data frame, dict of arrays, path, array, Dask collection or stream of shape (n, d)
            Null and NaN mark missing values. A path is that of a file which
            `lowdim.tables.open_table` reads.
        y : ignored
        sample_weight : array of shape (n,), default=None
            How often each row counts.
        """
        table = open_columns(X)
        self._labels = {} if table is None else labels_of(table)
        rows = self.open_rows(X if table is None else table)
        self._learn(rows, check_weights(sample_weight, rows))
        return self

    def impute(self, X, return_std=False):
        """X with missing entries filled, given the row's observed entries.

        Numbers get their expectation (or what is nearest to it in a column of an integer type, or
        of categories that are numbers), categories the most likely one. A category that `fit` has
        not seen counts as missing.

        Parameters
        ----------
        X : as in `fit`
        return_std : bool, default=False
            Also return how uncertain every filled entry is: the standard deviation of a number, the
            probability that a category is another one; 0 where X was observed.

        Returns
        -------
        filled : like X
            A table with the same columns and types if X is a data frame, a dict or a file. Of an
            array, what `set_output` asks for.
        std : ndarray of shape (n, d), or a data frame if `set_output` asks for it, if return_std
        """
        table = open_columns(X)
        found = self._filled(X if table is None else table, return_std)
        filled, *std = found if return_std else (found,)
        if table is not None:
            filled = filled_table(table, filled, self._labels)
        return in_columns_of_x(self, (filled, *std) if return_std else filled, X)

    def sample(self, n_samples=1, random_state=None):
        """New rows, and the component of each; rows of one component come together.

        Without a `random_state` here, that of the constructor is used, as in scikit-learn.
        With text columns, the rows are an array of objects:
        `pandas.DataFrame(rows, columns=model.feature_names_in_)` is a table of them.
        """
        X, component = super().sample(n_samples, random_state)
        if not self._labels:
            return X, component
        table = X.astype(object)
        for name, labels in self._labels.items():
            table[:, int(name)] = labels[X[:, int(name)].astype(np.int64)]
        return table, component

    def open_rows(self, X, *, reset=True, **door):
        """X as Blocks, validated; text becomes the number of its category, if it is known."""
        if not reset:
            check_is_fitted(self)
        table = open_columns(X)
        if table is not None:
            validate_data(self, header(table), reset=reset, skip_check_array=True)  # columns
            X = rows_of(table, self._labels)
            X.feature_names = getattr(self, "feature_names_in_", None)
        elif self._labels and not isinstance(X, Blocks):
            raise ValueError(
                f"{type(self).__name__} was fitted to a data frame with text or boolean columns; X "
                f"is a {type(X).__name__}. Give it a data frame with the same columns."
            )
        return super().open_rows(X, reset=reset, **door)

    def _learn(self, rows, weight):
        names = getattr(self, "feature_names_in_", None)
        families = families_of(self.columns, rows.n_columns, names, self._labels)
        parts = tuple(Part(FAMILIES[name](), columns) for name, columns in families.items())
        self.columns_ = families
        self._learn_parts(rows, weight, parts)

    def _shapes(self):
        categories = getattr(self, "categories_", [])
        sizes = {name: len(columns) for name, columns in self.columns_.items()}
        if sizes.get("categorical", 0) != len(categories):
            raise ShapeError("categories_ are not those of the categorical columns")
        every = [f for columns in self.columns_.values() for f in columns]
        if len(every) != self.n_features_in_ or sorted(every) != list(range(len(every))):
            raise ShapeError(f"columns_ are not each of {self.n_features_in_} columns once")
        place = {str(f): i for i, f in enumerate(self.columns_.get("categorical", ()))}
        if not self._labels.keys() <= place.keys():
            raise ShapeError("_labels are not those of the categorical columns")
        of_categories = category_shapes([name in self._labels for name in place])
        return {
            **super()._shapes(),
            "columns_": {name: Below("d", (size,)) for name, size in sizes.items()},
            "categories_": Maybe(of_categories),
            "parameters_": {
                name: published_shapes(FAMILIES[name](), size, categories)
                for name, size in sizes.items()
            },
            "_seen": Maybe([seen_shapes(FAMILIES[name](), size) for name, size in sizes.items()]),
            "_labels": {name: of_categories[place[name]] for name in self._labels},
        }

    def _publish(self, parts, mixture):
        self.weights_ = mixture.weights
        self.parameters_ = {
            name: part.family.published(moved_back(part, params))
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
            parts.append(as_fitted(FAMILIES[name](), columns, categories))
        return tuple(parts), tuple(self.parameters_.values())
