"""Where NMF starts from: the singular vectors of X, split by sign, or chance.

    X = sum_j s_j u_j v_j'         u+ = max(u, 0), u- = max(-u, 0), likewise v
    w_j = sqrt(s_j |u||v|) u / |u|,  v_j = sqrt(s_j |u||v|) v / |v|

with (u, v) the larger pair of (u+, v+) and (u-, v-) (Boutsidis and Gallopoulos 2008). What is 0
stays 0 under multiplicative updates, and long under others: "nndsvda" puts a constant there,
"nndsvdar" small random values, both in units of factors that are all alike.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.linalg.eigen import top_eigen
from lowdim.linear.nmf.objective import Units

FROM_SVD = ("nndsvd", "nndsvda", "nndsvdar")
PASSES = 4  # over X for the singular vectors: about what randomized SVD finds with seven
# of zeros of "nndsvda", as a part of the mean entry of factors that are all alike: what starts low
# is long in coming back by multiplicative updates
FILL, FILL_FOR_UPDATES = 0.1, 1.0
SMALL = 0.01  # likewise of "nndsvdar"
# of these vectors: what is split by sign and filled in needs no more digits, and twice the memory
# would be the most of a fit
SEARCHED_IN = np.float32
SEED = 0  # of the first directions of the search: no result depends on it but for rounding
TINY = 1e-6  # entries below this are zeros, as scikit-learn has it


class Factors(NamedTuple):
    W: np.ndarray  # (n, k)
    V: np.ndarray  # (d, k)


def start_from(
    init: str | None, data: Any, k: int, units: Units, random: np.random.Generator
) -> Factors:
    """The first factors, 0 or more, in the dtype of the data.

    Only components are drawn at random: so a row of weight 2 starts as two rows do.
    """
    most = min(units.weight, data.shape[1])
    if init is None:
        init = "nndsvda" if k <= most else "random"
    if init in FROM_SVD and k > most:
        raise ValueError(
            f"init = '{init}' can only be used when n_components <= min(n_samples, n_features), "
            f"and n_components={k} is more than {most:g}; choose init='random'."
        )
    alike = np.sqrt(units.mean / k)  # entries of factors that are all alike
    if init == "random":
        V = alike * np.abs(random.standard_normal((data.shape[1], k)))
        W = np.full((data.shape[0], k), alike)
    else:
        W, V = split_by_sign(data, k)
        if init != "nndsvd":
            by_chance = init == "nndsvdar" or not V.any(axis=0).all()
            chance = np.abs(random.standard_normal(V.shape)) if by_chance else 1.0
            usual = FILL if units.beta == 2.0 else FILL_FOR_UPDATES
            fill = (SMALL if init == "nndsvdar" else usual) * alike
            np.copyto(W, fill, where=W <= 0)
            np.copyto(V, fill * chance, where=V <= 0)
    return Factors(W.astype(data.dtype, copy=False), V.astype(data.dtype, copy=False))


def split_by_sign(data: Any, k: int) -> Factors:
    """The larger signed part of each pair of singular vectors, zeros elsewhere.

    Zeros, too, where X has a lower rank than k: what else is found there is rounding.
    """
    found = top_eigen(
        data.gram_times,
        data.shape[1],
        k,
        tol=0,
        max_passes=PASSES + k // 16,  # wide blocks are cut
        random=SEED,
        dtype=SEARCHED_IN,
    )
    W = data.times(found.vectors[:, :k]).astype(np.float64, copy=False)  # u s
    V = found.vectors[:, :k].astype(np.float64, copy=False)
    del found
    weight = np.ones(len(W)) if data.weight is None else data.weight
    s = np.sqrt(np.einsum("i,ij,ij->j", weight, W, W))
    within = s > np.sqrt(np.finfo(SEARCHED_IN).eps) * s.max(initial=0.0)
    W *= np.divide(1.0, s, out=np.zeros_like(s), where=within)
    for j in range(k):
        pairs = [(np.maximum(sign * W[:, j], 0), np.maximum(sign * V[:, j], 0)) for sign in (1, -1)]
        lengths = [(np.sqrt(weight @ u**2), np.linalg.norm(v)) for u, v in pairs]
        best = int(np.prod(lengths[1]) > np.prod(lengths[0]))
        (u, v), (of_u, of_v) = pairs[best], lengths[best]
        if of_u * of_v == 0.0:
            W[:, j], V[:, j] = 0.0, 0.0
            continue
        size = np.sqrt(s[j] * of_u * of_v)
        W[:, j], V[:, j] = size * u / of_u, size * v / of_v
    largest = max(W.max(initial=0.0), V.max(initial=0.0))
    for Z in (W, V):
        np.copyto(Z, 0.0, where=largest * TINY >= Z)
    return Factors(W, V)
