"""Dictionaries: time to learn one, and the held-out error of the codes in it.

Patches come from photographs, in the folder that LOWDIM_DATA names or scikit-learn's two, less
their means; the last tenth of the rows is held out. Quality is minus the mean squared error of a
pixel of the held-out patches, coded by the lasso with the price that the dictionary was learnt with
(mini-batches), or with 8 non-zeros (K-SVD). All mini-batch entries see the same number of rows.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "scipy", "numba", "scikit-learn", "spams-bin", "ksvd")
DATA = Path(os.environ.get("LOWDIM_DATA", Path(__file__).resolve().parent.parent / "data"))
ALPHA, NONZERO = 0.1, 8


def learnt_from(X: np.ndarray) -> np.ndarray:
    return X[: len(X) * 9 // 10]


def held_out(X: np.ndarray) -> np.ndarray:
    return X[len(X) * 9 // 10 :]


# --- Entries ----------------------------------------------------------------------------------


def batches_ours(X: np.ndarray, k: int, steps: int, size: int) -> np.ndarray:
    from lowdim import MiniBatchDictionaryLearning

    X = learnt_from(X)
    model = MiniBatchDictionaryLearning(
        k, alpha=ALPHA, batch_size=size, max_iter=1, tol=0.0, random_state=0
    )
    return model.fit(X[: steps * size]).components_


def batches_sklearn(X: np.ndarray, k: int, steps: int, size: int) -> np.ndarray:
    from sklearn.decomposition import MiniBatchDictionaryLearning

    X = learnt_from(X)
    model = MiniBatchDictionaryLearning(
        k, alpha=ALPHA, batch_size=size, max_iter=1, tol=0.0, random_state=0
    )
    return np.asarray(model.fit(X[: steps * size]).components_)


def batches_spams(X: np.ndarray, k: int, steps: int, size: int) -> np.ndarray:
    import spams

    D = spams.trainDL(
        np.asfortranarray(learnt_from(X).T),
        K=k,
        lambda1=ALPHA,
        iter=steps,
        batchsize=size,
        mode=2,
        numThreads=os.cpu_count(),
        verbose=False,
    )
    return np.ascontiguousarray(D.T)


def ksvd_ours(X: np.ndarray, k: int, iterations: int, **arguments: Any) -> np.ndarray:
    from lowdim import KSVD

    model = KSVD(k, n_nonzero_coefs=NONZERO, max_iter=iterations, tol=0.0, random_state=0)
    return model.set_params(**arguments).fit(learnt_from(X)).components_


def ksvd_peer(X: np.ndarray, k: int, iterations: int) -> np.ndarray:
    from ksvd import ApproximateKSVD

    np.random.seed(0)  # noqa: NPY002  what it draws from
    model = ApproximateKSVD(k, max_iter=iterations, transform_n_nonzero_coefs=NONZERO)
    return np.asarray(model.fit(learnt_from(X)).components_)


# --- Quality ----------------------------------------------------------------------------------


def lasso_quality(X: np.ndarray, atoms: np.ndarray) -> float:
    from lowdim import sparse_encode

    H = held_out(X)
    Z = sparse_encode(H, atoms, alpha=ALPHA)
    return -float(np.mean((H - Z @ atoms) ** 2))


def sparse_quality(X: np.ndarray, atoms: np.ndarray) -> float:
    from lowdim import sparse_encode

    H = held_out(X)
    Z = sparse_encode(H, atoms, algorithm="omp", n_nonzero_coefs=NONZERO)
    return -float(np.mean((H - Z @ atoms) ** 2))


# --- Data -------------------------------------------------------------------------------------


def photographs() -> list[np.ndarray]:
    if (DATA / "images.npz").is_file():
        with np.load(DATA / "images.npz") as images:
            return [images[name] / 255.0 for name in images if name.startswith("set12_")]
    from sklearn.datasets import load_sample_images

    return [image.mean(axis=2) / 255.0 for image in load_sample_images().images]


def patches(shrink: int, n: int, size: int = 8, dtype: str = "float64") -> np.ndarray:
    random, pictures = np.random.default_rng(0), photographs()
    X = np.empty((n // shrink, size, size))
    for i in range(len(X)):
        picture = pictures[random.integers(len(pictures))]
        y, x = (random.integers(length - size + 1) for length in picture.shape)
        X[i] = picture[y : y + size, x : x + size]
    X = X.reshape(len(X), -1)
    return (X - X.mean(axis=1, keepdims=True)).astype(dtype)


# --- Cases ------------------------------------------------------------------------------------


def case_of_batches(
    name: str,
    about: str,
    n: int,
    size: int,
    k: int,
    steps: int,
    *,
    dtype: str = "float64",
    slow: bool = True,
) -> Case:
    """With slow peers or without."""
    how = {"k": k, "steps": steps, "size": 512}
    peers = [Entry("spams", partial(batches_spams, **how))]
    if slow:
        peers.append(Entry("scikit-learn", partial(batches_sklearn, **how)))
    return Case(
        name=name,
        about=about,
        make=partial(patches, n=n, size=size, dtype=dtype),
        ours=Entry("lowdim", partial(batches_ours, **how)),
        peers=tuple(peers),
        quality=lasso_quality,
        tolerance=0.05,
    )


CASES = [
    case_of_batches("batches", "22,000 patches of 8 x 8, 256 atoms", 22_000, 8, 256, 20),
    case_of_batches("batches-large", "22,000 patches of 12 x 12, 400 atoms", 22_000, 12, 400, 20),
    case_of_batches("batches-small", "4,400 patches of 6 x 6, 64 atoms", 4_400, 6, 64, 7),
    case_of_batches(
        "batches-float32", "as the first, float32", 22_000, 8, 256, 20, dtype="float32", slow=False
    ),
    case_of_batches(
        "batches-1024", "22,000 patches of 8 x 8, 1024 atoms", 22_000, 8, 1024, 20, slow=False
    ),
    case_of_batches(
        "batches-16", "22,000 patches of 16 x 16, 512 atoms", 22_000, 16, 512, 20, slow=False
    ),
    Case(
        name="ksvd",
        about="5,500 patches of 8 x 8, 128 atoms, 8 non-zeros",
        make=partial(patches, n=5_500),
        ours=Entry("lowdim", partial(ksvd_ours, k=128, iterations=1)),
        peers=(Entry("ksvd", partial(ksvd_peer, k=128, iterations=10)),),
        quality=sparse_quality,
        tolerance=0.05,
    ),
    Case(
        name="ksvd-exact",
        about="the same, atoms by singular value decompositions",
        make=partial(patches, n=5_500),
        ours=Entry("lowdim", partial(ksvd_ours, k=128, iterations=5, update="exact")),
        peers=(Entry("ksvd", partial(ksvd_peer, k=128, iterations=10)),),
        quality=sparse_quality,
        tolerance=0.05,
    ),
]
