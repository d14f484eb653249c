"""What a `CausalTransformer` does with text: reads it in windows, writes on, takes it for X."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from lowdim.core.random import generator_of, random_generator
from lowdim.core.session import belongs_to_fit
from lowdim.core.validation import check_at_least, check_number
from lowdim.deep.chain.network import ChainNetwork
from lowdim.deep.engine import torch_for
from lowdim.deep.transformer import reading
from lowdim.deep.transformer.texts import Windows, coded, documents_of, line_of
from lowdim.deep.transformer.vocabulary import (
    Bytes,
    Characters,
    Pairs,
    Vocabulary,
    learned_characters,
    learned_pairs,
)

NUMBERS = "numbers"  # tokens_ of a model that has learned from rows


class OfText(ChainNetwork):
    """The part of `CausalTransformer` that is about text."""

    tokens: str
    vocabulary_size: int
    context: int
    order: Any

    tokens_: str
    vocabulary_: list[str] | None
    documents_: bool
    _pairs: Any

    # ---- learn -----------------------------------------------------------------------------------

    def _fit_text(self, documents: Iterable[str], more: bool) -> Any:
        torch_for(type(self).__name__)
        for name, given, plain in (
            ("order", self.order, None),
            ("conditional", self.conditional, False),
        ):
            if given is not plain:
                raise ValueError(
                    f"{name}={given!r} is for rows of numbers, and X is text; leave it out."
                )
        if not more:
            self._learn_vocabulary(documents)
        vocabulary = self._vocabulary
        line = line_of(documents, vocabulary, self.documents_)
        rows = Windows(line.ids, self.context, vocabulary.size)
        belongs_to_fit(rows)
        seed = int(random_generator(self.random_state).integers(2**62))
        self._learn(rows, (), reading.text_loss, seed, more=more)
        assert self.module_  # made now: what only uses a model does not change it
        return self

    def _learn_vocabulary(self, documents: Iterable[str]) -> None:
        kind = "char" if self.tokens == "auto" else self.tokens
        n_documents = sum(1 for text in documents if text)
        if n_documents == 0:
            raise ValueError("X is text without a single character; give some to learn from.")
        characters = learned_characters(documents) if kind == "char" else None
        pairs = learned_pairs(documents, self.vocabulary_size) if kind == "bpe" else None
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)  # of numbers, from another fit
        self.tokens_, self.vocabulary_, self._pairs = kind, characters, pairs
        self.documents_ = n_documents > 1
        self.classes_ = self.y_mean_ = self.y_scale_ = None

    @property
    def _vocabulary(self) -> Vocabulary:
        if self.tokens_ == "char":
            assert self.vocabulary_ is not None
            return Characters(self.vocabulary_)
        return Bytes() if self.tokens_ == "byte" else Pairs(self._pairs)

    # ---- write -----------------------------------------------------------------------------------

    # fmt: off
    def generate(
        self, prompt="", length=200, temperature=1.0, top_k=None, top_p=None, random_state=None,
    ):
        # fmt: on
        """Text that goes on from a prompt.

        Parameters
        ----------
        prompt : str, default=""
        length : int, default=200
            New tokens.
        temperature : float, default=1.0
            Logarithms of probabilities are divided by it; 0 takes the likeliest token.
        top_k : int or None, default=None
            Choose among so many tokens, the likeliest.
        top_p : float or None, default=None
            Choose among the likeliest tokens that have this share together.
        random_state : int, Generator, RandomState or None, default=None
            None: that of the constructor.

        Returns
        -------
        str
            The prompt and what follows.
        """
        check_is_fitted(self)
        if self.tokens_ == NUMBERS:
            raise TypeError(
                "generate writes text, and this model has learned from rows of numbers: draw new "
                "rows with sample."
            )
        if not isinstance(prompt, str):
            raise TypeError(f"prompt is of type {type(prompt).__name__}; give a str.")
        length = check_at_least("length", length, 1)
        choice = reading.Choice(
            check_number("temperature", temperature, 0.0),
            None if top_k is None else check_at_least("top_k", top_k, 1),
            None if top_p is None else check_number("top_p", top_p, 0.0, 1.0, open_low=True),
        )
        uniform = generator_of(self, random_state).random((1, length))
        (codes,) = reading.written(self.module_, self._begin(prompt), uniform, choice)
        return prompt + self._vocabulary.text(codes)

    # ---- read ------------------------------------------------------------------------------------

    def _check_kind(self, is_text: bool) -> None:
        """Raise if the model has learned from text and not from numbers, or the other way round."""
        check_is_fitted(self)
        if is_text and self.tokens_ == NUMBERS:
            raise TypeError("X is a text, and this model has learned from rows of numbers.")
        if not is_text and self.tokens_ != NUMBERS:
            raise TypeError(
                "This model has learned from text; give a str or a list of texts in place of rows "
                "of numbers."
            )

    def _texts(self, X: Any, y: Any) -> Iterable[str] | None:
        """The texts to be looked at; None if they are rows of numbers."""
        check_is_fitted(self)
        documents = documents_of(X)
        self._check_kind(documents is not None)
        if documents is not None:
            self._conditions(y, 0)  # there is none
        return documents

    def _of_documents(self, documents: Iterable[str]) -> tuple[np.ndarray, np.ndarray]:
        codes = coded(documents, self._vocabulary)
        total, count = reading.log_probabilities(self.module_, codes, self.documents_)
        if not count.any():
            raise ValueError("X is text without a single token; give some.")
        return total, count

    def _one_text(self, X: Any) -> np.ndarray:
        if not isinstance(X, str) or not X:
            raise TypeError("One text is looked at here: give a str that is not empty.")
        return self._vocabulary.ids(X)

    def _short_text(self, X: Any) -> np.ndarray:
        """Tokens of a text that fits the context, with the symbol in front if there is one."""
        codes = self._one_text(X)
        most = self.context - int(self.documents_)
        if len(codes) > most:
            raise ValueError(
                f"X has {len(codes)} tokens, and attention is drawn of at most {most} (context="
                f"{self.context}); give a shorter text."
            )
        return np.concatenate([self._begin(""), codes])

    def _begin(self, prompt: str) -> np.ndarray:
        """Tokens of the beginning of a text."""
        vocabulary = self._vocabulary
        codes = vocabulary.ids(prompt) if prompt else np.empty(0, dtype=np.int64)
        first = [vocabulary.size] if self.documents_ else []
        return np.concatenate([np.array(first, dtype=np.int64), codes])
