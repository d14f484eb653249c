"""Any value as JSON and arrays, by its kind, and back.

Some values are JSON as they are, dense arrays and weights are entries of the zip, and every other
kind of value is taken apart into named fields of simpler values: `KINDS` lists how.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import BaseEstimator

from lowdim.core.persistence.archive import (
    DTYPE,
    Archive,
    FileProblem,
    entry_name,
    require,
)
from lowdim.core.persistence.tensors import Tensors, read_tensors

MAX_DEPTH = 100  # of lists in dicts in lists ...

NOT_PLAIN = (
    "A lowdim file holds plain data: numbers, text, lists, tuples, dicts with text keys, NumPy "
    "arrays, SciPy csr, csc and coo matrices, random generators and models of lowdim. Make it one "
    "of these, or set it to None before saving and set it again after loading."
)
UPGRADE = "Upgrade lowdim: pip install --upgrade lowdim."


def at(step: str, key: Any, function: Callable, *args: Any) -> Any:
    """function(*args); a problem in there learns of this step to its place."""
    try:
        return function(*args)
    except FileProblem as problem:
        problem.steps.append(step.format(key))
        raise


# ---- values to JSON and back ---------------------------------------------------------------------

IN_DICT = "[{!r:.40}]"


def encode(value: Any, arrays: list, depth: int = 0) -> Any:
    """The value as JSON. Dense arrays, and weights, are put into `arrays`; the JSON names them."""
    require(depth <= MAX_DEPTH, f"it is more than {MAX_DEPTH} levels deep", NOT_PLAIN)
    if _is_json(value):
        return value
    if type(value) is list:
        return [at("[{}]", i, encode, v, arrays, depth + 1) for i, v in enumerate(value)]
    if type(value) is dict:
        _check_keys(value)
        return {
            _escaped(key): at(IN_DICT, key, encode, v, arrays, depth + 1)
            for key, v in value.items()
        }
    if _is_dense(value):
        arrays.append(value)
        return {"$": "array", "entry": entry_name(len(arrays) - 1, value)}
    if type(value) is Tensors:
        value.check()
        arrays.append(value)
        return {"$": "tensors", "entry": entry_name(len(arrays) - 1, value)}
    tag = _tag(value)
    fields = KINDS[tag].pack(value)
    return {"$": tag} | {
        name: at(".{}", name, encode, field, arrays, depth + 1) for name, field in fields.items()
    }


def decode(node: Any, archive: Archive, depth: int = 0) -> Any:
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
    known = type(tag) is str and (tag in KINDS or tag in ENTRIES)
    require(known, "this lowdim does not know its kind of value", UPGRADE)
    types = KINDS[tag].fields if tag in KINDS else {"entry": str}
    require(node.keys() == types.keys(), f"it has other fields than the kind {tag!r}")
    _decode_children(node, node.items(), ".{}", archive, depth)
    for name, field in node.items():
        require(types[name] in (Any, type(field)), f"its {name} is of type {type(field).__name__}")
    if tag in ENTRIES:
        return ENTRIES[tag](archive, node["entry"])
    return KINDS[tag].unpack(**node)


# kinds that are entries of the zip, and how they are read
ENTRIES: dict[str, Callable[[Archive, str], Any]] = {
    "array": Archive.array,
    "tensors": lambda archive, name: read_tensors(archive.open(name)),
}


def _decode_children(
    node: Any, children: Iterable[tuple], step: str, archive: Archive, depth: int
) -> None:
    for key, child in children:
        if type(child) in (list, dict):  # all else is the value itself
            node[key] = at(step, key, decode, child, archive, depth + 1)


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
        raise FileProblem("it is text with half of a surrogate pair", NOT_PLAIN) from None


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
        pipeline = (cls.__module__, cls.__name__) == ("sklearn.pipeline", "Pipeline")
        return "pipeline" if pipeline else "estimator"
    if callable(value):
        name = getattr(value, "__qualname__", cls.__qualname__)
        raise FileProblem(f"it is a function or class ({name})", NOT_PLAIN)
    if isinstance(value, np.generic | np.ndarray):
        raise FileProblem(f"it is a {cls.__name__} of dtype {value.dtype}", NOT_PLAIN)
    raise FileProblem(f"it is a {cls.__module__}.{cls.__qualname__}", NOT_PLAIN)


# ---- kinds of values -----------------------------------------------------------------------------


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
