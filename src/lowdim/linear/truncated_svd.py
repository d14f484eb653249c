"""Truncated singular value decomposition: rows on the k best axes through zero.

    minimise over V (V'V = I)     J = sum_i ||x_i - V V'x_i||^2

X = U diag(s) V' solves it with the k largest singular values: the columns of V are the top
eigenvectors of X'X, and X is never centred, so that sparse rows stay sparse. `decomposition.py`
adds up X'X V (or X X'U, where X has fewer rows than columns); here is the user's door.

    encode    z = V'x        decode    x = V z

Further rows: (diag(s) V'; what the new rows have) is decomposed anew and truncated.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from lowdim.core.constraints import (
    AT_LEAST_0,
    AT_LEAST_1,
    NOT_NEGATIVE,
    RANDOM_STATE,
    StrOptions,
)
from lowdim.core.estimator import Estimator, Transformer
from lowdim.core.loop import fitting
from lowdim.core.random import random_generator
from lowdim.core.shapes import Maybe
from lowdim.core.validation import check_at_most, check_codes
from lowdim.linalg.entries import observed
from lowdim.linalg.products import dense_times, right_svd
from lowdim.linalg.sparse import sparse_times
from lowdim.linear.decomposition import ALGORITHMS, Decomposition, completed, decomposition, turn
from lowdim.linear.missing.units import narrowed, squares_out_of_units, unit_of
from lowdim.linear.pca.iterative import NORMALIZERS

SPARE = 10  # partial_fit keeps a few components more than asked for: what it drops, it drops


class TruncatedSVD(Transformer, Estimator):
    """Truncated singular value decomposition of data of any size; X is not centred.

    Minimises  sum_i ||x_i - V V'x_i||^2  over orthonormal axes V: X is about U diag(s) V'.

    Takes scikit-learn's arguments with scikit-learn's meaning, and has its learned attributes. In
    addition: algorithm='krylov', streams, Dask and `partial_fit`. Sparse X stays sparse.

    Cost: O(nnz k) time per pass, a few passes, O((n + d) k) memory beside X; of a stream or on
    Dask, O(d k) beside one block.

    Parameters
    ----------
    n_components : int, default=2
        How many axes k, at most min(n, d); less than that with algorithm='arpack'.
    algorithm : {'randomized', 'arpack', 'krylov'}, default='randomized'
        'randomized': n_iter power iterations on random directions. 'arpack': ARPACK's, to full
        accuracy, in memory only. 'krylov': block Lanczos, to `tol`; as accurate as 'arpack' for
        less work, and the choice for streams.
    n_iter : int, default=5
        Power iterations of 'randomized'; more are slower and closer to exact, and 0 counts as 1.
    n_oversamples : int, default=10
        Further random directions of 'randomized'.
    power_iteration_normalizer : {'auto', 'QR', 'LU', 'none'}, default='auto'
        How 'randomized' keeps its directions apart; 'auto' is QR.
    random_state : int, Generator, RandomState or None, default=None
        Draws where the search begins.
    tol : float, default=0.0
        Where 'arpack' and 'krylov' stop. 0 means machine precision for 'arpack', and for 'krylov'
        residuals of 1e-6 (1e-4 in float32), which leave 1e-12 of the explained squares.
    max_iter : int, default=300
        Passes of 'krylov' at the most.

    Attributes
    ----------
    components_ : ndarray of shape (k, d)
        The axes V', by decreasing singular value; in each the entry of largest size is positive.
    singular_values_ : ndarray of shape (k,)
    explained_variance_ : ndarray of shape (k,)
        Variance of the codes of X (divides by n).
    explained_variance_ratio_ : ndarray of shape (k,)
        Its share of the variance of all columns. They need not decrease: X is not centred.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (d,), if X had names
    n_iter_, history_, converged_ : int, ndarray, bool
        Of 'krylov': passes, the share of sum x^2 not captured after each, whether they sufficed.

    See Also
    --------
    PCA : the same of centred rows, also with missing values.
    LSA : of weighted counts, with questions about words and documents.

    Notes
    -----
    Small X are decomposed exactly, whatever the algorithm. Components beyond the rank of X have the
    singular value 0, and are unit vectors made orthogonal to the others.

    References
    ----------
    Halko, Martinsson and Tropp (2011), algorithm 4.4, for 'randomized'. Musco and Musco (2015) for
    'krylov'. Ross, Lim, Lin and Yang (2008) for `partial_fit`.

    Examples
    --------
    >>> import lowdim
    >>> svd = lowdim.TruncatedSVD(1).fit([[3.0, 0.0], [6.0, 0.0], [0.0, 1.0]])
    >>> svd.singular_values_.round(4).tolist(), svd.components_.tolist()
    ([6.7082], [[1.0, 0.0]])
    """

    accepts_sparse: ClassVar[bool] = True

    shapes: ClassVar[dict] = {
        "components_": ("k", "d"),
        "singular_values_": ("k",),
        "explained_variance_": ("k",),
        "explained_variance_ratio_": ("k",),
        "_learned": Maybe({"weight": (), "mean": ("d",), "factors": ("m", "d"), "spread": ()}),
    }

    _parameter_constraints: ClassVar[dict] = {
        "n_components": [AT_LEAST_1],
        "algorithm": [StrOptions(set(ALGORITHMS))],
        "n_iter": [AT_LEAST_0],
        "n_oversamples": [AT_LEAST_1],
        "power_iteration_normalizer": [StrOptions({"auto", *NORMALIZERS})],
        "random_state": RANDOM_STATE,
        "tol": [NOT_NEGATIVE],
        "max_iter": [AT_LEAST_1],
    }

    def __init__(
        self,
        n_components=2,
        *,
        algorithm="randomized",
        n_iter=5,
        n_oversamples=10,
        power_iteration_normalizer="auto",
        random_state=None,
        tol=0.0,
        max_iter=300,
    ):
        self.n_components = n_components
        self.algorithm = algorithm
        self.n_iter = n_iter
        self.n_oversamples = n_oversamples
        self.power_iteration_normalizer = power_iteration_normalizer
        self.random_state = random_state
        self.tol = tol
        self.max_iter = max_iter

    @fitting
    def fit(self, X, y=None):
        """Find the axes of X.

        Parameters
        ----------
        X : array, data frame, sparse matrix, Dask collection or stream of shape (n, d)
        y : ignored
            Accepted for compatibility with scikit-learn.
        """
        rows = self.open_rows(X)
        found = decomposition(self, rows, self.n_components, random_generator(self.random_state))
        self._publish(found)
        self._learned = None
        return self

    @fitting
    def partial_fit(self, X, y=None):
        """Learn from further rows: merge what they have with what is known, and truncate.

        n_components + 10 components are kept between calls. What is dropped is lost: the result is
        that of `fit` on all rows if they have no more components than that, and near it if the
        further ones are small. After `fit` it starts anew.
        """
        learned = getattr(self, "_learned", None)
        rows = self.open_rows(X, reset=learned is None, min_rows=1)
        d = rows.n_columns
        what = "columns of X"
        k = check_at_most("n_components", self.n_components, d, what)
        keep = min(k + SPARE, d)
        found = decomposition(self, rows, keep, random_generator(self.random_state), at_most=True)
        self._learned = merged(learned, learned_from(found), keep)
        self._publish(decomposition_of(self._learned, k, rows.dtype))
        return self

    def transform(self, X):
        """Place of each row on the axes, V'x."""
        rows, V = self.open_rows(X, reset=False), self.components_.T
        if rows.in_memory is not None:  # one product, cut by its own measure
            return encode(rows.in_memory, V)
        return rows.map(encode, np.ascontiguousarray(V) if rows.is_sparse else V)

    def inverse_transform(self, Z):
        """Rows that lie at Z on the axes, V z."""
        check_is_fitted(self)
        return dense_times(check_codes(self, Z, len(self.components_)), self.components_)

    def _publish(self, found: Decomposition) -> None:
        dtype, unit = found.dtype, found.unit
        self.components_ = found.components.astype(dtype, copy=False)
        self.singular_values_ = (found.s * unit).astype(dtype)
        variance = squares_out_of_units(found.variance, unit)
        self.explained_variance_ = narrowed(variance, dtype)
        known = found.total > 0
        ratio = found.variance / found.total if known else np.zeros(len(found.s))
        self.explained_variance_ratio_ = ratio.astype(dtype)

    @property
    def _n_features_out(self):
        return len(self.components_)


