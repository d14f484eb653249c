"""Numbers, text and tuples come back bit for bit."""

import struct

import numpy as np
import pytest

from lowdim.core.persistence import LoadError, read_state
from lowdim.core.persistence.values import encode
from tests.core.persistence.handmade import cannot_load, cannot_save, round_trip, same, write_tree


@pytest.mark.parametrize(
    ("value", "fields"),
    [
        (-(2**53), {"$": "int", "hex": "-0x20000000000000"}),
        (np.inf, {"$": "float", "hex": "7ff0000000000000"}),
        ((1, "a"), {"$": "tuple", "items": [1, "a"]}),
        (np.str_("é"), {"$": "numpy_text", "text": "é"}),
        (np.int16(258), {"$": "scalar", "dtype": "<i2", "hex": "0201"}),
        (
            np.array([["a"], ["b"]], dtype=object),
            {"$": "text_array", "shape": [2, 1], "items": ["a", "b"]},
        ),
    ],
)
def test_values_are_the_json_of_the_specification(value, fields):
    assert encode(value, []) == fields
    assert same(round_trip([value]), [value])


@pytest.mark.parametrize("bits", [0x7FF8000000000000, 0xFFF8000000000001, 0x7FF0000000000123])
def test_every_nan_keeps_its_bits(bits):
    (value,) = struct.unpack("d", struct.pack("Q", bits))
    tree = [value, np.float64(value), np.array([value])]
    assert same(round_trip(tree), tree)


# ---- the door ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.array(["a", 1], object), "it is an array of dtype object that holds more than text"),
        (np.array([("a", 1)], "U1,i4"), r"it is an array of dtype .* that holds more than text"),
        (np.ones(2, np.longdouble), "it is an array of dtype (float128|float96)"),
        (np.ones(0, np.longdouble), "it is an array of dtype (float128|float96)"),
        (np.array(["a"], np.dtypes.StringDType()), "it is an array of dtype StringDType"),
        (np.array([b"a"]), "it is an array of dtype |S1"),
    ],
)
def test_arrays_of_more_than_numbers_and_text_are_not_saved(path, value, message):
    cannot_save(path, value, message)


@pytest.mark.parametrize(
    ("node", "message"),
    [
        ({"$": "int", "hex": "12"}, "it is not a hexadecimal integer"),
        ({"$": "int", "hex": "0x_1"}, "it is not a hexadecimal integer"),
        ({"$": "float", "hex": "00"}, "it is not the 8 bytes of a float"),
        ({"$": "float", "hex": "00 00 00 00 00 00"}, "it is not the 8 bytes of a float"),
        ({"$": "scalar", "dtype": "<f8", "hex": "00"}, "it is not the 8 bytes of one <f8"),
        ({"$": "scalar", "dtype": "<f8", "hex": "zz" * 8}, "it is not the 8 bytes of one <f8"),
        ({"$": "scalar", "dtype": "|O", "hex": "00" * 8}, "does not write the dtype"),
        ({"$": "scalar", "dtype": "<f16", "hex": "00" * 16}, "does not write the dtype"),
        ({"$": "scalar", "dtype": "<U1", "hex": "ffffff7f"}, "a character is not in Unicode"),
        ({"$": "scalar", "dtype": "|b1", "hex": "02"}, "a boolean is neither 0 nor 1"),
        ({"$": "scalar", "dtype": "<M8[zz]", "hex": "00" * 8}, "there is no dtype"),
        ({"$": "text_array", "shape": [2], "items": ["a"]}, "1 strings do not fill its shape"),
        ({"$": "text_array", "shape": [1], "items": [1]}, "it holds more than text"),
        ({"$": "text_array", "shape": [-1, -1], "items": ["a"]}, "its shape is impossible"),
        ({"$": "text_array", "shape": [True], "items": ["a"]}, "its shape is impossible"),
        ({"$": "text_array", "shape": [1] * 65, "items": ["a"]}, "its shape is impossible"),
        ({"$": "text_array", "shape": [0, 2**52, 2**52], "items": []}, "its shape is impossible"),
    ],
)
def test_wrong_numbers_and_text(path, node, message):
    cannot_load(path, node, message)


def test_every_unit_of_time_that_the_header_can_name_is_loaded_or_refused(path):
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    for unit in [*letters, *(a + "s" for a in letters), ""]:
        for descr in (f"<M8[{unit}]", f"<m8[999999999{unit}]", f"|M8[0{unit}]"):
            write_tree(path, {"$": "scalar", "dtype": descr, "hex": "01" * 8})
            try:
                assert read_state(path)[1].tobytes() == b"\1" * 8
            except LoadError:
                pass
