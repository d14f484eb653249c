"""What the columns of a table are, and the matrix that they become.

    numeric        (x - mean) / standard deviation; of a skewed positive column, of its logarithm,
                   unless the user wants none
    date           the same of its days
    categorical    one column per category c:  (1[x = c] - p_c) / sqrt(p_c), p_c its share
    id, text, constant, target and what the user drops are left out

A categorical block has the total variance (number of categories - 1), spread over its columns, and
no single direction of it has more than 1: one factor cannot take all, and each column counts about
the same (factor analysis of mixed data, Pages 2004). Missing values are NaN in all its columns.
Everything can be undone: `decode` gives values of the table back.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

import numpy as np

from lowdim.report.explore.reading import RawColumn, RawTable
from lowdim.tables.files import listed

MOST_CATEGORIES = 20  # text with more different values is a name or a remark, no category
MOST_FEATURES = 300  # columns of the matrix; beyond, the columns with most holes are left out
LEAST_ROWS = 5
SKEWED = 2.0  # skewness from which a logarithm is tried
LONG_TEXT = 40  # characters on average: a remark, even if no two are alike
RUNNING = 20  # rows from which distinct values are taken for names of rows
ID_NAME = re.compile(r"(^|[_\s])(id|key|uuid|index|nr|no)$|^(unnamed.*|rownames?)$", re.IGNORECASE)
ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?)?")
USED = ("numeric", "date", "categorical")


@dataclass(frozen=True)
class Column:
    """A column: what it is, and what becomes of it.

    Attributes
    ----------
    name : str
    kind : str
        'numeric', 'date', 'categorical', 'id', 'text', 'constant', 'target' or 'dropped'.
    raw : RawColumn
        Its values as they were read.
    done : str
        What was done to it, for the reader of the page.
    n_missing, n_distinct : int
    unit, center, scale : float
        Of numbers: y = (x / unit - center) / scale; `unit` keeps huge numbers within range.
    log_offset : float or None
        Of numbers whose logarithm is taken: log(x + offset) stands for x.
    shares : ndarray
        Of categories: the share of each.
    """

    name: str
    kind: str
    raw: RawColumn
    done: str = ""
    n_missing: int = 0
    n_distinct: int = 0
    unit: float = 1.0
    center: float = 0.0
    scale: float = 1.0
    log_offset: float | None = None
    shares: np.ndarray = field(default_factory=lambda: np.empty(0))

    @property
    def used(self) -> bool:
        """Whether the column is part of the matrix."""
        return self.kind in USED

    @property
    def width(self) -> int:
        """How many columns of the matrix it becomes."""
        return len(self.shares) if self.kind == "categorical" else int(self.used)

    @property
    def feature_names(self) -> list[str]:
        """Names of its columns in the matrix."""
        if self.kind == "categorical":
            return [f"{self.name}={value}" for value in self.raw.values]
        return [self.name]

    def encode(self) -> np.ndarray:
        """Its columns of the matrix, (n, width)."""
        if self.kind == "categorical":
            assert self.raw.codes is not None
            block = np.equal.outer(self.raw.codes, np.arange(self.width)).astype(np.float64)
            block[self.raw.codes < 0] = np.nan
            return (block - self.shares) / np.sqrt(self.shares)
        assert self.raw.numbers is not None
        y = _transformed(self.raw.numbers, self.log_offset)
        return ((y / self.unit - self.center) / self.scale)[:, None]

    def decode(self, y: Any) -> np.ndarray:
        """Numbers of the table, from those of the matrix."""
        x = (np.asarray(y) * self.scale + self.center) * self.unit
        return x if self.log_offset is None else np.exp(x) - self.log_offset

    def probabilities(self, block: np.ndarray) -> np.ndarray:
        """Shares of the categories, from their columns in the matrix: clipped, and adding to 1."""
        share = np.clip(block * np.sqrt(self.shares) + self.shares, 1e-6, None)
        return share / share.sum(axis=-1, keepdims=True)

    def show(self, row: int) -> str:
        """The value of a row, as text; '' where it is missing."""
        if self.raw.codes is not None:
            code = int(self.raw.codes[row])
            return "" if code < 0 else self.raw.values[code]
        assert self.raw.numbers is not None
        return self.show_number(self.raw.numbers[row])

    def show_number(self, x: float) -> str:
        """A number of this column as text: a date as a date, no more digits than it has."""
        if np.isnan(x):
            return ""
        if self.raw.form == "date":
            return str(np.datetime64("1970-01-01") + np.timedelta64(round(x), "D"))
        return f"{x:.0f}" if x == round(x) and abs(x) < 1e15 else f"{x:.5g}"


@dataclass(frozen=True)
class Encoded:
    """A table and its matrix.

    Attributes
    ----------
    columns : list of Column
        All columns of the table.
    X : ndarray (n, d)
        The matrix; NaN where a value is missing.
    notes : list of str
        What was done to the table as a whole.
    """

    columns: list[Column]
    X: np.ndarray
    notes: list[str]

    @property
    def used(self) -> list[Column]:
        """The columns that the matrix is made of."""
        return [column for column in self.columns if column.used]

    @property
    def feature_names(self) -> list[str]:
        return [name for column in self.used for name in column.feature_names]

    @property
    def spans(self) -> list[slice]:
        """Where each used column is in the matrix."""
        ends = np.cumsum([column.width for column in self.used]).tolist()
        return [slice(a, b) for a, b in zip([0, *ends[:-1]], ends, strict=True)]

    @property
    def free(self) -> np.ndarray:
        """Columns of the matrix without the largest category of each column, (d,) bool.

        The columns of a category add up to a constant, so that this one follows from the others.
        """
        free = np.ones(self.X.shape[1], dtype=bool)
        for column, span in zip(self.used, self.spans, strict=True):
            if column.kind == "categorical":
                free[span.start + int(np.argmax(column.shares))] = False
        return free if free.sum() >= 2 else np.ones_like(free)

    @property
    def ids(self) -> Column | None:
        """The column that names the rows, if there is one."""
        return next((column for column in self.columns if column.kind == "id"), None)

    @property
    def target(self) -> Column | None:
        return next((column for column in self.columns if column.kind == "target"), None)

    def label(self, row: int) -> str:
        """What to call a row: its id, else its number from 0."""
        name = "" if self.ids is None else self.ids.show(row)
        return name or str(row)


def encode_table(
    table: RawTable,
    target: str | None = None,
    id: str | None = None,
    drop: Sequence[str] = (),
    log: str | bool | Sequence[str] = "auto",
) -> Encoded:
    """Infer what the columns are, and make the matrix.

    Parameters
    ----------
    table : RawTable
    target, id : str or None
        The column to explain (shown, never used by a model); the column that names the rows.
    drop : sequence of str
        Columns to leave out.
    log : 'auto', False or a sequence of str
        Columns whose logarithm stands for them: 'auto' finds the positive ones that are skewed.
    """
    logs: Sequence[str] = [] if isinstance(log, str | bool) else log
    for name in (target, id, *drop, *logs):
        if name is not None and name not in table.names:
            close = get_close_matches(name, table.names, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"it has {listed(table.names)}."
            raise ValueError(f"The table has no column {name!r}; {hint}")
    if table.n_rows < LEAST_ROWS:
        raise ValueError(
            f"The table has {table.n_rows} rows; at least {LEAST_ROWS} are needed to look for "
            "structure."
        )
    given = {name: "dropped" for name in drop}
    given |= {} if target is None else {target: "target"}
    given |= {} if id is None else {id: "id"}
    first = table.names[0]
    columns = [
        _described(
            raw, given.get(raw.name), raw.name == first, None if log == "auto" else raw.name in logs
        )
        for raw in table.columns
    ]
    _check_logs(columns, logs)
    columns, notes = _at_most(columns, MOST_FEATURES)
    if id is not None:  # then the others that look like one are left out as text
        columns = [
            replace(column, kind="text") if column.kind == "id" and column.name != id else column
            for column in columns
        ]
    used = [column for column in columns if column.used]
    if sum(column.width for column in used) < 2 or not used:
        raise ValueError(_too_few(columns, used))
    X = np.hstack([column.encode() for column in used])
    return Encoded(columns, np.ascontiguousarray(X), [*_table_notes(table, columns), *notes])


def _check_logs(columns: Sequence[Column], logs: Sequence[str]) -> None:
    for column in columns:
        if column.name not in logs or column.log_offset is not None:
            continue
        numbers = column.raw.numbers
        least = np.nan if numbers is None or column.kind != "numeric" else np.nanmin(numbers)
        reason = f"its least value is {least:.4g}" if least < 0 else f"it is {column.kind}"
        raise ValueError(
            f"log names {column.name!r}, but {reason}; logarithms are taken of columns of numbers "
            "that are not negative."
        )


def _described(raw: RawColumn, given: str | None, is_first: bool, log: bool | None) -> Column:
    missing = int(raw.missing.sum())
    known = len(raw.missing) - missing
    distinct = _n_distinct(raw)
    column = Column(raw.name, given or "text", raw, n_missing=missing, n_distinct=distinct)
    if given is not None:
        done = {
            "dropped": "left out, as asked",
            "target": "shown in the pictures; no model has seen it",
            "id": "names the rows",
        }
        return replace(column, done=done[given])
    if raw.form == "other":
        return replace(column, done="left out: its values cannot be read as numbers or words")
    if distinct < 2:
        what = "it has no values" if known == 0 else "all its values are the same"
        return replace(column, kind="constant", done=f"left out: {what}")
    if raw.form == "text":
        days = _as_days(raw)
        return _of_text(column, known) if days is None else _scaled(replace(column, raw=days), log)
    if raw.integer and distinct == known and missing == 0 and known > RUNNING:
        assert raw.numbers is not None
        low, high = raw.numbers.min(), raw.numbers.max()
        running = is_first and low in (0, 1) and high - low == known - 1
        if running or ID_NAME.search(raw.name):
            return replace(column, kind="id", done="left out: it names the rows")
    return _scaled(column, log)


def _of_text(column: Column, known: int) -> Column:
    raw = column.raw
    assert raw.codes is not None
    if column.n_distinct <= MOST_CATEGORIES and (column.n_distinct < known or known <= RUNNING):
        shares = np.bincount(raw.codes[raw.codes >= 0], minlength=len(raw.values)) / known
        # categories that only rows outside the sample have are left out with their codes
        seen = np.flatnonzero(shares)
        place = np.full(len(raw.values) + 1, -1)
        place[seen] = np.arange(len(seen))
        raw = replace(raw, codes=place[raw.codes], values=[raw.values[j] for j in seen.tolist()])
        done = f"{len(seen)} columns of 0 and 1, each minus its share p, over the root of p"
        return replace(column, kind="categorical", raw=raw, shares=shares[seen], done=done)
    if column.n_distinct == known and known > RUNNING:
        length = np.mean([len(value) for value in raw.values])
        if length <= LONG_TEXT:
            return replace(column, kind="id", done="left out: it names the rows")
    return replace(column, done=f"left out: {column.n_distinct} different texts")


def _scaled(column: Column, log: bool | None) -> Column:
    """A column of numbers with its transformation; `log` None lets its values decide on that."""
    raw = column.raw
    assert raw.numbers is not None
    known = raw.numbers[~np.isnan(raw.numbers)]
    offset = None if raw.form == "date" else _log_offset(known, log)
    y = _transformed(known, offset)
    unit = float(np.abs(y).max()) or 1.0
    center, scale = float((y / unit).mean()), float((y / unit).std())
    if not scale > 1e-14:  # different in the last digits only
        return replace(column, kind="constant", done="left out: its values hardly differ")
    steps = []
    if raw.form == "date":
        steps.append("days since 1970")
    if raw.n_infinite:
        steps.append(f"{raw.n_infinite} infinite values read as missing")
    if offset is not None:
        shift = "" if offset == 0 else f" of x + {offset:.4g}"
        reason = "as asked" if log else "since it is positive and skewed"
        steps.append(f"logarithm{shift}, {reason} (undone where shown)")
    steps.append("minus its mean, over its standard deviation")
    return replace(
        column,
        kind="date" if raw.form == "date" else "numeric",
        done="; ".join(steps),
        unit=unit,
        center=center,
        scale=scale,
        log_offset=offset,
    )


def _log_offset(x: np.ndarray, wanted: bool | None) -> float | None:
    """What to add before the logarithm of a positive column; None: take none."""
    if x.min() < 0 or wanted is False:
        return None
    offset = 0.0 if x.min() > 0 else float(x[x > 0].min())
    if wanted:
        return offset
    if len(x) < RUNNING or len(np.unique(x)) < 5:
        return None
    before, after = _skewness(x), _skewness(np.log(x + offset))
    return offset if before > SKEWED and abs(after) < before / 2 else None


def _skewness(x: np.ndarray) -> float:
    d = x / np.abs(x).max()
    d = d - d.mean()
    variance = float(np.mean(d**2))
    return float(np.mean(d**3)) / variance**1.5 if variance > 1e-28 else 0.0


def _transformed(x: np.ndarray, log_offset: float | None) -> np.ndarray:
    return x if log_offset is None else np.log(x + log_offset)


def _as_days(raw: RawColumn) -> RawColumn | None:
    """Text of dates (2024-03-31) as days; None if it is something else."""
    if not raw.values or not all(ISO_DATE.fullmatch(value) for value in raw.values):
        return None
    try:
        dates = np.array(raw.values, dtype="datetime64[us]")
    except ValueError:  # the 31st of February
        return None
    days = (dates - np.datetime64("1970-01-01")) / np.timedelta64(1, "D")
    assert raw.codes is not None
    numbers = np.where(raw.codes < 0, np.nan, days[raw.codes])
    return RawColumn(raw.name, "date", numbers)


def _n_distinct(raw: RawColumn) -> int:
    if raw.codes is not None:
        return len(np.unique(raw.codes[raw.codes >= 0]))
    assert raw.numbers is not None
    return len(np.unique(raw.numbers[~np.isnan(raw.numbers)]))


def _at_most(columns: list[Column], limit: int) -> tuple[list[Column], list[str]]:
    """Leave out the columns with most holes until the matrix has at most `limit` columns."""
    used = [j for j, column in enumerate(columns) if column.used]
    keep: set[int] = set()
    total = 0
    for j in sorted(used, key=lambda j: columns[j].n_missing):  # sorted keeps ties in order
        if total + columns[j].width <= limit:
            keep.add(j)
            total += columns[j].width
    if len(keep) == len(used):
        return columns, []
    left = [
        replace(column, kind="dropped", done=f"left out: more than {limit} columns of numbers")
        if column.used and j not in keep
        else column
        for j, column in enumerate(columns)
    ]
    return left, [
        f"Of {len(used):,} usable columns the {len(keep):,} with the fewest missing values are "
        f"used: the page is made for at most {limit} columns of numbers. Choose others with drop."
    ]


def _table_notes(table: RawTable, columns: list[Column]) -> list[str]:
    notes = []
    infinite = sum(column.raw.n_infinite for column in columns)
    if infinite:
        notes.append(f"{infinite:,} infinite values were read as missing.")
    logs = [column.name for column in columns if column.log_offset is not None]
    if logs:
        notes.append(
            f"Logarithms stand for {listed(logs)}: the page shows the values themselves. To "
            "have none, say log=False in Python or --log none; or name the columns that get one."
        )
    return notes


def _too_few(columns: list[Column], used: list[Column]) -> str:
    left = [f"{column.name!r} ({column.kind})" for column in columns if not column.used]
    what = "no column" if not used else f"one column of numbers only, {used[0].name!r},"
    rest = f" Left out: {listed(left)}." if left else ""
    return (
        f"The table has {what} to look for structure in; two columns of numbers, dates or "
        f"categories (at most {MOST_CATEGORIES} different words) are needed.{rest}"
    )
