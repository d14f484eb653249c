"""Text as numbers of tokens, and back: characters, bytes, or pairs of bytes that were joined."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np

MOST_NAMED = 10  # unknown characters that an error names
NEEDS = (
    "tokens='bpe' needs the package tokenizers, which is not installed. Install it with: "
    "pip install 'lowdim[text]'"
)


class Vocabulary(Protocol):
    """The tokens that a text is made of."""

    size: int

    def ids(self, text: str) -> np.ndarray:
        """Numbers of the tokens of a text, (m,) int64."""

    def text(self, ids: np.ndarray) -> str:
        """The text of such numbers."""

    def names(self, ids: np.ndarray) -> list[str]:
        """Each token as a text of its own."""


class Characters:
    """Each character that was seen is a token."""

    def __init__(self, characters: list[str]):
        self._characters = np.array(characters, dtype=object)
        self._points = np.array([ord(c) for c in characters], dtype=np.uint32)  # rising
        self.size = len(characters)

    def ids(self, text: str) -> np.ndarray:
        """Numbers of characters; unknown ones are refused."""
        points = _points(text)
        found = np.minimum(np.searchsorted(self._points, points), self.size - 1)
        unknown = self._points[found] != points
        if unknown.any():
            raise ValueError(_unknown(text, points[unknown]))
        return found.astype(np.int64)

    def text(self, ids: np.ndarray) -> str:
        """The characters in a row."""
        return "".join(self._characters[ids])

    def names(self, ids: np.ndarray) -> list[str]:
        """Characters as they are written in programs, so that all are seen."""
        return [c if c.isprintable() else repr(c)[1:-1] for c in self._characters[ids]]


def _points(text: str) -> np.ndarray:
    return np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)


def _unknown(text: str, points: np.ndarray) -> str:
    chars = [chr(p) for p in np.unique(points)]
    named = ", ".join(map(repr, chars[:MOST_NAMED])) + (", ..." if len(chars) > MOST_NAMED else "")
    one = len(chars) == 1
    return (
        f"The text has {len(chars)} character{'' if one else 's'} that the model was not fitted "
        f"with: {named} (first at place {text.index(chars[0])}). Leave "
        f"{'it' if one else 'them'} out, fit with text that has {'it' if one else 'them'}, or "
        "choose tokens='byte', which knows all."
    )


class Bytes:
    """The 256 bytes of UTF-8."""

    size = 256

    def ids(self, text: str) -> np.ndarray:
        """Bytes as numbers."""
        return np.frombuffer(text.encode(), dtype=np.uint8).astype(np.int64)

    def text(self, ids: np.ndarray) -> str:
        """The text of bytes; those that are no character become a replacement sign."""
        return bytes(np.asarray(ids).tolist()).decode(errors="replace")

    def names(self, ids: np.ndarray) -> list[str]:
        """ASCII as it is, others as \\x.. ."""
        return [repr(bytes([i]))[2:-1] for i in np.asarray(ids).tolist()]


class Pairs:
    """Bytes of which the commonest neighbours were joined, again and again."""

    def __init__(self, described: str):
        self._tokenizer = _tokenizers().Tokenizer.from_str(described)
        self.size = self._tokenizer.get_vocab_size()

    def ids(self, text: str) -> np.ndarray:
        """Numbers of tokens."""
        return np.array(self._tokenizer.encode(text).ids, dtype=np.int64)

    def text(self, ids: np.ndarray) -> str:
        """The text of tokens."""
        return self._tokenizer.decode(np.asarray(ids).tolist(), skip_special_tokens=False)

    def names(self, ids: np.ndarray) -> list[str]:
        """The text of each token alone."""
        return [self.text(ids[i : i + 1]) for i in range(len(ids))]


def learned_characters(documents: Iterable[str]) -> list[str]:
    """All characters of documents, rising."""
    seen: set[str] = set()
    for text in documents:
        seen.update(text)
    return sorted(seen)


def learned_pairs(documents: Iterable[str], size: int) -> str:
    """The tokenizer of pairs of bytes, described in JSON: at most `size` tokens, at least 256."""
    parts: Any = _tokenizers()
    tokenizer = parts.Tokenizer(parts.models.BPE())
    tokenizer.pre_tokenizer = parts.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = parts.decoders.ByteLevel()
    trainer = parts.trainers.BpeTrainer(
        vocab_size=size,
        show_progress=False,
        initial_alphabet=parts.pre_tokenizers.ByteLevel.alphabet(),
    )
    tokenizer.train_from_iterator(documents, trainer)
    return tokenizer.to_str()


def _tokenizers() -> Any:
    try:
        import tokenizers
        import tokenizers.decoders
        import tokenizers.models
        import tokenizers.pre_tokenizers
        import tokenizers.trainers
    except ImportError as error:
        raise ImportError(NEEDS) from error
    return tokenizers
