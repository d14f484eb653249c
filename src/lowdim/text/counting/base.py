"""What vectorizers share: documents opened, counted and made a matrix, whatever holds them."""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import closing
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.exceptions import NotFittedError

from lowdim.core.blocks import is_dask
from lowdim.text.counting.analysis import is_overridden
from lowdim.text.counting.characters import CharacterRules
from lowdim.text.counting.cutting import NO_LIMIT, Rules, table_of
from lowdim.text.counting.letters import letter_table, lower_case_is_by_letter, runs_of
from lowdim.text.counting.stop_words import Stemmer
from lowdim.text.counting.tally import (
    CharacterCounter,
    Counter,
    Part,
    PythonCounter,
    WordCounter,
    matrix_of,
)

PART_VALUES = 2**22  # stored counts in one file of a folder
# What Python counts before kernels know the vocabulary, in letters of words: runs of characters
# cost more, and so do terms of several words where kernels make a table of them
FEW_DOCUMENTS, FEW_LETTERS = 2**8, 2**14
OF_CHARACTERS, OF_TERM, OF_NGRAM = 6, 3, 12
STEPS = ("decode", "build_preprocessor", "build_tokenizer", "build_analyzer")


def counter_of(vectorizer: Any, vocabulary: dict | None, documents: Any = None) -> Counter:
    """What counts documents as the arguments of a vectorizer say.

    documents : those that will come; None: nobody knows how many
    """
    if vocabulary is not None and _are_few(documents, vectorizer, len(vocabulary)):
        return PythonCounter(vectorizer.build_analyzer(), vocabulary)
    terms = None if vocabulary is None else sorted(vocabulary, key=vocabulary.__getitem__)
    if all(isinstance(term, str) for term in terms or ()):
        if (of_characters := character_rules_of(vectorizer)) is not None:
            prepare = Preparation(vectorizer.decode, vectorizer.build_preprocessor(), False)
            return _Prepared(CharacterCounter(of_characters, terms), prepare)
        if (rules := rules_of(vectorizer)) is not None:
            return _Prepared(WordCounter(rules, terms), preparation_of(vectorizer))
    return PythonCounter(vectorizer.build_analyzer(), vocabulary)


def _are_few(documents: Any, vectorizer: Any, n_terms: int) -> bool:
    """Whether to count these texts takes no longer than to make a table of all terms."""
    if not isinstance(documents, list | tuple) or len(documents) > FEW_DOCUMENTS:
        return False
    if not all(type(document) is str for document in documents):
        return False
    least, most = vectorizer.ngram_range or (1, 1)
    of_words = vectorizer.analyzer == "word"
    counting = (most - least + 1) * (1 if of_words else OF_CHARACTERS) * sum(map(len, documents))
    by_term = OF_NGRAM if of_words and most > 1 else OF_TERM
    return bool(counting <= FEW_LETTERS + n_terms * by_term)


def character_rules_of(vectorizer: Any) -> CharacterRules | None:
    """How kernels make runs of characters; None if terms are others, or only Python can."""
    own = any(is_overridden(vectorizer, name) for name in STEPS)
    if own or callable(vectorizer.analyzer) or vectorizer.analyzer not in ("char", "char_wb"):
        return None
    least, most = vectorizer.ngram_range
    if not 1 <= least <= most:
        return None
    return CharacterRules((int(least), int(most)), vectorizer.analyzer == "char_wb")


def rules_of(vectorizer: Any) -> Rules | None:
    """How kernels cut words as the arguments of a vectorizer say; None if only Python can."""
    runs = runs_of(vectorizer.token_pattern)
    own = any(is_overridden(vectorizer, name) for name in STEPS)
    if callable(vectorizer.stemmer) and _words_in_a_row(vectorizer.ngram_range) != (1, 1):
        own = True  # a stem with a blank in it could be two words of an n-gram
    if own or runs is None or vectorizer.analyzer != "word" or vectorizer.tokenizer is not None:
        return None
    preprocess, tokenize = vectorizer.build_preprocessor(), vectorizer.build_tokenizer()
    stop_words = vectorizer.get_stop_words()
    vectorizer._check_stop_words_consistency(stop_words, preprocess, tokenize)
    most, stemmer = vectorizer.max_word_length, vectorizer.stemmer
    stop = sorted(word for word in stop_words or () if isinstance(word, str))
    return Rules(
        letters=letter_table(runs.one, _is_plain(vectorizer) and bool(vectorizer.lowercase)),
        least=runs.least,
        most=NO_LIMIT if most is None else most,
        stop=table_of(stop if most is None else ["", *stop]),  # '': a word that is too long
        ngrams=_words_in_a_row(vectorizer.ngram_range),
        stem=None if stemmer is None else Stemmer(stemmer),
    )


