"""MovieLens: a loader for local copies of these data sets, which may not be passed on."""

from __future__ import annotations

import csv
import gzip
import zipfile
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import numpy as np

from lowdim.datasets.ratings import Ratings

WHERE = "Get one from https://grouplens.org/datasets/movielens/."


class Form(NamedTuple):
    """One of the ways in which GroupLens has published its ratings."""

    ratings: str  # how the names of files end
    movies: str
    separator: str
    header: bool
    encodings: tuple[str, ...]  # of the titles; the last one fits any bytes


FORMS = (
    Form("ratings.csv", "movies.csv", ",", True, ("utf-8", "latin-1")),  # latest, 20M, 25M, 32M
    Form("ratings.dat", "movies.dat", "::", False, ("utf-8", "latin-1")),  # 1M, 10M
    Form("u.data", "u.item", "\t", False, ("latin-1",)),  # 100K
)


def load_movielens(path: str | Path) -> Ratings:
    """MovieLens ratings from a local copy.

    Parameters
    ----------
    path : str or path-like
        The zip file as GroupLens publishes it (ml-100k, ml-1m, ml-10m, ml-20m, ml-25m, ml-32m,
        ml-latest, ml-latest-small); the folder that it unpacks to; the file of ratings in there
        (ratings.csv, ratings.dat, u.data, also with .gz; the file of titles is looked for beside
        it); or an .npz file with arrays `user`, `item` or `movie`, and optionally `rating`,
        `timestamp` and titles (`item_title` of items 1, 2, ..., or `movie_id` with `movie_title`).

    Returns
    -------
    Ratings
        Arrays `user`, `item` (both int64), `rating` and `timestamp` (None if not there), and the
        dict `titles`; `Recommender.fit` takes it as it is.

    References
    ----------
    .. [1] F. M. Harper, J. A. Konstan (2015). The MovieLens datasets: history and context. ACM
       Transactions on Interactive Intelligent Systems 5(4).
    """
    path = Path(path)
    if not path.exists():
        raise FileNotFoundError(f"There is no file or folder {path}. {WHERE}")
    if path.suffix == ".npz":
        return _of_arrays(path)
    files = _files(path)
    for form in FORMS:
        names = sorted(name for name in files if name.endswith(form.ratings))
        if path.is_file() and path.suffix != ".zip":
            names = [name for name in names if name == path.name.removesuffix(".gz")]
        if names:
            start = names[0].removesuffix(form.ratings)
            movies = files.get(start + form.movies)
            titles = {} if movies is None else _titles(movies(), form)
            return _ratings(files[names[0]](), form, names[0], titles)
    raise ValueError(
        f"{path} holds no ratings of MovieLens (ratings.csv, ratings.dat or u.data). {WHERE}"
    )


def _files(path: Path) -> dict[str, Callable[[], bytes]]:
    """What can be read there: names without folders and without .gz."""
    if path.suffix == ".zip":
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
        return {name.rpartition("/")[2]: _member(path, name) for name in names}
    folder = path if path.is_dir() else path.parent
    return {file.name.removesuffix(".gz"): _reader(file) for file in sorted(folder.iterdir())}


def _member(path: Path, name: str) -> Callable[[], bytes]:
    def read() -> bytes:
        with zipfile.ZipFile(path) as archive:
            return archive.read(name)

    return read


def _reader(file: Path) -> Callable[[], bytes]:
    def read() -> bytes:
        return gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()

    return read


def _ratings(content: bytes, form: Form, name: str, titles: dict) -> Ratings:
    lines = StringIO(content.decode("ascii", "replace").replace("::", "\t"))
    separator = "\t" if form.separator == "::" else form.separator
    try:
        table = np.loadtxt(lines, delimiter=separator, skiprows=int(form.header), ndmin=2)
    except ValueError as error:
        raise ValueError(f"{name} is not a table of MovieLens ratings: {error}") from None
    if table.shape[1] != 4:
        raise ValueError(
            f"{name} has {table.shape[1]} columns; ratings of MovieLens have 4: user, movie, "
            "rating and timestamp."
        )
    user, item, rating, timestamp = table.T
    whole = [column.astype(np.int64) for column in (user, item, timestamp)]
    return Ratings(whole[0], whole[1], rating.copy(), whole[2], titles)


def _titles(content: bytes, form: Form) -> dict:
    text = _decoded(content, form.encodings)
    if form.separator == ",":
        lines = csv.reader(StringIO(text))
        next(lines)
        return {int(line[0]): line[1] for line in lines}
    separator = "|" if form.separator == "\t" else form.separator
    fields = (line.split(separator) for line in text.splitlines() if line)
    return {int(line[0]): line[1] for line in fields}


def _decoded(content: bytes, encodings: tuple[str, ...]) -> str:
    for encoding in encodings[:-1]:
        try:
            return content.decode(encoding)
        except UnicodeDecodeError:
            continue
    return content.decode(encodings[-1])


def _of_arrays(path: Path) -> Ratings:
    with np.load(path) as arrays:
        item = next((name for name in ("item", "movie") if name in arrays), None)
        if item is None or "user" not in arrays:
            raise ValueError(
                f"{path} holds {', '.join(arrays.files)}; arrays `user` and `item` (or `movie`) "
                "are needed."
            )
        titles = {}
        if "item_title" in arrays:
            titles = dict(enumerate(arrays["item_title"].tolist(), start=1))
        elif "movie_id" in arrays and "movie_title" in arrays:
            names = arrays["movie_id"].tolist(), arrays["movie_title"].tolist()
            titles = dict(zip(*names, strict=True))
        rating = arrays["rating"].astype(np.float64) if "rating" in arrays else None
        timestamp = arrays["timestamp"].astype(np.int64) if "timestamp" in arrays else None
        return Ratings(
            arrays["user"].astype(np.int64),
            arrays[item].astype(np.int64),
            rating,
            timestamp,
            titles,
        )
