"""`WordVectors`: a vector for each word, and what one asks of them.

Answers like gensim's KeyedVectors (Řehůřek), with the same names, arguments and types of results.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp

from lowdim.core.numeric import numeric_array
from lowdim.core.validation import check_at_least, check_choice
from lowdim.linalg.nearest import best_columns
from lowdim.text.vectors import queries
from lowdim.text.vectors.approximate import approximate_nearest, worthwhile
from lowdim.text.vectors.judged import Judged
from lowdim.text.vectors.keyed import is_word
from lowdim.text.vectors.normalizing import checked_steps, normalize
from lowdim.text.vectors.queries import Nearest

METHODS = ("3cosadd", "3cosmul", "pair")


class WordVectors(Judged):
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
            if is_word(key):
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
        1e-6 (Levy and Goldberg): no single large cosine decides.

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
        given = [self._known_index(key) for key in [*positive, *negative] if is_word(key)]
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
            What is largest over words d, for vectors of length 1 (Levy and Goldberg): "3cosadd"
            cos(d, b - a + c); "3cosmul" (1 + cos(d, b)) (1 + cos(d, c)) / (1 + cos(d, a)); "pair"
            cos(d - c, b - a), the direction of the step alone, however long.
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
        given = [self._known_index(key) for key in (a, b, c) if is_word(key)]
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
            Look among words that point the same way, not among all: of 144,648 words, ten
            neighbours each were found in a quarter of the time, 93% of them the exact ones. Fewer
            than some 30,000 words, and vectors that are not those of words, are compared with all
            words all the same.

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
        if approximate and own is not None and worthwhile(len(own), len(self)):
            return approximate_nearest(units, own, topn)
        itself = None
        if own is not None:
            ones, ends = np.ones(len(own)), np.arange(len(own) + 1)
            itself = sp.csr_array((ones, own, ends), shape=(len(own), len(self)))
        found = best_columns(Z, units, np.zeros(len(self), units.dtype), topn, leave_out=itself)
        return Nearest(found.column, np.clip(found.score, -1, 1))

    def normalized(self, steps: Sequence[str] = ("center", "unit"), remove: int = 0) -> WordVectors:
        """The same words with vectors that are centred and of length 1.

        Parameters
        ----------
        steps : tuple of {"center", "unit"}, default=("center", "unit")
            "center" takes away the mean of all vectors, "unit" divides them by their lengths; one
            after the other, as often as they stand there.
        remove : int, default=0
            How many top principal directions are taken out, after the last centring: common words
            differ from rare ones along them (Mu and Viswanath). About vector_size / 100 is usual.

        Examples
        --------
        >>> import numpy as np
        >>> from lowdim import WordVectors
        >>> wv = WordVectors(["a", "b", "c"], [[1.0, 5.0], [2.0, 5.0], [6.0, 5.0]])
        >>> wv.normalized().vectors
        array([[-1.,  0.],
               [-1.,  0.],
               [ 1.,  0.]])
        """
        steps, remove = checked_steps(steps), check_at_least("remove", remove, 0)
        if remove >= self.vector_size:
            raise ValueError(
                f"remove={remove} leaves nothing of vectors of {self.vector_size} numbers; choose "
                "fewer."
            )
        vectors, _ = normalize(self.vectors, steps, remove)
        return WordVectors(self.index_to_key, vectors, self.counts)

    # ---- pairs and sets of words -----------------------------------------------------------------

    def similarity(self, w1: str, w2: str) -> Any:
        """The cosine of the vectors of two words."""
        i, j = self._known_index(w1), self._known_index(w2)
        left, right, length = self.vectors[i], self.vectors[j], self._lengths
        both = float(length[i]) * float(length[j])
        if 1e-15 < both < 1e15:  # ordinary vectors, without the care that others need
            cosine = float(left.dot(right)) / both
        else:
            cosine = float(queries.unit(left) @ queries.unit(right))
        return self.vectors.dtype.type(max(-1.0, min(1.0, cosine)))

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

    # ---- inside ----------------------------------------------------------------------------------

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
            vector = self._unit_query(key) if is_word(key) else self._checked_query(key)
            total += weight * vector
        return queries.unit(total), [self._known_index(key) for key, _ in items if is_word(key)]

    def _unit_query(self, key: Any) -> np.ndarray:
        return queries.unit(self[key] if is_word(key) else self._checked_query(key))

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
