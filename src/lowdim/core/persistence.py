"""Model files and checkpoints: a zip of .npy arrays and one JSON document, read without trust.

    value  -- encode -->  JSON and arrays  -- write -->  file
    file   -- read  --->  JSON and arrays  -- decode ->  the same value, bit for bit

Some values are JSON as they are (None, bool, int, float, str, list, dict), dense arrays are
entries of the zip, and every other kind of value is taken apart into named fields of simpler
values: `KINDS` lists how, and how it is put together again. docs/file_format.md has the details.

A file may come from anywhere. Reading executes nothing, unpickles nothing and imports nothing
outside lowdim; every size is held against the bytes that are there before memory is taken.
"""

from __future__ import annotations

import errno
import inspect
import json
import math
import os
import re
import secrets
import shutil
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterable
from importlib import import_module
from operator import attrgetter
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from lowdim._version import __version__

FORMAT = 1  # what is written; this one and all before it are read
DOCUMENT = "lowdim.json"
MAX_DEPTH = 100  # of lists in dicts in lists ...
LARGE = 2**30  # bytes from which an entry gets the ZIP64 header, needed from 2**31
CHUNK = 2**20  # bytes read at a time: still in the cache when their checksum is taken


class LoadError(ValueError):
    """A file that lowdim cannot load: damaged, hostile, too new, or no lowdim file at all."""


