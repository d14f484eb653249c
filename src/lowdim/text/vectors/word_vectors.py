"""`WordVectors`: a vector for each word, and what one asks of them.

Answers like gensim's KeyedVectors (Řehůřek), with the same names, arguments and types of results.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.estimator import SameBits
from lowdim.core.numeric import numeric_array
from lowdim.core.persistence import PlainObject, save_model
from lowdim.core.validation import check_at_least, check_choice
from lowdim.linalg.nearest import best_columns
from lowdim.tables.errors import listed, quoted
from lowdim.text.vectors import queries
from lowdim.text.vectors.queries import Nearest
from lowdim.text.vectors.words import (
    UnknownWordError,
    checked_words,
    packed_words,
    unpacked_words,
)

METHODS = ("3cosadd", "3cosmul", "pair")


class WordVectors(SameBits, PlainObject):
    """Words and their vectors: neighbours, analogies, files.

    It has the methods of gensim's KeyedVectors, with the same arguments and results, so that
    programs written for those go on working; vectors are never changed in place.

    Parameters
    ----------
    words : list of str
        Each once; the commonest first, if that is known.
    vectors : array of shape (n_words, vector_size)
        One row for each word. float32 stays float32; other numbers become float64.
    counts : array of shape (n_words,), default=None
        How often each word was seen.

    Attributes
    ----------
    index_to_key : list of str
        The words.
    key_to_index : dict
        The number of each word.
    vectors : ndarray of shape (n_words, vector_size)
        Read-only.
    counts : ndarray of shape (n_words,) or None

    See Also
    --------
    lowdim.text.align : Lays the vectors of one language or corpus over those of another.
    lowdim.text.cosine : How alike the rows of any matrices are.

    Notes
    -----
    Similarities are cosines; a vector of zeros is like no other: 0. Equal similarities are ranked
    by the number of the word. An unknown word is a KeyError that names words written nearly like
    it.

    References
    ----------
    .. [1] O. Levy, Y. Goldberg (2014). Linguistic regularities in sparse and explicit word
       representations. CoNLL.
    .. [2] J. Mu, P. Viswanath (2018). All-but-the-top: simple and effective postprocessing for word
       representations. ICLR.

    Examples
    --------
    The length of a vector does not count: (1, 0) is close to (1, 0.1) and far from (1, 10), though
    both inner products are 1.

    >>> from lowdim import WordVectors
    >>> wv = WordVectors(["x1", "x2", "x3"], [[1, 0], [1, 0.1], [1, 10]])
    >>> wv.most_similar("x1")
    [('x2', 0.995037), ('x3', 0.099504)]
    >>> wv["x2"], "x9" in wv, len(wv)
    (array([1. , 0.1]), False, 3)
    """

    def __init__(self, words: Any, vectors: Any, counts: Any = None):
        self.index_to_key = checked_words(words)
        self.vectors = _checked_vectors(vectors, self.index_to_key)
        self.counts = _checked_counts(counts, len(self.index_to_key))
        self.key_to_index = {word: i for i, word in enumerate(self.index_to_key)}
        self._known_lengths: np.ndarray | None = None

    # ---- words and vectors -----------------------------------------------------------------------

    @property
    def vector_size(self) -> int:
        """How many numbers a vector has."""
        return int(self.vectors.shape[1])

    def __len__(self) -> int:
        return len(self.index_to_key)

    def __iter__(self) -> Iterator[str]:
        return iter(self.index_to_key)

    def __contains__(self, word: Any) -> bool:
        return self._index(word) >= 0

    def __getitem__(self, words: Any) -> np.ndarray:
        if isinstance(words, str | int | np.integer):
            return self.vectors[self._known_index(words)]
        return self.vectors[self._indices(words)]

    def __repr__(self) -> str:
        n, d = self.vectors.shape
        return f"<WordVectors: {n:,} words, {d} dimensions, {self.vectors.dtype}>"

    def get_index(self, word: str | int, default: Any = None) -> int:
        """The number of a word, or `default` if it is not known and there is one."""
        index = self._index(word)
        if index < 0 and default is not None:
            return default
        return self._known_index(word)

    def has_index_for(self, word: str | int) -> bool:
        """Whether a word has a vector."""
        return word in self

    def get_vector(self, word: str | int, norm: bool = False) -> np.ndarray:
        """The vector of a word; with `norm`, over its length."""
        vector = self[word]
        if not norm:
            return vector
        vector = queries.unit(vector).astype(self.vectors.dtype)
        vector.flags.writeable = False
        return vector

    def get_normed_vectors(self) -> np.ndarray:
        """All vectors over their lengths; those of zeros stay."""
        return queries.unit_rows(self.vectors, self._lengths)

    def get_vecattr(self, word: str | int, attr: str) -> Any:
        """What else is known of a word: "count", how often it was seen.

        Raises
        ------
        KeyError
            If counts are not known, or for another name.
        """
        index = self._known_index(word)
        if attr != "count":
            raise KeyError(f"attr={attr!r} is not kept; word vectors have 'count' alone.")
        if self.counts is None:
            raise KeyError(
                "These word vectors have no counts; give them as WordVectors(words, vectors, "
                "counts), or read them from fvocab=."
            )
        return self.counts[index].item()

    def get_mean_vector(
        self,
        keys: Sequence[Any],
        weights: Any = None,
        pre_normalize: bool = True,
        post_normalize: bool = False,
        ignore_missing: bool = True,
    ) -> np.ndarray:
        """The weighted mean of the vectors of some words, and of vectors.

        Parameters
        ----------
        keys : list of str or array
        weights : array of shape (n_keys,), default=None
            1 for each. The mean is the sum over that of |weights|.
        pre_normalize : bool, default=True
            Whether vectors of words (not those given as arrays) are first divided by their lengths.
        post_normalize : bool, default=False
            Whether the mean is divided by its length.
        ignore_missing : bool, default=True
            Whether unknown words are left out, or raise a KeyError.
        """
        keys = list(keys)
        if not keys:
            raise ValueError("There are no words to take the mean of; give at least 1.")
        weights = np.ones(len(keys)) if weights is None else np.asarray(weights, np.float64)
        if weights.shape != (len(keys),):
            raise ValueError(f"There are {len(keys)} words, and weights of shape {weights.shape}.")
        total, size = np.zeros(self.vector_size), 0.0
        for key, weight in zip(keys, weights.tolist(), strict=True):
            if _is_word(key):
                if ignore_missing and key not in self:
                    continue
                vector = self[key].astype(np.float64)
                vector = queries.unit(vector) if pre_normalize else vector
            else:
                vector = self._checked_query(key)
            total += weight * vector
            size += abs(weight)
        mean = total / size if size > 0 else total
        return (queries.unit(mean) if post_normalize else mean).astype(self.vectors.dtype)

    # ---- neighbours ------------------------------------------------------------------------------

    def most_similar(
        self,
        positive: Any = None,
        negative: Any = None,
        topn: int | None = 10,
        clip_start: int = 0,
        clip_end: int | None = None,
        restrict_vocab: int | None = None,
    ) -> Any:
        """The words most like the mean of some words or vectors, less that of others.

        Parameters
        ----------
        positive, negative : str, array, or list of these or of (word or array, weight)
            What is added and taken away; vectors of words enter over their lengths. Weights are 1
            and -1 if not given.
        topn : int or None, default=10
            How many; None gives the similarities of all words as an array.
        clip_start, clip_end : int, default=0, None
            Only words with these numbers.
        restrict_vocab : int, default=None
            Only the first words, which usually are the commonest; instead of `clip_start` and
            `clip_end`.

        Returns
        -------
        list of (str, float)
            The most similar first, without the words that were given.

        Examples
        --------
        >>> from lowdim import WordVectors
        >>> words = ["man", "woman", "king", "queen", "tree"]
        >>> wv = WordVectors(words, [[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1], [-1, 0, 0.2]])
        >>> wv.most_similar(["king", "woman"], ["man"], topn=1)
        [('queen', 0.97528)]
        """
        if topn is not None and topn < 1:
            return []
        mean, given = self._query(positive, negative)
        first, last = self._range(clip_start, clip_end, restrict_vocab)
        scores = self._cosines(mean, slice(first, last))
        return scores if topn is None else self._named(scores, topn, given, first)

    def similar_by_word(
        self, word: str, topn: int | None = 10, restrict_vocab: int | None = None
    ) -> Any:
        """The words most like one word: `most_similar` of it."""
        return self.most_similar([word], topn=topn, restrict_vocab=restrict_vocab)

    similar_by_key = similar_by_word

    def similar_by_vector(
        self, vector: Any, topn: int | None = 10, restrict_vocab: int | None = None
    ) -> Any:
        """The words most like a vector: `most_similar` of it."""
        vector = self._checked_query(vector)
        return self.most_similar([vector], topn=topn, restrict_vocab=restrict_vocab)

    def most_similar_cosmul(
        self,
        positive: Any = None,
        negative: Any = None,
        topn: int | None = 10,
        restrict_vocab: int | None = None,
    ) -> Any:
        """The words most like all of some words and least like any of others, by products.

        The score is the product of (1 + cos) / 2 over `positive`, over that over `negative` plus
        1e-6 [1]_: no single large cosine decides.

        Parameters
        ----------
        positive, negative : str, array, or list of these
        topn : int or None, default=10
            How many; None gives the scores of all words as an array.
        restrict_vocab : int, default=None
            Only the first words.

        Returns
        -------
        list of (str, float)
            The largest score first, without the words that were given.
        """
        if topn is not None and topn < 1:
            return []
        positive, negative = queries.as_list(positive), queries.as_list(negative)
        if not positive:
            raise ValueError("There is no word to be like; give at least 1 in positive.")
        first, last = self._range(0, None, restrict_vocab)
        above, below = (
            self._product_of_cosines(items, slice(first, last)) for items in (positive, negative)
        )
        scores = above / (below + queries.COSMUL_EPS)
        given = [self._known_index(key) for key in [*positive, *negative] if _is_word(key)]
        return scores if topn is None else self._named(scores, topn, given, first)

    def analogy(
        self,
        a: Any,
        b: Any,
        c: Any,
        topn: int = 10,
        method: str = "3cosadd",
        restrict_vocab: int | None = None,
    ) -> list[tuple[str, float]]:
        """What is to c as b is to a?

        Parameters
        ----------
        a, b, c : str or array
            a is to b as c is to what is looked for.
        topn : int, default=10
            How many answers.
        method : {"3cosadd", "3cosmul", "pair"}, default="3cosadd"
            What is largest over words d, for vectors of length 1 [1]_: "3cosadd" cos(d, b - a + c);
            "3cosmul" (1 + cos(d, b)) (1 + cos(d, c)) / (1 + cos(d, a)); "pair" cos(d - c, b - a),
            the direction of the step alone, however long.
        restrict_vocab : int, default=None
            Only the first words.

        Returns
        -------
        list of (str, float)
            Words and their scores, without a, b and c.

        Examples
        --------
        >>> from lowdim import WordVectors
        >>> words = ["man", "woman", "king", "queen", "tree"]
        >>> wv = WordVectors(words, [[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1], [-1, 0, 0.2]])
        >>> [wv.analogy("man", "king", "woman", 1, method)[0][0] for method in ("3cosadd", "pair")]
        ['queen', 'queen']
        """
        check_choice("method", method, METHODS)
        check_at_least("topn", topn, 1)
        if method == "3cosadd":
            return self.most_similar([b, c], [a], topn, restrict_vocab=restrict_vocab)
        if method == "3cosmul":
            return self.most_similar_cosmul([b, c], [a], topn, restrict_vocab)
        given = [self._known_index(key) for key in (a, b, c) if _is_word(key)]
        a, b, c = (self._unit_query(key) for key in (a, b, c))
        first, last = self._range(0, None, restrict_vocab)
        step = queries.unit(b - a)
        along, near = (self._cosines(q, slice(first, last)) for q in (step, c))
        scores = queries.pair_direction(along, float(c @ step), near)
        return self._named(scores, topn, given, first)

    def nearest(self, words: Any = None, topn: int = 10, approximate: bool = False) -> Nearest:
        """The nearest words of many words, or of all, at once.

        Parameters
        ----------
        words : list of str, array of shape (n, vector_size), or None, default=None
            Whose neighbours; None: of every word. A word is none of its own neighbours.
        topn : int, default=10
            How many for each, at most the number of the other words.
        approximate : bool, default=False
            Look with pynndescent, which is quicker for hundreds of thousands of words and misses
            some neighbours.

        Returns
        -------
        (index, similarity)
            Arrays of shape (n, topn): numbers of words, and cosines, the largest first.

        Notes
        -----
        Products are made block by block and only the best are kept: memory is that of the result.

        Examples
        --------
        >>> from lowdim import WordVectors
        >>> wv = WordVectors(["x1", "x2", "x3"], [[1, 0], [1, 0.1], [1, 10]])
        >>> wv.nearest(topn=1).index.tolist()
        [[1], [0], [1]]
        """
        check_at_least("topn", topn, 1)
        units = self.get_normed_vectors()
        own: np.ndarray | None
        if words is None:
            own = np.arange(len(self))
        elif isinstance(words, np.ndarray) and words.dtype.kind in "biuf" and words.ndim == 2:
            own = None
        else:
            own = self._indices(queries.as_list(words))
        if own is None:
            Z = queries.unit_rows(np.array([self._checked_query(x) for x in words]))
            Z = Z.astype(units.dtype).reshape(-1, self.vector_size)
        else:
            Z = units if words is None else units[own]
        topn = min(topn, len(self) - (own is not None))
        if approximate:
            from lowdim.text.vectors.approximate import approximate_nearest

            return approximate_nearest(units, Z, own, topn)
        itself = None
        if own is not None:
            ones, ends = np.ones(len(own)), np.arange(len(own) + 1)
            itself = sp.csr_array((ones, own, ends), shape=(len(own), len(self)))
        found = best_columns(Z, units, np.zeros(len(self), units.dtype), topn, leave_out=itself)
        return Nearest(found.column, np.clip(found.score, -1, 1))

    # ---- pairs and sets of words -----------------------------------------------------------------

    def similarity(self, w1: str, w2: str) -> Any:
        """The cosine of the vectors of two words."""
        cosine = queries.unit(self[w1]) @ queries.unit(self[w2])
        return self.vectors.dtype.type(np.clip(cosine, -1.0, 1.0))

    def distance(self, w1: str, w2: str) -> Any:
        """1 - the cosine of the vectors of two words."""
        return 1 - self.similarity(w1, w2)

    def distances(self, word_or_vector: Any, other_words: Iterable[str] = ()) -> np.ndarray:
        """1 - the cosines of a word or vector with other words; without any, with all words."""
        others = list(other_words)
        q = self._unit_query(word_or_vector)
        if not others:
            return 1 - self._cosines(q, slice(0, len(self)))
        index = self._indices(others)
        return 1 - queries.cosines(self.vectors[index], self._lengths[index], q)

    def n_similarity(self, ws1: Sequence[str], ws2: Sequence[str]) -> Any:
        """The cosine of the mean vectors of two lists of words."""
        means = [
            queries.unit(self.vectors[self._indices(self._known(ws))].mean(axis=0, dtype=float))
            for ws in (ws1, ws2)
        ]
        return self.vectors.dtype.type(np.clip(means[0] @ means[1], -1.0, 1.0))

    def rank_by_centrality(
        self, words: Sequence[str], use_norm: bool = True
    ) -> list[tuple[float, str]]:
        """(how like the mean of some words, word), the largest first.

        Vectors enter over their lengths, so this is a cosine; with use_norm=False as they are.
        """
        known = self._known(words)
        vectors = self.vectors[self._indices(known)].astype(np.float64)
        vectors = queries.unit_rows(vectors) if use_norm else vectors
        scores = vectors @ queries.unit(vectors.mean(axis=0))
        return sorted(zip(scores.tolist(), known, strict=True), reverse=True)

    def doesnt_match(self, words: Sequence[str]) -> str:
        """The word that is least like the mean of all of them."""
        return self.rank_by_centrality(words)[-1][1]

    def most_similar_to_given(self, key1: str, keys_list: Sequence[str]) -> str:
        """That one of some words which is most like `key1`."""
        keys = list(keys_list)
        if not keys:
            raise ValueError("There is no word to choose from; give at least 1 in keys_list.")
        return keys[int(np.argmin(self.distances(key1, keys)))]

    def closer_than(self, key1: str, key2: str) -> list[str]:
        """All words that are more like `key1` than `key2` is, without `key1`."""
        distances = self.distances(key1)
        own, limit = self._known_index(key1), distances[self._known_index(key2)]
        return [self.index_to_key[i] for i in np.flatnonzero(distances < limit) if i != own]

    def rank(self, key1: str, key2: str) -> int:
        """The place of `key2` among all words by how like `key1` they are, from 1 on."""
        return len(self.closer_than(key1, key2)) + 1

    # ---- files -----------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write words, vectors and counts to one file that `lowdim.load` reads; it runs no code.

        Examples
        --------
        >>> import lowdim, tempfile
        >>> wv = lowdim.WordVectors(["a", "b"], [[1.0, 0.0], [0.6, 0.8]], counts=[3, 2])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     wv.save(f"{folder}/words.lowdim")
        ...     again = lowdim.load(f"{folder}/words.lowdim")
        >>> again.most_similar("a"), again.get_vecattr("a", "count")
        ([('b', 0.6)], 3)
        """
        save_model(self, path)

    def _fields(self) -> dict[str, Any]:
        words = packed_words(self.index_to_key)
        return {**words, "vectors": self.vectors, "counts": self.counts}

    @classmethod
    def _of_fields(cls, fields: dict[str, Any]) -> WordVectors:
        words = unpacked_words(fields["letters"], fields["ends"])
        vectors = fields["vectors"]
        if not isinstance(vectors, np.ndarray) or vectors.dtype.kind != "f":
            raise ValueError("its vectors are no numbers")
        return cls(words, vectors, fields["counts"])

    # ---- inside ----------------------------------------------------------------------------------

    def _index(self, word: Any) -> int:
        """The number of a word, or -1."""
        if isinstance(word, str):
            return self.key_to_index.get(word, -1)
        if isinstance(word, int | np.integer) and 0 <= word < len(self):
            return int(word)
        return -1

    def _known_index(self, word: Any) -> int:
        index = self._index(word)
        if index < 0:
            raise UnknownWordError(word, self.key_to_index)
        return index

    def _indices(self, words: Iterable[Any]) -> np.ndarray:
        return np.array([self._known_index(word) for word in words], dtype=np.intp)

    def _known(self, words: Sequence[str]) -> list[str]:
        """The words that have vectors; says which have none."""
        words = queries.as_list(words)
        if not words:
            raise ValueError("There are no words; give at least 1.")
        known = [word for word in words if word in self]
        unknown = [word for word in words if word not in self]
        if not known:
            raise UnknownWordError(words[0], self.key_to_index)
        if unknown:
            warnings.warn(
                f"{listed([quoted(word) for word in unknown])} "
                f"{'has no vector and is' if len(unknown) == 1 else 'have no vectors and are'} "
                "left out.",
                stacklevel=_outside(),
            )
        return known

    @property
    def _lengths(self) -> np.ndarray:
        if self._known_lengths is None:
            self._known_lengths = queries.lengths(self.vectors)
        return self._known_lengths

    def _cosines(self, q: np.ndarray, rows: slice) -> np.ndarray:
        cosines = queries.cosines(self.vectors[rows], self._lengths[rows], q)
        return np.clip(cosines, -1, 1, out=cosines)

    def _product_of_cosines(self, items: list[Any], rows: slice) -> np.ndarray:
        product = np.ones(rows.stop - rows.start, self.vectors.dtype)
        for item in items:
            product *= queries.shifted(self._cosines(self._unit_query(item), rows))
        return product

    def _query(self, positive: Any, negative: Any) -> tuple[np.ndarray, list[int]]:
        """The mean of what was given, over its length, and the numbers of the words among it."""
        items = [queries.with_weight(item, 1.0) for item in queries.as_list(positive)]
        items += [queries.with_weight(item, -1.0) for item in queries.as_list(negative)]
        if not items:
            raise ValueError("There is no word to be like; give at least 1 in positive.")
        total = np.zeros(self.vector_size)
        for key, weight in items:
            vector = self._unit_query(key) if _is_word(key) else self._checked_query(key)
            total += weight * vector
        return queries.unit(total), [self._known_index(key) for key, _ in items if _is_word(key)]

    def _unit_query(self, key: Any) -> np.ndarray:
        return queries.unit(self[key] if _is_word(key) else self._checked_query(key))

    def _checked_query(self, vector: Any) -> np.ndarray:
        vector = np.asarray(numeric_array(vector, "vector", "WordVectors"), np.float64)
        if vector.shape != (self.vector_size,):
            raise ValueError(
                f"A vector of shape {vector.shape} was given where one of {self.vector_size} "
                "numbers, or a word, is needed."
            )
        if not np.isfinite(vector).all():
            raise ValueError(
                "A vector with NaN or infinite values was given; its direction is needed."
            )
        return vector

    def _range(self, start: int, end: int | None, restrict: int | None) -> tuple[int, int]:
        if restrict:
            start, end = 0, check_at_least("restrict_vocab", restrict, 1)
        first, last, _ = slice(start, end or None).indices(len(self))
        return first, max(first, last)

    def _named(
        self, scores: np.ndarray, topn: int, given: list[int], first: int
    ) -> list[tuple[str, float]]:
        """(word, score) of the best, without what was given."""
        left_out = [i - first for i in given if 0 <= i - first < len(scores)]
        found = queries.best(scores, topn, left_out)
        return [(self.index_to_key[i + first], float(scores[i])) for i in found]


