"""UMAP: time of a map, and how many of the 10 nearest rows of a row are near it in the map.

Qualities within 5% of the best are equal: another seed changes them by 2%. umap-learn runs without
a seed, on all threads; with one it is slower. MNIST is read from the folder that LOWDIM_DATA names;
the other data are scikit-learn's digits and planted ones: groups of rows on curved surfaces. A case
with the first call is a process of its own with an empty cache of kernels, imports included. Peers
compile for 20 s in each process, so that rounds are few.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "scikit-learn", "umap-learn", "pynndescent", "pacmap")
DATA = Path(os.environ.get("LOWDIM_DATA", Path(__file__).resolve().parent.parent / "data"))
SAMPLE, NEIGHBORS = 2000, 10
ROUNDS = 3


def umap_ours(X: np.ndarray, **arguments: Any) -> np.ndarray:
    from lowdim import UMAP

    return UMAP(random_state=0, **arguments).fit(X).embedding_


def umap_learn(X: np.ndarray, **arguments: Any) -> np.ndarray:
    from umap import UMAP

    return np.asarray(UMAP(**arguments).fit(X).embedding_)


def pacmap(X: np.ndarray) -> np.ndarray:
    from pacmap import PaCMAP

    return np.asarray(PaCMAP(random_state=0).fit_transform(X))


FIRST_CALL = """
import sys
import numpy as np
from benchmarks import maps_umap
X = np.load(sys.argv[2] + "/rows.npy")
np.save(sys.argv[2] + "/places.npy", getattr(maps_umap, sys.argv[1])(X))
"""


def first_call(X: np.ndarray, of: str) -> np.ndarray:
    """The map by a function of this file, in a process that finds no compiled kernels."""
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/rows.npy", X)
        command = [sys.executable, "-W", "ignore", "-c", FIRST_CALL, of, folder]
        environment = os.environ | {"NUMBA_CACHE_DIR": folder}
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        return np.load(f"{folder}/places.npy")


def kept_neighbors(X: np.ndarray, Y: np.ndarray) -> float:
    """The part of the 10 nearest rows that are among the 10 nearest places, of 2,000 rows."""
    from sklearn.neighbors import NearestNeighbors

    rows = np.random.default_rng(0).permutation(len(X))[:SAMPLE]
    found = [
        NearestNeighbors(n_neighbors=NEIGHBORS + 1).fit(A).kneighbors(A[rows])[1][:, 1:]
        for A in (X, Y)
    ]
    return float(np.mean([np.isin(a, b).mean() for a, b in zip(*found, strict=True)]))


def digits(shrink: int) -> np.ndarray:
    from sklearn.datasets import load_digits

    return np.ascontiguousarray(load_digits().data[::shrink])


def surfaces(shrink: int, n: int, d: int, groups: int) -> np.ndarray:
    """Groups of rows on curved surfaces of dimension 5, with noise."""
    random, n = np.random.default_rng(0), n // shrink
    label, Z = random.integers(groups, size=n), random.normal(size=(n, 5))
    bent = np.hstack([Z, Z**2, np.sin(2 * Z)])
    turns = random.normal(size=(groups, bent.shape[1], d)) / np.sqrt(d)
    centers = 4.0 * random.normal(size=(groups, d)) / np.sqrt(d)
    X = np.empty((n, d), dtype=np.float32)
    for group in range(groups):
        rows = label == group
        X[rows] = bent[rows] @ turns[group] + centers[group]
    return X + random.normal(scale=0.1, size=X.shape).astype(np.float32)


def mnist(shrink: int) -> np.ndarray:
    with np.load(DATA / "mnist.npz") as file:
        X = file["x_train"].reshape(60_000, -1)
    return X[::shrink].astype(np.float32)


def case(name: str, about: str, make: Any, big: bool = False, **arguments: Any) -> Case:
    return Case(
        name=name,
        about=about,
        make=make,
        ours=Entry("lowdim", partial(umap_ours, **arguments)),
        peers=[
            Entry("umap-learn", partial(umap_learn, **arguments)),
            *([] if arguments else [Entry("pacmap", pacmap)]),
        ],
        quality=kept_neighbors,
        tolerance=0.05,
        big=big,
        most_rounds=ROUNDS,
    )


CASES = [
    case("digits", "scikit-learn's digits, 1797 x 64.", digits),
    case(
        "digits-3d-50",
        "The same in 3 dimensions with 50 neighbours.",
        digits,
        big=True,
        n_neighbors=50,
        n_components=3,
    ),
    case("digits-densmap", "densMAP of the same.", digits, densmap=True),
    case(
        "surfaces-20000x50",
        "20 groups on curved surfaces, 20000 x 50 float32.",
        partial(surfaces, n=20_000, d=50, groups=20),
    ),
    Case(
        name="digits-first-call",
        about="scikit-learn's digits, in a process that compiles all it needs.",
        make=digits,
        ours=Entry("lowdim", partial(first_call, of="umap_ours")),
        peers=[
            Entry("umap-learn", partial(first_call, of="umap_learn")),
            Entry("pacmap", partial(first_call, of="pacmap")),
        ],
        quality=kept_neighbors,
        tolerance=0.05,
        big=True,
        most_rounds=1,
    ),
    case("mnist", "MNIST's training digits, 60000 x 784 float32.", mnist, big=True),
]
