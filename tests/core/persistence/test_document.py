"""The JSON document of a file: what is written, and what is refused."""

import json
import sys
import time
import zipfile

import numpy as np
import pytest

import lowdim
from lowdim.core.persistence import write_state
from tests.core.persistence.handmade import document, peak_of_refusal, refused, write_zip


def test_document_is_the_json_of_the_specification(path):
    tree = {"a": [1, 2.5, None, True, "é"], "$b": (2**64,), "c": np.zeros(2), "d": -np.inf}
    write_state(path, {"for": "test"}, tree)
    with zipfile.ZipFile(path) as archive:
        text = archive.read("lowdim.json").decode("ascii")
        assert archive.namelist() == ["lowdim.json", "0.npy"]
    assert text == (
        '{"header":{"format":1,"lowdim":"VERSION","for":"test"},"tree":{'
        '"a":[1,2.5,null,true,"\\u00e9"],'
        '"$$b":{"$":"tuple","items":[{"$":"int","hex":"0x10000000000000000"}]},'
        '"c":{"$":"array","entry":"0.npy"},'
        '"d":{"$":"float","hex":"fff0000000000000"}}}'
    ).replace("VERSION", lowdim.__version__)


# ---- the door ------------------------------------------------------------------------------------


def test_newer_format_asks_for_an_upgrade(path):
    write_zip(path, {"header": {"format": 2, "lowdim": "9.1"}, "new": {}}, {"what": b"ever"})
    refused(
        path,
        rf"it was written by lowdim 9.1, format 2; this is lowdim {lowdim.__version__}, "
        "which reads formats up to 1. Upgrade lowdim",
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "lowdim.json is not JSON"),
        ("{", "lowdim.json is not JSON"),
        ("[" * 10**6, "it is nested too deeply"),
        ('{"a":' * 10**6, "it is nested too deeply"),
        (b"\xff\xfe{}", "lowdim.json is not UTF-8"),
        (json.dumps(document(1)).encode("utf-16"), "lowdim.json is not UTF-8"),
        ("[]", "lowdim.json has no header"),
        ("{}", "lowdim.json has no header"),
        ('{"header":{}}', "does not say in what format"),
        ('{"header":{"format":true,"lowdim":"1"}}', "does not say in what format"),
        ('{"header":{"format":0,"lowdim":"1"}}', "does not say in what format"),
        ('{"header":{"format":1,"lowdim":1}}', "does not say in what format"),
        ('{"header":{"format":1,"lowdim":"1"}}', "more than header and tree"),
        ('{"header":{"format":1,"lowdim":"1"},"tree":1,"x":1}', "more than header and tree"),
        ('{"header":{"format":1,"lowdim":"1","format":1},"tree":1}', "the same key twice"),
    ],
)
def test_wrong_documents(path, text, message):
    write_zip(path, text)
    refused(path, message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("NaN", "NaN, which is not JSON"),
        ("-Infinity", "-Infinity, which is not JSON"),
        ("1e999", "a number that is not a float"),
        ("0." + "1" * 10**6, "a number that is not a float"),
        ("1" * 10**6, "an integer of more than 53 bits"),
        ("[" * 150 + "]" * 150, "is more than 100 levels deep"),
        ('{"$":"tuple","items":[' * 60 + "]}" * 60, "is more than 100 levels deep"),
    ],
)
def test_wrong_numbers_and_depths(path, text, message):
    template = json.dumps(document("HERE"))
    write_zip(path, template.replace('"HERE"', text))
    refused(path, message)


def test_digits_are_limited_even_where_python_does_not_limit_them(path, monkeypatch):
    limit = sys.get_int_max_str_digits()
    write_zip(path, json.dumps(document("HERE")).replace('"HERE"', "7" * 10**7))
    sys.set_int_max_str_digits(0)
    try:
        started = time.perf_counter()
        refused(path, "an integer of more than 53 bits")
        assert time.perf_counter() - started < 5  # int("7" * 10**7) takes minutes
    finally:
        sys.set_int_max_str_digits(limit)


# ---- no more memory than the file justifies ------------------------------------------------------


@pytest.mark.parametrize("piece", ["[]", "{}", "0.5", '""', '{"a":0}', '{"$":"tuple","items":[]}'])
def test_memory_for_json_is_proportional_to_the_file(path, piece):
    pieces = ",".join([piece] * (10**5 // len(piece)))
    write_zip(path, json.dumps(document("HERE")).replace('"HERE"', f'[{pieces},{{"$":0}}]'))
    assert peak_of_refusal(path) < 40 * path.stat().st_size
