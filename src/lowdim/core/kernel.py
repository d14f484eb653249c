"""`@kernel`: a plain loop over arrays, compiled by numba when it is first called.

Kernels are serial, free of the GIL (blocks run on our own threads) and cached on disk. numba is
imported with the first call, so methods that are pure linear algebra never load it.
"""

from __future__ import annotations

import functools
import threading
import types
from collections.abc import Callable
from typing import Any, TypeVar, cast

Function = TypeVar("Function", bound=Callable[..., Any])

_compiling = threading.RLock()


def kernel(function: Function) -> Function:
    """Compile `function` with numba when it is first called (nogil, cached on disk).

    Kernels may call each other: numba sees the compiled form of every kernel that the function's
    module knows by name. `python` is the uncompiled function.
    """

    @functools.cache
    def compiled() -> Callable[..., Any]:
        import numba

        known = {
            name: value.compiled() if hasattr(value, "compiled") else value
            for name, value in function.__globals__.items()
            if name in _names(function.__code__)
        }
        plain = types.FunctionType(function.__code__, known, function.__name__)
        functools.update_wrapper(plain, function)
        return cast(
            Callable[..., Any], numba.njit(nogil=True, cache=True, error_model="numpy")(plain)
        )

    @functools.wraps(function)
    def call(*args: Any) -> Any:
        with _compiling:
            run = compiled()
        return run(*args)

    call.compiled = compiled  # type: ignore[attr-defined]
    call.python = function  # type: ignore[attr-defined]
    return cast(Function, call)


def _names(body: types.CodeType) -> set[str]:
    """The global names that a function uses, also within comprehensions."""
    inner = (part for part in body.co_consts if isinstance(part, types.CodeType))
    return set(body.co_names).union(*map(_names, inner))
