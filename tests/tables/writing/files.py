"""What the tests of writers share: a table written, and files read without our own readers."""

import gzip
import json

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.json
import pyarrow.parquet

from lowdim.tables.writing import WRITABLE, write_table

NUMBERS_ONLY = (".npy", ".npz")

ARROW = (".parquet", ".feather", ".arrow")

ENDINGS = WRITABLE


def written(frame, name="t.csv", **options):
    """The text of a file to which a table is written."""
    write_table(frame, name, **options)
    with open(name, encoding="utf-8", newline="") as file:
        return file.read()


def read_arrow(path):
    """An Arrow, Feather or parquet file, read by pyarrow."""
    if path.endswith(".parquet"):
        return pa.parquet.read_table(path)
    if path.endswith(".feather"):
        return pa.feather.read_table(path)
    with pa.ipc.open_file(path) as file:
        return file.read_all()


def numbers_in(path):
    """The numbers of any file, read without our own readers."""
    kind = path.removesuffix(".gz")
    kind = kind[kind.rindex(".") :]
    if kind == ".npy":
        return np.load(path)
    if kind == ".npz":
        with np.load(path) as arrays:
            return arrays["X"]
    if kind in ARROW:
        return read_arrow(path).to_pandas().to_numpy()
    if kind == ".xlsx":
        return pl.read_excel(path).to_numpy()
    if kind == ".json":
        opened = gzip.open if path.endswith(".gz") else open
        with opened(path, "rt") as file:
            return pd.DataFrame(json.load(file)).to_numpy()
    if kind == ".jsonl":
        return pd.read_json(path, lines=True, precise_float=True).to_numpy()
    separator = "," if kind == ".csv" else "\t"
    options = pa.csv.ParseOptions(delimiter=separator)
    return pa.csv.read_csv(path, parse_options=options).to_pandas().to_numpy()
