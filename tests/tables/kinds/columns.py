"""Columns for the tests of kinds, and what the encoder says of one."""

from __future__ import annotations

import numpy as np

from lowdim import TableEncoder

N = 60

OTHER = list(np.linspace(-1, 1, N) ** 3)  # a second column, so that something is always left


def repeated(*values):
    """These values again and again, N of them."""
    return [values[i % len(values)] for i in range(N)]


def spread(low, high, digits=2):
    """N different numbers between two."""
    return np.round(np.linspace(low, high, N) + 1e-3 * np.sin(np.arange(N)), digits).tolist()


def described(values, name="x", **arguments):
    """What the encoder says of a column."""
    table = {"other": OTHER, name: values}
    return TableEncoder(**arguments).fit(table).columns_[name]