def encode(X: Any, V: np.ndarray) -> np.ndarray:
    """Codes of rows."""
    return sparse_times(observed(X), V) if sp.issparse(X) else dense_times(X, V)


# ---- further rows --------------------------------------------------------------------------------


class Learned(NamedTuple):
    """What `partial_fit` knows between calls."""

    weight: float  # rows
    mean: np.ndarray  # (d,)
    factors: np.ndarray  # (m, d)  each axis times its singular value
    spread: float  # sqrt(sum ||x - mean||^2)


def learned_from(found: Decomposition) -> Learned:
    """The same as factors."""
    factors = (found.s * found.unit)[:, None] * found.components
    spread = float(np.sqrt(found.total * found.weight)) * found.unit
    return Learned(found.weight, found.mean, factors.astype(np.float64, copy=False), spread)


def merged(left: Learned | None, right: Learned, keep: int) -> Learned:
    """The best `keep` components of both together."""
    if left is None:
        return right
    weight = left.weight + right.weight
    step = right.mean - left.mean
    apart = np.sqrt(left.weight / weight) * np.sqrt(right.weight) * np.linalg.norm(step)
    s, Vt = right_svd(np.vstack([left.factors, right.factors]), keep)
    return Learned(
        weight,
        left.mean + right.weight / weight * step,
        s[: len(Vt), None] * Vt,
        float(np.hypot(np.hypot(left.spread, right.spread), apart)),
    )


def decomposition_of(learned: Learned, k: int, dtype: np.dtype) -> Decomposition:
    """The k best components of what is known."""
    length = np.linalg.norm(learned.factors, axis=1)
    unit = unit_of(max(float(length.max(initial=0.0)), learned.spread))
    axes = learned.factors[:k] / np.where(length > 0, length, 1.0)[:k, None]
    axes, s = completed(axes, length[:k] / unit, k, np.finfo(dtype).eps)
    n = learned.weight
    variance = np.maximum(s**2 / n - (axes @ (learned.mean / unit)) ** 2, 0.0)
    total = (learned.spread / unit) ** 2 / n
    return Decomposition(turn(axes), s, variance, total, n, learned.mean, unit, dtype)