def preparation_of(vectorizer: Any) -> Preparation:
    """What makes texts of documents before `rules_of` cuts them."""
    preprocess = None if _is_plain(vectorizer) else vectorizer.build_preprocessor()
    return Preparation(vectorizer.decode, preprocess, bool(vectorizer.lowercase))


def _is_plain(vectorizer: Any) -> bool:
    """Whether nothing is done to a text but to make it lower case, which kernels do."""
    return vectorizer.preprocessor is None and not vectorizer.strip_accents


class Preparation:
    """Documents are decoded, and made lower case where kernels cannot do it."""

    def __init__(self, decode: Any, preprocess: Any, lower: bool):
        self._decode, self._preprocess, self._lower = decode, preprocess, lower

    def __call__(self, documents: Iterable[Any]) -> Iterator[str]:
        for i, document in enumerate(documents):
            text = document if type(document) is str else self._decode(document)
            if self._preprocess is not None:
                text = self._preprocess(text)
            if not isinstance(text, str):
                raise TypeError(
                    f"Document {i} is of type {type(text).__name__}; documents are text (str, or "
                    "bytes to be decoded)."
                )
            if self._preprocess is None and self._lower and not lower_case_is_by_letter(text):
                text = text.lower()
            yield text


class _Prepared:
    """A counter of documents that are prepared first."""

    def __init__(self, counter: WordCounter | CharacterCounter, prepare: Preparation):
        self._counter, self._prepare = counter, prepare
        self.terms = counter.terms

    def parts(self, documents: Iterable[Any]) -> Generator[Part, None, None]:
        with closing(self._counter.parts(self._prepare(documents))) as parts:
            yield from parts

    def sequences(
        self, documents: Iterable[Any]
    ) -> Generator[tuple[np.ndarray, np.ndarray], None, None]:
        with closing(self._counter.sequences(self._prepare(documents))) as found:
            yield from found


def _words_in_a_row(ngram_range: tuple[int, int]) -> tuple[int, int]:
    least, most = ngram_range
    return (1, 1) if most == 1 else (max(1, int(least)), int(most))


# ---- documents -----------------------------------------------------------------------------------


def open_documents(documents: Any) -> Iterable[Any]:
    """Documents to be read once; a Dask bag is computed partition by partition."""
    if isinstance(documents, str):
        raise ValueError(
            "Iterable over raw text documents expected, string object received. Give a list of "
            "documents, or lowdim.corpus(path) for those of a file."
        )
    if documents is None or (isinstance(documents, bytes) or not hasattr(documents, "__iter__")):
        raise TypeError(
            f"Documents cannot be read from {type(documents).__name__}; give a list of texts or "
            "lowdim.corpus(...)."
        )
    if is_dask_documents(documents):
        return (doc for part in documents.to_delayed() for doc in part.compute())
    return documents


def is_dask_documents(documents: Any) -> bool:
    """Whether documents are a Dask bag, or a column of a Dask data frame."""
    return (hasattr(documents, "to_delayed") and hasattr(documents, "npartitions")) or (
        is_dask(documents) and hasattr(documents, "to_delayed")
    )


def sequences_of(
    vectorizer: Any, documents: Iterable[Any]
) -> Generator[tuple[np.ndarray, np.ndarray], None, None]:
    """The words of documents as columns of a fitted vectorizer, chunk by chunk.

    Gives (ids, last): int32, -1 for words that are not in the vocabulary or do not count, and where
    each document ends.
    """
    check_known(vectorizer)
    if not callable(vectorizer.analyzer) and _words_in_a_row(vectorizer.ngram_range) != (1, 1):
        raise ValueError(
            f"The order of words needs a vectorizer of single words; this one has "
            f"ngram_range={vectorizer.ngram_range}."
        )
    with closing(counter_of(vectorizer, vectorizer.vocabulary_).sequences(documents)) as found:
        yield from found


