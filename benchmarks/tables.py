"""Tables: one look at a csv file beside polars' scan of it, and a data frame as numbers.

A file holds the data as text, written once before anything is measured. Both entries read
all of it: ours finds the kind of each column and adds up what its codec needs, polars is asked for
the mean and standard deviation of the numbers and the different words. Quality is the largest error
of the standard deviations; of encoded frames, of the encoded numbers.
"""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.harness import Case, Entry

LIBRARIES = ("lowdim", "numpy", "pandas", "polars", "pyarrow", "scikit-learn")
WORDS = np.array(["red", "green", "blue", "yellow", "white"])


def csv_of(X: np.ndarray, words: bool) -> str:
    """The path of a file with these rows; the last two columns as words, if wanted.

    It lies beside the data of the run. Another process writes it, so that it does not count as
    memory of a fit.
    """
    held: Any = X
    while not isinstance(held, np.memmap):
        held = held.base
    data = Path(held.filename)
    path = data.with_name(f"{len(X)}x{X.shape[1]}.csv")
    if not path.exists():
        with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as writer:
            writer.submit(write_csv, data, len(X), words, path).result()
    return str(path)


def write_csv(data: Path, n: int, words: bool, path: Path) -> None:
    import polars as pl

    unfinished = path.with_suffix(f".{os.getpid()}")
    frame_of(np.load(data, mmap_mode="r")[:n], words, pl.DataFrame).write_csv(unfinished)
    unfinished.replace(path)


def frame_of(X: np.ndarray, words: bool, make: Any) -> Any:
    columns: dict[str, np.ndarray] = {f"x{f}": X[:, f] for f in range(X.shape[1])}
    if words:
        for name in list(columns)[-2:]:
            columns[name] = WORDS[np.clip(np.rint(columns[name]), 0, 4).astype(int)]
    for name, x in columns.items():
        if x.dtype.kind == "f" and np.array_equal(x, np.rint(x)):
            columns[name] = x.astype(int)  # written as 3, not as 3.0
    return make(columns)


def deviations_ours(X: np.ndarray, words: bool) -> dict[str, float]:
    from lowdim import TableEncoder
    from lowdim.tables import open_table

    encoder = TableEncoder(log=False).fit(open_table(csv_of(X, words), stream=True))
    numbers = [c for c in encoder.columns_ if c.kind in ("number", "positive", "whole number")]
    return {column.name: column.codec.scale * column.codec.unit for column in numbers}


def whole_numbers(shrink: int, n: int, d: int) -> np.ndarray:
    """Whole numbers below 60, 100 or 1000: ages, shares, prices."""
    random = np.random.default_rng(0)
    return random.integers(0, np.resize([60, 100, 1000], d), size=(n // shrink, d)).astype(float)


def short_decimals(shrink: int, n: int, d: int) -> np.ndarray:
    """Normal columns with four decimals."""
    random = np.random.default_rng(0)
    return random.normal(size=(n // shrink, d)).round(4)


def deviations_polars(X: np.ndarray, words: bool) -> dict[str, float]:
    import polars as pl

    scan = pl.scan_csv(csv_of(X, words))
    wanted = []
    for name, dtype in scan.collect_schema().items():
        if dtype.is_numeric():
            wanted += [pl.col(name).mean().alias(f"mean of {name}"), pl.col(name).std(ddof=0)]
        else:
            wanted.append(pl.col(name).n_unique())
    found = scan.select(wanted).collect(engine="streaming").to_dicts()[0]
    return {name: value for name, value in found.items() if name.startswith("x") and value % 1}


def exactness(X: np.ndarray, found: dict[str, float]) -> float:
    """Minus the largest relative error of a standard deviation; below 1e-9 it is rounding."""
    exact = X.std(axis=0)
    return -max(1e-9, *(abs(value / exact[int(name[1:])] - 1.0) for name, value in found.items()))


def encode_ours(X: np.ndarray) -> np.ndarray:
    import pandas as pd

    from lowdim import TableEncoder

    return TableEncoder(log=False).fit_transform(cached_frame(X, pd))


def encode_sklearn(X: np.ndarray) -> np.ndarray:
    import pandas as pd
    from sklearn.compose import ColumnTransformer
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    table = cached_frame(X, pd)
    words = [name for name in table.columns if table[name].dtype.kind not in "fi"]
    numbers = [name for name in table.columns if name not in words]
    one_hot = OneHotEncoder(sparse_output=False)
    encoder = ColumnTransformer([("numbers", StandardScaler(), numbers), ("words", one_hot, words)])
    return encoder.fit_transform(table)


FRAMES: dict[int, Any] = {}


def cached_frame(X: np.ndarray, pd: Any) -> Any:
    """The data frame of these rows, made once."""
    if len(X) not in FRAMES:
        FRAMES[len(X)] = frame_of(X, True, pd.DataFrame)
    return FRAMES[len(X)]


def standardised(X: np.ndarray, Z: np.ndarray) -> float:
    """Minus the largest error of the encoded numbers; below 1e-9 it is rounding."""
    numbers = X[:, :-2]
    exact = (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)
    return -max(1e-9, float(np.abs(Z[:, : exact.shape[1]] - exact).max()))


def rows(shrink: int, n: int, d: int) -> np.ndarray:
    """Normal columns of several sizes, the last two between 0 and 4."""
    random = np.random.default_rng(0)
    X = random.normal(size=(n // shrink, d)) * 10.0 ** random.integers(-2, 4, size=d)
    X[:, -2:] = random.uniform(0, 4, size=(len(X), 2))
    return X


KINDS = {
    "numbers": (rows, "columns of numbers with 16 digits"),
    "mixed": (rows, "columns, the last two words, the others numbers with 16 digits"),
    "whole": (whole_numbers, "columns of whole numbers below 1000"),
    "decimals": (short_decimals, "columns of numbers with four decimals"),
}


def file_case(kind: str, n: int, d: int, big: bool = False) -> Case:
    make, columns = KINDS[kind]
    words = kind == "mixed"
    return Case(
        name=f"csv-{n}x{d}-{kind}",
        about=f"A csv file of {n} rows, {d} {columns}: one look at it.",
        make=partial(make, n=n, d=d),
        ours=Entry("lowdim TableEncoder.fit", partial(deviations_ours, words=words)),
        peers=[Entry("polars scan", partial(deviations_polars, words=words))],
        quality=exactness,
        tolerance=1e-9,
        big=big,
    )


CASES = (
    file_case("numbers", 500_000, 20),
    file_case("mixed", 500_000, 20),
    file_case("whole", 2_500_000, 30),
    file_case("decimals", 50_000, 500),
    file_case("numbers", 2_600_000, 20, big=True),  # 1 GB
    file_case("mixed", 2_800_000, 20, big=True),
    file_case("whole", 12_000_000, 30, big=True),
    file_case("decimals", 280_000, 500, big=True),
    Case(
        name="frame-1000000x12",
        about="A pandas frame of 1000000 rows, 10 columns of numbers and 2 of words, encoded.",
        make=partial(rows, n=1_000_000, d=12),
        ours=Entry("lowdim TableEncoder", encode_ours),
        peers=[Entry("scikit-learn ColumnTransformer", encode_sklearn)],
        quality=standardised,
        tolerance=1e-9,
    ),
)
