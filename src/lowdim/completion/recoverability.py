"""Can missing values be filled at all? What the observed pattern and the matrix itself say.

A matrix of rank k, n x d, has k (n + d - k) degrees of freedom (2nk - k^2 if square): with fewer
observed entries there are infinitely many of them through all entries. More is needed than numbers:

    every row and column    needs k entries, or its k coordinates are open
    one connected part      rows and columns are nodes, entries are edges; between two parts that
                            share no row and no column, any scale will do
    incoherence             with A = U diag(s) V', P = UU', Q = VV', E = UV', the smallest mu with
                                |p_ij|, |q_ij| <= mu sqrt(k) / n   for i != j
                                |p_ii - k/n|, |q_ii - k/n| <= mu sqrt(k) / n
                                |e_ij| <= mu sqrt(k) / n
                            (d in place of n for Q, sqrt(n d) for E if A is not square). Where mu is
                            large, single entries carry what no other entry knows.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from sklearn.exceptions import ConvergenceWarning

from lowdim.completion.entries import Entries, check_some_observed, open_entries_for
from lowdim.completion.spectral import gathered
from lowdim.completion.svp import SVP
from lowdim.core.sparse import checked_sparse
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_most
from lowdim.linalg.sparse import svd_of_product, truncated
from lowdim.linalg.svd import SVD, svd

FEW_TIMES = 2.0  # below so many entries per degree of freedom, recovery is the exception
COHERENT = 0.3  # of the largest mu there is: then some rows or columns stand for themselves
PAIRS_AT_A_TIME = 2**22
SHOWN = 5  # numbers of rows or columns that are listed in a text


class Incoherence(NamedTuple):
    """The smallest mu for each of the three conditions."""

    between: float  # |p_ij|, |q_ij| for i != j
    leverage: float  # |p_ii - k/n|, |q_ii - k/d|
    joint: float  # |e_ij|

    @property
    def mu(self) -> float:
        """The smallest mu for all three."""
        return max(self)


@dataclass(frozen=True, repr=False)
class Recoverability:
    """Whether a matrix of the given rank can be recovered; prints as a short report.

    Attributes
    ----------
    shape : (int, int)
    rank : int
    n_observed : int
    degrees_of_freedom : int
        k (n + d - k).
    row_counts, column_counts : arrays of shape (n,) and (d,)
        Observed entries.
    row_part, column_part : arrays of shape (n,) and (d,)
        The connected part of each; -1 without entries. An entry can be related to others only
        within a part.
    n_parts : int
        Parts that have entries.
    incoherence : Incoherence or None
        mu by condition, of the given or of the estimated matrix; None if neither was to be had.
    row_leverage, column_leverage : arrays of shape (n,) and (d,), or None
        p_ii n / k and q_jj d / k: 1 on average; what weighs much more needs more entries.
    estimated : bool
        Whether incoherence and leverage are those of an estimate from the observed entries.
    obstacles : tuple of str
        What makes recovery impossible, in plain language.
    doubts : tuple of str
        What makes it unlikely.
    """

    shape: tuple[int, int]
    rank: int
    n_observed: int
    degrees_of_freedom: int
    row_counts: np.ndarray
    column_counts: np.ndarray
    row_part: np.ndarray
    column_part: np.ndarray
    n_parts: int
    incoherence: Incoherence | None
    row_leverage: np.ndarray | None
    column_leverage: np.ndarray | None
    estimated: bool
    obstacles: tuple[str, ...]
    doubts: tuple[str, ...]

    @property
    def oversampling(self) -> float:
        """Observed entries per degree of freedom."""
        return self.n_observed / self.degrees_of_freedom

    @property
    def recoverable(self) -> bool:
        """False if some necessary condition fails; True says that none does, not that it will."""
        return not self.obstacles

    @property
    def verdict(self) -> str:
        """One sentence, and the reasons."""
        if self.obstacles:
            return "Not recoverable as a whole: " + "; ".join(self.obstacles) + "."
        if self.doubts:
            return "Perhaps recoverable, but " + "; ".join(self.doubts) + "."
        return "Likely recoverable: nothing speaks against it."

    def __repr__(self) -> str:
        n, d = self.shape
        lines = [
            f"Recoverability of a {n} x {d} matrix of rank {self.rank}",
            f"  observed entries      {self.n_observed} ({self.n_observed / (n * d):.1%})",
            f"  degrees of freedom    {self.degrees_of_freedom} "
            f"({self.oversampling:.2f} entries for each)",
            f"  entries per row       {_spread(self.row_counts)}",
            f"  entries per column    {_spread(self.column_counts)}",
            f"  connected parts       {self.n_parts}",
        ]
        if self.incoherence is not None:
            whose = " (estimated)" if self.estimated else ""
            between, leverage, joint = self.incoherence
            lines.append(
                f"  incoherence mu        {self.incoherence.mu:.2f}{whose}: between {between:.2f}, "
                f"leverage {leverage:.2f}, joint {joint:.2f}"
            )
        return "\n".join([*lines, f"  {self.verdict}"])


@single_threaded_blas()
def recoverability(X: Any, rank: int, *, matrix: Any = None) -> Recoverability:
    """Whether the missing values of a matrix of the given rank can be filled at all.

    Parameters
    ----------
    X : array with NaN, sparse matrix (stored = observed), Entries, stream, Dask, or boolean, (n, d)
        What is observed; of a boolean array or sparse matrix, what is True. With values (and not
        only a pattern of True and False) the matrix is also estimated, if its pattern allows it, to
        say how incoherent it is.
    rank : int
        Rank k of the matrix, at most min(n, d).
    matrix : array of shape (n, d), or pair of arrays of shapes (n, q) and (d, q), default=None
        The matrix itself if known, or factors L and R of it, L R'; its k largest singular values
        count.

    Returns
    -------
    Recoverability
        Prints as a report; `recoverable`, `verdict` and the figures are attributes.

    Notes
    -----
    For random patterns about C mu^2 n k log(n)^6 entries suffice with high probability, with a
    constant C that nobody knows; in practice, for small mu, some 3 to 5 entries per degree of
    freedom. mu takes O((n + d)^2 k) time, in little memory.

    References
    ----------
    Candes and Tao (2010), The power of convex relaxation: near-optimal matrix completion,
    definition of strong incoherence and theorem 1.2.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> seen = np.zeros((4, 4), dtype=bool)
    >>> seen[:2, :2] = seen[2:, 2:] = True
    >>> report = lowdim.recoverability(seen, rank=1)
    >>> report.degrees_of_freedom, report.n_observed, report.n_parts
    (7, 8, 2)
    >>> report.recoverable
    False
    """
    pattern, values = _opened(X)
    n, d = pattern.shape
    k = check_at_most("rank", rank, min(n, d), "rows or columns of X, whichever are fewer")
    row_counts, column_counts = pattern.sum(axis=1), pattern.sum(axis=0)
    row_part, column_part, n_parts = connected_parts(pattern)
    freedom = k * (n + d - k)
    obstacles = _obstacles(pattern.nnz, freedom, n_parts, k, row_counts, column_counts)
    model, estimated = _singular_vectors(matrix, values, k, (n, d), possible=not obstacles)
    mu = None if model is None else incoherence(model)
    return Recoverability(
        shape=(n, d),
        rank=k,
        n_observed=pattern.nnz,
        degrees_of_freedom=freedom,
        row_counts=row_counts,
        column_counts=column_counts,
        row_part=row_part,
        column_part=column_part,
        n_parts=n_parts,
        incoherence=mu,
        row_leverage=None if model is None else leverage(model.U),
        column_leverage=None if model is None else leverage(model.Vt.T),
        estimated=estimated,
        obstacles=tuple(obstacles),
        doubts=tuple(_doubts(pattern.nnz / freedom, mu, max(n, d) / np.sqrt(k))),
    )


def connected_parts(pattern: Any) -> tuple[np.ndarray, np.ndarray, int]:
    """The part of each row and column in the graph of entries (-1: no entries), and how many."""
    n, d = pattern.shape
    graph = sp.block_array([[None, pattern], [pattern.T, None]], format="csr")
    _, label = connected_components(graph, directed=False)
    row, column = label[:n], label[n:]
    used, part = np.unique(row[np.diff(pattern.indptr) > 0], return_inverse=True)
    row_part, column_part = np.full(n, -1), np.full(d, -1)
    row_part[np.diff(pattern.indptr) > 0] = part
    filled = np.bincount(pattern.indices, minlength=d) > 0
    column_part[filled] = np.searchsorted(used, column[filled])
    return row_part, column_part, len(used)


def incoherence(model: SVD) -> Incoherence:
    """mu for each of the three conditions, from singular vectors U (n, k) and V (d, k)."""
    U, V = model.U, model.Vt.T
    (n, k), d = U.shape, len(V)
    root = np.sqrt(k)
    return Incoherence(
        between=max(n * _largest(U, U, True), d * _largest(V, V, True)) / root,
        leverage=max(_deviation(U), _deviation(V)) / root,
        joint=float(np.sqrt(n * d)) * _largest(U, V, False) / root,
    )


def leverage(U: np.ndarray) -> np.ndarray:
    """p_ii n / k for P = UU'."""
    n, k = U.shape
    return np.einsum("ir,ir->i", U, U) * (n / k)


