"""The zip beneath a file: entries are where it says, of the size it says, and nothing else."""

import io
import json
import struct
import time
import zipfile

import numpy as np
import pytest

from lowdim.core.persistence import archive, read_state, write_state
from tests.core.persistence.handmade import (
    GOOD_NPY,
    array_node,
    directory_end,
    document,
    local_entry,
    npy,
    peak_of_refusal,
    refused,
    same,
    write_tree,
    write_zip,
)


def test_arrays_can_be_read_with_numpy_alone(path, rng):
    tree = {"A": rng.normal(size=(3, 4)), "B": np.asfortranarray(rng.normal(size=(3, 4)))}
    write_state(path, {}, tree)
    with np.load(path, allow_pickle=False) as archive:
        assert np.array_equal(archive["0"], tree["A"])
        assert np.array_equal(archive["1"], tree["B"])


def test_entries_with_the_headers_of_large_ones_are_read(path, monkeypatch, rng):
    monkeypatch.setattr(archive, "LARGE", 0)
    tree = [rng.normal(size=5), rng.normal(size=(2, 3))]
    write_state(path, {}, tree)
    assert path.read_bytes().count(b"\xff" * 8 + b"\5\0\x14\0") == 2  # sizes are in an extra field
    assert same(read_state(path)[1], tree)


# ---- the door: wrong arrays ----------------------------------------------------------------------

OBJECTS = io.BytesIO()

np.save(OBJECTS, np.array([{}], dtype=object), allow_pickle=True)


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"", "0.npy is not a .npy file"),
        (b"\x93NUMPY\x01\x00", "0.npy is not a .npy file"),
        (npy(GOOD_NPY)[:9], "0.npy is not a .npy file"),
        (npy(GOOD_NPY)[:50], "a .npy header that lowdim does not write"),
        (b"\x93NUMPY\x02\x00" + npy(GOOD_NPY)[8:], "0.npy is not a .npy file"),
        (npy(GOOD_NPY)[:-1], r"0.npy has 47 bytes of elements, which do not fill \(2, 3\)"),
        (npy(GOOD_NPY) + b"\0", r"0.npy has 49 bytes of elements"),
        (npy(GOOD_NPY, a=(b"(2, 3)", b"(9, 3)")), r"which do not fill \(9, 3\)"),
        (npy(GOOD_NPY, a=(b"(2, 3)", b"(-2, 3)")), "a .npy header that lowdim does not write"),
        (npy(GOOD_NPY, a=(b"(2, 3)", b"(True,)")), "a .npy header that lowdim does not write"),
        (npy(GOOD_NPY, a=(b"(2, 3)", b"(2**9,)")), "a .npy header that lowdim does not write"),
        (npy(GOOD_NPY, a=(b"(2, 3)", b"(1" + b", 1" * 64 + b")")), "its shape is impossible"),
        (npy(GOOD_NPY, a=(b"(2, 3)", b"(4000000000, 4000000000)")), "its shape is impossible"),
        (npy(GOOD_NPY, a=(b"(2, 3)", b"(" + b"9" * 5000 + b",)")), "lowdim does not write"),
        (npy(GOOD_NPY, a=(b"(2, 3)", b"(" * 5000)), "a .npy header that lowdim does not write"),
        (npy(GOOD_NPY, a=(b"(2, 3)", b"-" * 5000 + b"1")), "lowdim does not write"),
        (npy(GOOD_NPY, a=(b"(2, 3)", b"(" + b"1, " * 20000)), "lowdim does not write"),
        (npy(GOOD_NPY, a=(b"(2, 3)", b"(" + b"1" * 60000)), "lowdim does not write"),
        (npy(np.ones((0, 9)), a=(b"(0, 9)", b"(0, %d)" % 2**61)), "its shape is impossible"),
        (npy(GOOD_NPY, a=(b"'<f8'", b"'|O'")), "a .npy header that lowdim does not write"),
        (npy(GOOD_NPY, a=(b"'<f8'", b"'|V8'")), "a .npy header that lowdim does not write"),
        (npy(GOOD_NPY, a=(b"'<f8'", b"'<U0'")), "a .npy header that lowdim does not write"),
        (npy(GOOD_NPY, a=(b"'<f8'", b"[('a', '<f8')]")), "lowdim does not write"),
        (npy(GOOD_NPY, a=(b"'<f8'", b"'<U999999999'")), "there is no dtype"),
        (npy(GOOD_NPY, a=(b"'<f8'", b"'<m8[ab]'")), "there is no dtype"),
        (OBJECTS.getvalue(), "a .npy header that lowdim does not write"),
        (npy(np.array([2], np.uint8), a=(b"'|u1'", b"'|b1'")), "a boolean is neither 0 nor 1"),
        (
            npy(np.array([2**31], np.uint32), a=(b"'<u4'", b"'<U1'")),
            "a character is not in Unicode",
        ),
        (npy(np.array([1], np.uint32), a=(b"'<u4'", b"'>U1'")), "a character is not in Unicode"),
    ],
)
def test_wrong_arrays(path, raw, message):
    write_tree(path, array_node(0), raw)
    started = time.perf_counter()
    refused(path, message)
    assert time.perf_counter() - started < 5  # no header makes the reader search for long


