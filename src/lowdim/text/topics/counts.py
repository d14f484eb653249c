"""Documents x terms: how often each document has each term, as every topic model reads them.

A zero says nothing, so only stored cells are looked at. Rows may be dense, sparse, streamed or on
Dask; a block becomes three plain arrays, whose types are always the same: so kernels have one
signature. Terms that a block stores twice add up by themselves.
"""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.utils import Tags
from sklearn.utils.validation import check_is_fitted

from lowdim.core.blocks import ArrayBlocks, Blocks
from lowdim.core.config import get_config
from lowdim.core.estimator import Estimator, Transformer

# A cell costs a topic model some hundred times what it costs a product: cells that are worth a turn
# on a thread take this part of what `block_bytes` asks for
BYTES_PER_CELL = 192
ALL = slice(None)  # terms
FEWER = 4  # cells, so many times fewer than terms, are few: their terms are looked up first


def open_counts(estimator: Any, X: Any, method: str, *, reset: bool = True) -> Blocks:
    """X as Blocks of counts: finite and not negative, in pieces that are worth a turn on a thread.

    `method` is the public method that was called, for messages.
    """
    rows = in_pieces(estimator.open_rows(X, reset=reset))
    return rows.checked(refuse_negative, f"{type(estimator).__name__}.{method}")


class CountsModel(Transformer, Estimator):
    """A model of documents x terms, with a code for each document: what its methods share."""

    filled_by: ClassVar[str] = "NMF"  # which fills with nothing negative

    components_: np.ndarray  # (k, v)

    @property
    def _n_features_out(self):
        return self.components_.shape[0]

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    def _opened(self, X: Any, method: str) -> Blocks:
        """X of a method that needs a fitted model."""
        check_is_fitted(self)
        return open_counts(self, X, method, reset=False)


def in_pieces(rows: Blocks) -> Blocks:
    """The same rows; in memory, in blocks that are worth a turn on a thread."""
    X = rows.in_memory
    if X is None or not X.shape[0]:
        return rows
    total = max(X.nnz if sp.issparse(X) else X.size, 1)
    cells = get_config().block_bytes // BYTES_PER_CELL
    return ArrayBlocks(X, block_rows=max(1, int(cells * X.shape[0] / total)), in_order=True)


def some_terms(rows: Blocks) -> tuple[Blocks, Any]:
    """Documents by the terms that they have, and which these are; as they are, if they have many.

    A model need then make what it says of terms only for these: to code one document shall not take
    the longer the more terms are known.
    """
    X = rows.in_memory
    if X is None or FEWER * (X.nnz if sp.issparse(X) else X.size) > X.shape[1]:
        return rows, ALL
    terms = np.unique(X.indices)
    indices = np.searchsorted(terms, X.indices)
    own = sp.csr_array((X.data, indices, X.indptr), shape=(X.shape[0], len(terms)))
    return in_pieces(ArrayBlocks(own)), terms


def refuse_negative(X: Any, whom: str) -> None:
    """Raise if a block has a negative count."""
    values = X.data if sp.issparse(X) else X
    if values.size and values.min() < 0:
        raise ValueError(
            f"Negative values in data passed to {whom}: X has {values.min():g}. Counts and weights "
            "of terms are 0 or more; give counts, not centred or scaled values."
        )


class Cells(NamedTuple):
    """The stored cells of a block of documents, row by row."""

    indptr: np.ndarray  # (b + 1,)  int64, where each document begins
    terms: np.ndarray  # (cells,)  int32
    counts: np.ndarray  # (cells,)  float64

    @property
    def n_documents(self) -> int:
        return len(self.indptr) - 1

    @property
    def documents(self) -> np.ndarray:
        """The document of each cell."""
        return np.repeat(np.arange(self.n_documents), np.diff(self.indptr))

    @property
    def lengths(self) -> np.ndarray:
        """The sum of the counts of each document, (b,)."""
        lengths, begin = np.zeros(self.n_documents), self.indptr[:-1]
        with_cells = np.diff(self.indptr) > 0
        if with_cells.any():
            lengths[with_cells] = np.add.reduceat(self.counts, begin[with_cells])
        return lengths

    def part(self, first: int, last: int) -> Cells:
        """The cells of the documents first to last - 1, as views."""
        indptr = self.indptr[first : last + 1]
        stored = slice(indptr[0], indptr[-1])
        return Cells(indptr - indptr[0], self.terms[stored], self.counts[stored])


def cells_of(X: Any) -> Cells:
    """The cells of a block, dense or sparse."""
    X = X if sp.issparse(X) else sp.csr_array(X)
    return Cells(
        _plain(X.indptr, np.int64), _plain(X.indices, np.int32), _plain(X.data, np.float64)
    )


def _plain(numbers: np.ndarray, dtype: Any) -> np.ndarray:
    """In C order and writeable: anything else is another signature of a kernel."""
    plain = np.ascontiguousarray(numbers, dtype=dtype)
    return plain if plain.flags.writeable else plain.copy()


def weights_of(weight: np.ndarray | None, n: int) -> np.ndarray:
    """The weights of n documents, which are 1 if none are given."""
    return np.ones(n) if weight is None else weight


class Total(NamedTuple):
    """How much there is to learn from."""

    documents: float  # sum of weights
    tokens: float  # weighted sum of counts


def total_of(X: Any, weight: np.ndarray | None) -> Total:
    """Documents and tokens of a block."""
    lengths = cells_of(X).lengths
    w = weights_of(weight, len(lengths))
    return Total(float(w.sum()), float(w @ lengths))
