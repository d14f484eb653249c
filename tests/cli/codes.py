"""What the tests of written codes share."""

import numpy as np


def coordinates(table):
    """The codes of principal components in a table that was read, as a matrix."""
    return np.column_stack([table[name] for name in table if name.startswith("pca")])
