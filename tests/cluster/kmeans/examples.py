"""What the tests of k-means share: groups of rows, and distances by differences."""

import numpy as np

from lowdim.linalg.moments import Frame


def frame(d, dtype=np.float64):
    return Frame(np.zeros(d, dtype=dtype), 1.0)


def groups(rng, n=600, d=4, k=5, apart=8.0, dtype=np.float64):
    """Rows around k means, and their groups."""
    means = apart * rng.normal(size=(k, d))
    label = rng.integers(0, k, size=n)
    return (means[label] + rng.normal(size=(n, d))).astype(dtype), label


def squares(X, centers):
    """Squared distances over observed entries, by differences: the twin of every fast road."""
    return np.nansum(np.square(X[:, None, :] - centers), axis=2)


def always_bounds(monkeypatch):
    """Bounds from the second pass on, whatever they cost."""
    monkeypatch.setattr("lowdim.cluster.kmeans.remembered.FEW_CHANGE", 1.0)
    monkeypatch.setattr("lowdim.cluster.kmeans.remembered.OF_CHECK", -1e9)
