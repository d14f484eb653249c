"""Vectors of words from counts: GloVe and exact skip-gram.

Counts are those of planted vectors: p(v | w) ~ q_v exp(w.c_v), with words and contexts as common as
those of a text (Zipf), pairs drawn from them.

GloVe of 4,000 words is compared with mittens, which descends on the whole dense matrix, and ends
above where ours ends. Of 30,000 words it is compared with the
loop of Stanford's program, serial, in numba: the same number of epochs, in its precision (double)
and in single. Quality is minus the objective, sum f r^2 / sum f.

Skip-gram of 5,000 words is compared with L-BFGS of torch on the same J, which has three times as
many looks at it, and ends above where ours ends. Quality is minus J.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "scipy", "numba", "mittens", "torch")
X_MAX, ALPHA, RATE, EPOCHS = 100.0, 0.75, 0.05, 5


# ---- counts --------------------------------------------------------------------------------------


def planted(shrink: int, n: int, pairs: int, d: int = 20) -> Any:
    """Pairs of n words, drawn from planted vectors: counts by distance are no whole numbers."""
    random = np.random.default_rng(0)
    n, pairs = n // shrink, pairs // shrink
    share = 1.0 / (np.arange(n) + 3.0)
    share /= share.sum()
    W, C = (random.normal(size=(n, d)) / d**0.25 for _ in range(2))
    total = sp.csr_array((n, n))
    for first in range(0, n, 1000):
        rows = slice(first, min(first + 1000, n))
        p = share * np.exp(np.clip(W[rows] @ C.T, -3.0, 3.0))
        p /= p.sum(axis=1, keepdims=True)
        counts = random.poisson(pairs * share[rows, None] * p)
        part = sp.csr_array(counts.astype(np.float64))
        total = part if first == 0 else sp.vstack([total, part], format="csr")
    total.data *= random.uniform(0.3, 1.0, size=total.nnz)
    return sp.csr_array(total)


def f(n: np.ndarray) -> np.ndarray:
    return np.minimum(1.0, (n / X_MAX) ** ALPHA)


# ---- GloVe ---------------------------------------------------------------------------------------


class Vectors(NamedTuple):
    """What every entry returns."""

    W: np.ndarray
    C: np.ndarray
    word_bias: np.ndarray
    bias: np.ndarray


def glove_quality(N: Any, found: Vectors) -> float:
    from lowdim.linalg.sparse import product_at

    ones = np.ones((N.shape[0], 1))
    L = np.hstack([found.W, found.word_bias.reshape(-1, 1), ones]).astype(np.float64)
    R = np.hstack([found.C, ones, found.bias.reshape(-1, 1)]).astype(np.float64)
    r = np.log(N.data) - product_at(N, L, R)
    return -float((f(N.data) * r**2).sum() / f(N.data).sum())


def glove(N: Any, d: int, **arguments: Any) -> Vectors:
    from lowdim import GloVe

    model = GloVe(d, random_state=0, **arguments).fit(N)
    return Vectors(model.word_vectors_, model.context_vectors_, model.bias_, model.context_bias_)


def mittens(N: Any, d: int, iterations: int) -> Vectors:
    import contextlib
    import io

    from mittens import GloVe

    model = GloVe(n=d, max_iter=iterations, xmax=int(X_MAX), alpha=ALPHA, learning_rate=RATE)
    np.random.seed(0)  # noqa: NPY002  (mittens draws from it)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        model.fit(N[:, : N.shape[0]].toarray())  # a square, also of the few rows that warm it up
    return Vectors(model.W, model.C, model.bw.ravel(), model.bc.ravel())


@cache
def serial_loop() -> Any:
    """AdaGrad as in Stanford's program: one pair after the other."""
    import numba

    @numba.njit(fastmath=True)
    def run(row, column, log, weight, rate, W, C, G, H):
        d = W.shape[1] - 1
        for e in range(len(row)):
            i, j = row[e], column[e]
            product = W[i, d] + C[j, d]
            for r in range(d):
                product += W[i, r] * C[j, r]
            pull = rate * weight[e] * (product - log[e])
            for r in range(d):
                s, t = pull * C[j, r], pull * W[i, r]
                W[i, r] -= s / np.sqrt(G[i, r])
                C[j, r] -= t / np.sqrt(H[j, r])
                G[i, r] += s * s
                H[j, r] += t * t
            W[i, d] -= pull / np.sqrt(G[i, d])
            C[j, d] -= pull / np.sqrt(H[j, d])
            G[i, d] += pull * pull
            H[j, d] += pull * pull

    return run


