"""Weights of networks: one entry that others can read; no header of a file takes memory or harm."""

import json
import struct
import zipfile

import numpy as np
import pytest

from lowdim.core.persistence import Tensors, read_state, write_state
from tests.core.persistence.handmade import (
    cannot_save,
    document,
    peak_of_refusal,
    refused,
    round_trip,
    same,
    write_zip,
)

NODE = {"$": "tensors", "entry": "0.safetensors"}


def raw_of(header, data=b"", length=None):
    """The bytes of an entry, with any header."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def described(dtype="F32", shape=(2,), offsets=(0, 8)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


def test_an_entry_is_what_the_format_says(path):
    tree = Tensors(W=np.array([[1.5, 2.0]], np.float32), b=np.array([True]))
    write_state(path, {}, {"weights": tree})
    with zipfile.ZipFile(path) as archive:
        assert archive.namelist() == ["lowdim.json", "0.safetensors"]
        raw = archive.read("0.safetensors")
        assert json.loads(archive.read("lowdim.json"))["tree"] == {"weights": NODE}
    (length,) = struct.unpack("<Q", raw[:8])
    assert length % 8 == 0
    assert json.loads(raw[8 : 8 + length]) == {
        "W": {"dtype": "F32", "shape": [1, 2], "data_offsets": [0, 8]},
        "b": {"dtype": "BOOL", "shape": [1], "data_offsets": [8, 9]},
    }
    assert raw[8 + length :] == struct.pack("<ff?", 1.5, 2.0, True)
    assert same(read_state(path)[1], {"weights": tree})


def test_the_reader_of_others_reads_it(path, rng):
    safetensors = pytest.importorskip("safetensors.numpy")
    tree = Tensors(
        a=rng.normal(size=(3, 4)), b=rng.integers(9, size=5), c=np.float32(rng.random(()))
    )
    tree["c"] = np.asarray(tree["c"])
    write_state(path, {}, tree)
    with zipfile.ZipFile(path) as archive:
        found = safetensors.load(archive.read("0.safetensors"))
    assert found.keys() == tree.keys()
    assert all(same(found[name], tree[name]) for name in tree)
    write_zip(path, document(NODE), {"0.safetensors": safetensors.save(dict(tree))})
    assert all(same(value, tree[name]) for name, value in read_state(path)[1].items())


def test_order_in_memory_is_not_kept_but_numbers_are(rng):
    A = rng.normal(size=(3, 4))
    again = round_trip(Tensors(A=np.asfortranarray(A), B=A[::2, ::-1], C=A.astype(">f8")))
    for name, expected in (("A", A), ("B", A[::2, ::-1]), ("C", A)):
        np.testing.assert_array_equal(again[name], expected)


@pytest.mark.parametrize(
    "value", [Tensors(a=[1.0]), Tensors({"__metadata__": np.ones(2)}), Tensors(a=np.array(["x"]))]
)
def test_other_values_are_not_saved(path, value):
    cannot_save(path, value, "is no array of numbers with a name of its own")


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "is not a .safetensors file"),
        (b"\x08\0\0\0", "is not a .safetensors file"),
        (raw_of({}, length=3), "has 0 bytes of data|is not JSON|is not a .safetensors"),
        (raw_of({}, length=2**63), "is not a .safetensors file"),
        (raw_of({}, length=2**64 - 1), "is not a .safetensors file"),
        (raw_of(b"\xff{}"), "is not JSON"),
        (raw_of(b"{'a': 1}"), "is not JSON"),
        (raw_of(b"[1]"), "the header of 0.safetensors is no object"),
        (raw_of(b"[" * 100_000), "nested too deeply|is not JSON"),
        (raw_of(b'{"a":1,"a":1}'), "the same key twice"),
        (raw_of({"a": 1}), "is not described"),
        (raw_of({"a": {}}), "is not described"),
        (raw_of({"__metadata__": {"x": "y"}}), "is not described"),
        (raw_of({"a": {**described(), "more": 1}}, bytes(8)), "is not described"),
        (raw_of({"a": described(offsets=(0, True))}, bytes(8)), "is not described"),
        (raw_of({"a": described(offsets=(0, 8.0))}, bytes(8)), "is not described"),
        (raw_of({"a": described(dtype="BF16")}, bytes(8)), "does not write the type 'BF16'"),
        (raw_of({"a": described(dtype=[])}, bytes(8)), "is not described"),
        (raw_of({"a": described(shape=(-2,))}, bytes(8)), "its shape is impossible"),
        (raw_of({"a": described(shape=(True, 2))}, bytes(8)), "its shape is impossible"),
        (raw_of({"a": described(shape=(1,) * 65)}, bytes(8)), "its shape is impossible"),
        (raw_of({"a": described(shape=(2**40, 2**40))}, bytes(8)), "its shape is impossible"),
        (raw_of({"a": described(shape=(3,))}, bytes(8)), "8 bytes do not fill the shape of 'a'"),
        (raw_of({"a": described(offsets=(8, 0))}, bytes(8)), "-8 bytes do not fill"),
        (raw_of({"a": described(offsets=(4, 12))}, bytes(12)), "do not follow"),
        (raw_of({"a": described(), "b": described()}, bytes(8)), "'b' do not follow"),
        (raw_of({"a": described()}, bytes(7)), "has 7 bytes of data, not 8"),
        (raw_of({"a": described()}, bytes(9)), "has 9 bytes of data, not 8"),
        (raw_of({"a": described("BOOL", (1,), (0, 1))}, b"\2"), "neither 0 nor 1"),
    ],
)
def test_wrong_entries_are_refused(path, raw, message):
    write_zip(path, document(NODE), {"0.safetensors": raw})
    refused(path, message)


def test_huge_shapes_take_no_memory(path):
    n = 2**38
    raw = raw_of({"a": described(shape=(n,), offsets=(0, 4 * n))}, bytes(8))
    write_zip(path, document(NODE), {"0.safetensors": raw})
    assert peak_of_refusal(path) < 1e6


def test_entries_of_other_kinds_are_refused(path):
    good = raw_of({"a": described()}, bytes(8))
    write_zip(path, document({"$": "array", "entry": "0.safetensors"}), {"0.safetensors": good})
    refused(path, "is not a .npy file")
    write_zip(path, document([NODE, NODE]), {"0.safetensors": good})
    refused(path, "it has no entry '0.safetensors', or names it twice")
