"""How each kind of column becomes numbers, and how numbers become its values again.

    number         (x - center) / scale; of heavy positive tails (log x - center) / scale
    flag           one column:  (1[true] - p) / sqrt(p (1 - p))
    category       one column per level c:  (1[x = c] - p_c) / sqrt(p_c),  p_c its share
    ordered        one column: the place of the level, centered and scaled as numbers are
    date           days since the first, centered and scaled; season and hour as points on a circle

If normal scores are wanted (scores.py), they stand for the centered and scaled numbers or days.

With these scales a principal component is the code that has the largest sum of squared correlations
with the numbers and correlation ratios with the categories (factor analysis of mixed data, Pages
2004; for categories alone multiple correspondence analysis): each column counts about the same, be
it in grams or kilograms, of two levels or of ten. NaN where a value is missing.

A codec is plain data: it is saved with the model. `encode` gives the (n, width) numbers of a
column, `decode` its values from such numbers, and `within` says what is possible:

    None         whatever the numbers say
    'kind'       whole numbers are whole, positive ones positive, shares within 0 and 1
    'observed'   and within what was seen
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from lowdim.tables import readings
from lowdim.tables.errors import TableError, quoted
from lowdim.tables.frames.values import Values
from lowdim.tables.scores import Scores

DAY = 86_400_000_000  # microseconds
YEAR = 365.2425 * DAY
CIRCLE_SCALE = np.sqrt(0.5)  # standard deviation of the sine of a uniform angle
LARGEST_LOG = 700.0  # exp of more is infinite
LEAST_SHARE = 1e-6  # of a level, where a model's numbers are read as probabilities
PLAIN = readings.NumberText()  # as programs write numbers


class NumberCodec(NamedTuple):
    """Numbers: y = (x / unit - center) / scale, or with the logarithm of x in place of x / unit.

    A logarithm takes zeros and what lies below for half of the least positive value that was seen.
    """

    kind: str  # 'number', 'whole number', 'positive', 'share'
    low: float  # least and largest value seen
    high: float
    unit: float = 1.0
    center: float = 0.0
    scale: float = 1.0
    zero: float | None = None  # under a logarithm, what stands for 0; None: no logarithm
    digits: int = 0  # decimals of the values
    reading: readings.NumberText | None = None  # how they are written, if they are text
    most: float | None = None  # of a share: 1, or 100 for percent
    form: str = "number"  # or 'span': durations in microseconds
    mean: float = 0.0  # of y
    scores: Scores | None = None  # of y, where they stand for it

    @property
    def width(self) -> int:
        return 1

    def feature_names(self, name: str) -> list[str]:
        return [name]

    def encode(self, name: str, values: Values) -> np.ndarray:
        y = self.standardized(numbers_in(name, values, self.reading))
        return (y if self.scores is None else self.scores.of(y))[:, None]

    def standardized(self, x: np.ndarray) -> np.ndarray:
        """y of numbers; scores tell numbers apart that differ in their last digits."""
        x = x if self.scores is None else np.asarray(x, dtype=np.float64)
        if self.zero is None:
            y = x if self.unit == 1 else x / self.unit
        else:
            y = np.log(np.maximum(x, self.zero))
        return (y - self.center) / self.scale

    def decode(self, Z: np.ndarray, within: str | None = "kind") -> Values:
        return self.written(self._within(self._numbers(Z[:, 0]), within))

    def _numbers(self, z: np.ndarray) -> np.ndarray:
        z = z if self.scores is None else self.scores.back(z)
        y = z * self.scale + self.center
        if self.zero is None:
            return y * self.unit
        x = np.exp(np.minimum(y, LARGEST_LOG))
        return np.where(x < self.zero * np.sqrt(2), 0.0, x) if self.low <= 0 else x

    def _within(self, x: np.ndarray, within: str | None) -> np.ndarray:
        if within is None:
            return x
        if self.kind == "whole number":
            x = np.rint(x)
        if within == "observed":
            return np.clip(x, self.low, self.high)
        return np.clip(x, self._least, np.inf if self.most is None else self.most)

    @property
    def _least(self) -> float:
        """The least possible value: a column that is never 0 or below stays above 0."""
        if self.low < 0:
            return -np.inf
        if self.low == 0:
            return 0.0
        return 1.0 if self.kind == "whole number" else self.low / 2

    def written(self, x: np.ndarray) -> Values:
        if self.reading is None:
            return Values(self.form, x)
        return words_of(self.reading.format(x))

    def ranges(self, Z: np.ndarray, S: np.ndarray, width: float) -> tuple[np.ndarray, np.ndarray]:
        """Least and largest probable numbers: `width` standard deviations S around Z."""
        ends = [self._within(self._numbers(Z[:, 0] + s), "kind") for s in (-width * S, width * S)]
        return np.minimum(*ends), np.maximum(*ends)


class FlagCodec(NamedTuple):
    """Two values in one column: (1[true] - share) / scale."""

    share: float  # of true
    scale: float = 1.0
    center: float = 0.0
    form: str = "flag"  # 'flag' or 'number': what the values are
    reading: readings.FlagText | None = None

    @property
    def kind(self) -> str:
        return "flag"

    @property
    def width(self) -> int:
        return 1

    def feature_names(self, name: str) -> list[str]:
        return [name]

    def encode(self, name: str, values: Values) -> np.ndarray:
        x = numbers_in(name, values, self.reading)
        return ((x - self.center) / self.scale)[:, None]

    def decode(self, Z: np.ndarray, within: str | None = "kind") -> Values:
        true = self.probabilities(Z)[:, 1]
        x = np.where(np.isnan(true), np.nan, true >= 0.5)
        if self.reading is not None:
            return words_of(self.reading.format(x))
        return Values(self.form, x)

    def probabilities(self, Z: np.ndarray) -> np.ndarray:
        """Of false and true, (n, 2)."""
        return np.clip(self.shares_of(Z), 0.0, 1.0)

    def shares_of(self, Z: np.ndarray) -> np.ndarray:
        """Of false and true, (n, 2), as the numbers have them: not clipped."""
        true = Z[:, 0] * self.scale + self.center
        return np.column_stack([1 - true, true])

    def at_places(self, place: np.ndarray) -> np.ndarray:
        """The numbers of levels 0 and 1, (n, 1)."""
        return ((place - self.center) / self.scale)[:, None]

    @property
    def level_shares(self) -> np.ndarray:
        return np.array([1.0 - self.share, self.share])

    @property
    def levels(self) -> tuple[str, ...]:
        if self.reading is not None:
            return (self.reading.false, self.reading.true)
        return ("False", "True") if self.form == "flag" else ("0", "1")


class CategoryCodec(NamedTuple):
    """One column per level: (1[x = level] - center) / scale.

    The columns of all levels add up to a constant. Where a model must not see that, the largest
    level is left out: its share is what the others leave.
    """

    levels: tuple[str, ...]
    shares: np.ndarray  # (m,)  of the rows that have a value
    scaled: bool = True
    numbers: np.ndarray | None = None  # (m,)  the levels, where the column holds numbers
    left_out: int = -1  # the level without a column of its own; -1: none
    centered: bool = True

    @property
    def kind(self) -> str:
        return "category"

    @property
    def level_shares(self) -> np.ndarray:
        return self.shares

    @property
    def kept(self) -> np.ndarray:
        """The levels that have a column."""
        return np.flatnonzero(np.arange(len(self.levels)) != self.left_out)

    @property
    def width(self) -> int:
        return len(self.levels) - (self.left_out >= 0)

    @property
    def center(self) -> np.ndarray:
        shifted = self.scaled and self.centered
        return self.shares[self.kept] if shifted else np.zeros(self.width)

    @property
    def scale(self) -> np.ndarray:
        """Root of the share; of columns that follow from no others, their standard deviation."""
        if not self.scaled:
            return np.ones(self.width)
        p = self.shares[self.kept]
        return np.sqrt(p if self.left_out < 0 else p * (1 - p))

    def feature_names(self, name: str) -> list[str]:
        return [f"{name}={self.levels[j]}" for j in self.kept]

    def encode(self, name: str, values: Values) -> np.ndarray:
        return self.at_places(self.places(values))

    def at_places(self, place: np.ndarray) -> np.ndarray:
        """The numbers of levels, (n, width); NaN at place -1."""
        block = np.equal.outer(place, self.kept).astype(np.float64)
        block[place == -1] = np.nan
        block -= self.center
        block /= self.scale
        return block

    def places(self, values: Values) -> np.ndarray:
        """The number of each row's level; -1 where it is missing, -2 where it is not known."""
        return level_places(values, self.levels, self.numbers)

    def decode(self, Z: np.ndarray, within: str | None = "kind") -> Values:
        share = self.shares_of(Z)
        missing = np.isnan(share).any(axis=1)
        best = np.argmax(np.where(np.isnan(share), -np.inf, share), axis=1)
        return at_places(np.where(missing, -1, best), self.levels, self.numbers)

    def probabilities(self, Z: np.ndarray) -> np.ndarray:
        """Of each level, (n, m): clipped, and adding to 1."""
        share = np.clip(self.shares_of(Z), LEAST_SHARE, None)
        return share / share.sum(axis=1, keepdims=True)

    def shares_of(self, Z: np.ndarray) -> np.ndarray:
        """Of each level, (n, m), as the numbers have them: not clipped."""
        share = np.empty((len(Z), len(self.levels)))
        share[:, self.kept] = Z * self.scale + self.center
        if self.left_out >= 0:
            share[:, self.left_out] = 1.0 - share[:, self.kept].sum(axis=1)
        return share


