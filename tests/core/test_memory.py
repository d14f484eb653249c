"""Freed memory goes back to the system."""

import ctypes
import sys

import pytest

from lowdim.core import memory


def test_the_c_library_is_asked_where_it_keeps_memory():
    has = sys.platform.startswith("linux") and hasattr(ctypes.CDLL(None), "malloc_trim")
    assert memory.give_back() is has


def test_where_nothing_is_kept_nothing_is_done(monkeypatch):
    monkeypatch.setattr(memory, "_malloc_trim", lambda: None)
    assert memory.give_back() is False


@pytest.mark.skipif(not memory.give_back(), reason="the C library keeps nothing")
def test_memory_between_kept_pieces_goes_back():
    malloc, free = ctypes.CDLL(None).malloc, ctypes.CDLL(None).free
    malloc.restype, malloc.argtypes, free.argtypes = (
        ctypes.c_void_p,
        [ctypes.c_size_t],
        [ctypes.c_void_p],
    )
    pieces = [malloc(60_000) for _ in range(1000)]  # below what has pages of its own
    for piece in pieces:
        ctypes.memset(piece, 1, 60_000)
    full = resident()
    for piece in pieces[:-1]:  # the last one stands on top of the others
        free(piece)
    memory.give_back()
    assert resident() < full - 40_000_000
    free(pieces[-1])


def resident() -> int:
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