# ---- matrices ------------------------------------------------------------------------------------


def written_to(folder: Any, parts: Iterable[Part], n_columns: int, dtype: Any, weigh: Any) -> Any:
    """Rows as .npz files in a folder, and a stream of them; memory of one file."""
    from lowdim.tables.streaming import stream

    os.makedirs(folder, exist_ok=True)
    there = sorted(name for name in os.listdir(folder) if name.endswith(".npz"))
    if there:
        raise ValueError(
            f"folder={os.fspath(folder)!r} has .npz files already (first: {there[0]!r}); name "
            "another folder, or delete them."
        )
    paths: list[str] = []
    for rows in _grouped(parts, n_columns, dtype):
        path = os.path.join(folder, f"part-{len(paths):05d}.npz")
        sp.save_npz(f"{path}.unfinished.npz", weigh(rows), compressed=False)
        os.replace(f"{path}.unfinished.npz", path)
        paths.append(path)
    if not paths:
        raise ValueError("There are no documents to write; at least 1 is needed.")
    return stream(paths)


def _grouped(parts: Iterable[Part], n_columns: int, dtype: Any) -> Iterator[sp.csr_array]:
    waiting: list[sp.csr_array] = []
    n = 0
    for part in parts:
        waiting.append(matrix_of(part, None, n_columns, dtype))
        n += waiting[-1].nnz
        if n >= PART_VALUES:
            yield sp.csr_array(sp.vstack(waiting, format="csr"))
            waiting, n = [], 0
    if waiting:
        yield sp.csr_array(sp.vstack(waiting, format="csr"))


def on_dask(documents: Any, transform: Any, n_columns: int, dtype: Any) -> Any:
    """A Dask array of csr blocks, one for each partition of the documents."""
    import dask
    import dask.array as da

    empty = sp.csr_array((0, n_columns), dtype=dtype)
    apply = dask.delayed(_of_partition)
    shared = dask.delayed(transform, traverse=False)  # the vocabulary once, not in every task
    blocks = [
        da.from_delayed(apply(shared, part), (np.nan, n_columns), meta=empty)
        for part in documents.to_delayed()
    ]
    return da.concatenate(blocks, axis=0, allow_unknown_chunksizes=True)


def _of_partition(transform: Any, documents: Any) -> sp.csr_array:
    return transform(list(documents))


# ---- a vocabulary that is given ------------------------------------------------------------------


def given_vocabulary(vocabulary: Any) -> dict[Any, int] | None:
    """Term -> column, as a user gives it."""
    if vocabulary is None:
        return None
    if not isinstance(vocabulary, Mapping):
        terms = sorted(vocabulary) if isinstance(vocabulary, set) else list(vocabulary)
        known: dict[Any, int] = {}
        for i, term in enumerate(terms):
            if known.setdefault(term, i) != i:
                raise ValueError(f"Duplicate term in vocabulary: {term!r}")
        vocabulary = known
    numbers = set(vocabulary.values())
    if len(numbers) != len(vocabulary):
        raise ValueError("Vocabulary contains repeated indices.")
    missing = next((i for i in range(len(vocabulary)) if i not in numbers), None)
    if missing is not None:
        raise ValueError(f"Vocabulary of size {len(vocabulary)} doesn't contain index {missing}.")
    if not vocabulary:
        raise ValueError("empty vocabulary passed to fit")
    return {term: int(i) for term, i in vocabulary.items()}


def check_known(vectorizer: Any) -> None:
    """Raise unless there is a vocabulary, learned or given."""
    if not hasattr(vectorizer, "vocabulary_"):
        given = given_vocabulary(vectorizer.vocabulary)
        vectorizer.fixed_vocabulary_ = given is not None
        if given is None:
            raise NotFittedError("Vocabulary not fitted or provided. Call fit first.")
        vectorizer.vocabulary_ = given
    if len(vectorizer.vocabulary_) == 0:
        raise ValueError("Vocabulary is empty")
