"""Values of columns for the tests of types."""

import numpy as np

from lowdim.tables.frames.values import Values


def same_values(left, right):
    """The same numbers or words, whatever holds them."""
    if left.places is None:
        return np.array_equal(left.numbers, right.numbers, equal_nan=True)
    words = [[v.levels[j] if j >= 0 else None for j in v.places] for v in (left, right)]
    return words[0] == words[1]


def numbers(*values):
    return Values("number", np.array(values, dtype=np.float64))


def words(places, levels):
    return Values("words", places=np.array(places, dtype=np.int32), levels=tuple(levels))