def serial(N: Any, d: int, epochs: int, dtype: Any) -> Vectors:
    random = np.random.default_rng(0)
    order = random.permutation(N.nnz)
    row = np.repeat(np.arange(N.shape[0]), np.diff(N.indptr))[order].astype(np.int32)
    column, n = N.indices[order].astype(np.int32), N.data[order]
    W, C = (((random.random((n_words, d + 1)) - 0.5) / d).astype(dtype) for n_words in N.shape)
    G, H = np.ones_like(W), np.ones_like(C)
    pairs = row, column, np.log(n).astype(dtype), f(n).astype(dtype)
    for _ in range(epochs):
        serial_loop()(*pairs, dtype(RATE), W, C, G, H)
    return Vectors(W[:, :-1], C[:, :-1], W[:, -1], C[:, -1])


# ---- skip-gram -----------------------------------------------------------------------------------


class Scores(NamedTuple):
    W: np.ndarray
    C: np.ndarray
    bias: np.ndarray


def skip_gram_quality(N: Any, found: Scores) -> float:
    """Minus J."""
    total, objective = N.sum(), 0.0
    for first in range(0, N.shape[0], 500):
        rows = slice(first, min(first + 500, N.shape[0]))
        H = found.W[rows] @ found.C.T + found.bias
        part = sp.csr_array(N[rows])
        top = H.max(axis=1, keepdims=True)
        log_z = (top + np.log(np.exp(H - top).sum(axis=1, keepdims=True))).ravel()
        objective += float(part.sum(axis=1) @ log_z - part.multiply(H).sum()) / total
    return -objective


def skip_gram(N: Any, d: int, passes: int) -> Scores:
    from lowdim import SkipGram

    model = SkipGram(d, random_state=0, max_iter=passes, tol=0.0).fit(N)
    return Scores(model.word_vectors_, model.context_vectors_, model.bias_)


def torch_lbfgs(N: Any, d: int, looks: int) -> Scores:
    import torch

    random = np.random.default_rng(0)
    P = N / N.sum()
    rows = torch.from_numpy(np.repeat(np.arange(P.shape[0]), np.diff(P.indptr)))
    columns, values = torch.from_numpy(P.indices.astype(np.int64)), torch.from_numpy(P.data)
    share = torch.from_numpy(np.asarray(P.sum(axis=1)).ravel())
    W, C = (torch.from_numpy(0.1 * random.normal(size=(m, d))) for m in P.shape)
    bias = torch.log(torch.from_numpy(np.asarray(P.sum(axis=0)).ravel()).clamp(min=1e-9))
    tables = [table.requires_grad_() for table in (W, C, bias)]
    search = torch.optim.LBFGS(
        tables, max_iter=looks, max_eval=looks, history_size=10, line_search_fn="strong_wolfe",
        tolerance_grad=0.0, tolerance_change=0.0,
    )  # fmt: skip

    def closure() -> Any:
        search.zero_grad()
        H = W @ C.T + bias
        J = share @ torch.logsumexp(H, dim=1) - values @ H[rows, columns]
        J.backward()
        return J

    search.step(closure)
    return Scores(*(table.detach().numpy() for table in tables))


CASES = [
    Case(
        name="glove-4000",
        about="4,000 words, a million pairs, d = 50: 25 epochs of ours, 40 iterations of mittens.",
        make=lambda shrink: planted(shrink, 4000, 3_000_000),
        ours=Entry("lowdim", lambda N: glove(N, 50)),
        peers=[Entry("mittens", lambda N: mittens(N, 50, 40))],
        quality=glove_quality,
        tolerance=1.0,
    ),
    Case(
        name="glove-30000",
        about="30,000 words, 8 million pairs, d = 100: 6 epochs of ours, 5 of a serial AdaGrad.",
        make=lambda shrink: planted(shrink, 30_000, 20_000_000),
        ours=Entry("lowdim", lambda N: glove(N, 100, max_iter=EPOCHS + 1)),
        peers=[
            Entry("serial loop", lambda N: serial(N, 100, EPOCHS, np.float64)),
            Entry("serial loop, single", lambda N: serial(N, 100, EPOCHS, np.float32)),
        ],
        quality=glove_quality,
        tolerance=0.05,
        big=True,
    ),
    Case(
        name="skip-gram-5000",
        about="5,000 words, softmax, d = 50; torch has three times our looks at J.",
        make=lambda shrink: planted(shrink, 5000, 4_000_000),
        ours=Entry("lowdim", lambda N: skip_gram(N, 50, 20)),
        peers=[Entry("torch L-BFGS", lambda N: torch_lbfgs(N, 50, 60))],
        quality=skip_gram_quality,
        tolerance=0.01,
        big=True,
    ),
]
