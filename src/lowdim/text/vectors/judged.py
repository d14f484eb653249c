"""How good word vectors are: analogies, pairs that people judged, and categories."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from lowdim.core.validation import check_choice
from lowdim.datasets.words import Analogy, WordPair, load_analogies, load_word_similarity
from lowdim.tables.errors import listed, plain, quoted
from lowdim.text.vectors import queries
from lowdim.text.vectors.analogies import Questions, answered
from lowdim.text.vectors.filed import Filed
from lowdim.text.vectors.reading import text_lines

FUNCTIONS = ("most_similar", "most_similar_cosmul")
STARTS = 10  # of k-means


class Judged(Filed):
    """Word vectors held against what people say of words."""

    def evaluate_word_analogies(
        self,
        analogies: str | os.PathLike[str] | Mapping[str, Iterable[Analogy]],
        restrict_vocab: int | None = 300_000,
        case_insensitive: bool = True,
        dummy4unknown: bool = False,
        similarity_function: str = "most_similar",
    ) -> tuple[float, list[dict[str, Any]]]:
        """The share of questions a : b = c : ? whose best answer is the right one.

        Parameters
        ----------
        analogies : str, path-like or dict
            A file such as questions-words.txt, or what `lowdim.datasets.load_analogies` gives: from
            sections to lists of (a, b, c, d).
        restrict_vocab : int or None, default=300000
            Only the first words are known.
        case_insensitive : bool, default=True
            Whether words are compared in capitals; of several that are then equal, the first
            counts.
        dummy4unknown : bool, default=False
            Whether questions with unknown words count as wrong answers, or not at all.
        similarity_function : {"most_similar", "most_similar_cosmul"}, default="most_similar"
            How answers are found: "3cosadd" or "3cosmul" of `analogy`.

        Returns
        -------
        score : float
        sections : list of dict
            For each section its name ("section") and the questions with right and wrong answers
            ("correct", "incorrect"); the last one, "Total accuracy", has all.

        Examples
        --------
        >>> from lowdim import WordVectors
        >>> words = ["man", "woman", "king", "queen", "tree"]
        >>> wv = WordVectors(words, [[1, 0, 0], [1, 1, 0], [1, 0, 1], [1, 1, 1], [-1, 0, 0.2]])
        >>> questions = {"royal": [("man", "king", "woman", "queen"), ("man", "king", "a", "b")]}
        >>> wv.evaluate_word_analogies(questions)[0]
        1.0
        """
        check_choice("similarity_function", similarity_function, FUNCTIONS)
        if not isinstance(analogies, Mapping):
            if not isinstance(analogies, str | os.PathLike):
                raise TypeError(
                    f"analogies is a {type(analogies).__name__}; give the path of a file, or a "
                    "dict from sections to lists of four words."
                )
            analogies = load_analogies(analogies)
        table = _WordTable(self, restrict_vocab, case_insensitive)
        analogies = {name: _checked_questions(some) for name, some in analogies.items()}
        if not any(analogies.values()):
            raise ValueError("There are no questions in analogies.")
        asked: list[list[int]] = []
        sections: list[dict[str, Any]] = []
        marks: list[tuple[int, int, Analogy]] = []  # section, number of the question or -1, words
        for s, (name, questions) in enumerate(analogies.items()):
            sections.append({"section": name, "correct": [], "incorrect": []})
            for question in questions:
                words, numbers = table.looked_up(question)
                known = min(numbers) >= 0
                if known:
                    asked.append(numbers)
                if known or dummy4unknown:
                    marks.append((s, len(asked) - 1 if known else -1, words))
        right = table.answered(asked, multiply=similarity_function == FUNCTIONS[1])
        for s, k, words in marks:
            sections[s]["correct" if k >= 0 and right[k] else "incorrect"].append(words)
        total: dict[str, Any] = {"section": "Total accuracy"}
        for key in ("correct", "incorrect"):
            total[key] = [words for section in sections for words in section[key]]
        n = len(total["correct"]) + len(total["incorrect"])
        return len(total["correct"]) / n if n else 0.0, [*sections, total]

    def evaluate_word_pairs(
        self,
        pairs: str | os.PathLike[str] | Iterable[WordPair],
        delimiter: str = "\t",
        encoding: str = "utf8",
        restrict_vocab: int | None = 300_000,
        case_insensitive: bool = True,
        dummy4unknown: bool = False,
    ) -> tuple[Any, Any, float]:
        """How similarities of pairs of words go with those that people see.

        Parameters
        ----------
        pairs : str, path-like or list of (str, str, float)
            A file with two words and a score in each line, such as wordsim353.tsv, or a list, such
            as `lowdim.datasets.load_word_similarity` has for each of its data sets. Lines that
            begin with #, and those without a score, are left out.
        delimiter, encoding : str, default="\\t", "utf8"
            What is between the words of a file, and how it is written.
        restrict_vocab : int or None, default=300000
            Only the first words are known.
        case_insensitive : bool, default=True
            Whether words are compared in capitals.
        dummy4unknown : bool, default=False
            Whether pairs with unknown words have the similarity 0, or are left out.

        Returns
        -------
        pearson, spearman : (correlation, p-value)
            Results of scipy.stats.
        oov_ratio : float
            The percentage of pairs with unknown words.

        Examples
        --------
        >>> from lowdim import WordVectors
        >>> wv = WordVectors(["a", "b", "c", "d"], [[1, 0], [1, 1], [0, 1], [-1, 1]])
        >>> scores = [("a", "b", 8.0), ("a", "c", 5.0), ("a", "d", 1.0), ("a", "x", 3.0)]
        >>> pearson, spearman, unknown = wv.evaluate_word_pairs(scores)
        >>> print(f"{spearman[0]:.2f} {unknown}")
        1.00 25.0
        """
        from scipy import stats

        table = _WordTable(self, restrict_vocab, case_insensitive)
        given = _word_pairs(pairs, delimiter, encoding)
        found = [(table.looked_up((a, b))[1], score) for a, b, score in given]
        unknown = sum(min(numbers) < 0 for numbers, _ in found)
        if not dummy4unknown:
            found = [(numbers, score) for numbers, score in found if min(numbers) >= 0]
        if len(found) < 2:
            raise ValueError(
                f"{len(found)} of the {len(given)} pairs have words that are known and a score; at "
                "least 2 are needed."
            )
        i, j = np.array([numbers for numbers, _ in found]).T
        left, right = (queries.unit_rows(self.vectors[k].astype(np.float64)) for k in (i, j))
        model = np.where((i < 0) | (j < 0), 0.0, np.einsum("ij,ij->i", left, right))
        model[(i == j) & (model > 0)] = 1.0  # without rounding: such pairs are equal
        people = [score for _, score in found]
        of_all = 100.0 * unknown / (len(found) + (0 if dummy4unknown else unknown))
        return stats.pearsonr(people, model), stats.spearmanr(people, model), of_all

    def evaluate_categories(
        self, words: Sequence[str], labels: Sequence[Any], *, random_state: Any = 0
    ) -> float:
        """How well clusters of words are categories: the purity of k-means.

        As many clusters as there are categories are made of the vectors of the words, over their
        lengths, and each cluster stands for its commonest category.

        Parameters
        ----------
        words : list of str
            Unknown words are left out.
        labels : list
            The category of each word.
        random_state : int, Generator or RandomState, default=0
            For the starts of k-means.

        Returns
        -------
        purity : float
            The share of words in clusters that stand for their categories, from 0 to 1.

        Examples
        --------
        >>> from lowdim import WordVectors
        >>> words = ["cat", "dog", "tea", "wine"]
        >>> wv = WordVectors(words, [[1, 0.1], [1, 0.2], [0.1, 1], [0, 1]])
        >>> wv.evaluate_categories(words, ["animal", "animal", "drink", "drink"])
        1.0
        """
        from lowdim.cluster.kmeans import KMeans

        words, labels = list(words), list(labels)
        if len(words) != len(labels):
            raise ValueError(f"There are {len(words)} words and {len(labels)} labels.")
        known = [k for k, word in enumerate(words) if word in self]
        if not known:
            raise ValueError("None of the words is known.")
        names = {label: None for label in (labels[k] for k in known)}
        of = {label: k for k, label in enumerate(names)}
        category = np.array([of[labels[k]] for k in known])
        index = self._indices([words[k] for k in known])
        units = queries.unit_rows(self.vectors[index].astype(np.float64))
        model = KMeans(len(names), n_init=STARTS, random_state=random_state).fit(units)
        counts = np.zeros((len(names), len(names)), np.int64)
        np.add.at(counts, (model.labels_, category), 1)
        return float(counts.max(axis=1).sum() / len(known))


class _WordTable:
    """Words by how they are written, perhaps in capitals; of equals, the first."""

    def __init__(self, wv: Judged, restrict: int | None, capitals: bool):
        self._wv, self._capitals = wv, capitals
        words = wv.index_to_key[:restrict]
        written = [word.upper() for word in words] if capitals else words
        self._number: dict[str, int] = {}
        same = [self._number.setdefault(word, i) for i, word in enumerate(written)]
        self._same = np.array(same, dtype=np.intp)

    def looked_up(self, words: Iterable[str]) -> tuple[Any, list[int]]:
        """Words as they are compared, and their numbers; -1 for unknown ones."""
        words = tuple(words)
        for word in words:
            if not isinstance(word, str):
                raise TypeError(f"{plain(repr(words))} has what is no word: {plain(repr(word))}.")
        words = tuple(word.upper() for word in words) if self._capitals else words
        return words, [self._number.get(word, -1) for word in words]

    def answered(self, asked: list[list[int]], multiply: bool) -> np.ndarray:
        numbers = np.array(asked, dtype=np.intp).reshape(-1, 4)
        n = len(self._same)
        units = queries.unit_rows(self._wv.vectors[:n], self._wv._lengths[:n])
        questions = Questions(numbers[:, :3], numbers[:, 3], self._same)
        return answered(units, questions, multiply=multiply)


def _checked_questions(questions: Iterable[Any]) -> list[Analogy]:
    questions = [tuple(words) for words in questions]
    for words in questions:
        if len(words) != 4:
            raise ValueError(f"{plain(repr(words))} is no question; a question has 4 words.")
    return questions


def _word_pairs(pairs: Any, delimiter: str, encoding: str) -> list[WordPair]:
    if isinstance(pairs, Mapping):
        raise TypeError(
            f"pairs is a dict of data sets; choose one: pairs[{next(iter(pairs), 'name')!r}]."
        )
    if not isinstance(pairs, str | os.PathLike):
        return [(a, b, float(score)) for a, b, score in pairs]
    if os.fspath(pairs).removesuffix(".gz").endswith(".csv") and delimiter == "\t":
        sets = load_word_similarity(pairs)
        if len(sets) != 1:
            raise ValueError(
                f"{plain(os.fspath(pairs), 200)} has {len(sets)} data sets "
                f"({listed([quoted(name) for name in sets])}); choose one: "
                "lowdim.datasets.load_word_similarity(path)[name]."
            )
        return next(iter(sets.values()))
    found = []
    for line in text_lines(pairs, encoding):
        fields = line.split(delimiter)
        if len(fields) == 3 and not line.startswith("#"):
            try:
                found.append((fields[0], fields[1], float(fields[2])))
            except ValueError:  # such as the names of the columns
                continue
    return found
