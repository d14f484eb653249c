"""Documents cut in two, by words: what a model says of the second half, knowing the first.

    x_i = a_i + b_i                         a_i: a share of the tokens of document i, at random
    theta_i = code of a_i,  phi = topics    both made to add up to 1
    p(w | i) = (1 - s) theta_i phi_w + s / V
    perplexity = exp( - sum b_iw log p(w | i) / sum b_iw )

No cell of X is held out as a whole: a word that stands ten times in a document is in both halves.
The measure is the same for every model, and no model scores a word that it was fitted to.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import Blocks
from lowdim.core.random import random_generator
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_number, open_rows_for
from lowdim.linalg.sparse import product_at

BATCH = 2**13  # documents at a time
MOST_AT_A_TIME = 2**22  # tokens that are shuffled
MOST_WITHOUT_REPLACEMENT = 10**9  # tokens of a document that are drawn so: NumPy's limit


class SplitCounts(NamedTuple):
    """Two matrices of counts that add up to the one that was split."""

    first: sp.csr_array  # (n, V)
    second: sp.csr_array  # (n, V)


@single_threaded_blas()
def split_counts(X: Any, share: float = 0.5, random_state: Any = None) -> SplitCounts:
    """Divide the tokens of each document in two at random.

    Of a document with N tokens, share N go to the first part, drawn without replacement; where that
    is no whole number, one more or less. Cells are not kept together: of a word that stands ten
    times, about `share` times ten go to the first part.

    Parameters
    ----------
    X : array or sparse matrix of shape (n, V)
        Counts: whole numbers, 0 or more.
    share : float, default=0.5
        Between 0 and 1.
    random_state : int, Generator, RandomState or None, default=None

    Returns
    -------
    first, second : csr_array of shape (n, V)
        They add up to X.

    Examples
    --------
    >>> import lowdim
    >>> first, second = lowdim.text.split_counts([[4, 2], [0, 2]], random_state=0)
    >>> first.sum(axis=1).tolist(), (first + second).toarray().tolist()
    ([3, 1], [[4, 2], [0, 2]])
    """
    share = _checked_share(share)
    rows = _open("split_counts", X)
    if rows.in_memory is None:
        raise TypeError(f"split_counts takes counts in memory, not {type(X).__name__}.")
    counts = _whole_counts(rows.in_memory, "split_counts")
    return _split(counts, share, random_generator(random_state))


@single_threaded_blas()
def completion_perplexity(
    model: Any,
    X: Any,
    *,
    share: float = 0.5,
    smoothing: float = 1e-3,
    random_state: Any = None,
) -> float:
    """Perplexity of the second half of documents, given their first half.

    exp(- mean of log p(w | document) over the tokens of the second half), where p mixes the topics
    of the model with the code of the first half. Lower is better; V, the number of words, is that
    of a model that knows nothing.

    Parameters
    ----------
    model : estimator
        Fitted, with `transform` and `components_` that are not negative: LatentDirichletAllocation,
        PLSA, NMF, of lowdim or of scikit-learn.
    X : array, sparse matrix, Dask array or stream of shape (n, V)
        Counts of documents that the model was not fitted to.
    share : float, default=0.5
        Of the tokens that the code is computed from.
    smoothing : float, default=1e-3
        p becomes (1 - smoothing) p + smoothing / V: words to which a model gives no chance cost
        much, and not everything.
    random_state : int, Generator, RandomState or None, default=None
        Draws the split, as `split_counts` does: with the same seed, models see the same halves.

    Returns
    -------
    float

    Notes
    -----
    Codes that add up to 1 are shares of topics. Others, as NMF's, are weights of components: each
    is multiplied by the sum of its component, and then they are made to add up to 1. A code of
    zeros stands for equal shares.

    References
    ----------
    Wallach, Murray, Salakhutdinov and Mimno (2009), Evaluation methods for topic models, section 5:
    document completion.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> from sklearn.decomposition import NMF
    >>> X = np.kron(np.eye(2), np.full((20, 5), 3))
    >>> nmf = NMF(2, random_state=0).fit(X)
    >>> round(lowdim.text.completion_perplexity(nmf, X, random_state=0), 1)
    5.0
    """
    share, smoothing = _checked_share(share), check_number("smoothing", smoothing, 0.0, 1.0)
    random = random_generator(random_state)
    rows = _open("completion_perplexity", X)
    topics, sizes = topics_of(model, rows.n_columns)
    if not hasattr(model, "transform"):
        raise TypeError(
            f"{type(model).__name__} has no transform, which would give the codes of new documents."
        )
    loss, tokens = 0.0, 0.0
    for counts in _batches(rows):
        first, second = _split(_whole_counts(counts, "completion_perplexity"), share, random)
        theta = shares_of(model.transform(first.astype(np.float64)), sizes)
        p = product_at(second, theta, np.ascontiguousarray(topics.T))
        with np.errstate(divide="ignore"):
            logs = np.log((1.0 - smoothing) * p + smoothing / rows.n_columns)
        seen = second.data > 0
        loss -= float(second.data[seen] @ logs[seen])
        tokens += float(second.data.sum())
    if tokens == 0.0:
        raise ValueError(
            "No document of X has a word in its second half; completion_perplexity needs documents "
            "with two words or more."
        )
    with np.errstate(over="ignore"):
        return float(np.exp(loss / tokens))


# ---- what models say -----------------------------------------------------------------------------


class Topics(NamedTuple):
    """Topics as distributions of words."""

    words: np.ndarray  # (k, V)  rows add up to 1
    sizes: np.ndarray  # (k,)    what they added up to before


def topics_of(model: Any, n_columns: int | None = None) -> Topics:
    """The components of a model as distributions; an error if it has none."""
    components = getattr(model, "components_", None)
    if components is None:
        raise TypeError(
            f"{type(model).__name__} has no components_; give a fitted topic model, such as "
            "LatentDirichletAllocation(10).fit(X)."
        )
    components = np.asarray(components, dtype=np.float64)
    if n_columns is not None and components.shape[1] != n_columns:
        raise ValueError(
            f"X has {n_columns} columns; {type(model).__name__} was fitted to "
            f"{components.shape[1]} words. Count the documents with the same vectorizer."
        )
    _refuse_negative(components, model, "components_")
    sizes = components.sum(axis=1)
    even = np.full(components.shape[1], 1.0 / components.shape[1])
    with np.errstate(invalid="ignore", divide="ignore"):
        words = components / sizes[:, None]
    return Topics(np.where(sizes[:, None] > 0, words, even), sizes)


def shares_of(codes: Any, sizes: np.ndarray) -> np.ndarray:
    """Codes of documents as shares of topics, (n, k), that add up to 1."""
    codes = np.ascontiguousarray(codes, dtype=np.float64)
    _refuse_negative(codes, None, "codes")
    totals = codes.sum(axis=1, keepdims=True)
    if not np.allclose(totals, 1.0, rtol=0.0, atol=1e-4):  # float32 has seven digits
        codes = codes * sizes
        totals = codes.sum(axis=1, keepdims=True)
    even = 1.0 / codes.shape[1]
    return np.where(totals > 0, codes / np.where(totals > 0, totals, 1.0), even)


def _refuse_negative(values: np.ndarray, model: Any, what: str) -> None:
    if values.size and values.min() < 0:
        of = "" if model is None else f" of {type(model).__name__}"
        raise ValueError(
            f"The {what}{of} have negative values ({values.min():.3g}), which are no shares of "
            "words; give a topic model: LatentDirichletAllocation, PLSA or NMF."
        )


# ---- counts --------------------------------------------------------------------------------------


def _open(function: str, X: Any) -> Blocks:
    return open_rows_for(function, X)


def _checked_share(share: float) -> float:
    share = check_number("share", share, 0.0, 1.0)
    if share in (0.0, 1.0):
        raise ValueError(f"share={share:g} leaves one part empty; choose one between 0 and 1.")
    return share


def _batches(rows: Blocks) -> Iterator[Any]:
    if rows.in_memory is not None:
        yield rows.in_memory
        return
    for batch in rows.batches(BATCH):
        yield batch[0]


def _whole_counts(X: Any, function: str) -> sp.csr_array:
    """Counts as int64, each cell stored once; an error if they are no whole numbers from 0 up."""
    counts = sp.csr_array(X)
    if not counts.has_canonical_format:
        counts = counts.copy()
        counts.sum_duplicates()
    values = counts.data
    if values.size and values.min() < 0:
        raise ValueError(
            f"X has a negative value ({values.min():g}); {function} takes counts, 0 or more."
        )
    if not np.array_equal(values, np.floor(values)):
        raise ValueError(
            f"X has values that are no whole numbers (first: "
            f"{values[values != np.floor(values)][0]:g}); {function} divides tokens, so give it "
            "counts, before any weights."
        )
    if values.size and values.max() > 2**53:
        raise ValueError(
            f"X has a count of {values.max():g}, beyond what a float64 counts exactly; {function} "
            "takes counts up to 2^53."
        )
    index = np.int32 if max(counts.nnz, *counts.shape) < 2**31 else np.int64
    places = (part.astype(index, copy=False) for part in (counts.indices, counts.indptr))
    return sp.csr_array((values.astype(np.int64), *places), shape=counts.shape)


def _split(counts: sp.csr_array, share: float, random: np.random.Generator) -> SplitCounts:
    """What is drawn for a document does not depend on how many come after it."""
    first = np.empty_like(counts.data)
    for start in range(0, counts.shape[0], BATCH):
        edges = counts.indptr[start : start + BATCH + 1].astype(np.int64)
        cells = slice(edges[0], edges[-1])
        first[cells] = _drawn(counts.data[cells], edges - edges[0], share, random)
    return SplitCounts(*(_stored(counts, values) for values in (first, counts.data - first)))


def _drawn(
    counts: np.ndarray, edges: np.ndarray, share: float, random: np.random.Generator
) -> np.ndarray:
    """How many of each count go to the first part; row i has the counts from edges[i] on."""
    before = np.concatenate([[0], np.cumsum(counts)])[edges]  # tokens of the rows before
    totals = np.diff(before)
    part = np.floor(share * totals + random.random(len(totals))).astype(np.int64)
    drawn = np.empty_like(counts)
    i = 0
    while i < len(totals):
        stop = max(i + 1, int(np.searchsorted(before, before[i] + MOST_AT_A_TIME, "right")) - 1)
        here = slice(edges[i], edges[stop])
        if totals[i] <= MOST_AT_A_TIME:
            drawn[here] = _drawn_one_by_one(
                counts[here], edges[i : stop + 1] - edges[i], part[i:stop], random
            )
        elif totals[i] < MOST_WITHOUT_REPLACEMENT:
            drawn[here] = random.multivariate_hypergeometric(counts[here], part[i])
        else:  # so many that it makes no difference whether they are put back
            drawn[here] = random.binomial(counts[here], share)
        i = stop
    return drawn


def _drawn_one_by_one(
    counts: np.ndarray, edges: np.ndarray, part: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """The first tokens of each row, after shuffling them within the row."""
    cell = np.repeat(np.arange(len(counts)), counts)
    row = np.repeat(np.arange(len(part)), np.diff(edges))[cell]
    order = np.argsort(row + random.random(len(cell)))
    first_of_row = np.searchsorted(row, np.arange(len(part)))
    taken = order[np.arange(len(cell)) - first_of_row[row] < part[row]]
    return np.bincount(cell[taken], minlength=len(counts))


def _stored(counts: sp.csr_array, values: np.ndarray) -> sp.csr_array:
    """The cells that are not 0."""
    part = sp.csr_array((values, counts.indices.copy(), counts.indptr.copy()), shape=counts.shape)
    part.eliminate_zeros()
    return part
