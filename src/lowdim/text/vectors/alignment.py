"""Word vectors of two languages or corpora in one space: a rotation lays pairs over each other.

    minimise over Q     sum_i w_i |x_i Q - y_i|^2     with Q'Q = I (QQ' = I if y is longer than x)

    sum_i w_i x_i y_i' = U S V',   Q = U V'           (Schönemann 1966)

A rotation keeps all cosines, so nothing of the source is lost. Words that are near to very many
("hubs") are corrected for when neighbours are looked for (Conneau et al. 2018, CSLS):

    csls(x, y) = 2 cos(x, y) - r(x) - r(y),   r: mean cosine with the k nearest of the other side

Cost: O(pairs d^2 + d^3); neighbours take one product of both sets of vectors, in blocks.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.estimator import SameBits
from lowdim.core.numeric import numeric_array
from lowdim.core.persistence import PlainObject, save_model
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_choice
from lowdim.datasets.words import load_dictionary
from lowdim.linalg.nearest import best_columns
from lowdim.linalg.products import dense_times, lapack_svd
from lowdim.tables.errors import plain, quoted
from lowdim.text.vectors.keyed import Keyed
from lowdim.text.vectors.normalizing import apply, checked_steps, normalize
from lowdim.text.vectors.queries import unit_rows
from lowdim.text.vectors.word_vectors import WordVectors

RETRIEVALS = ("csls", "cosine")
MOST_REFINED = 15_000  # words of each side that may become pairs: the first, which are common
PIECE = 4096  # pairs that are added up at once


@single_threaded_blas()
def align(
    source: Any,
    target: Any,
    pairs: Any = None,
    *,
    normalize: Sequence[str] = ("unit", "center", "unit"),
    weights: Any = None,
    refine: int = 0,
    csls_k: int = 10,
) -> Alignment:
    """Rotate the word vectors of one language or corpus onto those of another.

    Minimises  sum_i w_i |x_i Q - y_i|^2  over rotations Q, for pairs of words (x_i, y_i), by a
    singular value decomposition [1]_. Vectors of other sizes: the smaller space lies in the larger
    one without any change of its angles.

    Parameters
    ----------
    source, target : WordVectors, or a model that has some (`wv`)
    pairs : list of (str, str), dict, str or path-like, or None, default=None
        Words of the source with words of the target that mean the same; a dict may have lists of
        them, and a path is that of a dictionary (`lowdim.datasets.load_dictionary`). Pairs with
        unknown words are left out. None: words that are written alike in both.
    normalize : tuple of {"unit", "center"}, default=("unit", "center", "unit")
        Steps that are first taken with the vectors of each side, as in `WordVectors.normalized`.
    weights : array of shape (n_pairs,), default=None
        How much each pair counts.
    refine : int, default=0
        How often pairs are found anew and the rotation with them: words that are each other's
        nearest by CSLS, among the first 15,000 of both sides [2]_. A few hundred pairs at the start
        will then do.
    csls_k : int, default=10
        Number of neighbours whose mean cosine says how much of a hub a word is.

    Returns
    -------
    Alignment
        With `rotation_`, `translate`, `evaluate`, `shift` and `transform`.

    References
    ----------
    .. [1] P. H. Schönemann (1966). A generalized solution of the orthogonal Procrustes problem.
       Psychometrika 31(1).
    .. [2] A. Conneau, G. Lample, M. Ranzato, L. Denoyer, H. Jégou (2018). Word translation without
       parallel data. ICLR.
    .. [3] W. L. Hamilton, J. Leskovec, D. Jurafsky (2016). Diachronic word embeddings reveal
       statistical laws of semantic change. ACL.

    Examples
    --------
    A turned copy of the same vectors is turned back:

    >>> import numpy as np
    >>> import lowdim
    >>> words, X = ["one", "two", "three", "four"], np.random.default_rng(0).normal(size=(4, 2))
    >>> turned = X @ [[0.0, 1.0], [-1.0, 0.0]]
    >>> english, french = lowdim.WordVectors(words, X), lowdim.WordVectors(list("abcd"), turned)
    >>> found = lowdim.text.align(english, french, [("one", "a"), ("two", "b"), ("three", "c")])
    >>> found.rotation_.round(6) + 0.0
    array([[ 0.,  1.],
           [-1.,  0.]])
    >>> found.translate("four", topn=1, retrieval="cosine")
    [('d', 1.0)]
    """
    source, target = _checked_side(source, "source"), _checked_side(target, "target")
    steps = checked_steps(normalize, "normalize")
    refine = check_at_least("refine", refine, 0)
    csls_k = check_at_least("csls_k", csls_k, 1)
    known = _known_pairs(pairs, source, target, weights)
    left, right = _Side.of(source, steps), _Side.of(target, steps)
    Q = rotation(left.vectors[known.source], right.vectors[known.target], known.weight)
    for _ in range(refine):
        mutual = _mutual(left, right, Q, csls_k)
        if len(mutual.source) == 0:
            break
        known = mutual
        Q = rotation(left.vectors[known.source], right.vectors[known.target], known.weight)
    names = [
        (source.index_to_key[i], target.index_to_key[j])
        for i, j in zip(known.source, known.target, strict=True)
    ]
    return Alignment(source, target, Q, names, steps, csls_k)


def rotation(X: np.ndarray, Y: np.ndarray, weight: np.ndarray | None = None) -> np.ndarray:
    """Q (d, e) that minimises sum w |x Q - y|^2: with orthonormal rows if d <= e, else columns."""
    total = np.zeros((X.shape[1], Y.shape[1]))
    for first in range(0, len(X), PIECE):
        x, y = (side[first : first + PIECE].astype(np.float64) for side in (X, Y))
        total += (x if weight is None else x * weight[first : first + PIECE, None]).T @ y
    size = np.abs(total).max(initial=0.0)
    U, _, Vt = lapack_svd(total / size if size > 0 else total)
    return (U @ Vt).astype(np.result_type(X, Y))


class Alignment(SameBits, PlainObject):
    """Two sets of word vectors in one space; made by `lowdim.text.align`.

    Parameters
    ----------
    source, target : WordVectors
    rotation : array of shape (d_source, d_target)
    pairs : list of (str, str)
        The pairs that it was found with.
    normalize : tuple of {"unit", "center"}
        Steps that are taken with the vectors of each side before the source is rotated.
    csls_k : int, default=10

    Attributes
    ----------
    source, target : WordVectors
        As they were given.
    rotation_ : ndarray of shape (d_source, d_target)
    pairs_ : list of (str, str)
    normalize : tuple of str
    csls_k : int
    target_ : WordVectors
        The target after the steps: the space into which `transform` maps.
    """

    def __init__(
        self,
        source: WordVectors,
        target: WordVectors,
        rotation: Any,
        pairs: Sequence[tuple[str, str]],
        normalize: Sequence[str],
        csls_k: int = 10,
    ):
        self.source, self.target = _checked_side(source, "source"), _checked_side(target, "target")
        self.rotation_ = numeric_array(rotation, "rotation", "Alignment")
        sizes = (self.source.vector_size, self.target.vector_size)
        if self.rotation_.shape != sizes or not np.isfinite(self.rotation_).all():
            raise ValueError(
                f"rotation has shape {self.rotation_.shape}; numbers of shape {sizes} are needed."
            )
        self.pairs_ = [(str(a), str(b)) for a, b in pairs]
        self.normalize = checked_steps(normalize, "normalize")
        self.csls_k = check_at_least("csls_k", csls_k, 1)
        self._left = _Side.of(self.source, self.normalize)
        self._right = _Side.of(self.target, self.normalize)
        self._mapped_units: np.ndarray | None = None
        self._target_density: np.ndarray | None = None

    def __repr__(self) -> str:
        return (
            f"<Alignment: {len(self.source):,} words to {len(self.target):,} words by "
            f"{len(self.pairs_):,} pairs>"
        )

    @property
    def target_(self) -> WordVectors:
        """The target after the steps of `normalize`."""
        return WordVectors(self.target.index_to_key, self._right.vectors, self.target.counts)

    def transform(self, wv: Any = None) -> WordVectors:
        """Word vectors of the source's space in that of the target.

        Parameters
        ----------
        wv : WordVectors or None, default=None
            None: the source. Others have the means of the source taken away.

        Returns
        -------
        WordVectors
            With the same words; to be compared with `target_`.
        """
        wv = self.source if wv is None else _checked_side(wv, "wv")
        if wv.vector_size != self.source.vector_size:
            raise ValueError(
                f"wv has vectors of {wv.vector_size} numbers, and the source of "
                f"{self.source.vector_size}."
            )
        vectors = self._left.vectors if wv is self.source else self._left.like(wv.vectors)
        return WordVectors(wv.index_to_key, _rotated(vectors, self.rotation_), wv.counts)

    def translate(self, words: Any, topn: int = 5, retrieval: str = "csls") -> Any:
        """The words of the target nearest to words of the source.

        Parameters
        ----------
        words : str or list of str
        topn : int, default=5
            How many.
        retrieval : {"csls", "cosine"}, default="csls"
            "cosine" ranks by the cosine; "csls" corrects it for words that are near to very many,
            and takes one product of all words with all words the first time.

        Returns
        -------
        list of (str, float), or dict from words to such lists
        """
        asked = [words] if isinstance(words, str) else list(words)
        index = self.source._indices(asked)
        found, score = self._nearest(index, check_at_least("topn", topn, 1), retrieval)
        names = self.target.index_to_key
        answers = [
            [(names[j], float(s)) for j, s in zip(js.tolist(), ss.tolist(), strict=True)]
            for js, ss in zip(found, score, strict=True)
        ]
        return answers[0] if isinstance(words, str) else dict(zip(asked, answers, strict=True))

    def evaluate(
        self, pairs: Any, topn: int | Sequence[int] = (1, 5, 10), retrieval: str = "csls"
    ) -> dict[int, float]:
        """The share of words with a right translation among the nearest.

        Parameters
        ----------
        pairs : list of (str, str), dict, str or path-like
            As for `align`; a word with several translations counts once, and any of them is right.
            Pairs with unknown words are left out.
        topn : int or tuple of int, default=(1, 5, 10)
            Among how many.
        retrieval : {"csls", "cosine"}, default="csls"

        Returns
        -------
        dict
            From each of `topn` to the share, from 0 to 1.
        """
        levels = [topn] if isinstance(topn, int | np.integer) else list(topn)
        levels = [check_at_least("topn", n, 1) for n in levels]
        known = _known_pairs(pairs, self.source, self.target, None)
        answers: dict[int, set[int]] = {}
        for i, j in zip(known.source.tolist(), known.target.tolist(), strict=True):
            answers.setdefault(i, set()).add(j)
        found, _ = self._nearest(np.array(list(answers), np.intp), max(levels), retrieval)
        right = np.array(
            [[j in of for j in js] for js, of in zip(found.tolist(), answers.values(), strict=True)]
        )
        return {n: float(right[:, :n].any(axis=1).mean()) for n in levels}

    def shift(self, words: Any = None) -> Any:
        """How far words that both sides have are from themselves: whose meaning moved.

        Parameters
        ----------
        words : str, list of str, or None, default=None
            None: all words that both sides have.

        Returns
        -------
        list of (str, float)
            1 - the cosine of a word of the source with the same word of the target, the largest
            first; of one word (str) the number alone.
        """
        if words is None:
            asked = [word for word in self.source.index_to_key if word in self.target.key_to_index]
        else:
            asked = [words] if isinstance(words, str) else list(words)
        i, j = self.source._indices(asked), self.target._indices(asked)
        left, right = self._units[i].astype(np.float64), self._right.units[j].astype(np.float64)
        moved = 1.0 - np.clip(np.einsum("ij,ij->i", left, right), -1.0, 1.0)
        if isinstance(words, str):
            return float(moved[0])
        order = np.argsort(-moved, kind="stable")
        return [(asked[k], float(moved[k])) for k in order.tolist()]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write it to one file that `lowdim.load` reads; it runs no code."""
        save_model(self, path)

    def _fields(self) -> dict[str, Any]:
        return {
            "source": self.source,
            "target": self.target,
            "rotation": self.rotation_,
            "pairs": [list(pair) for pair in self.pairs_],
            "normalize": list(self.normalize),
            "csls_k": self.csls_k,
        }

    @classmethod
    def _of_fields(cls, fields: dict[str, Any]) -> Alignment:
        return cls(**fields)

    @property
    def _units(self) -> np.ndarray:
        """The mapped source, of length 1."""
        if self._mapped_units is None:
            self._mapped_units = unit_rows(_rotated(self._left.vectors, self.rotation_))
        return self._mapped_units

    def _nearest(
        self, index: np.ndarray, topn: int, retrieval: str
    ) -> tuple[np.ndarray, np.ndarray]:
        """Numbers and scores of the nearest words of the target for words of the source."""
        check_choice("retrieval", retrieval, RETRIEVALS)
        Z, Y = self._units[index], self._right.units
        if retrieval == "cosine":
            found = best_columns(Z, Y, np.zeros(len(Y)), topn)
            return found.column, np.clip(found.score, -1, 1)
        if self._target_density is None:
            self._target_density = density(Y, self._units, self.csls_k)
        found = best_columns(Z, Y, -self._target_density / 2, topn)
        return found.column, 2 * found.score - density(Z, Y, self.csls_k)[:, None]