class OrderedCodec(NamedTuple):
    """The place of the level, from 0 up: (place - center) / scale."""

    levels: tuple[str, ...]
    center: float = 0.0
    scale: float = 1.0
    numbers: np.ndarray | None = None
    low: int = 0  # first and last level that was seen
    high: int = 0
    mean: float = 0.0  # of what is encoded

    @property
    def kind(self) -> str:
        return "ordered"

    @property
    def width(self) -> int:
        return 1

    def feature_names(self, name: str) -> list[str]:
        return [name]

    def encode(self, name: str, values: Values) -> np.ndarray:
        place = level_places(values, self.levels, self.numbers)
        return ((np.where(place < 0, np.nan, place) - self.center) / self.scale)[:, None]

    def decode(self, Z: np.ndarray, within: str | None = "kind") -> Values:
        y = Z[:, 0] * self.scale + self.center
        low, high = (self.low, self.high) if within == "observed" else (0, len(self.levels) - 1)
        place = np.clip(np.rint(np.nan_to_num(y)), low, high).astype(np.int64)
        return at_places(np.where(np.isnan(y), -1, place), self.levels, self.numbers)

    def ranges(self, Z: np.ndarray, S: np.ndarray, width: float) -> tuple[Values, Values]:
        return self.decode(Z - width * S[:, None]), self.decode(Z + width * S[:, None])


