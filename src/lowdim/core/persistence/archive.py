"""The file beneath a model or checkpoint: a zip of one JSON document and of arrays.

A file may come from anywhere: every size is held against the bytes that are there before memory is
taken, no entry is compressed, no two share a byte, and each checksum is compared. What a file means
is for `values.py`.
"""

from __future__ import annotations

import math
import os
import re
import struct
import zipfile
import zlib
from collections.abc import Callable, Sequence
from operator import attrgetter
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple, Protocol

import numpy as np

from lowdim.core.atomic import replacing

DOCUMENT = "lowdim.json"
LARGE = 2**30  # bytes from which an entry gets the ZIP64 header, needed from 2**31
CHUNK = 2**20  # bytes read at a time: still in the cache when their checksum is taken

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

# ---- what can be wrong ---------------------------------------------------------------------------

DAMAGED = "Use an undamaged file that lowdim wrote, or save the model again."


class FileProblem(Exception):
    """What is wrong with a file or a value, where in it, and what to do about it."""

    def __init__(self, problem: str, cure: str):
        super().__init__(problem)
        self.cure = cure
        self.steps: list[str] = []  # from the place to the root

    def __str__(self) -> str:
        place = "".join(reversed(self.steps))[:200]
        return f"{place}: {self.args[0]}" if place else self.args[0]


def require(condition: Any, otherwise: str, cure: str = DAMAGED) -> None:
    if not condition:
        raise FileProblem(otherwise, cure)


# ---- writing and reading -------------------------------------------------------------------------


def write_atomically(path: Path, write: Callable[[BinaryIO], None]) -> None:
    """Write a file that appears complete or not at all, through links as `replacing` says."""
    with replacing(path) as file:
        write(file)


class ToWrite(Protocol):
    """What writes itself as an entry of its own."""

    suffix: str  # of the entry's name

    @property
    def nbytes(self) -> int:
        """About how many they are."""

    def write(self, entry: IO[bytes]) -> None:
        """Write them."""


def entry_name(number: int, value: np.ndarray | ToWrite) -> str:
    """What the entry is called that holds this."""
    return f"{number}.{'npy' if isinstance(value, np.ndarray) else value.suffix}"