# ---- the door: wrong archives --------------------------------------------------------------------


def test_compressed_entries_are_refused(path):
    bomb = npy(np.zeros(10**6))
    write_zip(path, document(array_node(0)), {"0.npy": bomb}, compression=zipfile.ZIP_DEFLATED)
    assert path.stat().st_size < len(bomb) / 100
    refused(path, "is compressed or encrypted")


@pytest.mark.parametrize("flag", [0x0001, 0x0008, 0x2000])
def test_encrypted_and_streamed_entries_are_refused(path, flag):
    write_tree(path, 1)
    raw = bytearray(path.read_bytes())
    struct.pack_into("<H", raw, raw.index(b"PK\1\2") + 8, flag)
    path.write_bytes(raw)
    refused(path, "'lowdim.json' is compressed or encrypted")


def test_entries_that_nothing_refers_to_are_refused(path):
    write_zip(path, document(1), {"notes.txt": b"hidden"})
    refused(path, "it has 1 entries that nothing refers to")


def test_array_named_twice_is_refused(path):
    write_tree(path, [array_node(0)] * 1000, np.ones(9))
    refused(path, "it has no entry '0.npy', or names it twice")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_two_entries_of_one_name_are_refused(path):
    write_tree(path, array_node(0), np.ones(1))
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("0.npy", npy(np.zeros(1)))
    refused(path, "it has '0.npy' twice")


def test_document_is_needed(path):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("0.npy", npy(np.ones(1)))
    refused(path, "it has no entry 'lowdim.json'")


def test_entries_that_share_bytes_are_refused(path):
    """The bomb without compression: one entry lies within another."""
    inner, inner_place = local_entry(b"1.npy", npy(np.ones(1000)))
    outer, outer_place = local_entry(b"0.npy", npy(np.frombuffer(inner, np.uint8)))
    text = json.dumps(document([array_node(0), array_node(1)])).encode()
    first, first_place = local_entry(b"lowdim.json", text)
    entries = [
        (b"lowdim.json", 0, *first_place),
        (b"0.npy", len(first), *outer_place),
        (b"1.npy", len(first) + outer.index(inner), *inner_place),
    ]
    raw = first + outer
    path.write_bytes(raw + directory_end(entries, len(raw)))
    with np.load(path) as archive:  # a well-formed file to others
        assert len(archive["1"]) == 1000
    refused(path, "'1.npy' overlaps with another entry")


@pytest.mark.parametrize("size", [10**4, 2**32 - 2])
def test_entry_larger_than_the_file_is_refused(path, size):
    first, (_, checksum) = local_entry(b"lowdim.json", json.dumps(document(1)).encode())
    path.write_bytes(first + directory_end([(b"lowdim.json", 0, size, checksum)], len(first)))
    refused(path, "'lowdim.json' is larger than the file")


def test_entry_beyond_the_end_is_refused(path):
    first, place = local_entry(b"lowdim.json", json.dumps(document(1)).encode())
    for offset, message in [
        (10**6, "'lowdim.json' overlaps"),
        (2**32 - 2, "'lowdim.json' overlaps"),
        (len(first) + 60, "it ends within an entry"),
        (1, "'lowdim.json' is not where the directory says"),
    ]:
        end = directory_end([(b"lowdim.json", offset, *place)], len(first))
        path.write_bytes(first + end)
        refused(path, message)


def test_entry_under_another_name_is_refused(path):
    first, place = local_entry(b"LOWDIM.json", json.dumps(document(1)).encode())
    path.write_bytes(first + directory_end([(b"lowdim.json", 0, *place)], len(first)))
    refused(path, "'lowdim.json' is not where the directory says")


def test_changed_byte_shows_in_the_checksum(path):
    write_state(path, {}, np.zeros(100))
    raw = bytearray(path.read_bytes())
    raw[raw.index(b"}  ") + 500] ^= 1
    path.write_bytes(raw)
    refused(path, "the checksum of 0.npy is wrong")


# ---- no more memory than the file justifies ------------------------------------------------------


@pytest.mark.parametrize("shape", [b"(1000000000,)", b"(%d,)" % 2**59, b"(100000, 100000)"])
@pytest.mark.parametrize("descr", [b"'<f8'", b"'|b1'", b"'<U90000000'"])
def test_huge_shape_takes_no_memory(path, shape, descr):
    raw = npy(GOOD_NPY, a=(b"(2, 3)", shape), b=(b"'<f8'", descr))
    write_tree(path, array_node(0), raw)
    assert peak_of_refusal(path) < 1e6


def test_huge_entry_takes_no_memory(path):
    first, (_, checksum) = local_entry(b"lowdim.json", json.dumps(document(1)).encode())
    end = directory_end([(b"lowdim.json", 0, 2**32 - 2, checksum)], len(first))
    path.write_bytes(first + end)
    assert peak_of_refusal(path) < 1e6


def test_memory_for_entries_is_proportional_to_the_file(path):
    write_zip(path, document(1), {str(i): b"" for i in range(5000)})
    assert peak_of_refusal(path) < 20 * path.stat().st_size