def save_model(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a model to a file that `load` reads: its class name, parameters and learned attributes.

    The file appears complete or not at all; one that is there already is replaced at the very end.
    The same model gives the same bytes.

    Parameters
    ----------
    model : Estimator
        One of the estimators that lowdim exports, fitted or not.
    path : str or path-like
        The file to write.

    Raises
    ------
    TypeError
        If a parameter or attribute is not plain data (a function, an object of another library).
    """
    name = type(model).__name__
    if not isinstance(model, BaseEstimator):
        raise TypeError(f"model={model!r} is a {name}; choose an estimator of lowdim.")
    _write(path, {"class": name}, model, root=name)


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
    model : Estimator
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
    if not isinstance(model, BaseEstimator) or header.get("class") != type(model).__name__:
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
        of str); csr, csc and coo matrices and arrays; NumPy's Generator, RandomState and
        SeedSequence; estimators and named tuples of lowdim; lists, tuples and dicts (with keys of
        str) of all these.

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
        _require(stat.S_ISREG(path.stat().st_mode), "it is not a regular file")
        with path.open("rb") as file:
            return _read(_Archive(file))
    except _Problem as problem:
        raise LoadError(f"cannot load {str(path)!r}: {problem}. {problem.cure}") from problem
    except RecursionError as error:
        raise LoadError(f"cannot load {str(path)!r}: it is nested too deeply. {DAMAGED}") from error


def _write(path: str | os.PathLike[str], header: dict[str, Any], tree: Any, root: str) -> None:
    arrays: list[np.ndarray] = []
    stamp = {"format": FORMAT, "lowdim": __version__}
    try:
        document = {
            "header": _at("{}", "header", _encode, stamp | header | stamp, arrays),
            "tree": _at("{}", root, _encode, tree, arrays),
        }
    except _Problem as problem:
        raise TypeError(f"cannot save {problem}. {problem.cure}") from None
    text = json.dumps(document, allow_nan=False, separators=(",", ":"))
    _write_atomically(Path(path), lambda file: _write_zip(file, text, arrays))


def _read(archive: _Archive) -> tuple[dict[str, Any], Any]:
    header, tree = _parsed(archive.text(DOCUMENT))
    header = _at("{}", "header", _decode, header, archive)
    tree = _at("{}", "tree", _decode, tree, archive)
    archive.check_all_read()
    return header, tree


# ---- what can be wrong ---------------------------------------------------------------------------

DAMAGED = "Use an undamaged file that lowdim wrote, or save the model again."
NOT_PLAIN = (
    "A lowdim file holds plain data: numbers, text, lists, tuples, dicts with text keys, NumPy "
    "arrays, SciPy csr, csc and coo matrices, random generators and models of lowdim. Make it one "
    "of these, or set it to None before saving and set it again after loading."
)
UPGRADE = "Upgrade lowdim: pip install --upgrade lowdim."


class _Problem(Exception):
    """What is wrong with a file or a value, where in it, and what to do about it."""

    def __init__(self, problem: str, cure: str):
        super().__init__(problem)
        self.cure = cure
        self.steps: list[str] = []  # from the place to the root

    def __str__(self) -> str:
        place = "".join(reversed(self.steps))[:200]
        return f"{place}: {self.args[0]}" if place else self.args[0]


def _at(step: str, key: Any, function: Callable, *args: Any) -> Any:
    """function(*args); a problem in there learns of this step to its place."""
    try:
        return function(*args)
    except _Problem as problem:
        problem.steps.append(step.format(key))
        raise


def _require(condition: Any, otherwise: str, cure: str = DAMAGED) -> None:
    if not condition:
        raise _Problem(otherwise, cure)


# ---- values to JSON and back ---------------------------------------------------------------------

IN_DICT = "[{!r:.40}]"


def _encode(value: Any, arrays: list[np.ndarray], depth: int = 0) -> Any:
    """The value as JSON. Dense arrays are put into `arrays`; the JSON names their entry."""
    _require(depth <= MAX_DEPTH, f"it is more than {MAX_DEPTH} levels deep", NOT_PLAIN)
    if _is_json(value):
        return value
    if type(value) is list:
        return [_at("[{}]", i, _encode, v, arrays, depth + 1) for i, v in enumerate(value)]
    if type(value) is dict:
        _check_keys(value)
        return {
            _escaped(key): _at(IN_DICT, key, _encode, v, arrays, depth + 1)
            for key, v in value.items()
        }
    if _is_dense(value):
        arrays.append(value)
        return {"$": "array", "entry": f"{len(arrays) - 1}.npy"}
    tag = _tag(value)
    fields = KINDS[tag].pack(value)
    return {"$": tag} | {
        name: _at(".{}", name, _encode, field, arrays, depth + 1) for name, field in fields.items()
    }


def _decode(node: Any, archive: _Archive, depth: int = 0) -> Any:
    """The value that the JSON stands for. Its lists and dicts are changed in place."""
    _require(depth <= MAX_DEPTH, f"it is more than {MAX_DEPTH} levels deep")
    if type(node) is list:
        _decode_children(node, enumerate(node), "[{}]", archive, depth)
        return node
    if type(node) is not dict:
        return node
    if "$" not in node:
        _decode_children(node, node.items(), IN_DICT, archive, depth)
        escaped = any(key.startswith("$") for key in node)
        return {key.removeprefix("$"): v for key, v in node.items()} if escaped else node
    tag = node.pop("$")
    known = type(tag) is str and (tag in KINDS or tag == "array")
    _require(known, "this lowdim does not know its kind of value", UPGRADE)
    types = KINDS[tag].fields if tag in KINDS else {"entry": str}
    _require(node.keys() == types.keys(), f"it has other fields than the kind {tag!r}")
    _decode_children(node, node.items(), ".{}", archive, depth)
    for name, field in node.items():
        _require(types[name] in (Any, type(field)), f"its {name} is of type {type(field).__name__}")
    if tag == "array":
        return archive.array(node["entry"])
    return KINDS[tag].unpack(**node)


def _decode_children(
    node: Any, children: Iterable[tuple], step: str, archive: _Archive, depth: int
) -> None:
    for key, child in children:
        if type(child) in (list, dict):  # all else is the value itself
            node[key] = _at(step, key, _decode, child, archive, depth + 1)


def _is_json(value: Any) -> bool:
    """JSON holds the value as it is, and readers in other languages get it exactly."""
    kind = type(value)
    if kind is str:
        _check_text(value)
        return True
    return (
        value is None
        or kind is bool
        or (kind is int and abs(value) < 2**53)
        or (kind is float and math.isfinite(value))
    )


def _check_text(text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise _Problem("it is text with half of a surrogate pair", NOT_PLAIN) from None


def _check_keys(value: dict) -> None:
    for key in value:
        _require(type(key) is str, f"it has a key of type {type(key).__name__}", NOT_PLAIN)
        _check_text(key)


def _escaped(key: str) -> str:
    """The key "$" marks what is not a plain dict, so a key of the user's gets one "$" more."""
    return "$" + key if key.startswith("$") else key


def _is_dense(value: Any) -> bool:
    return type(value) in (np.ndarray, np.memmap) and _is_storable(value.dtype)


def _is_storable(dtype: np.dtype) -> bool:
    return dtype.fields is None and DTYPE.fullmatch(dtype.str) is not None


def _tag(value: Any) -> str:
    """The kind of a value that is neither JSON nor a dense array."""
    cls = type(value)
    if cls in TAGS:
        return TAGS[cls]
    if isinstance(value, np.generic) and _is_storable(value.dtype):
        return "scalar"
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return "namedtuple"
    if isinstance(value, BaseEstimator):
        return "estimator"
    if callable(value):
        raise _Problem(
            f"it is code ({getattr(value, '__qualname__', cls.__qualname__)})", NOT_PLAIN
        )
    if isinstance(value, np.generic | np.ndarray):
        raise _Problem(f"it is a {cls.__name__} of dtype {value.dtype}", NOT_PLAIN)
    raise _Problem(f"it is a {cls.__module__}.{cls.__qualname__}", NOT_PLAIN)


# ---- kinds of values: numbers, text, arrays ------------------------------------------------------


class Kind(NamedTuple):
    """How one kind of value is taken apart into simpler values, and put together again."""

    pack: Callable[[Any], dict[str, Any]]
    unpack: Callable[..., Any]
    fields: dict[str, Any]  # names and types: the parameters of `unpack`


KINDS: dict[str, Kind] = {}  # by the name that marks them in a file
TAGS: dict[type, str] = {}  # this name by class, for kinds that are known by their class


def kind(tag: str, *classes: type, pack: Callable[[Any], dict[str, Any]]) -> Callable:
    """Decorate the function that puts a kind of value together again out of its fields."""

    def register(unpack: Callable) -> Callable:
        fields = inspect.get_annotations(unpack, eval_str=True)
        del fields["return"]
        KINDS[tag] = Kind(pack, unpack, fields)
        TAGS.update(dict.fromkeys(classes, tag))
        return unpack

    return register


@kind("int", int, pack=lambda value: {"hex": hex(value)})
def _int(hex: str) -> int:
    _require(re.fullmatch("-?0x[0-9a-f]+", hex), "it is not a hexadecimal integer")
    return int(hex, 16)  # linear in the number of digits; decimal ones take its square


@kind("float", float, pack=lambda value: {"hex": struct.pack(">d", value).hex()})
def _float(hex: str) -> float:
    _require(re.fullmatch("[0-9a-f]{16}", hex), "it is not the 8 bytes of a float")
    return float(struct.unpack(">d", bytes.fromhex(hex))[0])


@kind("tuple", tuple, pack=lambda value: {"items": list(value)})
def _tuple(items: list) -> tuple:
    return tuple(items)


@kind("numpy_text", np.str_, pack=lambda value: {"text": str(value)})
def _numpy_text(text: str) -> np.str_:
    return np.str_(text)


@kind("scalar", pack=lambda value: {"dtype": value.dtype.str, "hex": value.tobytes().hex()})
def _scalar(dtype: str, hex: str) -> np.generic:
    one = _dtype(dtype)
    digits = len(hex) == 2 * one.itemsize and re.fullmatch("[0-9a-f]*", hex)
    _require(digits, f"it is not the {one.itemsize} bytes of one {dtype}")
    array = np.frombuffer(bytes.fromhex(hex), one)
    _check_elements(array)
    return array[0]


def _text_items(array: np.ndarray) -> dict[str, Any]:
    items = array.ravel().tolist()
    _require(
        array.dtype == object and all(type(item) is str for item in items),
        f"it is an array of dtype {array.dtype} that holds more than text",
        NOT_PLAIN,
    )
    return {"shape": list(array.shape), "items": items}


@kind("text_array", np.ndarray, pack=_text_items)  # dense arrays do not come here
def _text_array(shape: list, items: list) -> np.ndarray:
    _check_shape(shape, itemsize=8)
    _require(len(items) == math.prod(shape), f"{len(items)} strings do not fill its shape")
    _require(all(type(item) is str for item in items), "it holds more than text")
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array.reshape(shape)


# ---- kinds of values: sparse matrices ------------------------------------------------------------
# SciPy's compiled code follows indices without looking: a wrong one reads or writes foreign memory.

COMPRESSED = [sp.csr_array, sp.csr_matrix, sp.csc_array, sp.csc_matrix]
COORDINATE = [sp.coo_array, sp.coo_matrix]


def _compressed_arrays(matrix: Any) -> dict[str, Any]:
    n = int(matrix.indptr[-1])  # its arrays may be longer than what they hold
    index = np.result_type(matrix.indices, matrix.indptr)  # and of two dtypes
    return {
        **_class_and_shape(matrix),
        "data": matrix.data[:n],
        "indices": matrix.indices[:n].astype(index, copy=False),
        "indptr": matrix.indptr.astype(index, copy=False),
    }


@kind("compressed", *COMPRESSED, pack=_compressed_arrays)
def _compressed(
    name: str, shape: list, data: np.ndarray, indices: np.ndarray, indptr: np.ndarray
) -> Any:
    cls = _sparse_class(name, shape, COMPRESSED)
    data, indices, indptr = map(_native, (data, indices, indptr))
    rows, columns = shape if name.startswith("csr") else reversed(shape)
    _check_indices(indices, columns, data, shape)
    _require(
        indptr.shape == (rows + 1,)
        and indptr.dtype == indices.dtype
        and indptr[0] == 0
        and indptr[-1] == len(data)
        and np.all(indptr[1:] >= indptr[:-1]),
        f"its indptr does not rise from 0 to {len(data)} in {rows} steps",
    )
    matrix = cls((data, indices, indptr), shape=shape)
    matrix.indices, matrix.indptr = indices, indptr  # the constructor may change their dtype
    return matrix


@kind(
    "coordinate",
    *COORDINATE,
    pack=lambda coo: {**_class_and_shape(coo), "data": coo.data, "row": coo.row, "col": coo.col},
)
def _coordinate(name: str, shape: list, data: np.ndarray, row: np.ndarray, col: np.ndarray) -> Any:
    cls = _sparse_class(name, shape, COORDINATE)
    data, row, col = map(_native, (data, row, col))
    _check_indices(row, shape[0], data, shape)
    _check_indices(col, shape[1], data, shape)
    matrix = cls((data, (row, col)), shape=shape)
    matrix.coords = row, col  # the constructor may change their dtype
    return matrix


def _class_and_shape(matrix: Any) -> dict[str, Any]:
    _require(matrix.ndim == 2, f"it has {matrix.ndim} dimensions, not 2", NOT_PLAIN)
    return {"name": type(matrix).__name__, "shape": list(map(int, matrix.shape))}


def _sparse_class(name: str, shape: list, classes: list) -> Any:
    found = [cls for cls in classes if cls.__name__ == name]
    _require(found, "unknown class of sparse matrices", UPGRADE)
    _check_shape(shape, itemsize=0)
    _require(len(shape) == 2, f"it has {len(shape)} dimensions, not 2")
    return found[0]


def _native(array: np.ndarray) -> np.ndarray:
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _check_indices(indices: np.ndarray, limit: int, data: np.ndarray, shape: list) -> None:
    _require(data.ndim == 1 and data.dtype.kind in "biufc", "its data are not a list of numbers")
    _require(indices.shape == data.shape, "it does not have one index for each number")
    _require(
        indices.dtype in (np.int32, np.int64)
        and max(len(data), *shape) <= np.iinfo(indices.dtype).max,
        f"its indices are {indices.dtype}, which does not fit",
    )
    inside = len(indices) == 0 or (indices.min() >= 0 and indices.max() < limit)
    _require(inside, "an index is outside its shape")


# ---- kinds of values: random generators ----------------------------------------------------------
# As bad is a wrong state: NumPy reads a buffer at a position in it without looking.

BIT_GENERATORS = {
    "MT19937": np.random.MT19937,
    "PCG64": np.random.PCG64,
    "PCG64DXSM": np.random.PCG64DXSM,
    "Philox": np.random.Philox,
    "SFC64": np.random.SFC64,
}
LARGEST_IN_STATE = {
    "pos": 624,
    "buffer_pos": 4,
    "has_gauss": 1,
    "has_uint32": 1,
    "uinteger": 2**32 - 1,
    "state": 2**128 - 1,
    "inc": 2**128 - 1,
}
# NumPy takes quadratic time to make a seed of very many words
MOST_WORDS, LARGEST_WORD, LARGEST_POOL = 1024, 2**1024, 1024


def _generator_state(generator: np.random.Generator) -> dict[str, Any]:
    bits = generator.bit_generator
    _require(
        type(bits) in BIT_GENERATORS.values(),
        f"it draws from a {type(bits).__name__}, which is not one of NumPy's",
        NOT_PLAIN,
    )
    seed = bits.seed_seq  # what `spawn` goes by; with a seed of another kind there is no spawning
    spawns = type(seed) is np.random.SeedSequence
    return {"state": _plain_state(bits.state), "seed": seed if spawns else None}


@kind("generator", np.random.Generator, pack=_generator_state)
def _generator(state: dict, seed: Any) -> np.random.Generator:
    _require(type(seed) in (np.random.SeedSequence, type(None)), "its seed is something else")
    bits = _bit_generator(state, seed)
    _check_state(state, like=_plain_state(bits.state))
    bits.state = state
    return np.random.Generator(bits)


def _random_state_state(random_state: np.random.RandomState) -> dict[str, Any]:
    state = _plain_state(random_state.get_state(legacy=False))
    name = state["bit_generator"]
    _require(name in BIT_GENERATORS, f"it draws from a {name}, not one of NumPy's", NOT_PLAIN)
    return {"state": state}


@kind("random_state", np.random.RandomState, pack=_random_state_state)
def _random_state(state: dict) -> np.random.RandomState:
    random_state = np.random.RandomState(_bit_generator(state))
    _check_state(state, like=_plain_state(random_state.get_state(legacy=False)))
    random_state.set_state(state)
    return random_state


def _bit_generator(state: dict, seed: np.random.SeedSequence | None = None) -> Any:
    name: Any = state.get("bit_generator")
    _require(type(name) is str and name in BIT_GENERATORS, "unknown bit generator", UPGRADE)
    return BIT_GENERATORS[name](seed)


def _plain_state(state: Any) -> Any:
    """The state with Python's numbers, whatever numbers this version of NumPy puts there."""
    if isinstance(state, dict):
        return {name: _plain_state(field) for name, field in state.items()}
    return state.item() if isinstance(state, np.generic) else state


def _check_state(state: dict, like: dict) -> None:
    """The state has fields of the same types and shapes as another one, with values in bounds."""
    _require(state.keys() == like.keys(), "its state has other fields")
    for name, example in like.items():
        field = state[name]
        _require(type(field) is type(example), f"{name} of its state is of another type")
        if isinstance(example, dict):
            _check_state(field, example)
        elif isinstance(example, np.ndarray):
            same = field.shape == example.shape and _native(field[:0]).dtype == example.dtype
            _require(same, f"{name} of its state is not {example.shape} of {example.dtype}")
        elif isinstance(example, int):
            _require(0 <= field <= LARGEST_IN_STATE[name], f"{name} of its state is out of bounds")
    if "pos" in like:  # a Mersenne Twister at zero stays there: no normal number would ever come
        _require(state["key"][0] >> 31 or np.any(state["key"][1:]), "its state is zero")
    if "inc" in like:
        _require(state["inc"] % 2 == 1, "its increment is even")


def _seed_fields(seed: np.random.SeedSequence) -> dict[str, Any]:
    fields = {**seed.state, "spawn_key": list(seed.spawn_key)}
    _require(
        _is_seed(seed.entropy) and _is_seed(seed.spawn_key) and seed.pool_size <= LARGEST_POOL,
        "its entropy, spawn_key or pool_size is too large",
        NOT_PLAIN,
    )
    return fields


@kind("seed", np.random.SeedSequence, pack=_seed_fields)
def _seed(
    entropy: Any, spawn_key: list, pool_size: int, n_children_spawned: int
) -> np.random.SeedSequence:
    _require(
        _is_seed(entropy)
        and _is_seed(spawn_key)
        and 4 <= pool_size <= LARGEST_POOL
        and 0 <= n_children_spawned < 2**32,
        "it is not a seed",
    )
    return np.random.SeedSequence(
        entropy, spawn_key=spawn_key, pool_size=pool_size, n_children_spawned=n_children_spawned
    )


def _is_seed(value: Any) -> bool:
    """One or several non-negative integers."""
    several = isinstance(value, list | tuple) or (isinstance(value, np.ndarray) and value.ndim == 1)
    words = value if several else [value]
    return len(words) <= MOST_WORDS and all(
        isinstance(word, int | np.integer) and 0 <= int(word) < LARGEST_WORD for word in words
    )


# ---- kinds of values: named tuples and estimators of lowdim --------------------------------------

# how a fit is watched is no part of the model
NOT_KEPT = frozenset({"_skl_callbacks", "_callback_fit_ctx", "_parent_callback_ctx"})


def _named_fields(value: Any) -> dict[str, Any]:
    cls = type(value)
    path = f"{cls.__module__}.{cls.__qualname__}"
    own = _lowdim_namedtuple(path) is cls
    _require(own, f"it is a {path}, not a named tuple of lowdim", NOT_PLAIN)
    return {"name": path, "fields": value._asdict()}


@kind("namedtuple", pack=_named_fields)
def _namedtuple(name: str, fields: dict) -> Any:
    cls: Any = _lowdim_namedtuple(name)
    _require(cls, "this lowdim has no such named tuple", UPGRADE)
    missing = set(cls._fields) - set(cls._field_defaults) - set(fields)
    _require(not missing and fields.keys() <= set(cls._fields), "its fields are others", UPGRADE)
    return cls(**fields)


def _lowdim_namedtuple(path: str) -> type | None:
    """The named tuple that a module of lowdim defines at its top level under this name, if any."""
    if not re.fullmatch(r"lowdim(?:\.[A-Za-z][A-Za-z0-9_]*)+\.[A-Za-z0-9_]+", path):
        return None
    module, _, name = path.rpartition(".")
    try:
        cls = vars(import_module(module)).get(name)
    except ImportError:
        return None
    named = isinstance(cls, type) and issubclass(cls, tuple) and hasattr(cls, "_fields")
    return cls if named and cls.__module__ == module else None


def _estimator_fields(model: Any) -> dict[str, Any]:
    cls = type(model)
    _require(
        _public_estimator(cls.__name__) is cls,
        f"{cls.__module__}.{cls.__qualname__} is not an estimator that lowdim exports",
        "Save a model of lowdim itself; a subclass or an estimator of another library can go into "
        "a pickle, to be loaded only where its origin is trusted.",
    )
    parameters = model.get_params(deep=False)
    attributes = {
        name: value
        for name, value in vars(model).items()
        if name not in parameters and name not in NOT_KEPT
    }
    _check_attributes(cls, attributes, "Delete it, or give it another name.")
    return {"name": cls.__name__, "parameters": parameters, "attributes": attributes}


@kind("estimator", pack=_estimator_fields)
def _estimator(name: str, parameters: dict, attributes: dict) -> Any:
    cls = _public_estimator(name)
    _require(cls, f"lowdim {__version__} has no estimator {name[:40]!r}", UPGRADE)
    known = inspect.signature(cls).parameters
    required = {parameter for parameter, about in known.items() if about.default is about.empty}
    _require(
        required <= parameters.keys() <= known.keys(),
        f"the parameters of {name} are others: {', '.join(known)}",
        UPGRADE,
    )
    _check_attributes(cls, attributes)
    model = cls(**parameters)
    vars(model).update(attributes)
    return model


def _public_estimator(name: str) -> Any:
    """The estimator that lowdim exports under this name, or None."""
    from lowdim.core.registry import public_estimators  # it imports the methods, and they this file

    return public_estimators().get(name)


def _check_attributes(cls: type, attributes: dict[str, Any], cure: str = DAMAGED) -> None:
    """They are data beside the parameters, and hide nothing that the class has."""
    taken = {*dir(cls), *inspect.signature(cls).parameters, *NOT_KEPT}
    for name in attributes:
        fitting = name.isidentifier() and not name.startswith("__") and name not in taken
        _require(fitting, f"{cls.__name__} cannot have an attribute {name[:40]!r}", cure)


# ---- JSON ----------------------------------------------------------------------------------------


def _parsed(text: str) -> tuple[Any, Any]:
    """Header and tree of the document, still as JSON."""
    try:
        document = json.loads(
            text,
            object_pairs_hook=_unique,
            parse_int=_short_int,
            parse_float=_finite_float,
            parse_constant=_no_constant,
        )
    except ValueError as error:
        raise _Problem(f"{DOCUMENT} is not JSON ({error})", DAMAGED) from error
    header: Any = document.get("header") if type(document) is dict else None
    _require(type(header) is dict, f"{DOCUMENT} has no header")
    written, version = header.get("format"), header.get("lowdim")
    _require(
        type(written) is int and written >= 1 and type(version) is str,
        "its header does not say in what format it was written",
    )
    _require(
        written <= FORMAT,
        f"it was written by lowdim {version[:40]}, format {written}; this is lowdim {__version__}, "
        f"which reads formats up to {FORMAT}",
        UPGRADE,
    )
    _require(document.keys() == {"header", "tree"}, f"{DOCUMENT} has more than header and tree")
    return header, document["tree"]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    node = dict(pairs)
    _require(len(node) == len(pairs), f"{DOCUMENT} has the same key twice in one place")
    return node


def _short_int(digits: str) -> int:
    _require(len(digits) <= 17, f"{DOCUMENT} has an integer of more than 53 bits")
    return int(digits)


def _finite_float(digits: str) -> float:
    value = float(digits) if len(digits) <= 32 else math.inf
    _require(math.isfinite(value), f"{DOCUMENT} has a number that is not a float")
    return value


def _no_constant(name: str) -> None:
    raise _Problem(f"{DOCUMENT} has {name}, which is not JSON", DAMAGED)


# ---- the file ------------------------------------------------------------------------------------

# as NumPy writes them; long doubles are left out, for they mean something else on other machines
DTYPE = re.compile(
    r"[<>|](?:b1|[iu][1248]|f[248]|c8|c16|U[1-9][0-9]{0,8}|[mM]8(?:\[[0-9]{0,9}[A-Za-z]{1,2}\])?)"
)
NPY_MAGIC = b"\x93NUMPY\x01\x00"
# not for `ast.literal_eval`, as in NumPy: deep nesting can bring that down
NPY_HEADER = re.compile(
    rf"\{{'descr': '({DTYPE.pattern})', 'fortran_order': (True|False), "
    r"'shape': \(((?:[0-9]{1,19}(?:, [0-9]{1,19})*,?)?)\), \} *\n"
)
ZIP_HEADER = struct.Struct("<4s22xHH")  # before each entry: signature, lengths of name and extras


def _write_atomically(path: Path, write: Callable[[BinaryIO], None]) -> None:
    """Write a temporary file in the same folder, which then takes the place of `path`."""
    target = path.resolve()  # through links, as if the file were opened for writing
    if target.exists() and not target.is_file():
        code = errno.EISDIR if target.is_dir() else errno.EINVAL
        raise OSError(code, "cannot save: this is not a regular file", str(path))
    if not target.parent.is_dir():
        raise OSError(errno.ENOENT, "cannot save: there is no such folder", str(path.parent))
    temporary = target.with_name(f".lowdim-{secrets.token_hex(8)}.tmp")
    try:
        with temporary.open("xb") as file:
            write(file)
            file.flush()
            os.fsync(file.fileno())
        if target.exists():
            shutil.copymode(target, temporary)
        os.replace(temporary, target)
    finally:
        temporary.unlink(missing_ok=True)


def _write_zip(file: BinaryIO, text: str, arrays: list[np.ndarray]) -> None:
    """The document, then the arrays, uncompressed and without dates: equal values, equal bytes."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(zipfile.ZipInfo(DOCUMENT), text)
        for i, array in enumerate(arrays):
            large = array.nbytes > LARGE
            with archive.open(zipfile.ZipInfo(f"{i}.npy"), "w", force_zip64=large) as entry:
                np.lib.format.write_array(entry, array, version=(1, 0), allow_pickle=False)


class _Archive:
    """The entries of a file. Each is read once, straight from its place in the file."""

    def __init__(self, file: BinaryIO):
        self._file = file
        self._unread = _directory(file)

    def text(self, name: str) -> str:
        entry = self._open(name)
        try:
            return entry.read(entry.left).decode("utf-8")
        except UnicodeDecodeError as error:
            raise _Problem(f"{name} is not UTF-8", DAMAGED) from error

    def array(self, name: str) -> np.ndarray:
        entry = self._open(name)
        shape, dtype, fortran = _npy_header(entry)
        _require(
            entry.left == math.prod(shape) * dtype.itemsize,
            f"{name} has {entry.left} bytes of elements, which do not fill {shape} of {dtype}",
        )
        array = np.empty(shape, dtype, order="F" if fortran else "C")
        in_file_order = (array.T if fortran else array).reshape(-1)  # a view
        entry.read_into(in_file_order.view(np.uint8).data)
        _check_elements(in_file_order)
        return array

    def check_all_read(self) -> None:
        _require(not self._unread, f"it has {len(self._unread)} entries that nothing refers to")

    def _open(self, name: str) -> _Entry:
        _require(name in self._unread, f"it has no entry {name[:40]!r}, or names it twice")
        start, size, checksum = self._unread.pop(name)
        self._file.seek(start)
        return _Entry(self._file, name, size, checksum)


class _Entry:
    """One entry, while it is read from its first byte to its last."""

    def __init__(self, file: BinaryIO, name: str, size: int, checksum: int):
        self._file, self.name, self.left = file, name, size
        self._expected, self._checksum = checksum, 0

    def read(self, n: int) -> bytearray:
        """The next n bytes, or as many as are left."""
        raw = bytearray(min(n, self.left))
        self.read_into(memoryview(raw))
        return raw

    def read_into(self, view: memoryview) -> None:
        """Fill `view` with what comes next; after the last byte, compare the checksum."""
        for start in range(0, len(view), CHUNK):
            part = view[start : start + CHUNK]
            whole = self._file.readinto(part) == len(part)  # type: ignore[attr-defined]
            _require(whole, f"{self.name} ends too early")
            self._checksum = zlib.crc32(part, self._checksum)
        self.left -= len(view)
        if self.left == 0:
            _require(self._checksum == self._expected, f"the checksum of {self.name} is wrong")


class _Place(NamedTuple):
    start: int  # of the entry's own bytes
    size: int
    checksum: int


def _directory(file: BinaryIO) -> dict[str, _Place]:
    """Where each entry is. None is compressed, and no two share a byte: together they fit in memory
    that is no larger than the file."""
    try:
        with zipfile.ZipFile(file) as archive:
            infos = sorted(archive.infolist(), key=attrgetter("header_offset"))
    except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error) as error:
        raise _Problem(f"it is not a lowdim file, or damaged ({error})", DAMAGED) from error
    size, end = os.fstat(file.fileno()).st_size, 0
    places: dict[str, _Place] = {}
    for info in infos:
        name = info.filename
        stored = info.compress_type == zipfile.ZIP_STORED and info.compress_size == info.file_size
        _require(stored and info.flag_bits == 0, f"{name[:40]!r} is compressed or encrypted")
        _require(end <= info.header_offset <= size, f"{name[:40]!r} overlaps with another entry")
        start = _data_start(file, info)
        end = start + info.file_size
        _require(end <= size, f"{name[:40]!r} is larger than the file")
        _require(name not in places, f"it has {name[:40]!r} twice")
        places[name] = _Place(start, info.file_size, info.CRC)
    return places


def _data_start(file: BinaryIO, info: zipfile.ZipInfo) -> int:
    file.seek(info.header_offset)
    header = file.read(ZIP_HEADER.size)
    _require(len(header) == ZIP_HEADER.size, "it ends within an entry")
    signature, name, extras = ZIP_HEADER.unpack(header)
    named = signature == b"PK\3\4" and file.read(name) == info.filename.encode("utf-8")
    _require(named, f"{info.filename[:40]!r} is not where the directory says")
    return info.header_offset + ZIP_HEADER.size + int(name) + int(extras)


def _npy_header(entry: _Entry) -> tuple[tuple[int, ...], np.dtype, bool]:
    """Shape, dtype and whether in Fortran order; the elements come next."""
    magic, length = entry.read(len(NPY_MAGIC)), entry.read(2)
    _require(magic == NPY_MAGIC and len(length) == 2, f"{entry.name} is not a .npy file")
    header = NPY_HEADER.fullmatch(entry.read(int.from_bytes(length, "little")).decode("latin1"))
    _require(header, f"{entry.name} has a .npy header that lowdim does not write")
    assert header is not None
    dtype = _dtype(header[1])
    shape = tuple(map(int, re.findall("[0-9]+", header[3])))
    _check_shape(shape, dtype.itemsize)
    return shape, dtype, header[2] == "True"


def _dtype(descr: str) -> np.dtype:
    _require(DTYPE.fullmatch(descr), f"lowdim does not write the dtype {descr[:40]!r}")
    try:
        return np.dtype(descr)
    except TypeError as error:
        raise _Problem(f"there is no dtype {descr!r}", DAMAGED) from error


def _check_shape(shape: list | tuple, itemsize: int) -> None:
    """NumPy can make an array of this shape."""
    _require(
        len(shape) <= 64
        and all(type(length) is int and 0 <= length < 2**63 for length in shape)
        and math.prod(length for length in shape if length) * itemsize < 2**63,
        "its shape is impossible",
    )


def _check_elements(array: np.ndarray) -> None:
    """Each element is a value of its dtype: a boolean is 0 or 1, a character is in Unicode."""
    if array.dtype == bool:
        _require(array.view(np.uint8).max(initial=0) <= 1, "a boolean is neither 0 nor 1")
    if array.dtype.kind == "U":
        codes = array.view(np.dtype(np.uint32).newbyteorder(array.dtype.byteorder))
        _require(codes.max(initial=0) <= 0x10FFFF, "a character is not in Unicode")
