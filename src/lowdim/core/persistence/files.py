"""Saving and loading: models, and the state of a fit."""

from __future__ import annotations

import io
import json
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO, cast

from sklearn.base import BaseEstimator

from lowdim._version import __version__
from lowdim.core.persistence.archive import (
    DAMAGED,
    DOCUMENT,
    Archive,
    FileProblem,
    require,
    write_atomically,
    write_zip,
)
from lowdim.core.persistence.document import FORMAT, parsed
from lowdim.core.persistence.objects import PlainObject
from lowdim.core.persistence.values import at, decode, encode


class LoadError(ValueError):
    """A file that lowdim cannot load: damaged, hostile, too new, or no lowdim file at all."""


def save_model(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a model to a file that `load` reads: its class name, parameters and learned attributes.

    The file appears complete or not at all; one that is there already is replaced at the very end.
    The same model gives the same bytes.

    Parameters
    ----------
    model : Estimator or PlainObject
        One of the estimators that lowdim exports, fitted or not, or word vectors.
    path : str or path-like
        The file to write.

    Raises
    ------
    TypeError
        If a parameter or attribute is not plain data (a function, an object of another library).
    """
    name = type(model).__name__
    if not isinstance(model, BaseEstimator | PlainObject):
        raise TypeError(f"model={model!r} is a {name}; choose an estimator of lowdim.")
    _write(path, {"class": name}, model, root=name)


def saved_size(model: Any) -> int:
    """Bytes of the file that `save_model` would write."""
    name, sink = type(model).__name__, _Counter()
    write_zip(cast(BinaryIO, sink), *_contents({"class": name}, model, root=name))
    return sink.size


class _Counter(io.RawIOBase):
    """A file that forgets what is written, and knows how long it is."""

    def __init__(self) -> None:
        self.size = self._at = 0

    def writable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def write(self, chunk: Any) -> int:
        length = memoryview(chunk).nbytes
        self._at += length
        self.size = max(self.size, self._at)
        return length

    def tell(self) -> int:
        return self._at

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        self._at = offset + {io.SEEK_SET: 0, io.SEEK_CUR: self._at, io.SEEK_END: self.size}[whence]
        return self._at


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model that `model.save(path)` wrote, with this release of lowdim or any before it.

    Nothing in the file is executed: a stranger's file is safe to load. Memory: the arrays of the
    model, once.

    Parameters
    ----------
    path : str or path-like
        The file to read.

    Returns
    -------
    model : Estimator, WordVectors, Alignment or Compressed
        A new model with the same parameters and learned attributes, bit for bit.

    Raises
    ------
    LoadError
        If the file is damaged, was not written by lowdim, or needs a newer lowdim.

    Examples
    --------
    >>> import lowdim, numpy as np, tempfile
    >>> X = np.array([[0.0, 0.0], [1.0, 2.0], [2.0, 4.0]])
    >>> pca = lowdim.PCA(n_components=1).fit(X)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pca.save(f"{folder}/pca.lowdim")
    ...     again = lowdim.load(f"{folder}/pca.lowdim")
    >>> np.array_equal(again.transform(X), pca.transform(X))
    True
    """
    header, model = read_state(path)
    if (
        not isinstance(model, BaseEstimator | PlainObject)
        or header.get("class") != type(model).__name__
    ):
        raise LoadError(
            f"cannot load {os.fspath(path)!r}: it holds the state of a fit or other data, not a "
            "model. Choose a file that model.save(path) wrote."
        )
    return model


def write_state(path: str | os.PathLike[str], header: dict[str, Any], tree: Any) -> None:
    """Write a tree of plain values to a file, which appears complete or not at all.

    Parameters
    ----------
    path : str or path-like
        The file to write.
    header : dict
        What the file is for, in values such as those of the tree; "format" and "lowdim" (the
        version that writes) are added.
    tree : object
        None, bool, int, float, str; NumPy scalars and arrays (numbers, text, dates; object arrays
        of str); Tensors, which are weights by name; csr, csc and coo matrices and arrays; NumPy's
        Generator, RandomState and SeedSequence; estimators and named tuples of lowdim; lists,
        tuples and dicts (with keys of str) of all these.

    Raises
    ------
    TypeError
        For any other value; the message says where in the tree it is.
    """
    _write(path, header, tree, root="tree")


def read_state(path: str | os.PathLike[str]) -> tuple[dict[str, Any], Any]:
    """Read what `write_state` wrote: (header, tree).

    Raises
    ------
    LoadError
        If the file is damaged, was not written by lowdim, or needs a newer lowdim.
    """
    path = Path(path)
    try:
        require(stat.S_ISREG(path.stat().st_mode), "it is not a regular file")
        with path.open("rb") as file:
            return _read(Archive(file))
    except FileProblem as problem:
        raise LoadError(f"cannot load {str(path)!r}: {problem}. {problem.cure}") from problem
    except RecursionError as error:
        raise LoadError(f"cannot load {str(path)!r}: it is nested too deeply. {DAMAGED}") from error


def _write(path: str | os.PathLike[str], header: dict[str, Any], tree: Any, root: str) -> None:
    text, arrays = _contents(header, tree, root)
    write_atomically(Path(path), lambda file: write_zip(file, text, arrays))


def _contents(header: dict[str, Any], tree: Any, root: str) -> tuple[str, list]:
    """The document of a file, and arrays and weights."""
    arrays: list = []
    stamp = {"format": FORMAT, "lowdim": __version__}
    try:
        document = {
            "header": at("{}", "header", encode, stamp | header | stamp, arrays),
            "tree": at("{}", root, encode, tree, arrays),
        }
    except FileProblem as problem:
        raise TypeError(f"cannot save {problem}. {problem.cure}") from None
    return json.dumps(document, allow_nan=False, separators=(",", ":")), arrays


def _read(archive: Archive) -> tuple[dict[str, Any], Any]:
    header, tree = parsed(archive.text(DOCUMENT))
    header = at("{}", "header", decode, header, archive)
    tree = at("{}", "tree", decode, tree, archive)
    archive.check_all_read()
    return header, tree
