"""How often words of a text stand near each other."""

from __future__ import annotations

from typing import Any

import scipy.sparse as sp

from lowdim.core.threads import single_threaded_blas
from lowdim.text.pairs.counting import all_pairs, pairs_by_word
from lowdim.text.tokens.tokens import Tokens


@single_threaded_blas()
def pair_counts(tokens: Tokens, *, window: Any = 5, weighting: str = "flat") -> sp.csr_array:
    """The pairs (t, t + offset) of places of a text, added up by their words.

    Parameters
    ----------
    tokens : Tokens
        Windows reach over what rare words have left: they have no places.
    window : int, (left, right), set or list of int, 'sentence', default=5
        So many words to each side; so many to the left and to the right; words at these offsets (-1
        is the word before); all pairs of places of a sentence. No window reaches beyond a sentence.
    weighting : {'flat', 'harmonic'}, default='flat'
        A pair counts 1, or 1 / distance.

    Returns
    -------
    N : csr_array of shape (n_words, n_words), float64
        Row: the word at t; column: the word at t + offset.
    """
    if isinstance(window, str) and window == "sentence":
        if weighting != "flat":
            raise ValueError("weighting='harmonic' needs a window with distances, such as 5.")
        return all_pairs(tokens.counts_by_sentence())
    return pairs_by_word(tokens.ids, tokens.starts, len(tokens.words), window, weighting)
