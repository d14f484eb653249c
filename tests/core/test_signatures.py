"""What warmup compiles: a list that can be written, read, and worked through by module."""

import sys

import numpy as np
import pytest

from lowdim.core import signatures
from lowdim.core.kernel import kernels

SOURCE = """
from lowdim.core.kernel import kernel


@kernel(within=True)
def half(x):
    return x / 2


@kernel
def add_halves(X, pair, total):
    for i in range(X.shape[0]):
        for f in range(X.shape[1]):
            total[f] += half(X[i, f]) * pair[0]
    return pair[1]
"""
LISTED = {"listed_kernels": {"add_halves": [["float32 2", ["float64", "bool"], "float64 1"]]}}


@pytest.fixture
def own_list(tmp_path, monkeypatch):
    """A module with kernels and a list, in a folder of their own."""
    (tmp_path / "listed_kernels.py").write_text(SOURCE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(signatures, "LIST", tmp_path / "signatures.json")
    import listed_kernels

    yield listed_kernels
    del sys.modules["listed_kernels"]


def test_what_is_listed_is_compiled_and_a_call_compiles_nothing_more(own_list):
    signatures.write(LISTED)
    assert signatures.listed() == LISTED
    signatures.compile_module("listed_kernels")
    total = np.zeros(2)
    assert own_list.add_halves(np.ones((3, 2), dtype=np.float32), (2.0, True), total)
    np.testing.assert_array_equal(total, [3.0, 3.0])
    assert signatures.in_use()["listed_kernels"] == LISTED["listed_kernels"]


def test_an_array_in_another_order_cannot_be_listed(own_list):
    own_list.add_halves(np.ones((3, 2), order="F"), (2.0, True), np.zeros(2))
    with pytest.raises(AssertionError, match="in C order"):
        signatures.in_use()


def test_every_kernel_that_is_listed_exists():
    import importlib

    for module in signatures.listed():
        importlib.import_module(module)
    names = {f"{module}.{name}" for module, of in signatures.listed().items() for name in of}
    assert names <= set(kernels())
