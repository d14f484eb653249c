"""What the tests of model files share: files made by hand, and values compared to the last bit."""

import copy
import io
import json
import struct
import tempfile
import tracemalloc
import zipfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from lowdim.core.persistence import LoadError, archive, read_state, save_model, write_state

SPARSE = ["csr_array", "csr_matrix", "csc_array", "csc_matrix", "coo_array", "coo_matrix"]
BIT_GENERATORS = ["MT19937", "PCG64", "PCG64DXSM", "Philox", "SFC64"]


class Toy(BaseEstimator):
    """An estimator as those of lowdim: parameters, learned attributes, a method, a property."""

    settled = True

    def __init__(self, size=1, *, start=None, random_state=None):
        self.size = size
        self.start = start
        self.random_state = random_state

    def fit(self, X):
        self.mean_ = X.mean(axis=0)
        self._n_features_out = X.shape[1]
        return self

    @property
    def spread_(self):
        return float(np.ptp(self.mean_))


class Required(BaseEstimator):
    def __init__(self, inner):
        self.inner = inner


def fail(*args, **kwargs):
    raise KeyboardInterrupt


def same(a, b):
    """Equal to the last bit, and of the same types all the way down."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        return list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list | tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray) and a.dtype == object:
        return a.shape == b.shape and a.tolist() == b.tolist()
    if isinstance(a, np.ndarray | np.generic):
        return (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())
    if sp.issparse(a):
        arrays = ["data", "row", "col"] if a.format == "coo" else ["data", "indices", "indptr"]
        return a.shape == b.shape and all(same(getattr(a, x), getattr(b, x)) for x in arrays)
    if isinstance(a, np.random.Generator):
        return same(a.bit_generator.state, b.bit_generator.state)
    if isinstance(a, np.random.RandomState):
        return same(a.get_state(legacy=False), b.get_state(legacy=False))
    if isinstance(a, BaseEstimator):
        return same(vars(a), vars(b))
    if isinstance(a, float):
        return struct.pack("d", a) == struct.pack("d", b)
    return a == b


def round_trip(tree):
    with tempfile.TemporaryDirectory() as folder:
        write_state(Path(folder) / "tree", {}, tree)
        return read_state(Path(folder) / "tree")[1]


# ---- files made by hand --------------------------------------------------------------------------


def npy(array, **header):
    """The bytes of a .npy file; with other words in its header, if given."""
    file = io.BytesIO()
    np.save(file, array)
    raw = file.getvalue()
    for old, new in header.values():
        assert old in raw
        raw = raw.replace(old, new)
        raw = raw[:8] + struct.pack("<H", raw.index(b"\n") - 9) + raw[10:]
    return raw


GOOD_NPY = np.arange(6.0).reshape(2, 3)


def write_zip(path, document, entries=None, **options):
    """A file as lowdim writes them, but with any document and any entries."""
    with zipfile.ZipFile(path, "w", **options) as archive:
        text = document if isinstance(document, str | bytes) else json.dumps(document)
        archive.writestr("lowdim.json", text)
        for name, raw in (entries or {}).items():
            archive.writestr(name, raw)


def document(tree, **header):
    return {"header": {"format": 1, "lowdim": "0.1", **header}, "tree": tree}


def write_tree(path, tree, *arrays):
    """A file with this JSON as its tree, and with these entries 0.npy, 1.npy ..."""
    entries = {
        f"{i}.npy": array if isinstance(array, bytes) else npy(array)
        for i, array in enumerate(arrays)
    }
    write_zip(path, document(tree), entries)


def array_node(i):
    return {"$": "array", "entry": f"{i}.npy"}


def local_entry(name, data):
    checksum = archive.zlib.crc32(data)
    fixed = struct.pack(
        "<4s5H3L2H", b"PK\3\4", 20, 0, 0, 0, 33, checksum, len(data), len(data), len(name), 0
    )
    return fixed + name + data, (len(data), checksum)


def directory_end(entries, start):
    """The central directory of (name, offset, size, checksum), and the end record of a zip file."""
    records = b"".join(
        struct.pack(
            "<4s6H3L5H2L",
            b"PK\1\2",
            20,
            20,
            0,
            0,
            0,
            33,
            crc,
            n,
            n,
            len(name),
            0,
            0,
            0,
            0,
            0,
            offset,
        )
        + name
        for name, offset, n, crc in entries
    )
    counts = len(entries), len(entries)
    return records + struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, *counts, len(records), start, 0)


# ---- what must be refused ------------------------------------------------------------------------


def cannot_save(path, value, message):
    """The value is refused wherever it stands, and the error says where that is."""
    with pytest.raises(TypeError, match=message) as error:
        save_model(Toy(start={"inner": [0, value]}), path)
    assert str(error.value).startswith("cannot save Toy.parameters['start']['inner'][1]")
    model = Toy()
    model.learned_ = value
    with pytest.raises(TypeError, match=r"^cannot save Toy\.attributes\['learned_'\].*" + message):
        save_model(model, path)
    with pytest.raises(TypeError, match=r"^cannot save tree\[0\].*" + message):
        write_state(path, {}, [value])
    with pytest.raises(TypeError, match=r"^cannot save header\['x'\].*" + message):
        write_state(path, {"x": value}, None)
    assert not path.exists()


def cannot_load(path, node, message):
    """This JSON in a file is refused, and the error says where it stands."""
    write_tree(path, {"here": [copy.deepcopy(node)]})
    refused(path, message)
    with pytest.raises(LoadError, match=r"tree\['here'\]\[0\]: "):
        read_state(path)


def refused(path, message, reader=read_state):
    with pytest.raises(LoadError, match=message) as error:
        reader(path)
    text = str(error.value)
    assert text.startswith(f"cannot load {str(path)!r}: ")
    assert text.endswith(".") and len(text) < 500 + len(str(path))


def peak_of_refusal(path):
    tracemalloc.start()
    try:
        with pytest.raises(LoadError):
            read_state(path)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
