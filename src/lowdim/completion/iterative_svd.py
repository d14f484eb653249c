"""IterativeSVD: fill what is missing, take the best rank k, fill with that, and so on.

    minimise over X of rank at most k     J = sum_observed (y_ij - x_ij)^2 / N

    filled = observed entries of Y, and those of X elsewhere  =  X + P(Y - X)
    X      = [ filled ]_k                                     the best approximation of rank k

Neither half can raise the distance between filled and X, which is J: it is EM for noise that tends
to 0, and singular value projection with step 1. Slow where much is missing, and simple: for
comparison.
"""

from __future__ import annotations

from typing import ClassVar

from lowdim.completion.spectral import CENTER, CenteredEntries, Factors, SpectralCompleter
from lowdim.completion.svp import learn_rank
from lowdim.core.constraints import AT_LEAST_1, NOT_NEGATIVE


class IterativeSVD(SpectralCompleter):
    """Matrix completion by filling missing values with the truncated SVD of the filled matrix.

    Minimises  sum_observed (y_ij - x_ij)^2  over X of rank at most k:  X <- [X + P(Y - X)]_k,
               beginning with the column means.

    Cost: O((N + (n + d) k) k) per iteration for N observed entries; the filled matrix is never
    written down. NaN are missing; of a sparse matrix the stored entries are the observed ones.
    SVP does the same with longer steps, SoftImpute with a penalty in place of a hard rank.

    Parameters
    ----------
    n_components : int, default=10
        Rank k; more than the smaller side of X means that side.
    center : {None, "global", "rows", "columns", "both"}, default="columns"
        What is taken from the entries before: nothing, their mean, and with it a bias of each row
        or column. Missing values are first filled with it. A bias of rows is one more column of
        `row_factors_`, the last, with a constant component.
    max_iter : int, default=500
    tol : float, default=1e-5
        Stop when an iteration lowers the root mean square error of the observed entries by less
        than this part of their size.
    warm_start : bool, default=False
        Whether a further fit begins where the last one ended.

    Attributes
    ----------
    components_ : array of shape (k, d)
        Right singular vectors times scale_ (with biases of rows a constant one follows).
    row_factors_ : array of shape (n, k)
        Left singular vectors times singular values, in units of scale_.
    mean_ : array of shape (d,)
    singular_values_ : array of shape (k,)
        Of the completed, centred matrix, in units of X.
    scale_ : float
        Root mean square of the centred entries.
    noise_std_ : float
        Standard deviation of the entries about the model, in units of X.
    code_covariance_ : array of shape (q, q)
        How far codes spread, for `impute(X, return_std=True)`.
    history_ : array of shape (n_iter_,)
        J, in units of scale_ squared.
    n_iter_ : int
    converged_ : bool

    See Also
    --------
    SVP : far fewer iterations where most entries are missing.
    ProbabilisticPCA : the same with a model of the noise; says how sure it is.

    Notes
    -----
    A row or column without any entry is predicted by `mean_`. Streams and Dask collections are
    gathered: the observed entries must fit in memory.

    References
    ----------
    Troyanskaya et al. (2001), Missing value estimation methods for DNA microarrays (SVDimpute).

    Examples
    --------
    >>> import numpy as np
    >>> from lowdim import IterativeSVD
    >>> random = np.random.default_rng(0)
    >>> truth = random.normal(size=(100, 1)) @ random.normal(size=(1, 20))
    >>> X = np.where(random.random(truth.shape) < 0.7, truth, np.nan)
    >>> model = IterativeSVD(1, center=None, tol=1e-9).fit(X)
    >>> bool(np.abs(model.complete() - truth).max() < 1e-4)
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [AT_LEAST_1],
        "center": CENTER,
        "max_iter": [AT_LEAST_1],
        "tol": [NOT_NEGATIVE],
        "warm_start": ["boolean"],
    }

    def __init__(
        self, n_components=10, *, center="columns", max_iter=500, tol=1e-5, warm_start=False
    ):
        self.n_components = n_components
        self.center = center
        self.max_iter = max_iter
        self.tol = tol
        self.warm_start = warm_start

    def _learn(self, opened: CenteredEntries) -> Factors:
        return learn_rank(self, opened, step=1.0)
