"""A text with a truth to find, for the tests of the verbs about words."""

import numpy as np

from tests.report.words.planted import SUBJECTS


def planted_text(n=300, seed=0):
    """Lines of ten words: nine of a subject and, in the middle, one of any.

    GloVe learns from pairs that were seen alone: words of two subjects must meet at times.
    """
    random = np.random.default_rng(seed)
    names = list(SUBJECTS)
    everything = [word for words in SUBJECTS.values() for word in words]
    lines = []
    for i in range(n):
        words = random.choice(SUBJECTS[names[i % 3]], 10).tolist()
        words[5] = random.choice(everything)
        lines.append(" ".join(words))
    return lines