def _deviation(U: np.ndarray) -> float:
    """n max_i |p_ii - k/n|."""
    n, k = U.shape
    return float(np.abs(n * np.einsum("ir,ir->i", U, U) - k).max())


def _largest(A: np.ndarray, B: np.ndarray, skip_diagonal: bool) -> float:
    """The largest |a_i'b_j|, some rows at a time."""
    largest, size = 0.0, max(1, PAIRS_AT_A_TIME // len(B))
    for first in range(0, len(A), size):
        products = np.abs(A[first : first + size] @ B.T)
        if skip_diagonal:
            np.fill_diagonal(products[:, first:], 0.0)
        largest = max(largest, float(products.max()))
    return largest


# ---- what speaks against it ----------------------------------------------------------------------


def _obstacles(
    n_observed: int,
    freedom: int,
    n_parts: int,
    k: int,
    row_counts: np.ndarray,
    column_counts: np.ndarray,
) -> list[str]:
    found = []
    if n_observed < freedom:
        found.append(
            f"{n_observed} entries are fewer than the {freedom} degrees of freedom of rank {k}"
        )
    if n_parts > 1:
        found.append(
            f"the entries fall into {n_parts} parts that share no row and no column, and cannot be "
            "related to each other"
        )
    for counts, what in ((row_counts, "row"), (column_counts, "column")):
        few = np.flatnonzero(counts < k)
        if len(few):
            names = ", ".join(map(str, few[:SHOWN])) + (", ..." if len(few) > SHOWN else "")
            one = len(few) == 1
            found.append(
                f"{len(few)} {what}{'' if one else 's'} ({names}) {'has' if one else 'have'} fewer "
                f"than the {k} entries that rank {k} needs"
            )
    return found


def _doubts(oversampling: float, mu: Incoherence | None, largest_mu: float) -> list[str]:
    found = []
    if oversampling < FEW_TIMES:
        found.append(f"{oversampling:.2f} entries for each degree of freedom are few")
    if mu is not None and mu.mu > COHERENT * largest_mu:
        found.append(
            f"the matrix is coherent (mu = {mu.mu:.1f}): some entries carry what no other knows"
        )
    return found


def _spread(counts: np.ndarray) -> str:
    return f"{counts.min()} to {counts.max()}, median {np.median(counts):g}"


# ---- the door ------------------------------------------------------------------------------------


def _opened(X: Any) -> tuple[Any, Any]:
    """The pattern as a csr_array of ones, and the entries or None if X is only a pattern."""
    if _is_pattern(X):
        X = checked_sparse(X) if sp.issparse(X) else X
        pattern = sp.csr_array(X).astype(np.int64)
        pattern.sum_duplicates()
        pattern.eliminate_zeros()
        if pattern.ndim != 2 or 0 in pattern.shape:
            raise ValueError(
                f"X has shape {pattern.shape}; a matrix with rows and columns is needed."
            )
        entries = None
    else:
        entries = gathered(open_entries_for("recoverability", X))
        pattern = sp.csr_array(
            (np.ones(entries.nnz, np.int64), entries.indices, entries.indptr), shape=entries.shape
        )
    check_some_observed(pattern.nnz, "recoverability")
    return pattern, entries


def _is_pattern(X: Any) -> bool:
    if isinstance(X, Entries):
        return False
    return getattr(X, "dtype", None) == np.bool_ and getattr(X, "ndim", 0) == 2


def _singular_vectors(
    matrix: Any, values: Any, k: int, shape: tuple[int, int], *, possible: bool
) -> tuple[SVD | None, bool]:
    """The k leading singular vectors of the given or estimated matrix; whether estimated."""
    if matrix is not None:
        return _leading(matrix, k, shape), False
    if values is None or not possible:
        return None, False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # an estimate is all that is asked for
        model = SVP(k, max_iter=100, tol=1e-4).fit(values)
    found = svd_of_product(model.row_factors_, model.components_.T)
    return truncated(found, slice(k)), True


def _leading(matrix: Any, k: int, shape: tuple[int, int]) -> SVD:
    if isinstance(matrix, tuple):
        L, R = (np.asarray(part, dtype=np.float64) for part in matrix)
        if (len(L), len(R)) != shape or L.shape[1:] != R.shape[1:]:
            raise ValueError(
                f"The factors of the matrix have shapes {L.shape} and {R.shape}; ({shape[0]}, q) "
                f"and ({shape[1]}, q) are needed."
            )
        if L.shape[1] < k:
            raise ValueError(f"The factors have {L.shape[1]} columns, fewer than rank={k}.")
        return truncated(svd_of_product(L, R), slice(k))
    if np.shape(matrix) != shape:
        raise ValueError(f"matrix has shape {np.shape(matrix)} and X has {shape}.")
    return svd(np.asarray(matrix, dtype=np.float64), k, random=0)
