"""Words that do not count, and what stands for words: lists and stemmers by language."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from typing import Any

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS


def stop_list(stop_words: Any) -> Collection[str] | None:
    """The words of a list, or of a language: 'english', or a code that stopwordsiso knows."""
    if stop_words is None or not isinstance(stop_words, str):
        return None if stop_words is None else frozenset(stop_words)
    if stop_words == "english":
        return ENGLISH_STOP_WORDS
    try:
        import stopwordsiso
    except ImportError:
        raise ValueError(
            f"not a built-in stop list: {stop_words}. Built in is 'english'; lists of other "
            "languages, by codes such as 'de', need stopwordsiso: pip install stopwordsiso. Or "
            "give a list of words."
        ) from None
    if not stopwordsiso.has_lang(stop_words):
        known = ", ".join(sorted(stopwordsiso.langs()))
        raise ValueError(
            f"not a built-in stop list: {stop_words}. Known are 'english' and the languages of "
            f"stopwordsiso: {known}. Or give a list of words."
        )
    return frozenset(stopwordsiso.stopwords(stop_words))


def is_language(stop_words: Any) -> bool:
    """Whether the words come from a list that knows nothing of how words are cut here."""
    return isinstance(stop_words, str) and stop_words != "english"


class Stemmer:
    """What stands for words; each different word is looked up once, by one thread at a time.

    Parameters
    ----------
    stemmer : str or callable
        A language that snowballstemmer knows, or what gives the stem of one word.
    """

    def __init__(self, stemmer: str | Callable[[str], str]):
        self._given = stemmer
        self._stem = stemmer if callable(stemmer) else _snowball(stemmer)
        self._known: dict[str, str] = {}
        self._lock = threading.Lock()  # snowballstemmer keeps the word that it works on

    def __call__(self, words: list[str]) -> list[str]:
        known = self._known
        with self._lock:
            for word in words:
                if word not in known:
                    known[word] = self._stem(word)
        return [known[word] for word in words]

    def __reduce__(self) -> tuple:
        return Stemmer, (self._given,)


def _snowball(language: str) -> Callable[[str], str]:
    try:
        import snowballstemmer
    except ImportError:
        raise ImportError(
            f'stemmer={language!r} needs snowballstemmer: pip install "lowdim[text]". Or give a '
            "callable that takes a word and gives its stem."
        ) from None
    if language not in snowballstemmer.algorithms():
        known = ", ".join(snowballstemmer.algorithms())
        raise ValueError(f"stemmer={language!r} is not a language of snowballstemmer: {known}.")
    return snowballstemmer.stemmer(language).stemWord