class DateCodec(NamedTuple):
    """Days since the first date; where they carry something also season and time of day.

    Season and hour are sine and cosine of the angle, divided by their standard deviation over a
    whole circle. What a date is decoded from are its days alone.
    """

    low: float  # microseconds since 1970
    high: float
    center: float = 0.0  # in days since `low`
    scale: float = 1.0
    finest: int = 1  # microseconds of which all dates are multiples
    season: bool = False
    hour: bool = False
    reading: readings.DateText | None = None
    scaled: bool = True
    mean: float = 0.0  # of the days as they are encoded
    scores: Scores | None = None  # of the days as they would be encoded, where they stand for them

    @property
    def kind(self) -> str:
        return "date"

    @property
    def width(self) -> int:
        return 1 + 2 * self.season + 2 * self.hour

    def feature_names(self, name: str) -> list[str]:
        names = [name]
        for part, used in (("season", self.season), ("hour", self.hour)):
            names += [f"{name} {part} sin", f"{name} {part} cos"] if used else []
        return names

    def encode(self, name: str, values: Values) -> np.ndarray:
        x = numbers_in(name, values, self.reading)
        days = self.standardized(x)
        columns = [days if self.scores is None else self.scores.of(days)]
        for period, used in ((YEAR, self.season), (DAY, self.hour)):
            if used:
                angle = 2 * np.pi * (x % period) / period
                scale = CIRCLE_SCALE if self.scaled else 1.0
                columns += [np.sin(angle) / scale, np.cos(angle) / scale]
        return np.column_stack(columns)

    def standardized(self, x: np.ndarray) -> np.ndarray:
        """Days since the first date, centered and scaled."""
        return ((x - self.low) / DAY - self.center) / self.scale

    def decode(self, Z: np.ndarray, within: str | None = "kind") -> Values:
        x = self._moments(Z[:, 0], within)
        return Values("moment", x) if self.reading is None else words_of(self.reading.format(x))

    def _moments(self, z: np.ndarray, within: str | None) -> np.ndarray:
        z = z if self.scores is None else self.scores.back(z)
        days = z * self.scale + self.center
        x = self.low + np.rint(days * (DAY / self.finest)) * self.finest
        return np.clip(x, self.low, self.high) if within == "observed" else x

    def ranges(self, Z: np.ndarray, S: np.ndarray, width: float) -> tuple[Values, Values]:
        ends = (self._moments(Z[:, 0] + s, "kind") for s in (-width * S, width * S))
        low, high = (Values("moment", end) for end in ends)
        return low, high