def _is_word(key: Any) -> bool:
    return isinstance(key, str | int | np.integer)


def _outside() -> int:
    """How many calls up the caller of lowdim is."""
    import sys

    level, frame = 1, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("lowdim."):
        level, frame = level + 1, frame.f_back
    return level


def _checked_vectors(vectors: Any, words: list[str]) -> np.ndarray:
    """Vectors in C order, float32 or float64, read-only."""
    array = numeric_array(vectors, "vectors", "WordVectors")
    if array.ndim != 2 or len(array) != len(words):
        raise ValueError(
            f"vectors has shape {array.shape}; {len(words)} words need {len(words)} rows."
        )
    if array.shape[1] == 0:
        raise ValueError("vectors has no columns; at least 1 is needed.")
    narrow = array.dtype.kind == "f" and array.dtype.itemsize <= 4
    array = np.ascontiguousarray(array, np.float32 if narrow else np.float64)
    for first in range(0, len(array), 2**14):
        finite = np.isfinite(array[first : first + 2**14]).all(axis=1)
        if not finite.all():
            i = first + int(np.argmin(finite))
            raise ValueError(
                f"The vector of {quoted(words[i])} (row {i}) has NaN or infinite values; leave "
                "the word out."
            )
    array = array.view(np.ndarray)
    array.flags.writeable = False
    return array


def _checked_counts(counts: Any, n: int) -> np.ndarray | None:
    """Counts as int64, or as float64 if some are not whole; read-only."""
    if counts is None:
        return None
    array = numeric_array(counts, "counts", "WordVectors")
    if array.shape != (n,):
        raise ValueError(f"counts has shape {array.shape}; {n} words need {n} counts.")
    valid = np.isfinite(array) & (array >= 0)
    if not valid.all():
        i = int(np.argmin(valid))
        raise ValueError(f"counts[{i}]={array[i]} is no count; counts are numbers of 0 or more.")
    whole = array.dtype.kind in "biu" or bool(
        np.all(array == np.floor(array)) and array.max() < 2**63
    )
    array = array.astype(np.int64 if whole else np.float64)
    array.flags.writeable = False
    return array
