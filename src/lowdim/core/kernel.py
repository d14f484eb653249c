"""`@kernel`: a plain loop over arrays, compiled by numba when it is first called.

Kernels are serial, free of the GIL (blocks run on our own threads) and cached on disk. numba is
imported with the first call, so methods that are pure linear algebra never load it.

A kernel is compiled when a person waits for a first result, so it costs at most a second:

    - plain loops over numbers. NumPy's functions inside a kernel are compiled along with it:
      a sum along an axis takes 2 s, an array expression 3 s (its error messages are made of text),
      `np.empty` 0.1 s. Sums over an axis and the like are for NumPy, outside;
    - results and arrays to work in are made by the caller, in C order and of one dtype: every
      other layout, dtype of an index or kind of a number is another signature, compiled again;
    - a kernel that another one calls is compiled for itself and again within it, unless it is only
      there for others (`within`). Two steps of an algorithm are two kernels, called one after the
      other.

So they need neither counted references nor most of what numba's compiler looks for, and go without
(`core/compiler.py`).
"""

from __future__ import annotations

import functools
import gc
import hashlib
import threading
import types
from collections.abc import Callable
from typing import Any, TypeVar, cast, overload

from lowdim.core.compiler import compiler_of_loops
from lowdim.core.progress import say

Function = TypeVar("Function", bound=Callable[..., Any])

_compiling = threading.RLock()
_all: dict[str, Any] = {}


def kernels() -> dict[str, Any]:
    """Every kernel of the modules that are imported, by the name of its module and its own."""
    return dict(_all)


@overload
def kernel(function: Function, /) -> Function: ...
@overload
def kernel(
    *,
    any_order: bool = False,
    within: bool = False,
    inlined: bool = False,
    allocates: bool = False,
    views: tuple[str, ...] = (),
) -> Callable[[Function], Function]: ...
def kernel(
    function: Any = None,
    /,
    *,
    any_order: bool = False,
    within: bool = False,
    inlined: bool = False,
    allocates: bool = False,
    views: tuple[str, ...] = (),
) -> Any:
    """Compile `function` with numba when it is first called (nogil, cached on disk).

    Kernels may call each other: numba sees the compiled form of every kernel that the function's
    module knows by name. `python` is the uncompiled function.

    any_order : sums may be added up in another order, which makes vector instructions of them.
        The order is that of the compiled kernel: the same in every run.
    within : only other kernels call it. What lets Python call it, and keeps it on disk, is left
        out, and so is its own machine code: half of the time or more.
    inlined : within, and part of every kernel that calls it however long it is.
    allocates : it makes arrays or lists, returns an array, or calls a function of NumPy that may
        (`np.dot`): compiled by numba's whole compiler, with counted references.
    views : arguments that share memory of which some is written (one is a view of another). All
        other arrays that Python gives a kernel are apart, or only read.
    """
    options: dict[str, Any] = {"any_order": any_order, "allocates": allocates, "views": views}
    options |= {"within": within or inlined, "inlined": inlined}
    if function is None:
        return functools.partial(_kernel, **options)
    return _kernel(function, **options)


