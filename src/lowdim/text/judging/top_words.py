"""The words that say most about each topic.

    relevance_kw = r log p(w | k) + (1 - r) log( p(w | k) / p(w) )

r = 1: the most frequent words of the topic; r = 0: those that other topics hardly have.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_number
from lowdim.text.judging.coherence import names_of
from lowdim.text.judging.completion import topics_of

NEGLIGIBLE = 1e-9  # of the largest p(w | k): what iterations leave of a word on its way to 0


@single_threaded_blas()
def top_words(model: Any, names: Any, n: int = 10, relevance: float = 0.6) -> list[list[str]]:
    """The words of each topic, the most relevant first.

    Parameters
    ----------
    model : estimator
        Fitted, with `components_` that are not negative: LatentDirichletAllocation, PLSA, NMF, of
        lowdim or of scikit-learn.
    names : list of str, or a fitted vectorizer
        The word of each column.
    n : int, default=10
        How many words. A topic that has fewer gives fewer: those with less than 1e-9 of the
        probability of its first word do not count.
    relevance : float, default=0.6
        From 1, the most frequent words of the topic, to 0, those that it has more often than
        documents have in all.

    Returns
    -------
    words : list of lists of str

    References
    ----------
    Sievert and Shirley (2014), LDAvis: a method for visualizing and interpreting topics, eq. 1.

    Examples
    --------
    >>> import numpy as np, lowdim
    >>> class Model:
    ...     components_ = np.array([[6.0, 4.0, 0.0], [6.0, 0.0, 2.0]])
    >>> lowdim.text.top_words(Model(), ["the", "cat", "law"], 2, relevance=1.0)
    [['the', 'cat'], ['the', 'law']]
    >>> lowdim.text.top_words(Model(), ["the", "cat", "law"], 1, relevance=0.3)
    [['cat'], ['law']]
    """
    n = check_at_least("n", n, 1)
    share = check_number("relevance", relevance, 0.0, 1.0)
    topics, sizes = topics_of(model)
    words = names_of(names, topics.shape[1])
    scores = word_relevance(topics, _weights(model, sizes), share)
    best = np.argsort(-scores, axis=1, kind="stable")[:, :n]
    least = NEGLIGIBLE * topics.max(axis=1)
    return [
        [words[j] for j in row if topics[k, j] > least[k]] for k, row in enumerate(best.tolist())
    ]


def word_relevance(topics: np.ndarray, weights: np.ndarray, relevance: float) -> np.ndarray:
    """The relevance of each word in each topic, (k, V); -inf where a topic has not the word.

    topics : (k, V), rows add up to 1;  weights : (k,), how large each topic is
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(topics)
        lift = logs - np.log(weights / weights.sum() @ topics)
        scores = relevance * logs + (1.0 - relevance) * lift
    return np.where(topics > 0.0, scores, -np.inf)


def _weights(model: Any, sizes: np.ndarray) -> np.ndarray:
    """How large topics are: as the model says, else what their components add up to."""
    known = getattr(model, "topic_weights_", None)
    weights = sizes if known is None else np.asarray(known, dtype=np.float64)
    return weights if weights.sum() > 0 else np.ones(len(weights))