def write_zip(file: BinaryIO, text: str, arrays: Sequence[np.ndarray | ToWrite]) -> None:
    """The document, then the arrays, uncompressed and without dates: equal values, equal bytes."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(zipfile.ZipInfo(DOCUMENT), text)
        for i, array in enumerate(arrays):
            info, large = zipfile.ZipInfo(entry_name(i, array)), array.nbytes > LARGE
            with archive.open(info, "w", force_zip64=large) as entry:
                if isinstance(array, np.ndarray):
                    np.lib.format.write_array(entry, array, version=(1, 0), allow_pickle=False)
                else:
                    array.write(entry)


class Archive:
    """The entries of a file. Each is read once, straight from its place in the file."""

    def __init__(self, file: BinaryIO):
        self._file = file
        self._unread = _directory(file)

    def text(self, name: str) -> str:
        entry = self.open(name)
        try:
            return entry.read(entry.left).decode("utf-8")
        except UnicodeDecodeError as error:
            raise FileProblem(f"{name} is not UTF-8", DAMAGED) from error

    def array(self, name: str) -> np.ndarray:
        entry = self.open(name)
        shape, dtype, fortran = _npy_header(entry)
        require(
            entry.left == math.prod(shape) * dtype.itemsize,
            f"{name} has {entry.left} bytes of elements, which do not fill {shape} of {dtype}",
        )
        array = np.empty(shape, dtype, order="F" if fortran else "C")
        in_file_order = (array.T if fortran else array).reshape(-1)  # a view
        entry.read_into(in_file_order.view(np.uint8).data)
        check_elements(in_file_order)
        return array

    def check_all_read(self) -> None:
        require(not self._unread, f"it has {len(self._unread)} entries that nothing refers to")

    def open(self, name: str) -> Entry:
        """An entry, to be read from its first byte to its last."""
        require(name in self._unread, f"it has no entry {name[:40]!r}, or names it twice")
        start, size, checksum = self._unread.pop(name)
        self._file.seek(start)
        return Entry(self._file, name, size, checksum)


class Entry:
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
            require(whole, f"{self.name} ends too early")
            self._checksum = zlib.crc32(part, self._checksum)
        self.left -= len(view)
        if self.left == 0:
            require(self._checksum == self._expected, f"the checksum of {self.name} is wrong")


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
        raise FileProblem(f"it is not a lowdim file, or damaged ({error})", DAMAGED) from error
    size, end = os.fstat(file.fileno()).st_size, 0
    places: dict[str, _Place] = {}
    for info in infos:
        name = info.filename
        stored = info.compress_type == zipfile.ZIP_STORED and info.compress_size == info.file_size
        require(stored and info.flag_bits == 0, f"{name[:40]!r} is compressed or encrypted")
        require(end <= info.header_offset <= size, f"{name[:40]!r} overlaps with another entry")
        start = _data_start(file, info)
        end = start + info.file_size
        require(end <= size, f"{name[:40]!r} is larger than the file")
        require(name not in places, f"it has {name[:40]!r} twice")
        places[name] = _Place(start, info.file_size, info.CRC)
    return places


def _data_start(file: BinaryIO, info: zipfile.ZipInfo) -> int:
    file.seek(info.header_offset)
    header = file.read(ZIP_HEADER.size)
    require(len(header) == ZIP_HEADER.size, "it ends within an entry")
    signature, name, extras = ZIP_HEADER.unpack(header)
    named = signature == b"PK\3\4" and file.read(name) == info.filename.encode("utf-8")
    require(named, f"{info.filename[:40]!r} is not where the directory says")
    return info.header_offset + ZIP_HEADER.size + int(name) + int(extras)


def _npy_header(entry: Entry) -> tuple[tuple[int, ...], np.dtype, bool]:
    """Shape, dtype and whether in Fortran order; the elements come next."""
    magic, length = entry.read(len(NPY_MAGIC)), entry.read(2)
    require(magic == NPY_MAGIC and len(length) == 2, f"{entry.name} is not a .npy file")
    header = NPY_HEADER.fullmatch(entry.read(int.from_bytes(length, "little")).decode("latin1"))
    require(header, f"{entry.name} has a .npy header that lowdim does not write")
    assert header is not None
    dtype = parsed_dtype(header[1])
    shape = tuple(map(int, re.findall("[0-9]+", header[3])))
    check_shape(shape, dtype.itemsize)
    return shape, dtype, header[2] == "True"


def parsed_dtype(descr: str) -> np.dtype:
    require(DTYPE.fullmatch(descr), f"lowdim does not write the dtype {descr[:40]!r}")
    try:
        return np.dtype(descr)
    except TypeError as error:
        raise FileProblem(f"there is no dtype {descr!r}", DAMAGED) from error


def check_shape(shape: list | tuple, itemsize: int) -> None:
    """NumPy can make an array of this shape."""
    require(
        len(shape) <= 64
        and all(type(length) is int and 0 <= length < 2**63 for length in shape)
        and math.prod(length for length in shape if length) * itemsize < 2**63,
        "its shape is impossible",
    )


def check_elements(array: np.ndarray) -> None:
    """Each element is a value of its dtype: a boolean is 0 or 1, a character is in Unicode."""
    if array.dtype == bool:
        require(array.view(np.uint8).max(initial=0) <= 1, "a boolean is neither 0 nor 1")
    if array.dtype.kind == "U":
        characters = array.view(np.dtype(np.uint32).newbyteorder(array.dtype.byteorder))
        require(characters.max(initial=0) <= 0x10FFFF, "a character is not in Unicode")