def _kernel(
    function: Function,
    any_order: bool,
    within: bool,
    inlined: bool,
    allocates: bool,
    views: tuple[str, ...],
) -> Function:
    options = {"nogil": True, "cache": True, "error_model": "numpy", "no_cfunc_wrapper": True}
    if within:
        options |= {"cache": False, "no_cpython_wrapper": True, "forceinline": inlined}
    if any_order:
        options["fastmath"] = {"reassoc", "nsz", "contract"}

    @functools.cache
    def compiled() -> Callable[..., Any]:
        import numba

        _listen_to_compilations()
        known = {
            name: value.compiled() if hasattr(value, "compiled") else value
            for name, value in _globals_of(function)
        }
        plain = types.FunctionType(function.__code__, known, function.__name__)
        functools.update_wrapper(plain, function)
        plain.views = views  # type: ignore[attr-defined]
        plain.__qualname__ += _from_elsewhere(function) + ("_any_order" if any_order else "")
        if not allocates:
            options.update(_nrt=False, pipeline_class=compiler_of_loops())
        run = numba.njit(**options)(plain)
        run.get_call_template = functools.partial(_without_literals, run.get_call_template)
        return cast(Callable[..., Any], run)

    @functools.wraps(function)
    def call(*args: Any) -> Any:
        if within:  # Python has no way to call what is compiled
            return function(*args)
        with _compiling:
            run = compiled()
        return run(*args)

    _all[f"{function.__module__}.{function.__name__}"] = call
    call.compiled = compiled  # type: ignore[attr-defined]
    call.python, call.within = function, within  # type: ignore[attr-defined]
    call.allocates, call.views = allocates, views  # type: ignore[attr-defined]
    call.fingerprint = lambda: f"{_fingerprint(function)}{any_order:d}"  # type: ignore[attr-defined]
    return cast(Function, call)


def _without_literals(typed: Callable[..., Any], args: Any, kws: Any) -> Any:
    """How a kernel is called by another: a 0 is a number, and not one more kind of argument."""
    from numba.core import types as kinds

    return typed(tuple(map(kinds.unliteral, args)), kws)


# ---- while a kernel is compiled ------------------------------------------------------------------


@functools.cache
def _listen_to_compilations() -> None:
    """From now on the first kernel that has to be compiled is announced at a terminal.

    Meanwhile garbage is not collected: a compiler makes a million small objects that stay, and to
    look through them again and again takes a sixth of its time.
    """
    from numba.core import event

    class Listener(event.Listener):
        def __init__(self) -> None:
            self._inside, self._collects = 0, False  # kernels within kernels; as it was before

        def on_start(self, event: Any) -> None:  # numba compiles on one thread at a time
            _announce()
            if self._inside == 0:
                self._collects = gc.isenabled()
                gc.disable()
            self._inside += 1

        def on_end(self, event: Any) -> None:
            self._inside -= 1
            if self._inside == 0 and self._collects:
                gc.enable()

    event.register("numba:compile", Listener())


@functools.cache
def _announce() -> None:
    say("compiling (once; `lowdim warmup` does it ahead for all methods)")


# ---- what a kernel is compiled from --------------------------------------------------------------


def _from_elsewhere(function: Callable[..., Any]) -> str:
    """A mark of the kernels and constants that are compiled into a kernel, for its name on disk.

    numba compiles a kernel again when its own file is newer, and does not look at the files of
    those that it calls.
    """
    used = _used_by(function)
    return f"_{_hash(used)}" if used else ""


def _fingerprint(function: Callable[..., Any]) -> str:
    """A hash of what a function does, with all that it uses."""
    return _hash([*_instructions(function.__code__), *_used_by(function)])


def _used_by(function: Callable[..., Any]) -> list[str]:
    return [
        f"{name}={value.fingerprint() if hasattr(value, 'fingerprint') else value!r}"
        for name, value in _globals_of(function)
        if hasattr(value, "fingerprint") or isinstance(value, int | float)
    ]


def _instructions(body: types.CodeType) -> list[str]:
    inner = [part for part in body.co_consts if isinstance(part, types.CodeType)]
    constants = [repr(part) for part in body.co_consts if not isinstance(part, types.CodeType)]
    own = [body.co_code.hex(), *constants, *body.co_names, *body.co_varnames]
    return own + [line for part in inner for line in _instructions(part)]


def _hash(texts: list[str]) -> str:
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()[:8]


def _globals_of(function: Callable[..., Any]) -> list[tuple[str, Any]]:
    used = _names(function.__code__)
    return [(name, value) for name, value in sorted(function.__globals__.items()) if name in used]


def _names(body: types.CodeType) -> set[str]:
    """The global names that a function uses, also within comprehensions."""
    inner = (part for part in body.co_consts if isinstance(part, types.CodeType))
    return set(body.co_names).union(*map(_names, inner))
