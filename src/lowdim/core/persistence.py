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

import inspect
import json
import math
import os
import re
import stat
import struct
from collections.abc import Callable, Iterable
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from lowdim._version import __version__
from lowdim.core.archive import (
    DAMAGED,
    DOCUMENT,
    DTYPE,
    Archive,
    Problem,
    check_elements,
    check_shape,
    parsed_dtype,
    require,
    write_atomically,
    write_zip,
)
from lowdim.core.earlier_names import EARLIER_NAMES
from lowdim.core.public import public_model

FORMAT = 1  # what is written; this one and all before it are read
MAX_DEPTH = 100  # of lists in dicts in lists ...


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
        require(stat.S_ISREG(path.stat().st_mode), "it is not a regular file")
        with path.open("rb") as file:
            return _read(Archive(file))
    except Problem as problem:
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
    except Problem as problem:
        raise TypeError(f"cannot save {problem}. {problem.cure}") from None
    text = json.dumps(document, allow_nan=False, separators=(",", ":"))
    write_atomically(Path(path), lambda file: write_zip(file, text, arrays))


def _read(archive: Archive) -> tuple[dict[str, Any], Any]:
    header, tree = _parsed(archive.text(DOCUMENT))
    header = _at("{}", "header", _decode, header, archive)
    tree = _at("{}", "tree", _decode, tree, archive)
    archive.check_all_read()
    return header, tree


# ---- what can be wrong ---------------------------------------------------------------------------

NOT_PLAIN = (
    "A lowdim file holds plain data: numbers, text, lists, tuples, dicts with text keys, NumPy "
    "arrays, SciPy csr, csc and coo matrices, random generators and models of lowdim. Make it one "
    "of these, or set it to None before saving and set it again after loading."
)
UPGRADE = "Upgrade lowdim: pip install --upgrade lowdim."


def _at(step: str, key: Any, function: Callable, *args: Any) -> Any:
    """function(*args); a problem in there learns of this step to its place."""
    try:
        return function(*args)
    except Problem as problem:
        problem.steps.append(step.format(key))
        raise


# ---- values to JSON and back ---------------------------------------------------------------------

IN_DICT = "[{!r:.40}]"


def _encode(value: Any, arrays: list[np.ndarray], depth: int = 0) -> Any:
    """The value as JSON. Dense arrays are put into `arrays`; the JSON names their entry."""
    require(depth <= MAX_DEPTH, f"it is more than {MAX_DEPTH} levels deep", NOT_PLAIN)
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


def _decode(node: Any, archive: Archive, depth: int = 0) -> Any:
    """The value that the JSON stands for. Its lists and dicts are changed in place."""
    require(depth <= MAX_DEPTH, f"it is more than {MAX_DEPTH} levels deep")
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
    require(known, "this lowdim does not know its kind of value", UPGRADE)
    types = KINDS[tag].fields if tag in KINDS else {"entry": str}
    require(node.keys() == types.keys(), f"it has other fields than the kind {tag!r}")
    _decode_children(node, node.items(), ".{}", archive, depth)
    for name, field in node.items():
        require(types[name] in (Any, type(field)), f"its {name} is of type {type(field).__name__}")
    if tag == "array":
        return archive.array(node["entry"])
    return KINDS[tag].unpack(**node)


