"""What is asked of a fitted model by words: their numbers, and those of their contexts."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils.validation import check_is_fitted

from lowdim.core.numeric import shown
from lowdim.text.tokens import pair_counts, read_tokens
from lowdim.text.vectors.words import UnknownWordError


def word_numbers(model: Any, words: Any) -> np.ndarray:
    """The rows of these words: a number for one word, an array for several."""
    check_is_fitted(model)
    return _numbers(words, model.words_, "word")


def context_numbers(model: Any, contexts: Any) -> np.ndarray:
    """The columns of these contexts: words of a text; of a matrix, names or numbers of columns."""
    check_is_fitted(model)
    v = model.n_features_in_
    if hasattr(model, "feature_names_in_"):
        names = [str(name) for name in model.feature_names_in_]
    elif model._from_text:
        names = model.words_
    else:
        names = [str(i) for i in range(v)]
    return _numbers(contexts, names, "context")


def _numbers(words: Any, known: list[str], what: str) -> np.ndarray:
    numbers = {word: i for i, word in enumerate(known)}
    is_list = hasattr(words, "__iter__") and getattr(words, "ndim", 1) == 1
    several = [words] if isinstance(words, str) or not is_list else list(words)
    if not all(isinstance(word, str) for word in several):
        raise TypeError(f"{what}={shown(words)} must be a text, or a list of texts.")
    for word in several:
        if word not in numbers:
            raise UnknownWordError(word, numbers)
    found = np.array([numbers[word] for word in several], dtype=np.intp)
    return found[0] if isinstance(words, str) else found


def known_counts(model: Any, text: Any, weighting: str = "flat") -> sp.csr_array:
    """How often the known words of a text stand near each other, (n, n)."""
    check_is_fitted(model)
    tokens = read_tokens(
        text,
        tokenizer=model.tokenizer,
        vocabulary=model.words_,
        sentences=model.window == "sentence",
    )
    if not model._from_text:
        raise TypeError(
            f"X is text, and {type(model).__name__} was fitted to a matrix; give counts of the "
            f"{model.n_features_in_} contexts of the fit."
        )
    return pair_counts(tokens, window=model.window, weighting=weighting)