def density(Z: np.ndarray, Y: np.ndarray, k: int) -> np.ndarray:
    """The mean cosine of each row of Z with its k nearest rows of Y, all of length 1."""
    return best_columns(Z, Y, np.zeros(len(Y)), k).score.mean(axis=1)


class _Pairs(NamedTuple):
    """Numbers of words of both sides that belong together."""

    source: np.ndarray  # (n,)
    target: np.ndarray  # (n,)
    weight: np.ndarray | None  # (n,)


class _Side(NamedTuple):
    """One set of vectors after the steps."""

    vectors: np.ndarray
    learned: Any

    @classmethod
    def of(cls, wv: WordVectors, steps: tuple[str, ...]) -> _Side:
        return cls(*normalize(wv.vectors, steps))

    def like(self, vectors: np.ndarray) -> np.ndarray:
        """Other vectors after the same steps."""
        return apply(vectors, self.learned)

    @property
    def units(self) -> np.ndarray:
        ended = self.learned.steps and self.learned.steps[-1][0] == "unit"
        return self.vectors if ended else unit_rows(self.vectors)


def _rotated(vectors: np.ndarray, Q: np.ndarray) -> np.ndarray:
    return dense_times(vectors, Q.astype(vectors.dtype))


def _mutual(left: _Side, right: _Side, Q: np.ndarray, k: int) -> _Pairs:
    """Words that are each other's nearest by CSLS, among the first of both sides."""
    Z = unit_rows(_rotated(left.vectors[:MOST_REFINED], Q))
    Y = right.units[:MOST_REFINED]
    Z, Y = (side.astype(np.result_type(Z, Y)) for side in (Z, Y))
    forward = best_columns(Z, Y, -density(Y, Z, k) / 2, 1).column[:, 0]
    backward = best_columns(Y, Z, -density(Z, Y, k) / 2, 1).column[:, 0]
    source = np.flatnonzero(backward[forward] == np.arange(len(Z)))
    return _Pairs(source, forward[source], None)


