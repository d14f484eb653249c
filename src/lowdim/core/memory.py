"""Memory that was freed, given back to the system."""

from __future__ import annotations

import ctypes
import sys
from functools import cache
from typing import Any


def give_back() -> bool:
    """Give freed memory back to the system; whether the C library can be asked to.

    glibc keeps much of what was freed, on each thread, for allocations to come; it is asked after
    work that made many large arrays, before that which needs the most. Elsewhere nothing is kept.
    """
    trim = _malloc_trim()
    if trim is not None:
        trim(0)
    return trim is not None


@cache
def _malloc_trim() -> Any:
    if not sys.platform.startswith("linux"):
        return None
    return getattr(ctypes.CDLL(None), "malloc_trim", None)  # of glibc, not of musl
