"""Columns of Python objects: what they hold is seen in their values.

    all bool -> flag                        all dates or times with a date -> moment
    all numbers -> number                   all timedelta, or all times of day -> span
    a list, dict, bytes among them -> other        anything else -> words, by str()

None, NaN, NaT and pandas.NA are missing. `detail_of` says in one line what the objects were, such
as 'Decimal|2|None' (kind, its detail, what stands for a missing value), and `objects_from` makes
them again.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo
from decimal import Decimal
from fractions import Fraction
from numbers import Real
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from lowdim.tables.frames.values import DAY, Values, other, ticks, times, words

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
YEARS = -62_135_510_400e6, 253_402_214_400e6  # what a date of Python can be, and a day of its zone
NO_VALUE = {"NoneType": "None", "NAType": "NA", "NaTType": "NaT"}  # types of which all are missing
MAY_BE_NAN = (float, np.floating, Decimal, np.datetime64, np.timedelta64)
NEITHER = (list, tuple, dict, set, frozenset, bytes, bytearray, memoryview, np.ndarray, complex)
FORMS: list[tuple[str, tuple[type, ...]]] = [  # the first that holds for all types of a column
    ("flag", (bool, np.bool_)),
    ("span", (timedelta, np.timedelta64)),
    ("span", (time,)),
    ("number", (Real, Decimal)),
    ("moment", (date, np.datetime64)),
]
KINDS: list[tuple[str, tuple[type, ...]]] = [  # what can be made again, in the order of the search
    ("bool", (bool, np.bool_)),
    ("timedelta", (timedelta, np.timedelta64)),
    ("time", (time,)),
    ("int", (int, np.integer)),
    ("float", (float, np.floating)),
    ("Decimal", (Decimal,)),
    ("Fraction", (Fraction,)),
    ("datetime", (datetime, np.datetime64)),
    ("date", (date,)),
    ("str", (str,)),
]
BY_FORM = {"flag": "bool", "number": "float", "moment": "datetime", "span": "timedelta"}


# ---- objects as values ---------------------------------------------------------------------------


def values_of_objects(objects: np.ndarray) -> Values:
    """A column of Python objects, an array (n,) of dtype object, as Values."""
    missing = missing_objects(objects)
    known = objects[~missing].tolist()
    form = _form(set(map(type, known)))
    if form == "words":
        return _words(known, missing)
    if form == "other":
        return other(missing)
    column = np.full(len(objects), np.nan)
    column[~missing] = _IN_NUMBERS[form](known)
    return Values(form, column)


def words_of_objects(objects: np.ndarray) -> Values:
    """An array (n,) of objects as words, by str()."""
    missing = missing_objects(objects)
    return _words(objects[~missing].tolist(), missing)


def _words(known: list, missing: np.ndarray) -> Values:
    if set(map(type, known)) - {str}:
        known = list(map(str, known))
    place: dict[str, int] = {}
    places = np.full(len(missing), -1, dtype=np.int32)
    places[~missing] = [place.setdefault(text, len(place)) for text in known]
    return words(places, list(place))


def form_of_objects(objects: np.ndarray) -> str:
    """What an array (n,) of objects holds: one of the forms of Values."""
    return _form(set(map(type, objects[~missing_objects(objects)])))


def first_container(objects: np.ndarray) -> int | None:
    """Where the first list, dict or the like is that is neither a number nor a word."""
    bad = {cls for cls in set(map(type, objects)) if issubclass(cls, NEITHER)}
    return next((i for i, value in enumerate(objects) if type(value) in bad), None) if bad else None


def missing_objects(objects: np.ndarray) -> np.ndarray:
    """Where an array (n,) of objects has no value."""
    types = set(map(type, objects))
    absent = {cls for cls in types if cls.__name__ in NO_VALUE}
    perhaps = {cls for cls in types if cls not in absent and issubclass(cls, MAY_BE_NAN)}
    if not absent and not perhaps:
        return np.zeros(len(objects), dtype=bool)
    found = (type(v) in absent or (type(v) in perhaps and _is_nan(v)) for v in objects)
    return np.fromiter(found, dtype=bool, count=len(objects))


def _is_nan(value: Any) -> bool:
    return value.is_nan() if isinstance(value, Decimal) else bool(value != value)


def _form(types: set[type]) -> str:
    if not types:
        return "number"
    for form, classes in FORMS:
        if all(issubclass(cls, classes) for cls in types):
            return form
    return "other" if any(issubclass(cls, NEITHER) for cls in types) else "words"


def _floats(known: list) -> list[float]:
    return [_float(value) for value in known]


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # an int beyond all floats
        return math.inf if value > 0 else -math.inf


def _moments(known: list) -> np.ndarray:
    found = times(np.array([_utc(value) for value in known], dtype="datetime64[us]")).numbers
    assert found is not None
    return found


def _utc(value: Any) -> Any:
    """A date or time that NumPy reads as UTC."""
    if hasattr(value, "to_datetime64"):  # of pandas
        return value.to_datetime64()
    if getattr(value, "tzinfo", None) is None:
        return value
    return np.datetime64(0, "us") + np.timedelta64(value - EPOCH)


def _spans(known: list) -> np.ndarray:
    if isinstance(known[0], time):
        return np.array([_since_midnight(value) for value in known], dtype=np.float64)
    found = times(np.array(known, dtype="timedelta64[us]")).numbers
    assert found is not None
    return found


def _since_midnight(value: time) -> int:
    seconds = (value.hour * 60 + value.minute) * 60 + value.second
    return seconds * 1_000_000 + value.microsecond


_IN_NUMBERS: dict[str, Callable[[list], Any]] = {
    "flag": _floats,
    "number": _floats,
    "moment": _moments,
    "span": _spans,
}


def words_as(values: Values, form: str) -> Values | None:
    """Words that were made by str() as 'number', 'flag' or 'moment'; None if they are none."""
    try:
        meaning = _FROM_WORDS[form]([*values.levels])
    except (KeyError, ValueError):
        return None
    return Values(form, np.append(np.asarray(meaning, dtype=np.float64), np.nan)[values.places])


def _exact_floats(texts: list[str]) -> list[float]:
    numbers = [float(text) for text in texts]
    for text, number in zip(texts, numbers, strict=True):
        if abs(number) > 2**53 and Decimal(text) != Decimal(number):
            raise ValueError("a whole number that no float is")
    return numbers


_FROM_WORDS: dict[str, Callable[[list[str]], Any]] = {
    "number": _exact_floats,
    "flag": lambda texts: [{"False": 0.0, "True": 1.0}[text] for text in texts],
    "moment": lambda texts: _moments([datetime.fromisoformat(text) for text in texts]),
}


# ---- what the objects were -----------------------------------------------------------------------


def detail_of(objects: np.ndarray) -> str:
    """What Python objects are, in words that `objects_from` understands."""
    missing = missing_objects(objects)
    known = objects[~missing].tolist()
    types = set(map(type, known))
    form = _form(types)
    kind = "" if form == "other" or not types else BY_FORM.get(form, "str")
    for name, classes in KINDS:
        if types and form != "other" and all(issubclass(cls, classes) for cls in types):
            kind = name
            break
    if types and all(cls.__name__ in ("Timestamp", "Timedelta") for cls in types):
        kind = kind.replace("datetime", "Timestamp").replace("timedelta", "Timedelta")
    absent = objects[missing][:1].tolist()
    gap = NO_VALUE.get(type(absent[0]).__name__, "nan") if absent else "None"
    return f"{kind}|{_about(kind, known)}|{gap}"


def _about(kind: str, known: list) -> str:
    """Of decimals the digits after the point; of times the zone."""
    if kind == "Decimal":
        exponents = [value.as_tuple().exponent for value in known if value.is_finite()]
        return str(max([0, *(-exponent for exponent in exponents)]))
    if kind not in ("datetime", "Timestamp"):
        return ""
    zones = {str(getattr(value, "tzinfo", None) or "") for value in known}
    return zones.pop() if len(zones) == 1 else "UTC"


# ---- values as objects ---------------------------------------------------------------------------


def objects_from(values: Values, detail: str) -> np.ndarray:
    """Python objects of the kind that `detail` says, or the nearest that holds the values."""
    kind, about, gap = (detail or "||None").split("|")
    objects = np.full(len(values), _gap(gap), dtype=object)
    known = ~values.missing
    if values.places is not None:
        objects[known] = np.array([*values.levels, ""], dtype=object)[values.places[known]]
    elif values.form != "other":
        assert values.numbers is not None
        objects[known] = _OBJECTS[values.form](values.numbers[known], kind, about)
    return objects


def _gap(name: str) -> Any:
    if name not in ("NA", "NaT"):
        return math.nan if name == "nan" else None
    import pandas as pd

    return pd.NA if name == "NA" else pd.NaT


def _number_objects(array: np.ndarray, kind: str, about: str) -> list:
    if kind == "bool" and np.isin(array, (0, 1)).all():
        return array.astype(bool).tolist()
    if kind == "int" and np.array_equal(array, np.rint(array)) and np.isfinite(array).all():
        return list(map(int, array.tolist()))
    if kind == "Fraction" and np.isfinite(array).all():
        return list(map(_fraction, array.tolist()))
    if kind == "Decimal":
        texts = decimal_texts(array, int(about))
        if texts is not None:
            return list(map(Decimal, texts))
    return array.tolist()


def decimal_texts(array: np.ndarray, digits: int) -> list[str] | None:
    """Numbers with so many digits after the point; None if they need more.

    What encoding and decoding rounded is no digit: some last bits of the largest number.
    """
    texts = [f"{number:.{digits}f}" for number in array.tolist()]
    rounding = 16 * np.finfo(np.float64).eps * np.abs(array).max(initial=0.0)
    apart = np.abs(np.array(texts, dtype=np.float64) - array)
    return texts if (apart <= rounding).all() else None


def _fraction(number: float) -> Fraction:
    """The simplest fraction that is this float."""
    simple = Fraction(number).limit_denominator(1_000_000)
    return simple if float(simple) == number else Fraction(number)


def _moment_objects(array: np.ndarray, kind: str, about: str) -> Iterable:
    array = np.clip(array, *YEARS)
    if kind == "date":
        days = ticks(array, "D")
        if days is not None:
            return days.astype("datetime64[D]").tolist()
    found = np.rint(array).astype(np.int64).astype("datetime64[us]").tolist()
    if about:
        zone = zone_of(about)
        found = [moment.replace(tzinfo=UTC).astimezone(zone) for moment in found]
    return _of_pandas("Timestamp", found) if kind == "Timestamp" else found


def _span_objects(array: np.ndarray, kind: str, about: str) -> Iterable:
    if kind == "time" and ((array >= 0) & (array < DAY)).all():
        return [_time(tick) for tick in np.rint(array).astype(np.int64).tolist()]
    found = np.rint(array).astype(np.int64).astype("timedelta64[us]").tolist()
    return _of_pandas("Timedelta", found) if kind == "Timedelta" else found


def _time(tick: int) -> time:
    return (datetime(1970, 1, 1) + timedelta(microseconds=tick)).time()


def _of_pandas(name: str, found: list) -> list:
    import pandas as pd

    return [getattr(pd, name)(value) for value in found]


def zone_of(name: str) -> tzinfo:
    """The time zone of this name, such as 'Europe/Berlin' or 'UTC+05:30'; UTC if none has it."""
    offset = re.fullmatch(r"(?:UTC)?([+-])(\d\d):(\d\d)", name)
    if not offset:
        try:
            return UTC if name == "UTC" else ZoneInfo(name)
        except (ValueError, ZoneInfoNotFoundError):
            return UTC
    sign, hours, minutes = offset.groups()
    shift = timedelta(hours=int(hours), minutes=int(minutes))
    return timezone(-shift if sign == "-" else shift)


_OBJECTS: dict[str, Callable[[np.ndarray, str, str], Iterable]] = {
    "number": _number_objects,
    "flag": _number_objects,
    "moment": _moment_objects,
    "span": _span_objects,
}
