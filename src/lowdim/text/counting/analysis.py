"""From a document to its terms, in Python: what `build_analyzer` gives, for any arguments.

    decode -> preprocess (lower case, accents) -> words -> stop words, stems -> n-grams

The kernels of cutting.py do the same for words that are runs of letters, those of characters.py for
runs of characters, and many times faster.
"""

from __future__ import annotations

import functools
import math
import re
import unicodedata
import warnings
from collections.abc import Callable, Collection, Iterable
from typing import Any

from lowdim.core.calling import level_of_caller
from lowdim.text.counting.stop_words import Stemmer, is_language, stop_list

WORDS_OF_TWO = r"(?u)\b\w\w+\b"
_BLANKS = re.compile(r"\s\s+")


def without_accents(text: str) -> str:
    """Letters without the marks that stand on them: 'é' is 'e', also in other alphabets."""
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def as_ascii(text: str) -> str:
    """Letters as ASCII where they have a form of it; others are left out."""
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")


def word_ngrams(words: list[Any], ngram_range: tuple[int, int]) -> list[Any]:
    """So many words in a row, joined by blanks."""
    least, most = ngram_range
    grams = list(words) if least <= 1 else []
    for n in range(max(least, 2), min(most, len(words)) + 1):
        grams += [" ".join(words[i : i + n]) for i in range(len(words) - n + 1)]
    return grams


def with_single_blanks(text: str) -> str:
    """A text in which several blanks in a row are one."""
    return _BLANKS.sub(" ", text)


def character_ngrams(text: str, ngram_range: tuple[int, int]) -> list[str]:
    """So many characters in a row; several blanks count as one."""
    text = with_single_blanks(text)
    least, most = ngram_range
    sizes = range(least, min(most, len(text)) + 1)
    return [text[i : i + n] for n in sizes for i in range(len(text) - n + 1)]


def character_ngrams_of_words(text: str, ngram_range: tuple[int, int]) -> list[str]:
    """So many characters in a row within words, which have a blank on each side.

    A word that is shorter is one of them as it is, once.
    """
    grams: list[str] = []
    for word in text.split():
        padded = f" {word} "
        for n in range(ngram_range[0], ngram_range[1] + 1):
            grams += [padded[i : i + n] for i in range(max(1, len(padded) - n + 1))]
            if n >= len(padded):
                break
    return grams


