"""Columns of a table, real beside drawn: how often each value or range of values is there."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowdim.report.generate.sides import Sides
from lowdim.report.page.payload import packed_numbers, packed_words
from lowdim.tables.codecs import CategoryCodec, DateCodec, FlagCodec, OrderedCodec
from lowdim.tables.frames.values import DAY

BINS = 30
MOST_LEVELS = 20
OUTSIDE = 0.005  # of the values on each side of a picture, at the most


class Shares(NamedTuple):
    """How a column is distributed on both sides."""

    name: str
    levels: list[str] | None  # None: numbers
    edges: np.ndarray | None  # (b + 1,)  of numbers
    is_date: bool
    real: np.ndarray  # (b,)  shares, adding up to 1 at the most
    drawn: np.ndarray


class Shown(NamedTuple):
    """A column of both sides, as a page shows it."""

    name: str
    words: list[str] | None  # None: numbers
    values: np.ndarray  # (n,)  numbers, or places in words; NaN or -1: none
    is_date: bool
    digits: int | None

    def text(self, i: int) -> str:
        """The value of a row."""
        value = self.values[i]
        if self.words is not None:
            return self.words[int(value)] if value >= 0 else ""
        if np.isnan(value):
            return ""
        if self.is_date:
            return str(np.datetime64(round(float(value) * DAY), "us").astype("datetime64[D]"))
        if self.digits is not None and self.digits <= 6:
            return f"{value:.{self.digits}f}"
        return f"{value:.6g}"

    def packed(self, rows: np.ndarray) -> dict[str, Any]:
        """For js/map.js."""
        if self.words is not None:
            return packed_words(self.name, self.values.astype(int), self.words, rows)
        return packed_numbers(self.name, self.values, rows, is_date=self.is_date)


def shown_columns(sides: Sides) -> list[Shown]:
    """The used columns of both sides."""
    encoding = sides.encoder.encoding_
    return [
        _shown(column.name, column.codec, sides.values[:, span])
        for column, span in zip(encoding.used, encoding.spans, strict=True)
    ]


def _shown(name: str, codec: Any, Z: np.ndarray) -> Shown:
    if isinstance(codec, CategoryCodec | OrderedCodec | FlagCodec):
        missing = np.isnan(Z).any(axis=1)
        if isinstance(codec, OrderedCodec):
            place = np.nan_to_num(Z[:, 0] * codec.scale + codec.center)
            place = np.clip(np.rint(place), 0, len(codec.levels) - 1)
        else:
            place = np.argmax(np.nan_to_num(codec.shares_of(Z)), axis=1)
        return Shown(
            name, list(codec.levels), np.where(missing, -1, place).astype(int), False, None
        )
    numbers = codec._replace(reading=None).decode(Z, "kind").numbers
    if isinstance(codec, DateCodec):
        return Shown(name, None, numbers / DAY, True, None)
    digits = 0 if codec.kind == "whole number" else codec.digits
    return Shown(name, None, np.round(numbers, min(digits, 12)), False, digits)


def shares_of(column: Shown, n_real: int) -> Shares:
    """How the values of a column are distributed among real and among drawn rows."""
    real, drawn = column.values[:n_real], column.values[n_real:]
    if column.words is not None:
        m = len(column.words)
        count = [np.bincount(side[side >= 0], minlength=m) for side in (real, drawn)]
        share = [c / max(c.sum(), 1) for c in count]
        top = np.argsort(-share[0], kind="stable")[:MOST_LEVELS]
        words = [column.words[j] for j in top]
        return Shares(column.name, words, None, False, share[0][top], share[1][top])
    known = [side[~np.isnan(side)] for side in (real, drawn)]
    edges = _edges(np.concatenate(known), column.digits)
    share = [np.histogram(side, edges)[0] / max(len(side), 1) for side in known]
    return Shares(column.name, None, edges, column.is_date, share[0], share[1])


def _edges(x: np.ndarray, digits: int | None) -> np.ndarray:
    """Of bins of one width; whole numbers lie in the middle of theirs."""
    if len(x) == 0:
        return np.array([-0.5, 0.5])
    low, high = np.quantile(x, [OUTSIDE, 1 - OUTSIDE])
    if not high > low:
        low, high = x.min(), x.max()
    if digits == 0:
        step = max(1.0, np.ceil((high - low + 1) / BINS))
        return np.arange(np.floor(low) - 0.5, high + step, step)
    if not high > low:
        return np.array([low - 0.5, low + 0.5])
    return np.linspace(low, high, BINS + 1)
