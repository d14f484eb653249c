"""Kinds of values: numbers, text and tuples."""

from __future__ import annotations

import math
import re
import struct
from typing import Any

import numpy as np

from lowdim.core.persistence.archive import check_elements, check_shape, parsed_dtype, require
from lowdim.core.persistence.values import NOT_PLAIN, kind


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


# Types of numbers, which say what arrays are made of: np.float32, float, np.dtype("int64")
NUMBER_TYPES: dict[str, type] = {
    **{f"int{bits}": np.dtype(f"int{bits}").type for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": np.dtype(f"uint{bits}").type for bits in (8, 16, 32, 64)},
    **{f"float{bits}": np.dtype(f"float{bits}").type for bits in (16, 32, 64)},
    **{"numpy.bool": np.bool_, "bool": bool, "int": int, "float": float},
}


def _type_name(value: type) -> dict[str, Any]:
    names = [name for name, one in NUMBER_TYPES.items() if one is value]
    require(names, f"it is a function or class ({value.__qualname__})", NOT_PLAIN)
    return {"name": names[0]}


@kind("number_type", type, pack=_type_name)
def _number_type(name: str) -> type:
    require(name in NUMBER_TYPES, "it is not a type of numbers")
    return NUMBER_TYPES[name]


@kind(
    "dtype",
    *{type(np.dtype(one)) for one in NUMBER_TYPES.values()},
    pack=lambda value: {"dtype": value.str},
)
def _dtype(dtype: str) -> np.dtype:
    return parsed_dtype(dtype)


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


def native(array: np.ndarray) -> np.ndarray:
    """The array in the byte order of this machine."""
    return array.astype(array.dtype.newbyteorder("="), copy=False)