Codec = NumberCodec | FlagCodec | CategoryCodec | OrderedCodec | DateCodec


# ---- values as numbers and as levels ------------------------------------------------------------


def numbers_in(name: str, values: Values, reading: Any) -> np.ndarray:
    """The numbers of a column, read from its text if it is text; NaN where one is missing."""
    if values.places is None:
        assert values.numbers is not None
        x = values.numbers
        return np.where(np.isinf(x), np.nan, x) if np.isinf(x).any() else x
    parsed = (PLAIN if reading is None else reading).parse(values.levels)
    if reading is None:
        _check_numbers(name, values, parsed)
    return np.append(parsed, np.nan)[values.places]


def _check_numbers(name: str, values: Values, parsed: np.ndarray) -> None:
    odd = np.isnan(parsed) & ~readings.missing_marks(values.levels)
    if odd.any():
        raise TableError(
            f"Column {quoted(name)} holds text such as {quoted(values.levels[np.argmax(odd)])}, "
            "where the model was fitted with numbers.",
            "Mend these cells, or mark them as missing: {missing}.",
        )


def level_places(
    values: Values, levels: Sequence[str], numbers: np.ndarray | None = None
) -> np.ndarray:
    """The place of each value among the levels; -1 where it is missing, -2 where it is unknown."""
    if values.places is not None:
        place = {level: j for j, level in enumerate(levels)}
        others = [word for word in values.levels if word not in place]
        for word, absent in zip(others, are_marks(others, levels), strict=True):
            place[word] = -1 if absent else -2
        return np.array([*(place[word] for word in values.levels), -1])[values.places]
    assert values.numbers is not None
    x = values.numbers
    if numbers is None:
        numbers = _levels_as_numbers(levels, values.form)
    return number_places(x, numbers)


def are_marks(words: Sequence[str], levels: Sequence[str]) -> np.ndarray:
    """Which words mean "no value" in a column that has these levels: '-' does, beside '+' not."""
    return readings.missing_marks([*words, *levels])[: len(words)]


def number_places(x: np.ndarray, known: np.ndarray) -> np.ndarray:
    """The place of each number among known ones in any order; -1 for NaN, -2 where it is none."""
    order = np.append(np.argsort(known, kind="stable"), -2)  # the last one if nothing is known
    place, same = sorted_places(x, known[order[:-1]])
    return np.where(same, order[place], np.where(np.isnan(x), -1, -2))


def sorted_places(x: np.ndarray, known: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A place of each number among sorted ones, and whether it is the number that is there."""
    if len(known) == 0:
        return np.zeros(len(x), dtype=np.intp), np.zeros(len(x), dtype=bool)
    place = np.minimum(np.searchsorted(known, x), len(known) - 1)
    return place, known[place] == x


def _levels_as_numbers(levels: Sequence[str], form: str) -> np.ndarray:
    """Levels that were text, for a column that now holds numbers or true/false."""
    if form == "flag":
        truth = {"true": 1.0, "false": 0.0}
        return np.array([truth.get(level.lower(), np.nan) for level in levels])
    return PLAIN.parse(levels)


def at_places(place: np.ndarray, levels: Sequence[str], numbers: np.ndarray | None) -> Values:
    """The values at these places; -1 is missing."""
    if numbers is not None:
        return Values("number", np.append(numbers, np.nan)[place])
    used = np.unique(place[place >= 0])
    sorted_levels = sorted(levels[j] for j in used.tolist())
    new = {level: j for j, level in enumerate(sorted_levels)}
    own = np.array([new.get(level, -1) for level in levels] + [-1], dtype=np.int32)
    return Values("words", places=own[place], levels=tuple(sorted_levels))


def words_of(texts: Sequence[str | None]) -> Values:
    """Text as places and levels."""
    levels = sorted({text for text in texts if text is not None})
    place: Mapping[str | None, int] = {level: j for j, level in enumerate(levels)}
    places = np.array([place.get(text, -1) for text in texts], dtype=np.int32)
    return Values("words", places=places, levels=tuple(levels))
