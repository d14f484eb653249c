"""How often words stand near each other: the function of the user.

    C_ij = sum over documents, places p, offsets o:   weight(o) [word at p is i, at p + o is j]

A chunk of documents becomes numbers of words; those that do not count are -1 and keep their place,
so a window reaches as far as a reader would. In `Tokens` rare words are out, and have no place.
`counting.py` adds up the pairs of both.

The number of documents, or sentences, with both words is X'X, where X says which have each word.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.numeric import shown
from lowdim.core.threads import single_threaded_blas
from lowdim.text.counting.base import check_known, counter_of, open_documents, sequences_of
from lowdim.text.counting.tally import Part, stacked
from lowdim.text.pairs.counting import gathered, pairs_by_word, pairs_within, products
from lowdim.text.pairs.runs import MatrixSum, at_a_time
from lowdim.text.pairs.windows import WEIGHTINGS
from lowdim.text.tokens.sentences import SENTENCE_END
from lowdim.text.tokens.tokens import Tokens

TOGETHER = 2**23  # words of documents, in one product


@single_threaded_blas()
def cooccurrence(
    docs: Any, vectorizer: Any = None, *, window: Any = 5, weighting: str = "flat"
) -> sp.csr_array:
    """How often each word of a vocabulary stands near each other one.

    Parameters
    ----------
    docs : iterable of str, Corpus, Dask bag, or Tokens
        Tokens, as `lowdim.text.read_tokens` makes them, are cut and numbered already: their words
        are the rows and columns, and rare words are out before anything is counted.
    vectorizer : CountVectorizer or TfidfVectorizer
        Fitted, of single words: it cuts the documents, and its terms are the rows and columns.
        Tokens need none.
    window : int, (left, right), set or list of int, 'sentence' or None, default=5
        So many words to each side; so many to the left and to the right; words at these offsets (-1
        is the word before); the number of sentences with both words; None: the number of documents
        with both. Words that are not in the vocabulary, stop words too, keep their place.
    weighting : {'flat', 'harmonic'}, default='flat'
        A pair counts 1, or 1 / distance.

    Returns
    -------
    C : csr_array of shape (n_terms, n_terms)
        Row: a word; column: a word near it. Symmetric, unless the window is not. A pair of the same
        word counts from both sides; for sentences and documents the diagonal says how many have the
        word. No window reaches beyond a document.

    Notes
    -----
    Pairs that take more than the setting `spill_bytes` (1 GB, see `lowdim.set_config`) are counted
    in temporary files, and so is the matrix: its arrays are memory maps, and the files go with it.

    See Also
    --------
    lowdim.text.pmi : how much more often than by chance.

    Examples
    --------
    >>> import lowdim
    >>> docs = ["the cat sat on the mat", "the dog"]
    >>> vectorizer = lowdim.CountVectorizer(vocabulary=["cat", "mat", "the"]).fit(docs)
    >>> lowdim.text.cooccurrence(docs, vectorizer, window=1).toarray().astype(int)
    array([[0, 0, 1],
           [0, 0, 1],
           [1, 1, 0]])

    Rare words are out first:

    >>> tokens = lowdim.text.read_tokens(["a cat is a cat", "a dog"], min_count=2)
    >>> tokens.words, lowdim.text.cooccurrence(tokens, window=1).toarray().astype(int).tolist()
    (['a', 'cat'], [[0, 3], [3, 0]])
    """
    if weighting not in WEIGHTINGS:
        raise ValueError(f"weighting={weighting!r} must be 'flat' or 'harmonic'.")
    both = window is None or window == "sentence"
    if both and weighting != "flat":
        raise ValueError("weighting='harmonic' needs a window with distances, such as 5.")
    if isinstance(docs, Tokens):
        if vectorizer is not None:
            raise ValueError("Tokens are cut into words already; leave out the vectorizer.")
        if both:
            return products(docs.counts_by_sentence(binary=True))
        return pairs_by_word(docs.ids, docs.starts, len(docs.words), window, weighting)
    documents = open_documents(docs)
    if vectorizer is None:
        raise TypeError(
            "cooccurrence needs a vectorizer, whose terms are the rows and columns; or give it "
            "lowdim.text.read_tokens(docs), which needs none."
        )
    if not hasattr(vectorizer, "get_feature_names_out") or not hasattr(vectorizer, "vocabulary"):
        raise TypeError(
            f"vectorizer={shown(vectorizer)} has no vocabulary; give a lowdim.CountVectorizer or "
            "TfidfVectorizer."
        )
    check_known(vectorizer)
    if both:
        return _together(documents, vectorizer, window == "sentence")
    n = len(vectorizer.get_feature_names_out())
    with closing(sequences_of(vectorizer, documents)) as sequences:
        return pairs_within(gathered(sequences), n, window, weighting)


def _together(documents: Iterable[Any], vectorizer: Any, by_sentence: bool) -> sp.csr_array:
    """How many documents, or sentences, have both words."""
    if by_sentence:
        texts = (vectorizer.decode(document) for document in documents)
        documents = (part for text in texts for part in SENTENCE_END.split(text))
    n = len(vectorizer.get_feature_names_out())
    total, waiting, stored = MatrixSum((n, n)), list[Part](), 0
    with closing(counter_of(vectorizer, vectorizer.vocabulary_).parts(documents)) as parts:
        for part in parts:
            waiting.append(part)
            stored += part.counts.nnz
            if stored >= at_a_time(TOGETHER):
                total.add(_products(waiting, n))
                stored = 0
    if waiting:
        total.add(_products(waiting, n))
    return total.result()


def _products(parts: list[Part], n: int) -> sp.csr_array:
    """X'X of the words of documents; `parts` is empty afterwards."""
    X = stacked(parts, None, n, np.float64)
    X.data[:] = 1.0
    return products(X)
