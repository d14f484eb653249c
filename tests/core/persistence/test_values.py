"""Any value as JSON and arrays, and back; what is not plain data is refused by its place."""

import time
from pathlib import Path

import numpy as np
import pytest

from tests.core.persistence.handmade import (
    Toy,
    cannot_load,
    cannot_save,
    peak_of_refusal,
    round_trip,
    write_tree,
)


def test_order_of_memory_is_kept_and_views_are_written_by_value(tmp_path, rng):
    A = rng.normal(size=(4, 6))
    mapped = np.lib.format.open_memmap(tmp_path / "A.npy", mode="w+", shape=A.shape)
    mapped[:] = A
    read_only = A.copy()
    read_only.flags.writeable = False
    for array in (A, np.asfortranarray(A), A.T, A[::2, ::-3], read_only, mapped, mapped[1:]):
        again = round_trip(array)
        assert np.array_equal(again, array)
        assert again.flags.f_contiguous == (array.flags.f_contiguous or again.ndim < 2)
        assert type(again) is np.ndarray
        assert again.flags.owndata and again.flags.writeable and again.flags.aligned


# ---- the door: what cannot be saved --------------------------------------------------------------


def endless():
    tree = []
    tree.append(tree)
    return tree


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (print, r"it is a function or class \(print\)"),
        (Toy.fit, r"it is a function or class \(Toy.fit\)"),
        (str, r"it is a function or class \(str\)"),
        (object(), "it is a builtins.object"),
        ({1, 2}, "it is a builtins.set"),
        (b"raw", "it is a builtins.bytes"),
        (1j, "it is a builtins.complex"),
        (Path("a"), r"it is a pathlib"),
        ({1: 2}, "it has a key of type int"),
        ("\ud800", "it is text with half of a surrogate pair"),
        ({"\ud800": 1}, "it is text with half of a surrogate pair"),
        (endless(), "it is more than 100 levels deep"),
        (np.longdouble(1), "it is a longdouble of dtype (float128|float96)"),
        (np.ma.ones(2), "it is a MaskedArray of dtype float64"),
    ],
)
def test_what_is_not_plain_data_is_refused_by_its_place(path, value, message):
    cannot_save(path, value, message)


# ---- the door: what cannot be loaded -------------------------------------------------------------


@pytest.mark.parametrize(
    ("node", "message"),
    [
        ({"$": None}, "does not know its kind of value"),
        ({"$": []}, "does not know its kind of value"),
        ({"$": "object", "class": "os.system"}, "does not know its kind of value"),
        ({"$": "tuple"}, "it has other fields than the kind 'tuple'"),
        ({"$": "tuple", "items": 1}, "its items is of type int"),
        ({"$": "tuple", "items": [], "x": 1}, "it has other fields than the kind 'tuple'"),
        ({"$": "array"}, "it has other fields than the kind 'array'"),
        ({"$": "array", "entry": 1}, "its entry is of type int"),
        ({"$": "array", "entry": "../x.npy"}, "it has no entry"),
        ({"$": "array", "entry": "lowdim.json"}, "it has no entry"),
    ],
)
def test_wrong_values(path, node, message):
    cannot_load(path, node, message)


def test_long_names_are_not_copied_for_everything_below_them(path):
    tree = "x"
    for _ in range(50):
        tree = {"k" * 10**5: [tree, 0, 0]}
    write_tree(path, [tree, {"$": 0}])
    started = time.perf_counter()
    assert peak_of_refusal(path) < 4 * path.stat().st_size
    assert time.perf_counter() - started < 10
