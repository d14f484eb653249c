"""The first fit ever: what a person waits for while kernels are compiled.

Every method is fitted once to a small table in a fresh process with an empty cache, then once more
in another process that finds the compiled kernels on disk. There is no peer to compare with:
scikit-learn comes compiled. The limits are in seconds, since a person waits in seconds: 3 for the
first fit, 0.5 for the first result of a second process, imports aside. `lowdim warmup` in an empty
cache may take 15. Of wall and processor time the smaller one counts: other work on the machine does
not. Networks take two passes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

FIRST_FIT, SECOND_PROCESS, WARMUP = 3.0, 0.5, 15.0  # seconds

FIT = """
import json, sys, time, warnings
warnings.simplefilter("ignore")
import numpy as np
name, missing, dtype = sys.argv[1], sys.argv[2] == "True", sys.argv[3]
import numba, lowdim
cls = getattr(lowdim, name)
random = np.random.default_rng(0)
X = np.exp(0.3 * random.normal(size=(300, 3)) @ random.normal(size=(3, 8)))
X += random.random(X.shape)
if missing:
    X[random.random(X.shape) < 0.1] = np.nan
X = X.astype(dtype)
known = cls().get_params()
small = {key: 2 for key in ("n_components", "n_clusters") if key in known}
if cls.__module__.startswith("lowdim.deep."):  # torch is an import, and passes are no first use
    import torch
    small["max_iter"] = 2
y = [X[:, 0] > X[:, 1]] if cls().__sklearn_tags__().target_tags.required else []
start, cpu = time.perf_counter(), time.process_time()
cls(**small).fit(X, *y)
print(json.dumps([time.perf_counter() - start, time.process_time() - cpu]))
"""


def measure(quick: bool = False) -> tuple[str, bool]:
    """The table, and whether a limit was missed; quick: one fit of each method, and no warmup."""
    lines = ["| method | missing values | dtype | first fit, s | second process, s | |"]
    lines.append("|---|---|---|---|---|---|")
    missed = False
    for name, missing, dtype in cases(quick):
        with tempfile.TemporaryDirectory() as cache:
            first, second = (fit(name, missing, dtype, cache) for _ in range(2))
        slow = first > FIRST_FIT or second > SECOND_PROCESS
        missed |= slow
        nan, verdict = "yes" if missing else "", "TOO SLOW" if slow else ""
        lines.append(f"| {name} | {nan} | {dtype} | {first:.2f} | {second:.2f} | {verdict} |")
        print(lines[-1], file=sys.stderr, flush=True)
    if not quick:
        took = warmup()
        missed |= took > WARMUP
        verdict = " TOO SLOW" if took > WARMUP else ""
        lines += ["", f"`lowdim warmup` in an empty cache: {took:.1f} s{verdict}"]
    return "\n".join(lines), missed


def warmup() -> float:
    with tempfile.TemporaryDirectory() as cache:
        start = time.perf_counter()
        command = [sys.executable, "-m", "lowdim", "warmup", "--quiet"]
        subprocess.run(command, env=environment(cache), check=True)
        return time.perf_counter() - start


def cases(quick: bool) -> Iterator[tuple[str, bool, str]]:
    import lowdim

    for row in lowdim.methods():
        yield row.name, row.nan, "float64"
        if not quick:
            yield row.name, False, "float64"
            yield row.name, False, "float32"


def fit(name: str, missing: bool, dtype: str, cache: str) -> float:
    """Seconds of one fit in a process of its own."""
    command = [sys.executable, "-c", FIT, name, str(missing), dtype]
    done = subprocess.run(command, env=environment(cache), capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"{name} failed:\n{done.stderr}")
    return float(min(json.loads(done.stdout.splitlines()[-1])))


def environment(cache: str) -> dict[str, Any]:
    return os.environ | {"NUMBA_CACHE_DIR": cache}
