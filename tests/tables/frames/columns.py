"""Values of columns for the tests of types."""

import numpy as np

from lowdim.tables.frames.values import Values


def same_values(left, right):
    """The same numbers or words, whatever holds them."""
    if left.codes is None:
        return np.array_equal(left.numbers, right.numbers, equal_nan=True)
    words = [[v.levels[code] if code >= 0 else None for code in v.codes] for v in (left, right)]
    return words[0] == words[1]


def numbers(*values):
    return Values("number", np.array(values, dtype=np.float64))


def words(codes, levels):
    return Values("words", codes=np.array(codes, dtype=np.int32), levels=tuple(levels))
