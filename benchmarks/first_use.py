"""The first use ever: what a person waits for while kernels are compiled.

Every method is fitted once to a small table in a fresh process with an empty cache, then once more
in another process that finds the compiled kernels on disk; and so are functions that people call
without a model. There is no peer to compare with: scikit-learn comes compiled. The limits are in
seconds, since a person waits in seconds: 3 for the first result, 0.5 for that of a second process,
imports aside. `lowdim warmup` in an empty cache may take 15. Of wall and processor time the smaller
one counts: other work on the machine does not. Networks take two passes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any, NamedTuple

FIRST, SECOND_PROCESS, WARMUP = 3.0, 0.5, 15.0  # seconds

BEGIN = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np
name, missing, dtype = sys.argv[1], sys.argv[2] == "True", sys.argv[3]
import numba, lowdim
random = np.random.default_rng(0)
X = np.exp(0.3 * random.normal(size=(300, 3)) @ random.normal(size=(3, 8)))
X += random.random(X.shape)
if missing:
    X[random.random(X.shape) < 0.1] = np.nan
X = X.astype(dtype)
"""

FIT = """
cls = getattr(lowdim, name)
known = cls().get_params()
small = {key: 2 for key in ("n_components", "n_clusters") if key in known}
if cls.__module__.startswith("lowdim.deep."):  # torch is an import, and passes are no first use
    import torch
    small["max_iter"] = 2
y = [X[:, 0] > X[:, 1]] if cls().__sklearn_tags__().target_tags.required else []
def use():
    cls(**small).fit(X, *y)
"""

CALL = """
D = random.normal(size=(16, 8)).astype(dtype)
apart = np.abs(X[:, None] - X).sum(axis=2)
image = np.add.outer(np.arange(64.0), np.arange(64.0)).astype(dtype)
image += random.normal(size=image.shape)
observed = random.random(image.shape) < 0.7
docs = [" ".join(random.choice(list("abcdefghij"), size=20)) for _ in range(50)]
text = {"token_pattern": r"\\w"}
counter = lowdim.CountVectorizer(**text)
def counts():
    return counter.fit_transform(docs)
uses = {
    "choose_k": lambda: lowdim.choose_k(X, "kmeans", k=range(2, 5)),
    "choose_rank": lambda: lowdim.choose_rank(X),
    "coreset": lambda: lowdim.coreset(X, 50, 3),
    "silhouette": lambda: lowdim.silhouette(X, np.arange(len(X)) % 3),
    "non_negative_factorization": lambda: lowdim.non_negative_factorization(X, n_components=2),
    "neighbors": lambda: lowdim.neighbors(X, 5),
    "neighbors, approximate": lambda: lowdim.neighbors(X, 5, method="approximate"),
    "smacof": lambda: lowdim.smacof(apart),
    "trustworthiness": lambda: lowdim.trustworthiness(X, X[:, :2]),
    "map_quality": lambda: lowdim.map_quality(X, X[:, :2]),
    "stress": lambda: lowdim.stress(apart, X[:, :2]),
    "sparse_encode": lambda: lowdim.sparse_encode(X, D, alpha=0.1),
    "orthogonal_mp": lambda: lowdim.orthogonal_mp(D.T, X[0], n_nonzero_coefs=2),
    "dict_learning": lambda: lowdim.dict_learning(X, 4, alpha=0.1, max_iter=5),
    "dict_learning_online": lambda: lowdim.dict_learning_online(X, 4, alpha=0.1, max_iter=5),
    "basis_pursuit": lambda: lowdim.sparse.basis_pursuit(D.T, X[0]),
    "denoise": lambda: lowdim.denoise(image),
    "inpaint": lambda: lowdim.inpaint(image, observed),
    "compress": lambda: lowdim.compress(image, keep=100),
    "CountVectorizer": counts,
    "TfidfVectorizer": lambda: lowdim.TfidfVectorizer(**text).fit_transform(docs),
    "corpus": lambda: counter.fit_transform(lowdim.corpus(docs)),
    "cooccurrence": lambda: lowdim.text.cooccurrence(docs, counter.fit(docs)),
    "choose_topics": lambda: lowdim.choose_topics(counts(), [2, 3], repeats=2),
    "Word2Vec": lambda: lowdim.Word2Vec(4, min_count=1, epochs=1).fit(docs),
}
use = uses[name]
"""
WITHOUT_DTYPE = {  # of texts
    "CountVectorizer", "TfidfVectorizer", "corpus", "cooccurrence", "choose_topics", "Word2Vec"
}  # fmt: skip

END = """
start, cpu = time.perf_counter(), time.process_time()
use()
print(json.dumps([time.perf_counter() - start, time.process_time() - cpu]))
"""


class Use(NamedTuple):
    """What is used first: a method or a function, on numbers of one kind."""

    name: str
    missing: bool
    dtype: str
    function: bool = False


def measure(quick: bool = False) -> tuple[str, bool]:
    """The table, and whether a limit was missed; quick: methods once, on float64; no warmup."""
    lines = ["| method | missing values | dtype | first result, s | second process, s | |"]
    lines.append("|---|---|---|---|---|---|")
    missed = False
    for use in cases(quick):
        line, slow = row(use)
        missed |= slow
        lines.append(line)
        print(line, file=sys.stderr, flush=True)
    if not quick:
        took = warmup()
        missed |= took > WARMUP
        verdict = " TOO SLOW" if took > WARMUP else ""
        lines += ["", f"`lowdim warmup` in an empty cache: {took:.1f} s{verdict}"]
    return "\n".join(lines), missed


def row(use: Use) -> tuple[str, bool]:
    """A line of the table, and whether it misses a limit."""
    with tempfile.TemporaryDirectory() as cache:
        first, second = (seconds(use, cache) for _ in range(2))
    slow = first > FIRST or second > SECOND_PROCESS
    nan, verdict = "yes" if use.missing else "", "TOO SLOW" if slow else ""
    name = f"`{use.name}`" if use.function else use.name
    return f"| {name} | {nan} | {use.dtype} | {first:.2f} | {second:.2f} | {verdict} |", slow


def warmup() -> float:
    with tempfile.TemporaryDirectory() as cache:
        start = time.perf_counter()
        command = [sys.executable, "-m", "lowdim", "warmup", "--quiet"]
        subprocess.run(command, env=environment(cache), check=True)
        return time.perf_counter() - start


def cases(quick: bool) -> Iterator[Use]:
    import lowdim

    for method in lowdim.methods():
        if method.nan:
            yield Use(method.name, True, "float64")
        if not quick or not method.nan:
            yield Use(method.name, False, "float64")
        if not quick:
            yield Use(method.name, False, "float32")
    if not quick:
        for name in functions():
            yield Use(name, False, "float64", function=True)
            if name not in WITHOUT_DTYPE:
                yield Use(name, False, "float32", function=True)


def functions() -> list[str]:
    """The functions that are called, as `CALL` lists them."""
    lines = CALL[CALL.index("uses = {") :].splitlines()
    return [line.split('"')[1] for line in lines if line.startswith('    "')]


def seconds(use: Use, cache: str) -> float:
    """Seconds to a first result in a process of its own."""
    program = BEGIN + (CALL if use.function else FIT) + END
    command = [sys.executable, "-c", program, use.name, str(use.missing), use.dtype]
    done = subprocess.run(command, env=environment(cache), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{use.name} failed:\n{done.stderr}")
    return float(min(json.loads(done.stdout.splitlines()[-1])))


def environment(cache: str) -> dict[str, Any]:
    return os.environ | {"NUMBA_CACHE_DIR": cache}