def _checked_side(given: Any, name: str) -> WordVectors:
    wv = given if isinstance(given, Keyed) else getattr(given, "wv", given)
    if not isinstance(wv, WordVectors):
        raise TypeError(
            f"{name} is a {type(given).__name__}; give WordVectors, or a model that has them."
        )
    return wv


def _known_pairs(pairs: Any, source: WordVectors, target: WordVectors, weights: Any) -> _Pairs:
    """The pairs of which both words are known."""
    given = list(_pairs(pairs, source, target))
    weight = None if weights is None else _checked_weights(weights, len(given))
    index = [(source._index(a), target._index(b)) for a, b in given]
    kept = [k for k, (i, j) in enumerate(index) if i >= 0 and j >= 0]
    if not kept:
        raise ValueError(_nothing_known(pairs, given))
    numbers = np.array([index[k] for k in kept], dtype=np.intp)
    weight = None if weight is None else weight[kept]
    if weight is not None and not weight.any():
        raise ValueError("All weights of known pairs are 0; at least 1 must not be.")
    return _Pairs(numbers[:, 0], numbers[:, 1], weight)


def _nothing_known(pairs: Any, given: list[tuple[str, str]]) -> str:
    if pairs is None:
        return "No word is written alike in source and target; give pairs."
    if not given:
        return "There are no pairs; give at least 1."
    first = f"{quoted(given[0][0])} and {quoted(given[0][1])}"
    return (
        f"None of the {len(given)} pairs has vectors for both its words (the first: {first}); give "
        "pairs of a word of the source and one of the target."
    )


def _pairs(pairs: Any, source: WordVectors, target: WordVectors) -> Iterable[tuple[str, str]]:
    if pairs is None:
        yield from ((w, w) for w in source.index_to_key if w in target.key_to_index)
        return
    if isinstance(pairs, str | os.PathLike):
        pairs = load_dictionary(pairs)
    if isinstance(pairs, Mapping):
        pairs = [
            (word, one)
            for word, several in pairs.items()
            for one in ([several] if isinstance(several, str) else several)
        ]
    for pair in pairs:
        one, two = pair if not isinstance(pair, str) and len(pair) == 2 else (None, None)
        if not isinstance(one, str) or not isinstance(two, str):
            raise TypeError(f"{plain(repr(pair))} is no pair of words; give (word, word).")
        yield one, two


def _checked_weights(weights: Any, n: int) -> np.ndarray:
    weight = np.asarray(numeric_array(weights, "weights", "align"), np.float64)
    if weight.shape != (n,):
        raise ValueError(f"weights has shape {weight.shape}; {n} pairs need {n} weights.")
    if not np.all(np.isfinite(weight) & (weight >= 0)):
        raise ValueError("weights has NaN, infinite or negative values; weights are 0 or more.")
    return weight
