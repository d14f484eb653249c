"""The expectation step that all topic models share: which topic does each word come from?

    p(z | word w, document i) = e_iz B_wz / sum_z e_iz B_wz

e is what a document says of its topics, B what a word says of its topics (terms x topics: the
topics of a word lie side by side). What e and B are makes the model:

    PLSA          e = p(z | i),              B = p(w | z)
    LDA "map"     the same
    LDA "batch"   e = exp E log theta_iz,    B = exp E log phi_zw

All that a model needs of these probabilities are their sums over a document, over a term, and the
logarithm of the denominator: kernels over stored cells add them up. No array over (topic, document,
word) is made, and none over (term, topic) by block: of a block the denominators are kept, from
which its documents are added to the one sum of all. One pass costs O(cells k).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import Addend
from lowdim.core.kernel import kernel
from lowdim.core.threads import shared_map
from lowdim.linalg.sparse import by_column, sparse_times
from lowdim.text.topics.counts import Cells, weights_of

# coefficients of exp(digamma(y + 1/2)) / y in t = 1 / y^2: rational numbers, from Bernoulli's
SERIES = (
    -0.020734675824368137,
    0.007365033269308669,
    -0.0039535574489730305,
    0.003552482914462081,
    -0.006423611111111111,
    0.041666666666666664,
)
S6, S5, S4, S3, S2, S1 = SERIES
SHIFTED_BY = 16.0  # the series does alone from here on
LARGEST = 1e30  # exp(digamma(x)) is x beyond
AT_A_TIME = 2**11  # numbers that NumPy works on
TOPICS_AT_A_TIME = 32  # to which a thread adds
TERMS_AT_A_TIME = 512  # that a thread multiplies
NOTHING = np.empty(0)


class ByTerm(Addend):
    """sum_i weight_i x_iw / p_iw e_iz of a block: expected counts, divided by B; (v, k)."""

    def __init__(self, cells: Cells, e: np.ndarray, v: int):
        """The counts of `cells` are weight x / p."""
        self._cells, self._e, self.shape = cells, e, (v, e.shape[1])

    def add_to(self, total: np.ndarray) -> None:
        k = self.shape[1]
        cuts = [(z, min(z + TOPICS_AT_A_TIME, k)) for z in range(0, k, TOPICS_AT_A_TIME)]
        shared_map(lambda cut: _add_terms(*self._cells, self._e, *cut, total), cuts)

    def multiply(self, B: np.ndarray) -> None:
        """B times this, in its place: some terms at a time, no other array of its size is made."""
        indptr, terms, ratios = self._cells
        if len(terms) < 2**31:
            indptr = indptr.astype(np.int32)
        by_term = by_column(sp.csr_array((ratios, terms, indptr), shape=(len(self._e), len(B))))

        def work(first: int) -> None:
            run = slice(first, first + TERMS_AT_A_TIME)
            B[run] *= sparse_times(by_term, self._e, run)

        shared_map(work, range(0, len(B), TERMS_AT_A_TIME))


class TopicCounts(NamedTuple):
    """What one look at documents gives."""

    by_term: ByTerm  # (v, k)  sum over documents of weight x p(z | w, i), divided by B
    by_document: np.ndarray  # (b, k)  sum over terms of x p(z | w, i)
    log_likelihood: np.ndarray  # (b,)    sum over terms of x log sum_z e_iz B_wz


def topic_counts(
    cells: Cells, e: np.ndarray, B: np.ndarray, weight: np.ndarray | None
) -> TopicCounts:
    """Expected counts of topics, by term and by document, and what the documents' words cost."""
    n = len(e)
    by_document, log_likelihood = np.zeros(e.shape), np.empty(n)
    ratio = np.empty(len(cells.counts))
    w = weights_of(weight, n)
    gradient(*cells, e, B, np.arange(n), w, ratio, by_document, log_likelihood)
    by_document *= e
    return TopicCounts(ByTerm(cells._replace(counts=ratio), e, len(B)), by_document, log_likelihood)


class DocumentCounts(NamedTuple):
    """The same without what is added up by term, which takes most of the memory."""

    by_document: np.ndarray  # (b, k)
    log_likelihood: np.ndarray  # (b,)


def document_counts(cells: Cells, e: np.ndarray, B: np.ndarray) -> DocumentCounts:
    """Expected counts of topics by document, and what the documents' words cost."""
    n, k = e.shape
    by_document, log_likelihood = np.zeros((n, k)), np.empty(n)
    gradient(*cells, e, B, np.arange(n), NOTHING, NOTHING, by_document, log_likelihood)
    by_document *= e
    return DocumentCounts(by_document, log_likelihood)


class Encoded(NamedTuple):
    """Documents by their topics."""

    gamma: np.ndarray  # (b, k)  prior + expected counts of topics
    e: np.ndarray  # (b, k)  exp(digamma(gamma)), or gamma itself


def encoded(
    cells: Cells,
    B: np.ndarray,
    prior: np.ndarray,
    start: np.ndarray,
    *,
    bayes: bool,
    max_iter: int,
    tol: float,
) -> Encoded:
    """Iterate gamma = prior + expected counts, with e of gamma, document by document.

    Parameters
    ----------
    cells : Cells
    B : array of shape (v, k)
    prior : array of shape (k,)
    start : array of shape (b, k)
        gamma to start from.
    bayes : bool
        Whether e = exp(digamma(gamma)); else e = gamma.
    max_iter : int
        Iterations for each document, at the most.
    tol : float
        Stop when the mean change over the topics of a document is at most this.
    """
    gamma = np.array(start, dtype=np.float64, order="C")
    e = np.empty(gamma.shape)
    part = np.zeros(gamma.shape[1])
    _encode(*cells, B, prior, bayes, max_iter, tol, part, gamma, e)
    return Encoded(gamma, e)