def _decode_children(
    node: Any, children: Iterable[tuple], step: str, archive: Archive, depth: int
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
        raise Problem("it is text with half of a surrogate pair", NOT_PLAIN) from None


def _check_keys(value: dict) -> None:
    for key in value:
        require(type(key) is str, f"it has a key of type {type(key).__name__}", NOT_PLAIN)
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
        return "pipeline" if cls is _pipeline_class() else "estimator"
    if callable(value):
        raise Problem(f"it is code ({getattr(value, '__qualname__', cls.__qualname__)})", NOT_PLAIN)
    if isinstance(value, np.generic | np.ndarray):
        raise Problem(f"it is a {cls.__name__} of dtype {value.dtype}", NOT_PLAIN)
    raise Problem(f"it is a {cls.__module__}.{cls.__qualname__}", NOT_PLAIN)


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
    require(re.fullmatch("-?0x[0-9a-f]+", hex), "it is not a hexadecimal integer")
    return int(hex, 16)  # linear in the number of digits; decimal ones take its square


@kind("float", float, pack=lambda value: {"hex": struct.pack(">d", value).hex()})
def _float(hex: str) -> float:
    require(re.fullmatch("[0-9a-f]{16}", hex), "it is not the 8 bytes of a float")
    return float(struct.unpack(">d", bytes.fromhex(hex))[0])


@kind("tuple", tuple, pack=lambda value: {"items": list(value)})
def _tuple(items: list) -> tuple:
    return tuple(items)


@kind("numpy_text", np.str_, pack=lambda value: {"text": str(value)})
def _numpy_text(text: str) -> np.str_:
    return np.str_(text)


@kind("scalar", pack=lambda value: {"dtype": value.dtype.str, "hex": value.tobytes().hex()})
def _scalar(dtype: str, hex: str) -> np.generic:
    one = parsed_dtype(dtype)
    digits = len(hex) == 2 * one.itemsize and re.fullmatch("[0-9a-f]*", hex)
    require(digits, f"it is not the {one.itemsize} bytes of one {dtype}")
    array = np.frombuffer(bytes.fromhex(hex), one)
    check_elements(array)
    return array[0]


def _text_items(array: np.ndarray) -> dict[str, Any]:
    items = array.ravel().tolist()
    require(
        array.dtype == object and all(type(item) is str for item in items),
        f"it is an array of dtype {array.dtype} that holds more than text",
        NOT_PLAIN,
    )
    return {"shape": list(array.shape), "items": items}


@kind("text_array", np.ndarray, pack=_text_items)  # dense arrays do not come here
def _text_array(shape: list, items: list) -> np.ndarray:
    check_shape(shape, itemsize=8)
    require(len(items) == math.prod(shape), f"{len(items)} strings do not fill its shape")
    require(all(type(item) is str for item in items), "it holds more than text")
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
    require(
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
    require(matrix.ndim == 2, f"it has {matrix.ndim} dimensions, not 2", NOT_PLAIN)
    return {"name": type(matrix).__name__, "shape": list(map(int, matrix.shape))}


def _sparse_class(name: str, shape: list, classes: list) -> Any:
    found = [cls for cls in classes if cls.__name__ == name]
    require(found, "unknown class of sparse matrices", UPGRADE)
    check_shape(shape, itemsize=0)
    require(len(shape) == 2, f"it has {len(shape)} dimensions, not 2")
    return found[0]


def _native(array: np.ndarray) -> np.ndarray:
    return array.astype(array.dtype.newbyteorder("="), copy=False)


def _check_indices(indices: np.ndarray, limit: int, data: np.ndarray, shape: list) -> None:
    require(data.ndim == 1 and data.dtype.kind in "biufc", "its data are not a list of numbers")
    require(indices.shape == data.shape, "it does not have one index for each number")
    require(
        indices.dtype in (np.int32, np.int64)
        and max(len(data), *shape) <= np.iinfo(indices.dtype).max,
        f"its indices are {indices.dtype}, which does not fit",
    )
    inside = len(indices) == 0 or (indices.min() >= 0 and indices.max() < limit)
    require(inside, "an index is outside its shape")


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
    require(
        type(bits) in BIT_GENERATORS.values(),
        f"it draws from a {type(bits).__name__}, which is not one of NumPy's",
        NOT_PLAIN,
    )
    seed = bits.seed_seq  # what `spawn` goes by; with a seed of another kind there is no spawning
    spawns = type(seed) is np.random.SeedSequence
    return {"state": _plain_state(bits.state), "seed": seed if spawns else None}


@kind("generator", np.random.Generator, pack=_generator_state)
def _generator(state: dict, seed: Any) -> np.random.Generator:
    require(type(seed) in (np.random.SeedSequence, type(None)), "its seed is something else")
    bits = _bit_generator(state, seed)
    _check_state(state, like=_plain_state(bits.state))
    bits.state = state
    return np.random.Generator(bits)


def _random_state_state(random_state: np.random.RandomState) -> dict[str, Any]:
    state = _plain_state(random_state.get_state(legacy=False))
    name = state["bit_generator"]
    require(name in BIT_GENERATORS, f"it draws from a {name}, not one of NumPy's", NOT_PLAIN)
    return {"state": state}


@kind("random_state", np.random.RandomState, pack=_random_state_state)
def _random_state(state: dict) -> np.random.RandomState:
    random_state = np.random.RandomState(_bit_generator(state))
    _check_state(state, like=_plain_state(random_state.get_state(legacy=False)))
    random_state.set_state(state)
    return random_state


def _bit_generator(state: dict, seed: np.random.SeedSequence | None = None) -> Any:
    name: Any = state.get("bit_generator")
    require(type(name) is str and name in BIT_GENERATORS, "unknown bit generator", UPGRADE)
    return BIT_GENERATORS[name](seed)


def _plain_state(state: Any) -> Any:
    """The state with Python's numbers, whatever numbers this version of NumPy puts there."""
    if isinstance(state, dict):
        return {name: _plain_state(field) for name, field in state.items()}
    return state.item() if isinstance(state, np.generic) else state


def _check_state(state: dict, like: dict) -> None:
    """The state has fields of the same types and shapes as another one, with values in bounds."""
    require(state.keys() == like.keys(), "its state has other fields")
    for name, example in like.items():
        field = state[name]
        require(type(field) is type(example), f"{name} of its state is of another type")
        if isinstance(example, dict):
            _check_state(field, example)
        elif isinstance(example, np.ndarray):
            same = field.shape == example.shape and _native(field[:0]).dtype == example.dtype
            require(same, f"{name} of its state is not {example.shape} of {example.dtype}")
        elif isinstance(example, int):
            require(0 <= field <= LARGEST_IN_STATE[name], f"{name} of its state is out of bounds")
    if "pos" in like:  # a Mersenne Twister at zero stays there: no normal number would ever come
        require(state["key"][0] >> 31 or np.any(state["key"][1:]), "its state is zero")
    if "inc" in like:
        require(state["inc"] % 2 == 1, "its increment is even")


def _seed_fields(seed: np.random.SeedSequence) -> dict[str, Any]:
    fields = {**seed.state, "spawn_key": list(seed.spawn_key)}
    require(
        _is_seed(seed.entropy) and _is_seed(seed.spawn_key) and seed.pool_size <= LARGEST_POOL,
        "its entropy, spawn_key or pool_size is too large",
        NOT_PLAIN,
    )
    return fields


@kind("seed", np.random.SeedSequence, pack=_seed_fields)
def _seed(
    entropy: Any, spawn_key: list, pool_size: int, n_children_spawned: int
) -> np.random.SeedSequence:
    require(
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
    require(own, f"it is a {path}, not a named tuple of lowdim", NOT_PLAIN)
    return {"name": path, "fields": value._asdict()}


@kind("namedtuple", pack=_named_fields)
def _namedtuple(name: str, fields: dict) -> Any:
    cls: Any = _lowdim_namedtuple(EARLIER_NAMES.get(name, name))
    require(cls, "this lowdim has no such named tuple", UPGRADE)
    missing = set(cls._fields) - set(cls._field_defaults) - set(fields)
    require(not missing and fields.keys() <= set(cls._fields), "its fields are others", UPGRADE)
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
    require(
        public_model(cls.__name__) is cls,
        f"{cls.__module__}.{cls.__qualname__} is not an estimator that lowdim exports",
        "Save a model of lowdim itself; a subclass or an estimator of another library can go into "
        "a pickle, to be loaded only where its origin is trusted.",
    )
    parameters = model.get_params(deep=False)
    not_kept = NOT_KEPT | getattr(cls, "not_saved", frozenset())
    attributes = {
        name: value
        for name, value in vars(model).items()
        if name not in parameters and name not in not_kept
    }
    _check_attributes(cls, attributes, "Delete it, or give it another name.")
    return {"name": cls.__name__, "parameters": parameters, "attributes": attributes}


@kind("estimator", pack=_estimator_fields)
def _estimator(name: str, parameters: dict, attributes: dict) -> Any:
    cls: Any = public_model(name)
    require(cls, f"lowdim {__version__} has no estimator {name[:40]!r}", UPGRADE)
    known = inspect.signature(cls).parameters
    required = {parameter for parameter, about in known.items() if about.default is about.empty}
    require(
        required <= parameters.keys() <= known.keys(),
        f"the parameters of {name} are others: {', '.join(known)}",
        UPGRADE,
    )
    _check_attributes(cls, attributes)
    model = cls(**parameters)
    vars(model).update(attributes)
    return model


def _pipeline_class() -> type:
    from sklearn.pipeline import Pipeline

    return Pipeline


def _pipeline_fields(model: Any) -> dict[str, Any]:
    others = {k: v for k, v in model.get_params(deep=False).items() if k != "steps"}
    usual = {k: v for k, v in type(model)([]).get_params(deep=False).items() if k != "steps"}
    require(others == usual, "it is a pipeline with settings beside its steps", NOT_PLAIN)
    return {"names": [name for name, _ in model.steps], "steps": [step for _, step in model.steps]}


@kind("pipeline", pack=_pipeline_fields)
def _pipeline(names: list, steps: list) -> Any:
    require(len(names) == len(steps) > 0, "it does not have one name for each step")
    require(all(type(name) is str for name in names), "the name of a step is not text")
    require(all(isinstance(step, BaseEstimator) for step in steps), "a step is not a model")
    return _pipeline_class()(list(zip(names, steps, strict=True)))


def _check_attributes(cls: type, attributes: dict[str, Any], cure: str = DAMAGED) -> None:
    """They are data beside the parameters, and hide nothing that the class has."""
    taken = {*dir(cls), *inspect.signature(cls).parameters, *NOT_KEPT}
    for name in attributes:
        fitting = name.isidentifier() and not name.startswith("__") and name not in taken
        require(fitting, f"{cls.__name__} cannot have an attribute {name[:40]!r}", cure)


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
        raise Problem(f"{DOCUMENT} is not JSON ({error})", DAMAGED) from error
    header: Any = document.get("header") if type(document) is dict else None
    require(type(header) is dict, f"{DOCUMENT} has no header")
    written, version = header.get("format"), header.get("lowdim")
    require(
        type(written) is int and written >= 1 and type(version) is str,
        "its header does not say in what format it was written",
    )
    require(
        written <= FORMAT,
        f"it was written by lowdim {version[:40]}, format {written}; this is lowdim {__version__}, "
        f"which reads formats up to {FORMAT}",
        UPGRADE,
    )
    require(document.keys() == {"header", "tree"}, f"{DOCUMENT} has more than header and tree")
    return header, document["tree"]


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    node = dict(pairs)
    require(len(node) == len(pairs), f"{DOCUMENT} has the same key twice in one place")
    return node


def _short_int(digits: str) -> int:
    require(len(digits) <= 17, f"{DOCUMENT} has an integer of more than 53 bits")
    return int(digits)


def _finite_float(digits: str) -> float:
    value = float(digits) if len(digits) <= 32 else math.inf
    require(math.isfinite(value), f"{DOCUMENT} has a number that is not a float")
    return value


def _no_constant(name: str) -> None:
    raise Problem(f"{DOCUMENT} has {name}, which is not JSON", DAMAGED)
