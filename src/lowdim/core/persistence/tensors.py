"""Weights of networks: arrays by name, all in one entry of the zip, in the format safetensors.

    8 bytes      length of the header, least significant first
    the header   JSON: {name: {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}
    the data     little-endian, last axis fastest, without a gap

So other programs read the weights of a model as they read those of any network. Every length is
held against the bytes that are there before memory is taken.
"""

from __future__ import annotations

import json
import math
from typing import IO, Any

import numpy as np

from lowdim.core.persistence.archive import Entry, check_elements, check_shape, require
from lowdim.core.persistence.strict_json import parsed_json

DTYPES: dict[str, str] = {
    "BOOL": "|b1",
    **{f"I{8 * size}": f"<i{size}" for size in (2, 4, 8)},
    **{f"U{8 * size}": f"<u{size}" for size in (2, 4, 8)},
    **{f"F{8 * size}": f"<f{size}" for size in (2, 4, 8)},
    **{"I8": "|i1", "U8": "|u1"},
}
LONGEST_HEADER = 10**8  # bytes, as other readers have it
METADATA = "__metadata__"  # a name that the format keeps for text
NOT_TENSORS = "Weights are arrays of numbers or flags by name; save others apart from them."


class Tensors(dict[str, np.ndarray]):
    """Arrays by name: a dict that files hold in one entry."""

    suffix = "safetensors"

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in self.values())

    def check(self) -> None:
        """Raise if they are more than arrays of numbers by name."""
        for name, array in self.items():
            require(
                type(name) is str and name != METADATA and _code(array) is not None,
                f"its {name!r:.40} is no array of numbers with a name of its own",
                NOT_TENSORS,
            )

    def write(self, entry: IO[bytes]) -> None:
        """Header and data; the data begin at a multiple of 8 bytes."""
        header, end = {}, 0
        for name, array in self.items():
            start, end = end, end + array.nbytes
            shape = list(array.shape)
            header[name] = {"dtype": _code(array), "shape": shape, "data_offsets": [start, end]}
        text = json.dumps(header, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 8)
        entry.write(len(text).to_bytes(8, "little") + text)
        for array in self.values():
            little = np.ascontiguousarray(array, array.dtype.newbyteorder("<"))
            entry.write(little.reshape(-1).view(np.uint8).data)


def _code(array: Any) -> str | None:
    """What the format calls its dtype."""
    if not isinstance(array, np.ndarray):
        return None
    little = array.dtype.newbyteorder("<").str
    return next((code for code, descr in DTYPES.items() if descr == little), None)


def read_tensors(entry: Entry) -> Tensors:
    """The arrays of an entry, in the order of their data."""
    prefix = entry.read(8)
    length = int.from_bytes(prefix, "little")
    require(
        len(prefix) == 8 and length <= min(entry.left, LONGEST_HEADER),
        f"{entry.name} is not a .safetensors file",
    )
    try:
        text = entry.read(length).decode("utf-8")
    except UnicodeDecodeError:
        text = ""
    header = parsed_json(text, entry.name)
    require(type(header) is dict, f"the header of {entry.name} is no object")
    places = [(name, *_place(name, node)) for name, node in header.items()]
    end = 0
    for name, _, _, start, stop in places:
        require(start == end, f"the data of {name[:40]!r} do not follow those before it")
        end = stop
    require(end == entry.left, f"{entry.name} has {entry.left} bytes of data, not {end}")
    tensors = Tensors()
    for name, dtype, shape, _, _ in places:
        tensors[name] = array = np.empty(shape, dtype)
        entry.read_into(array.reshape(-1).view(np.uint8).data)
        check_elements(array.reshape(-1))
    return tensors


def _place(name: str, node: Any) -> tuple[np.dtype, list, int, int]:
    """Type, shape, first byte and the one after the last."""
    require(
        name != METADATA
        and type(node) is dict
        and node.keys() == {"dtype", "shape", "data_offsets"}
        and type(node["dtype"]) is str
        and type(node["shape"]) is type(node["data_offsets"]) is list
        and [type(offset) for offset in node["data_offsets"]] == [int, int],
        f"{name[:40]!r} is not described as lowdim does it",
    )
    require(node["dtype"] in DTYPES, f"lowdim does not write the type {node['dtype'][:40]!r}")
    dtype = np.dtype(DTYPES[node["dtype"]])
    check_shape(node["shape"], dtype.itemsize)
    start, stop = node["data_offsets"]
    size = math.prod(node["shape"]) * dtype.itemsize
    require(stop - start == size, f"{stop - start} bytes do not fill the shape of {name[:40]!r}")
    return dtype, node["shape"], start, stop
