"""Public methods of a class that hold BLAS to one thread while they run."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from types import FunctionType
from typing import Any

from lowdim.core.threads import single_threaded_blas


def hold_blas_in(cls: type) -> None:
    """Make every public method and property that a class itself defines hold BLAS."""
    for name, value in list(vars(cls).items()):
        if not name.startswith("_"):
            held = _held_attribute(value)
            if held is not value:
                setattr(cls, name, held)


def holds_blas(value: Any) -> bool:
    """Whether a function, method, property or another descriptor of these holds BLAS."""
    return all(getattr(function, "holds_blas", False) for function in _functions(value))


def _functions(value: Any) -> list[Callable]:
    """The functions behind an attribute of a class that run when it is used."""
    if isinstance(value, property):
        return [f for f in (value.fget, value.fset, value.fdel) if f is not None]
    if isinstance(value, functools.cached_property):
        return [value.func]
    if isinstance(value, staticmethod | classmethod):
        return [value.__func__]
    if hasattr(value, "fn") and hasattr(value, "check"):  # scikit-learn's available_if
        return [value.fn]
    return [value] if isinstance(value, FunctionType) else []


def _held_attribute(value: Any) -> Any:
    if holds_blas(value):
        return value
    if isinstance(value, property):
        return property(_held(value.fget), _held(value.fset), _held(value.fdel), value.__doc__)
    if isinstance(value, staticmethod | classmethod):
        return type(value)(_held(value.__func__))
    if isinstance(value, functools.cached_property):
        value.func = _held(value.func)
    elif hasattr(value, "fn"):
        value.fn = _held(value.fn)
    elif isinstance(value, FunctionType):
        return _held(value)
    return value


def _held(function: Any) -> Any:
    if function is None or inspect.isgeneratorfunction(function):
        return function  # a generator works later; what it calls holds BLAS
    return function if holds_blas(function) else single_threaded_blas()(function)
