"""What topics say of words: which are alike, and which topic a word of a document comes from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from lowdim.core.threads import ordered_map
from lowdim.core.validation import check_at_least, check_number
from lowdim.linalg.similar import number_of, similar_rows
from lowdim.text.topics.counts import Cells, cells_of, open_counts

DOCUMENTS_AT_A_TIME = 512
CELLS_AT_A_TIME = 2**13  # of which all topics are in memory


class WordMethods:
    """`similar_terms` and `word_topics`, for topic models.

    A class gives `_terms_by_topic()`: (v, k), p(z | w) up to a factor for each term; and
    `_word_model()`: a function of cells that gives e (b, k), and B (v, k), as `expectation.py` has
    them.
    """

    components_: np.ndarray
    _terms_by_topic: Callable[[], np.ndarray]
    _word_model: Callable[[], tuple[Callable[[Cells], np.ndarray], np.ndarray]]

    def similar_terms(self, term, n=10, names=None):
        """The terms whose topics are most like those of a term.

        Parameters
        ----------
        term : str or int
            A term by its name, if there are names, or by the number of its column.
        n : int, default=10
            How many.
        names : sequence of shape (v,), default=None
            Names of the terms, such as the words of a vectorizer; None means `feature_names_in_`,
            if X had names.

        Returns
        -------
        list of (term, cosine)
            The most similar first, by the cosine of p(z | w); named as `term` is.
        """
        check_is_fitted(self)
        n = check_at_least("n", n, 1)
        names = getattr(self, "feature_names_in_", None) if names is None else names
        own = number_of(term, names, self.components_.shape[1])
        named = isinstance(term, str)
        near = similar_rows(self._terms_by_topic(), own, n)
        return [
            (str(names[w]) if named and names is not None else int(w), float(cosine))
            for w, cosine in zip(near.index, near.cosine, strict=True)
        ]

    def word_topics(self, X, *, smallest=1e-3):
        """The topic of each word: p(z | word, document), for every stored cell of X.

        Parameters
        ----------
        X : array, sparse matrix, data frame, Dask collection or stream of shape (n, v)
            Counts of terms.
        smallest : float, default=1e-3
            Smaller probabilities are left out: of each word, few topics remain. 0 keeps all.

        Returns
        -------
        csr_array of shape (cells, k)
            A row for each stored cell of X, in the order of its rows (for dense X, of each cell
            that is not 0).
        """
        smallest = check_number("smallest", smallest, 0.0, 1.0)
        check_is_fitted(self)
        rows = open_counts(self, X, "word_topics", reset=False)
        encode, B = self._word_model()

        def work(batch: tuple) -> Any:
            cells = cells_of(batch[0])
            return sp.vstack(list(_cell_topics(cells, encode(cells), B, smallest)), format="csr")

        parts = list(ordered_map(work, rows.batches(DOCUMENTS_AT_A_TIME)))
        return sp.csr_array(sp.vstack(parts, format="csr"), dtype=self.components_.dtype)


def _cell_topics(cells: Cells, e: np.ndarray, B: np.ndarray, smallest: float) -> Any:
    """p(z | w, i) of runs of cells, sparse; at least one part, that may be empty."""
    documents = cells.documents
    for start in range(0, max(len(documents), 1), CELLS_AT_A_TIME):
        run = slice(start, start + CELLS_AT_A_TIME)
        joint = e[documents[run]] * B[cells.terms[run]]
        total = joint.sum(axis=1, keepdims=True)
        resp = np.divide(joint, total, out=np.zeros_like(joint), where=total > 0)
        yield sp.csr_array(np.where(resp >= smallest, resp, 0.0))