class TextAnalysis:
    """How a vectorizer makes terms of a document; its arguments are those of the vectorizer."""

    input: str
    encoding: str
    decode_error: str
    strip_accents: Any
    lowercase: bool
    preprocessor: Callable | None
    tokenizer: Callable | None
    stop_words: Any
    token_pattern: str | None
    ngram_range: tuple[int, int]
    analyzer: Any
    stemmer: Any
    max_word_length: int | None

    def decode(self, doc: Any) -> Any:
        """The text of a document: of bytes, a file's name or an open file, as `input` says."""
        return self._decoder()(doc)

    def _decoder(self) -> Callable[[Any], Any]:
        form = {"input": self.input, "encoding": self.encoding, "errors": self.decode_error}
        return functools.partial(_decoded, **form)

    def build_preprocessor(self) -> Callable[[str], str]:
        """What makes a document lower case and takes its accents off, as the arguments say."""
        if self.preprocessor is not None:
            return self.preprocessor
        strip = {"ascii": as_ascii, "unicode": without_accents, None: None}.get(
            self.strip_accents if isinstance(self.strip_accents, str | None) else None
        )
        if callable(self.strip_accents):
            strip = self.strip_accents
        elif self.strip_accents and strip is None:
            raise ValueError(f'Invalid value for "strip_accents": {self.strip_accents}')
        return functools.partial(_preprocessed, lower=self.lowercase, strip=strip)

    def build_tokenizer(self) -> Callable[[str], list]:
        """What cuts a text into words."""
        if self.tokenizer is not None:
            return self.tokenizer
        pattern = re.compile(self.token_pattern or "")
        if pattern.groups > 1:
            raise ValueError(
                "More than 1 capturing group in token pattern. Only a single group should be "
                "captured."
            )
        return pattern.findall

    def build_analyzer(self) -> Callable[[Any], list]:
        """What makes a list of terms of a document."""
        decode = self.decode if is_overridden(self, "decode") else self._decoder()
        if callable(self.analyzer):
            return functools.partial(_analysed, steps=(decode, self.analyzer))
        preprocess = self.build_preprocessor()
        if self.analyzer == "word":
            stop_words, tokenize = self.get_stop_words(), self.build_tokenizer()
            self._check_stop_words_consistency(stop_words, preprocess, tokenize)
            choose = functools.partial(
                _chosen,
                stop_words=stop_words or (),
                longest=self.max_word_length,
                stem=None if self.stemmer is None else Stemmer(self.stemmer),
            )
            grams = functools.partial(word_ngrams, ngram_range=self.ngram_range)
            steps = (decode, preprocess, tokenize, choose, grams)
            return functools.partial(_analysed, steps=steps)
        makers = {"char": character_ngrams, "char_wb": character_ngrams_of_words}
        if self.analyzer not in makers:
            raise ValueError(f"{self.analyzer} is not a valid tokenization scheme/analyzer")
        grams = functools.partial(makers[self.analyzer], ngram_range=self.ngram_range)
        return functools.partial(_analysed, steps=(decode, preprocess, grams))

    def get_stop_words(self) -> Collection[str] | None:
        """The words that do not count; those of a language are cut as documents are."""
        words = stop_list(self.stop_words)
        if not is_language(self.stop_words) or words is None:
            return words
        preprocess, tokenize = self.build_preprocessor(), self.build_tokenizer()
        return frozenset(word for text in words for word in tokenize(preprocess(text)))

    def _check_stop_words_consistency(
        self, stop_words: Any, preprocess: Callable, tokenize: Callable
    ) -> bool | str | None:
        """Warn if stop words are cut into words that do not count as stop words.

        True if they go together, 'error' if user's functions do not take them, None if they have
        been looked at before.
        """
        if id(self.stop_words) == getattr(self, "_stop_words_id", None):
            return None
        self._stop_words_id = id(self.stop_words)
        try:
            cut = {word for text in stop_words or () for word in tokenize(preprocess(text))}
            other = sorted(cut.difference(stop_words or ()))
        except Exception:  # functions of the user's need not take single words
            return "error"
        if other:
            warnings.warn(
                "Your stop_words may be inconsistent with your preprocessing. Tokenizing the stop "
                f"words generated tokens {other} not in stop_words.",
                stacklevel=level_of_caller(),
            )
        return not other

    def _check_ngram_range(self) -> None:
        least, most = self.ngram_range
        if least > most:
            raise ValueError(
                f"Invalid value for ngram_range={self.ngram_range} lower boundary larger than the "
                "upper boundary."
            )

    def _warn_of_unused(self) -> None:
        for name, because in self._unused():
            warnings.warn(
                f"The parameter '{name}' will not be used since {because}",
                stacklevel=level_of_caller(),
            )

    def _unused(self) -> Iterable[tuple[str, str]]:
        own = callable(self.analyzer)
        if self.tokenizer is not None and self.token_pattern is not None:
            yield "token_pattern", "'tokenizer' is not None'"
        if own and self.preprocessor is not None:
            yield "preprocessor", "'analyzer' is callable'"
        if own and self.ngram_range not in ((1, 1), None):
            yield "ngram_range", "'analyzer' is callable'"
        if not own and self.analyzer == "word":
            return
        for name in ("stop_words", "stemmer", "max_word_length"):
            if getattr(self, name) is not None:
                yield name, "'analyzer' != 'word'"
        if self.token_pattern not in (None, WORDS_OF_TWO):
            yield "token_pattern", "'analyzer' != 'word'"
        if self.tokenizer is not None:
            yield "tokenizer", "'analyzer' != 'word'"


def is_overridden(vectorizer: TextAnalysis, name: str) -> bool:
    """Whether a subclass, or the user, does this step in another way."""
    return name in vars(vectorizer) or getattr(type(vectorizer), name) is not getattr(
        TextAnalysis, name
    )


def _decoded(doc: Any, input: str, encoding: str, errors: str) -> Any:
    if input == "filename":
        with open(doc, "rb") as file:
            doc = file.read()
    elif input == "file":
        doc = doc.read()
    if isinstance(doc, bytes):
        doc = doc.decode(encoding, errors)
    if isinstance(doc, float) and math.isnan(doc):
        raise ValueError(
            "np.nan is an invalid document, expected byte or unicode string. Leave out such "
            "documents, or give '' for them."
        )
    return doc


def _preprocessed(text: str, lower: bool, strip: Callable | None) -> str:
    if lower and not isinstance(text, str):
        raise TypeError(
            f"A document is of type {type(text).__name__}; documents are text (str, or bytes to be "
            "decoded). For lists of words choose lowercase=False and tokenizer=list."
        )
    text = text.lower() if lower else text
    return strip(text) if strip is not None else text


def _analysed(document: Any, steps: tuple[Callable, ...]) -> Any:
    for step in steps:
        document = step(document)
    return document


def _chosen(
    words: Iterable, stop_words: Collection, longest: int | None, stem: Stemmer | None
) -> list:
    chosen = [
        word
        for word in words
        if word not in stop_words and (longest is None or len(word) <= longest)
    ]
    return chosen if stem is None else stem(chosen)
