"""Non-negative factorisations: time to come to rest, and the objective that is reached.

Quality is minus the objective with the codes that each class gives for X, as a part of that of all
zeros: 1/2 |X - W H|^2 over 1/2 |X|^2, or the Kullback-Leibler divergence over the sum of x. Local
minima differ a little: qualities within a thousandth of the whole count as equal, and a peer that
stops far above is not compared. 20newsgroups and faces are read from the folder that LOWDIM_DATA
names.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "scipy", "numba", "scikit-learn")
DATA = Path(os.environ.get("LOWDIM_DATA", Path(__file__).resolve().parent.parent / "data"))


class Factors:
    """What every entry returns: the codes and the components."""

    def __init__(self, model: Any, X: Any) -> None:
        self.W = model.fit_transform(X)
        self.H = model.components_
        self.n_iter = model.n_iter_


def ours(X: Any, k: int, **arguments: Any) -> Factors:
    from lowdim import NMF

    return Factors(NMF(k, random_state=0, **arguments), X)


def ours_in_batches(X: Any, k: int, **arguments: Any) -> Factors:
    from lowdim import MiniBatchNMF

    return Factors(MiniBatchNMF(k, random_state=0, **arguments), X)


def sklearn(X: Any, k: int, **arguments: Any) -> Factors:
    from sklearn.decomposition import NMF

    return Factors(NMF(k, random_state=0, **arguments), X)


def sklearn_in_batches(X: Any, k: int, **arguments: Any) -> Factors:
    from sklearn.decomposition import MiniBatchNMF

    return Factors(MiniBatchNMF(k, random_state=0, **arguments), X)


def iterations(found: Factors) -> str:
    return f"{found.n_iter} iterations"


# --- Quality ----------------------------------------------------------------------------------


def explained_squares(X: Any, found: Factors) -> float:
    """1 - |X - W H|^2 / |X|^2, without writing a sparse X out."""
    W, H = found.W.astype(np.float64), found.H.astype(np.float64)
    squares = float(np.sum((X.data if sparse.issparse(X) else X) ** 2))
    left = squares - 2 * np.vdot(X @ H.T, W) + np.vdot(W.T @ W, H @ H.T)
    return 1.0 - left / squares


def explained_counts(X: sparse.csr_array, found: Factors) -> float:
    """1 - D / sum x for the Kullback-Leibler divergence D."""
    W, H = found.W.astype(np.float64), found.H.astype(np.float64)
    stored = X.tocoo()
    rate = np.einsum("er,er->e", W[stored.row], H.T[stored.col])
    x = stored.data[stored.data > 0]
    rate = np.maximum(rate[stored.data > 0], 1e-12)
    D = float(x @ np.log(x / rate) - x.sum() + W.sum(axis=0) @ H.sum(axis=1))
    return 1.0 - D / float(x.sum())


# --- Data -------------------------------------------------------------------------------------


def sums_of_parts(shrink: int, n: int, d: int, k: int) -> np.ndarray:
    """k parts of random sizes, half of their entries 0, and noise."""
    random = np.random.default_rng(0)
    H = random.gamma(1.0, size=(k, d)) * (random.random((k, d)) < 0.5)
    X = random.gamma(0.5, size=(n // shrink, k)) @ H
    return np.maximum(X + 0.2 * random.normal(size=X.shape), 0.0)


def patches(shrink: int, n: int, size: int) -> np.ndarray:
    """Pictures of size x size pixels: a few soft blobs that move about, as parts of a face do."""
    random = np.random.default_rng(0)
    n //= shrink
    grid = np.arange(size)
    homes = random.uniform(0.15, 0.85, size=(12, 2)) * size
    X = np.zeros((n, size, size))
    for home in homes:
        at = home + 0.03 * size * random.normal(size=(n, 2))
        width = size * random.uniform(0.05, 0.15, size=(n, 1))
        rows, columns = (np.exp(-0.5 * ((grid - at[:, [axis]]) / width) ** 2) for axis in (0, 1))
        X += random.gamma(2.0, size=(n, 1, 1)) * rows[:, :, None] * columns[:, None, :]
    return X.reshape(n, -1)


def counts(shrink: int, n: int, d: int, k: int) -> sparse.csr_array:
    """Documents of k topics over words whose frequencies fall as 1 / rank."""
    random = np.random.default_rng(0)
    n //= shrink
    topics = random.gamma(0.05, size=(k, d)) / np.arange(1, d + 1) ** 0.5
    topics /= topics.sum(axis=1, keepdims=True)
    shares = random.dirichlet(np.full(k, 0.1), size=n)
    lengths = random.lognormal(4.2, 0.8, size=n).astype(int) + 5
    sums = np.cumsum(topics, axis=1)
    rows, columns = [], []
    for i in range(n):
        tokens = random.multinomial(lengths[i], shares[i])
        for j in np.flatnonzero(tokens):
            columns.append(np.searchsorted(sums[j], random.random(tokens[j]) * sums[j, -1]))
            rows.append(np.full(tokens[j], i))
    where = np.concatenate(rows), np.minimum(np.concatenate(columns), d - 1)
    return sparse.coo_array((np.ones(len(where[0])), where), shape=(n, d)).tocsr()


def tfidf(shrink: int, n: int, d: int, k: int) -> sparse.csr_array:
    """The same, weighted as scikit-learn weighs words."""
    return weighted(counts(shrink, n, d, k))


def newsgroups(shrink: int) -> sparse.csr_array:
    """The same of 20newsgroups."""
    with np.load(DATA / "20newsgroups_bow.npz", allow_pickle=True) as parts:
        arrays = parts["data"].astype(np.float64), parts["indices"], parts["indptr"]
        X = sparse.csr_array(arrays, shape=tuple(parts["shape"]))
    return weighted(sparse.csr_array(X[: X.shape[0] // shrink]))


def faces(shrink: int) -> np.ndarray:
    """400 photographs of 64 x 64 pixels (Olivetti)."""
    with np.load(DATA / "olivetti_faces.npz") as parts:
        return parts["images"].reshape(400, -1)[: 400 // shrink] / 255.0


def weighted(X: sparse.csr_array) -> sparse.csr_array:
    d = X.shape[1]
    idf = np.log((1 + X.shape[0]) / (1 + np.bincount(X.indices, minlength=d))) + 1
    X.data *= idf[X.indices]
    length = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
    X.data /= np.repeat(np.where(length > 0, length, 1.0), np.diff(X.indptr))
    return X


# --- Cases ------------------------------------------------------------------------------------


def case(name: str, about: str, make: Any, k: int, quality: Any, **arguments: Any) -> Case:
    how = arguments.get("solver", "cd")
    return Case(
        name=name,
        about=f"{about}, k = {k}.",
        make=make,
        ours=Entry("lowdim", partial(ours, k=k, **arguments)),
        peers=[Entry(f"scikit-learn {how}", partial(sklearn, k=k, **arguments))],
        quality=quality,
        tolerance=1e-3,
        remark=iterations,
        most_rounds=2 if how == "cd" else 1,  # "mu" takes half a minute
    )


def in_batches(name: str, about: str, make: Any, k: int, size: int) -> Case:
    return Case(
        name=name,
        about=f"{about}, in batches of {size}, k = {k}.",
        make=make,
        ours=Entry("lowdim", partial(ours_in_batches, k=k, batch_size=size)),
        peers=[Entry("scikit-learn", partial(sklearn_in_batches, k=k, batch_size=size))],
        quality=explained_squares,
        tolerance=1e-3,
        remark=iterations,
        most_rounds=2,
    )


KL = {"solver": "mu", "beta_loss": "kullback-leibler"}
TEXT = {"n": 6_000, "d": 8_000, "k": 40}

CASES = (
    case(
        "dense-5000x1000",
        "Sums of 30 parts with noise, 5000 x 1000 float64",
        partial(sums_of_parts, n=5000, d=1000, k=30),
        30,
        explained_squares,
    ),
    case(
        "pictures-400x4096",
        "400 pictures of 64 x 64 pixels",
        partial(patches, n=400, size=64),
        49,
        explained_squares,
    ),
    case(
        "table-500x30",
        "A small table",
        partial(sums_of_parts, n=500, d=30, k=5),
        5,
        explained_squares,
    ),
    case("faces-49", "400 photographs of 64 x 64 pixels", faces, 49, explained_squares),
    case("newsgroups-20", "tf-idf of 20newsgroups", newsgroups, 20, explained_squares),
    case("newsgroups-50", "tf-idf of 20newsgroups", newsgroups, 50, explained_squares),
    case("tfidf-50", "tf-idf of 6000 documents", partial(tfidf, **TEXT), 50, explained_squares),
    case("counts-20", "Counts of words", partial(counts, **TEXT), 20, explained_counts, **KL),
    case("tfidf-kl-20", "tf-idf of documents", partial(tfidf, **TEXT), 20, explained_counts, **KL),
    in_batches("batches-newsgroups", "tf-idf of 20newsgroups", newsgroups, 20, 1024),
    in_batches(
        "batches-5000x1000",
        "Sums of 30 parts with noise",
        partial(sums_of_parts, n=5000, d=1000, k=30),
        30,
        256,
    ),
    in_batches("batches-400x4096", "Pictures", partial(patches, n=400, size=64), 49, 40),
)
