"""What was given: a signal, a grey picture, or one with channels; its type and its peak.

    (n,)                     a signal
    (h, w)                   a grey picture
    (h, w, c)                grey (1), grey and alpha (2), colour (3), colour and alpha (4)

Work is done in floating point, a part at a time; what comes out has the type of what came in, whole
numbers rounded and kept within the type.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from lowdim.core.numeric import numeric_array

FULL_RANGE = (np.uint8, np.uint16, np.int8, np.int16)  # types whose range is that of the signal
MISSING = "Fill them with lowdim.inpaint({name})."


class Signal(NamedTuple):
    """A signal or picture, and what is known of it without a look at its values."""

    values: np.ndarray  # (n,), (h, w) or (h, w, c), as given

    @property
    def size(self) -> tuple[int, ...]:
        """(n,) or (h, w)."""
        return self.values.shape[:2]

    @property
    def channels(self) -> int:
        return self.values.shape[2] if self.values.ndim == 3 else 1

    @property
    def colored(self) -> bool:
        """Whether the first three channels are red, green and blue."""
        return self.channels >= 3

    @property
    def has_alpha(self) -> bool:
        return self.channels in (2, 4)

    @property
    def visible(self) -> int:
        """Channels beside alpha."""
        return self.channels - self.has_alpha

    def planes(self, where: Any = ()) -> np.ndarray:
        """The channels of a part, first: (c, *part) in double precision."""
        part = self.values[where]
        planes = np.moveaxis(part, 2, 0) if self.values.ndim == 3 else part[None]
        return np.ascontiguousarray(planes, dtype=np.float64)


def open_signal(name: str, given: Any, who: str, *, nan: bool = False) -> Signal:
    """What was given, checked: a shape that means something, finite numbers."""
    values = numeric_array(given, name, who)
    if values.dtype.kind == "b":
        raise ValueError(
            f"{name} holds True and False; {who} needs grey levels: {name}.astype(np.uint8)."
        )
    channels = values.shape[2] if values.ndim == 3 else 1
    if values.ndim not in (1, 2, 3) or channels > 4 or values.size == 0:
        raise ValueError(
            f"{name} has the shape {values.shape}; {who} needs a signal (n,), a grey picture "
            "(h, w), or one with channels last: (h, w, 3) for colour, (h, w, 4) with alpha."
        )
    if values.dtype == np.float16 or values.dtype.itemsize > 8:
        values = values.astype(np.float32 if values.dtype == np.float16 else np.float64)
    if values.dtype.kind == "f":
        _check_finite(name, values, who, nan)
    return Signal(values)


def _check_finite(name: str, values: np.ndarray, who: str, nan: bool) -> None:
    missing = infinite = 0
    for start in range(0, len(values), _rows_at_a_time(values)):
        part = values[start : start + _rows_at_a_time(values)]
        missing += int(np.isnan(part).sum())
        infinite += int(np.isinf(part).sum())
    if infinite:
        raise ValueError(f"{name} has {infinite:,} infinite values; {who} needs finite numbers.")
    if missing and not nan:
        raise ValueError(
            f"{name} has {missing:,} missing values (NaN); {who} needs all of them. "
            + MISSING.format(name=name)
        )


def _rows_at_a_time(values: np.ndarray) -> int:
    return max(1, 2**22 // max(1, values[0].size))


def peak_of(values: np.ndarray, where: Callable[[slice], np.ndarray] | None = None) -> float:
    """The range of values: of the type, 1 for numbers between 0 and 1, else their own.

    Values count where they are no NaN, and where `where`, asked for some rows, is True."""
    if values.dtype.type in FULL_RANGE:
        info = np.iinfo(values.dtype)
        return float(info.max) - float(info.min)
    low, high = _ends(values, where)
    if values.dtype.kind == "f" and low >= 0 and high <= 1:
        return 1.0
    return high - low if high > low else (abs(high) or 1.0)


def _ends(values: np.ndarray, where: Callable[[slice], np.ndarray] | None) -> tuple[float, float]:
    """The smallest and the largest value, a part at a time."""
    low, high = np.inf, -np.inf
    for start in range(0, len(values), _rows_at_a_time(values)):
        rows = slice(start, start + _rows_at_a_time(values))
        part = values[rows] if where is None else values[rows][where(rows)]
        if part.size:
            low = min(low, float(np.fmin.reduce(part, axis=None)))
            high = max(high, float(np.fmax.reduce(part, axis=None)))
    return low, high


def to_type(values: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Numbers in the type of the signal: whole ones rounded, and within its range."""
    if dtype.kind == "f":
        return values.astype(dtype, copy=False)
    info = np.iinfo(dtype)
    low, high = float(info.min), float(info.max)
    if info.bits == 64:  # its largest number is no double: the next one below
        high = float(np.nextafter(high, 0.0))
    return np.clip(np.rint(values), low, high).astype(dtype)


def put_planes(out: np.ndarray, where: Any, planes: np.ndarray) -> None:
    """Write channels (c, *part) into a part of a picture, in its type."""
    part = np.moveaxis(planes, 0, 2) if out.ndim == 3 else planes[0]
    out[where] = to_type(part, out.dtype)


def by_planes(signal: Signal, function: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """function of all visible channels (c, *size) at once; alpha as it was. For small signals."""
    out = np.array(signal.values)
    planes = signal.planes()
    planes[: signal.visible] = function(planes[: signal.visible])
    put_planes(out, (), planes)
    return out