def spread_evenly(cells: Cells, prior: np.ndarray) -> np.ndarray:
    """A start for documents of which nothing is known: their words evenly over the topics."""
    return prior + cells.lengths[:, None] / len(prior)


def exp_digamma(x: np.ndarray) -> np.ndarray:
    """exp(digamma(x)) of an array of positive numbers; relative error below 1e-11.

    The series of exp(digamma(y + 1/2)) / y in t = 1 / y^2, after six steps of digamma(x + 1) =
    digamma(x) + 1/x: one exponential in place of two functions.
    """
    x = np.ascontiguousarray(x, dtype=np.float64)
    values = np.empty(x.shape)
    given, found = x.reshape(-1), values.reshape(-1)
    for first in range(0, x.size, AT_A_TIME):
        run = slice(first, first + AT_A_TIME)
        _exp_digamma(given[run], found[run])
    return values


def _exp_digamma(x: np.ndarray, value: np.ndarray) -> None:
    """See `exp_digamma`; some numbers at a time, which stay in the cache."""
    large = x > LARGEST
    any_large = bool(large.any())
    x, given = (np.minimum(x, LARGEST), x) if any_large else (x, x)
    # 1/x + ... + 1/(x + 5), two by two: x (x + 5) = q, (x + 1)(x + 4) = q + 4, ... = q + 6
    q = x * (x + 5.0)
    less = (3.0 * q + 20.0) * q
    less += 24.0
    less *= 2.0 * x + 5.0
    with np.errstate(divide="ignore", over="ignore"):
        less /= q * (q + 4.0) * (q + 6.0)
    np.add(x, 5.5, out=value)
    t = value * value
    np.divide(1.0, t, out=t)
    series = t * SERIES[0]
    for coefficient in SERIES[1:]:
        series += coefficient
        series *= t
    series += 1.0
    value *= series
    value *= np.exp(np.negative(less, out=less), out=less)
    if any_large:
        value[large] = given[large] - 0.5


def sum_of_logs(x: np.ndarray) -> float:
    """sum log x of positive numbers, with one logarithm for eight of them."""
    x = np.ascontiguousarray(x, dtype=np.float64).reshape(-1)
    whole = len(x) - len(x) % (8 * AT_A_TIME)
    total = float(np.log(x[whole:]).sum())
    for first in range(0, whole, 8 * AT_A_TIME):
        eight = x[first : first + 8 * AT_A_TIME].reshape(8, AT_A_TIME)
        in_range = eight.min() > 1e-36 and eight.max() < 1e36
        total += float(np.log(np.multiply.reduce(eight, axis=0) if in_range else eight).sum())
    return total


# ---- kernels -------------------------------------------------------------------------------------


@kernel(any_order=True)
def _encode(indptr, terms, counts, B, prior, bayes, max_iter, tol, part, gamma, e):
    n, k = gamma.shape
    for i in range(n):
        change, steps = np.inf, 0
        while True:
            for z in range(k):
                x = gamma[i, z]
                if bayes:  # as `exp_digamma`, but for x for which the series does alone
                    y, less = x - 0.5, 0.0
                    if x < SHIFTED_BY:
                        q = x * (x + 5.0)
                        pairs = (3.0 * q + 20.0) * q + 24.0
                        less = (2.0 * x + 5.0) * pairs / (q * (q + 4.0) * (q + 6.0))
                        y = x + 5.5
                    t = 1.0 / (y * y)
                    series = S6 * t + S5
                    series = (series * t + S4) * t + S3
                    series = (series * t + S2) * t + S1
                    x = y * (series * t + 1.0)
                    if less > 0.0:
                        x *= np.exp(-less)
                e[i, z] = x
            if steps >= max_iter or change <= tol * k:
                break
            steps += 1
            for j in range(indptr[i], indptr[i + 1]):
                w = terms[j]
                p = 0.0
                for z in range(k):
                    p += e[i, z] * B[w, z]
                ratio = counts[j] / p if p > 0.0 else 0.0
                for z in range(k):
                    part[z] += ratio * B[w, z]
            change = 0.0
            for z in range(k):
                new = prior[z] + e[i, z] * part[z]
                change += abs(new - gamma[i, z])
                gamma[i, z], part[z] = new, 0.0


@kernel(any_order=True)
def gradient(indptr, terms, counts, e, B, todo, weight, ratios, g, f):
    """f = sum_w x_w log sum_z e_z B_wz of documents, and its gradient by e, added to g.

    What documents add to the gradient by B is e times weight x / p, the `ratios` of cells; none are
    written if there are no weights. A word that no topic has makes f -inf.
    """
    k = e.shape[1]
    weighted = len(weight) > 0
    for i in todo:
        total = 0.0
        for j in range(indptr[i], indptr[i + 1]):
            w, x = terms[j], counts[j]
            p = 0.0
            for z in range(k):
                p += e[i, z] * B[w, z]
            total += x * np.log(p) if x > 0.0 else 0.0
            ratio = x / p if p > 0.0 else 0.0
            for z in range(k):
                g[i, z] += ratio * B[w, z]
            if weighted:
                ratios[j] = weight[i] * ratio
        f[i] = total


@kernel
def _add_terms(indptr, terms, ratios, e, first, last, by_term):
    """Add the ratios times e of their documents to their terms, for topics first to last - 1."""
    for i in range(len(indptr) - 1):
        for j in range(indptr[i], indptr[i + 1]):
            w, ratio = terms[j], ratios[j]
            if ratio > 0.0:
                for z in range(first, last):
                    by_term[w, z] += ratio * e[i, z]
