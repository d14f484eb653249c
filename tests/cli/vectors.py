"""A text with a truth to find, and vectors, for the tests of the verbs about words."""

import numpy as np

from tests.report.words.planted import SUBJECTS


def planted_text(n=300, seed=0):
    """Lines of ten words, each line about one subject."""
    random = np.random.default_rng(seed)
    names = list(SUBJECTS)
    return [" ".join(random.choice(SUBJECTS[names[i % 3]], 10)) for i in range(n)]
