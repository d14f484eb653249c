"""The pairs from which skip-grams learn, written out: for looking at them, and for other programs.

label 1   (word at t, word at t + offset)             every place, every offset
label 0   (word at t, a word drawn from q), k of them  q ~ count^ns_exponent
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.core.random import random_generator
from lowdim.core.result_table import ResultTable
from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_number
from lowdim.text.pairs.windows import window_of
from lowdim.text.tokens import Tokens, read_tokens


@single_threaded_blas()
def training_pairs(
    docs: Any,
    window: Any = 5,
    negative: int = 5,
    random_state: Any = None,
    *,
    ns_exponent: float = 0.75,
    min_count: int = 1,
    tokenizer: Any = "words",
) -> ResultTable:
    """Words with words near them, and with words drawn at random: what skip-grams tell apart.

    Parameters
    ----------
    docs : text
        As `lowdim.text.read_tokens` takes it.
    window : int, (left, right), set or list of int, 'sentence', default=5
        Which words are near: so many to each side; so many to the left and the right; those at
        these offsets; all of the sentence.
    negative : int, default=5
        Words drawn for each pair; 0 for none.
    random_state : int, Generator, RandomState or None, default=None
        Draws them.
    ns_exponent : float, default=0.75
        They are drawn in proportion to this power of their counts. Such a word may happen to be
        near, too.
    min_count : int, default=1
        Words that stand fewer times in the text are left out before.
    tokenizer : {'words', 'split'}, callable or CountVectorizer, default='words'
        How texts are cut into words.

    Returns
    -------
    table : ResultTable
        Columns word, context and label: 1 for pairs of the text, in its order, each followed by its
        drawn ones, with label 0. `to_frame()` makes a data frame.

    Examples
    --------
    >>> import lowdim
    >>> text = ["lemon, a tablespoon of apricot jam, a pinch"]
    >>> table = lowdim.text.training_pairs(text, window=2, negative=0)
    >>> [line["context"] for line in table if line["word"] == "apricot"]
    ['tablespoon', 'of', 'jam', 'a']
    """
    check_at_least("negative", negative, 0)
    check_number("ns_exponent", ns_exponent)
    if window != "sentence":
        window_of(window, "flat")
    tokens = read_tokens(
        docs, tokenizer=tokenizer, min_count=min_count, sentences=window == "sentence"
    )
    left, right = places_of_pairs(tokens, window)
    shares = tokens.counts.astype(np.float64) ** ns_exponent
    drawn = random_generator(random_state).choice(
        len(tokens.words), size=(len(left), negative), p=shares / shares.sum()
    )
    contexts = np.concatenate([tokens.ids[right][:, None], drawn], axis=1)
    labels = np.zeros(contexts.shape, dtype=np.int8)
    labels[:, 0] = 1
    names = np.array(tokens.words, dtype=object)
    columns = {
        "word": names[np.repeat(tokens.ids[left], 1 + negative)],
        "context": names[contexts.ravel()],
        "label": labels.ravel(),
    }
    return ResultTable(columns)


def places_of_pairs(tokens: Tokens, window: Any) -> tuple[np.ndarray, np.ndarray]:
    """The two places of each pair of a text, by the first, then by the second."""
    lengths = np.diff(tokens.starts)
    longest = int(lengths.max(initial=0))
    offsets = window_of(longest if window == "sentence" else window, "flat", longest).offsets
    place = np.arange(len(tokens.ids))
    first = np.repeat(tokens.starts[:-1], lengths)
    last = np.repeat(tokens.starts[1:], lengths)
    pairs = []
    for offset in offsets:
        inside = (place + offset >= first) & (place + offset < last)
        pairs.append(np.stack([place[inside], place[inside] + offset]))
    left, right = np.concatenate(pairs, axis=1) if pairs else np.zeros((2, 0), dtype=np.int64)
    order = np.lexsort([right, left])
    return left[order], right[order]
