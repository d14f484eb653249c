"""The shapes that a class declares for what it learns, held against what a model has.

    shapes: ClassVar = {
        "n_features_in_": "d",              a whole number, which is d
        "mean_": ("d",),                    an array of d numbers
        "components_": ("k", "d"),
        "noise_variance_": (),              one number
    }

A letter is the same number wherever it stands in a model, so attributes are held against each
other. Files are looked at with this before a model is made of them: kernels follow shapes without
looking. What is declared must be there, unless it is `Maybe`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

Shape = tuple[str | int, ...]


class Maybe(NamedTuple):
    """What may be left out, or None."""

    declared: Any


class Either(NamedTuple):
    """One of several."""

    options: tuple[Any, ...]


class Text(NamedTuple):
    """An array or list of texts."""

    shape: Shape


class Below(NamedTuple):
    """An array of whole numbers from 0 up, all smaller than a size."""

    limit: str
    shape: Shape


class Given(NamedTuple):
    """A parameter of the constructor that says a size, if it is a whole number."""

    letter: str


class Anything(NamedTuple):
    """What has no shape, or one that nothing relies on."""


class ShapeError(ValueError):
    """A learned attribute that has another shape, or holds something else, than is declared."""


def check_shapes(model: Any, attributes: Mapping[str, Any], declared: Mapping[str, Any]) -> None:
    """Raise a ShapeError if learned attributes are not as declared, or contradict each other."""
    known = _Sizes()
    for name, what in declared.items():
        if isinstance(what, Given):
            size = getattr(model, name)
            if _is_whole(size):
                known.check(name, (int(size),), (what.letter,))
        elif name in attributes:
            _check(attributes[name], what, name, known)
        elif not isinstance(what, Maybe):
            raise ShapeError(f"it has no {name}")


class _Sizes:
    """What is known of the letters."""

    def __init__(self) -> None:
        self._size: dict[str, int] = {}
        self._source: dict[str, str] = {}  # where it was first seen

    def check(self, name: str, found: tuple[int, ...], shape: Shape) -> None:
        """Learn the letters of a shape, or raise a ShapeError if they are known to be others."""
        expected = tuple(self._size.get(str(letter), letter) for letter in shape)
        if len(found) != len(shape) or any(
            isinstance(e, int) and e != f for e, f in zip(expected, found, strict=True)
        ):
            seen = [letter for letter in shape if letter in self._source]
            known = ", ".join(f"{letter} from {self._source[str(letter)]}" for letter in seen)
            raise ShapeError(
                f"{name} has shape {_written(found)}, and {_written(expected)} is expected"
                + (f" ({known})" if known else "")
            )
        for letter, size in zip(shape, found, strict=True):
            if isinstance(letter, str):
                self._size.setdefault(letter, size)
                self._source.setdefault(letter, name)

    def size(self, letter: str) -> int | None:
        return self._size.get(letter)

    def copy(self) -> _Sizes:
        other = _Sizes()
        other._size, other._source = dict(self._size), dict(self._source)
        return other

    def become(self, other: _Sizes) -> None:
        self._size, self._source = other._size, other._source


def _written(shape: tuple) -> str:
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


def _check(value: Any, what: Any, name: str, known: _Sizes) -> None:
    match what:
        case Anything():
            pass
        case Maybe():
            if value is not None:
                _check(value, what.declared, name, known)
        case Either():
            _check_either(value, what, name, known)
        case Text():
            known.check(name, _shape_of_text(value, name), what.shape)
        case Below():
            known.check(name, _shape_of_numbers(value, name), what.shape)
            _check_below(value, known.size(what.limit), name)
        case str():
            if not _is_whole(value):
                raise ShapeError(f"{name} is {_kind(value)}, and a whole number is expected")
            known.check(name, (int(value),), (what,))
        case dict():
            for field, part in _parts(value, what, name):
                _check(part, what[field], f"{name}.{field}", known)
        case list():
            if not isinstance(value, list | tuple) or len(value) != len(what):
                raise ShapeError(f"{name} is {_kind(value)}, and a list of {len(what)} is expected")
            for i, (part, part_declared) in enumerate(zip(value, what, strict=True)):
                _check(part, part_declared, f"{name}[{i}]", known)
        case _:
            known.check(name, _shape_of_numbers(value, name), what)


def _check_either(value: Any, what: Either, name: str, known: _Sizes) -> None:
    problems = []
    for option in what.options:
        attempt = known.copy()
        try:
            _check(value, option, name, attempt)
        except ShapeError as problem:
            problems.append(problem)
        else:
            known.become(attempt)
            return
    # what is of the right kind has been held against a shape
    raise next((problem for problem in problems if " has shape " in str(problem)), problems[0])


def _check_below(value: Any, limit: int | None, name: str) -> None:
    numbers = np.asarray(value)
    if numbers.size and numbers.dtype.kind not in "iu":
        raise ShapeError(f"{name} is {_kind(value)}, and whole numbers are expected")
    if numbers.size and not (numbers.min() >= 0 and (limit is None or numbers.max() < limit)):
        raise ShapeError(f"{name} has a number that is not one of 0 to {(limit or 0) - 1}")


def _parts(value: Any, what: dict, name: str) -> Iterator[tuple[str, Any]]:
    """The declared fields of a named tuple, a dict or a model."""
    fields = value if isinstance(value, dict) else getattr(value, "__dict__", None)
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        fields = value._asdict()
    if fields is None or isinstance(value, np.ndarray):
        raise ShapeError(f"{name} is {_kind(value)}, which has no {next(iter(what))}")
    for field, declared in what.items():
        if field in fields:
            yield field, fields[field]
        elif not isinstance(declared, Maybe):
            raise ShapeError(f"{name} has no {field}")


def _shape_of_numbers(value: Any, name: str) -> tuple[int, ...]:
    if sp.issparse(value):
        return tuple(value.shape)
    if isinstance(value, list) and all(isinstance(part, Real) for part in value):
        return (len(value),)
    numbers = isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "biuf"
    if not numbers and not isinstance(value, Real):
        raise ShapeError(f"{name} is {_kind(value)}, and numbers are expected")
    return np.shape(value)


def _shape_of_text(value: Any, name: str) -> tuple[int, ...]:
    texts = value.ravel().tolist() if isinstance(value, np.ndarray) else value
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise ShapeError(f"{name} is {_kind(value)}, and text is expected")
    return value.shape if isinstance(value, np.ndarray) else (len(texts),)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and int(value) >= 0


def _kind(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype}"
    return "None" if value is None else f"of type {type(value).__name__}"
