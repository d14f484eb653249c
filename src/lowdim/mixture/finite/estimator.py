"""Finite mixtures of one family: every row comes from one of K components of the same kind.

    c ~ weights,   x | c = j ~ f(x; theta_j)          f of a family (`families.py`)

    minimise     J = - sum_i w_i log sum_j weight_j f(x_i; theta_j)  - smoothing

by EM, which is in `em.py`: this file is the user's door.
"""

from __future__ import annotations

from typing import ClassVar

from sklearn.utils import ClassifierTags
from sklearn.utils.validation import check_is_fitted

from lowdim.core.constraints import StrOptions
from lowdim.core.output import in_columns_of_x
from lowdim.core.shapes import Maybe, ShapeError, Text
from lowdim.mixture.families import FAMILIES, Family, Gaussian
from lowdim.mixture.finite.base import FiniteMixture
from lowdim.mixture.finite.parts import (
    Part,
    as_fitted,
    category_shapes,
    moved_back,
    published_shapes,
    seen_shapes,
)


class MixtureModel(FiniteMixture):
    """Mixture of components of one family: Gaussian, Bernoulli, multinomial, Poisson, or your own.

    Minimises  -log p(X) = - sum_i log sum_j weight_j f(x_i; theta_j),
               by EM from k-means. Columns are independent within a component; NaN drop out.

    Cost: O(n d K) per pass, for sparse X O(stored entries K); O(d K) memory beside one block.
    Use it to cluster binary rows, counts or categories, whose distances mean little.

    Parameters
    ----------
    components : {'gaussian', 'bernoulli', 'multinomial', 'poisson', 'categorical'} or Family, \
default='gaussian'
        What a component is. 'gaussian': real numbers, a mean and a variance for each column.
        'bernoulli': 0 and 1. 'multinomial': counts of which only the proportions within a row
        matter (words of documents). 'poisson': counts whose sizes matter, too. 'categorical':
        values that are only equal or not. Or an object of a class of your own: see
        `lowdim.mixture.families.Family`, which takes a few lines.
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
    k-means starts from at most 20000 rows at random, in which missing values stand at the
    mean of their column: of counts it sees square roots (for 'multinomial' of proportions), of
    categories which one it is. More than 128 columns are projected on 64 at random for that.

    A Gaussian variance is at least 1e-6 times that of its column. For 'categorical', a value that
    `fit` has not seen counts as missing. 'multinomial' cannot have missing values. Counts may be
    fractions. A model with a family of your own can be pickled, but not saved with `save`, as a
    file holds data and no programs.

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
        **FiniteMixture._parameter_constraints,
        "components": [StrOptions(set(FAMILIES)), Family],
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
        super().__init__(n_components, smoothing, tol, max_iter, n_init, random_state)
        self.components = components

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
        filled : ndarray of shape (n, d), or a data frame if `set_output` asks for it
            For 'categorical' components, the most likely value.
        std : the same, if return_std
            For 'categorical' components, the probability that it is another value.
        """
        return in_columns_of_x(self, self._filled(X, return_std), X)

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

    def _learn(self, rows, weight):
        self._learn_parts(rows, weight, (Part(self._family()),))

    def _shapes(self):
        categories = getattr(self, "categories_", None)
        learned = published_shapes(self._family(), "d", categories)
        if learned and self.parameter_names_ != list(learned):
            raise ShapeError(f"parameter_names_ is not {list(learned)}")
        shapes = {**super()._shapes(), **{f"{name}_": shape for name, shape in learned.items()}}
        if categories is not None:
            if len(categories) != self.n_features_in_:
                raise ShapeError(f"categories_ are not those of {self.n_features_in_} columns")
            shapes["categories_"] = category_shapes([False] * len(categories))
        shapes["_seen"] = Maybe([seen_shapes(self._family(), "d")])
        return {**shapes, "parameter_names_": Text(("parameters",))}

    def _publish(self, parts, mixture):
        (part,), (params,) = parts, mixture.params
        published = part.family.published(moved_back(part, params))
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
        return (as_fitted(self._family(), None, getattr(self, "categories_", None)),), (published,)
