"""What the columns of a table become: numbers, the same way for every further table.

    number, true/false    itself, 1 or 0; NaN where a value is missing
    text                  one column per category, 1 where it is this one; NaN where it is missing
    anything else         left out

and then, unless the units are to be kept, every column x becomes (x - center) / scale:

    number                mean and standard deviation
    category              p and sqrt(p), p being the share of the rows that have it

With this scale a principal component is the code that has the largest sum of squared correlations
with the numbers and correlation ratios with the categories (factor analysis of mixed data, Pages
2004; for categories alone multiple correspondence analysis): each column counts the same, be it in
grams or kilograms, of two categories or of ten. A sparse matrix is not centred: that would fill it.

`learn` makes one pass over a table; a `TableEncoder` is plain data and is saved with the model.
"""

from __future__ import annotations

import fnmatch
import math
import re
import shlex
import sys
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from lowdim.core.blocks import Blocks, as_blocks
from lowdim.core.progress import watch
from lowdim.core.stream import Source, StreamBlocks
from lowdim.core.validation import count_nonfinite
from lowdim.tables.files import Table, listed

NUMERIC = ("number", "true/false")  # kinds of column that are numbers as they are
NO_VALUES = "no values at all"
NUMBER = r"^\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*$"
WITH_COMMA = NUMBER.replace(r"\.", ",")


@dataclass(frozen=True)
class Choice:
    """What the user wants of a table.

    Attributes
    ----------
    id : str or None
        The column that names the rows; it is not data.
    columns, drop : sequence of str
        Take only these columns, leave these out; names, or patterns such as 'gene*'.
    onehot : bool
        Encode text columns (True), or leave them out.
    max_categories : int
        A text column with more different values is no category but a name or a remark.
    standardize : bool
        Scale the columns.
    """

    id: str | None = None
    columns: Sequence[str] = ()
    drop: Sequence[str] = ()
    onehot: bool = True
    max_categories: int = 20
    standardize: bool = True

    @classmethod
    def of_options(
        cls,
        id_column: str | None,
        columns: Sequence[Sequence[str]],
        drop: Sequence[Sequence[str]],
        categories: str,
        max_categories: int,
        scale: str,
    ) -> Choice:
        """From the values of the command line's `encoding_options`."""
        return cls(
            id=id_column,
            columns=[name for names in columns for name in names],
            drop=[name for names in drop for name in names],
            onehot=categories == "onehot",
            max_categories=max_categories,
            standardize=scale == "standard",
        )


class Learned(NamedTuple):
    """An encoder, and what was seen on the way."""

    encoder: TableEncoder
    n_rows: int
    n_missing: int  # cells without a value in the columns that are used
    notes: list[str]  # what was done to columns, for the user


class Encoded(NamedTuple):
    """A block of rows as numbers."""

    X: Any  # ndarray or csr_array (n, d)
    unknown: dict[str, list[str]]  # column -> values that the encoder does not know


@dataclass(frozen=True)
class TableEncoder:
    """How a table becomes a matrix.

    Attributes
    ----------
    named : bool
        Whether columns are found by their names, or by their place in a matrix.
    id : str or None
        The column that names the rows.
    columns : list of str
        The columns that are used.
    categories : dict of str to list of str
        For columns of text: their categories.
    ignored : list of str
        Columns that were there but are not used.
    center, scale : list of float or None
        One for each column of the matrix; None leaves the matrix as it is.
    """

    named: bool
    id: str | None
    columns: list[str]
    categories: dict[str, list[str]] = field(default_factory=dict)
    ignored: list[str] = field(default_factory=list)
    center: list[float] | None = None
    scale: list[float] | None = None

    @cached_property
    def feature_names(self) -> list[str]:
        """The names of the matrix's columns: 'mass', 'sex=female', 'sex=male'."""
        names = []
        for column in self.columns:
            values = self.categories.get(column)
            names += [column] if values is None else [f"{column}={value}" for value in values]
        return names

    @property
    def needed(self) -> list[str]:
        """The columns to read: those that are used, and the ids."""
        return self.columns if self.id is None else [self.id, *self.columns]

    def rows(self, table: Table, n_rows: int) -> Blocks:
        """The table as rows that every method of lowdim takes."""
        if table.streamed:
            return StreamBlocks([_EncodedTable(table, self, n_rows)], chunk_rows=None)
        if table.is_sparse or (self.scale is None and not self.categories):
            (block,) = table.blocks(self.columns, size=n_rows)
            return self.as_rows(self.encode(table, block).X)
        X = np.empty((n_rows, len(self.feature_names)), dtype=self.dtype(table))
        start = 0
        for block in table.blocks(self.columns):
            part = self.encode(table, block).X
            X[start : start + len(part)] = part
            start += len(part)
        return self.as_rows(X)

    def dtype(self, table: Table) -> np.dtype:
        """The type of the matrix that a table becomes."""
        return table.dtype([name for name in self.columns if name not in self.categories])

    def as_rows(self, X: Any) -> Blocks:
        """An encoded block as rows, with their names if the table has names."""
        rows = as_blocks(X)
        rows.feature_names = self.feature_names if self.named else None
        return rows

    def encode(self, table: Table, block: Any) -> Encoded:
        """A block of the table as numbers."""
        numbers = [name for name in self.columns if name not in self.categories]
        X = table.numbers(block, numbers)
        unknown: dict[str, list[str]] = {}
        if self.categories:
            X, unknown = self._with_categories(table, block, X)
        if self.scale is not None:
            X = _scaled(X, np.asarray(self.center), np.asarray(self.scale))
        return Encoded(X, unknown)

    def _with_categories(
        self, table: Table, block: Any, numbers: np.ndarray
    ) -> tuple[np.ndarray, dict[str, list[str]]]:
        X = np.empty((len(numbers), len(self.feature_names)), dtype=numbers.dtype)
        unknown, f, number = {}, 0, 0
        for name in self.columns:
            if name not in self.categories:
                X[:, f] = numbers[:, number]
                f, number = f + 1, number + 1
                continue
            values = self.categories[name]
            indicators, others = one_hot(table.text(block, name), values)
            X[:, f : f + len(values)] = indicators
            f += len(values)
            if others:
                unknown[name] = others
        return X, unknown

    def fitted_to(self, table: Table, id_column: str | None = None) -> TableEncoder:
        """The encoder for this table; raises if the table does not have what it needs.

        Parameters
        ----------
        table : Table
        id_column : str or None
            The column with the ids here; None takes that of the encoder, if the table has it.
        """
        if id_column is not None:
            _check_id(table, id_column)
            ids: str | None = id_column
        else:
            ids = self.id if self.id in table.kinds else None
        encoder = replace(self, id=ids) if self.named else self._by_place(table, ids)
        encoder._check(table)
        return encoder

    def _by_place(self, table: Table, ids: str | None) -> TableEncoder:
        """The encoder of a matrix, for a table whose columns may have names: the first is 0."""
        names = [name for name in table.names if name != ids]
        expected = len(self.columns) + len(self.ignored)
        if len(names) != expected:
            raise ValueError(
                f"{table.where} has {len(names)} columns; the model was fitted on a matrix of "
                f"{expected} columns without names."
            )
        columns = [names[int(place)] for place in self.columns]
        ignored = [names[int(place)] for place in self.ignored]
        return replace(self, id=ids, columns=columns, ignored=ignored)

    def _check(self, table: Table) -> None:
        if self.named and not table.named:
            raise ValueError(
                f"{table.where} has no column names, and the model needs the columns "
                f"{listed(self.columns)}; give it a .csv or .parquet file."
            )
        missing = [name for name in self.columns if name not in table.kinds]
        if missing:
            what = "column" if len(missing) == 1 else f"{len(missing)} columns"
            raise ValueError(
                f"{table.where} lacks the {what} {listed([repr(name) for name in missing])} that "
                "the model was fitted with; add it, with empty fields where it is not known."
            )
        for name in self.columns:
            kind = table.kinds[name]
            if name not in self.categories and kind not in (*NUMERIC, "nothing"):
                raise ValueError(
                    f"{table.where} has {kind} in the column {name!r}, where the model was fitted "
                    "with numbers; mark missing values with --missing, or mend the column."
                )

    def unused(self, table: Table) -> list[str]:
        """The columns of a table that the encoder has never seen."""
        known = {*self.columns, *self.ignored, self.id}
        return [name for name in table.names if name not in known]

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for the model file."""
        return {
            "named": self.named,
            "id": self.id,
            "columns": list(self.columns),
            "categories": {name: list(values) for name, values in self.categories.items()},
            "ignored": list(self.ignored),
            "center": self.center,
            "scale": self.scale,
        }

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> TableEncoder:
        """The encoder that `to_dict` wrote; raises ValueError if it was not that."""
        try:
            encoder = cls(**values)
            d = len(encoder.feature_names)
            sizes = {len(part) for part in (encoder.center, encoder.scale) if part is not None}
            right = sizes <= {d} and set(encoder.categories) <= set(encoder.columns)
            if not encoder.named:
                places = [*encoder.columns, *encoder.ignored]
                right &= sorted(map(int, places)) == list(range(len(places)))
        except (TypeError, AttributeError, ValueError) as error:
            raise ValueError(f"The model's table encoding is damaged: {error}.") from None
        if not right:
            raise ValueError("The model's table encoding is damaged: its sizes do not agree.")
        return encoder

    @classmethod
    def of_model(cls, model: Any) -> TableEncoder:
        """The encoder saved with a model; of a model fitted in Python, its columns as they are."""
        if hasattr(model, "table_encoding_"):
            return cls.from_dict(model.table_encoding_)
        names = getattr(model, "feature_names_in_", None)
        if names is not None:
            return cls(named=True, id=None, columns=[str(name) for name in names])
        return cls(named=False, id=None, columns=[str(f) for f in range(model.n_features_in_)])


class _EncodedTable(Source):
    """A streamed table, encoded as it is read."""

    def __init__(self, table: Table, encoder: TableEncoder, n_rows: int):
        self.where, self._table, self._encoder = table.where, table, encoder
        self.n_rows, self.n_columns = n_rows, len(encoder.feature_names)
        self.names = encoder.feature_names if encoder.named else None
        self.dtype = encoder.dtype(table)

    def chunks(self, size: int) -> Generator[Any, None, None]:
        for block in self._table.blocks(self._encoder.columns, size):
            yield self._encoder.encode(self._table, block).X


def one_hot(text: Any, categories: Sequence[str]) -> tuple[np.ndarray, list[str]]:
    """(n, m) with 1 where the text is a category, NaN where it is null; and the other values."""
    import pyarrow as pa
    import pyarrow.compute as pc

    place = pc.index_in(text, value_set=pa.array(categories, pa.string()))
    missing = text.is_null().to_numpy(zero_copy_only=False)
    known = place.is_valid().to_numpy(zero_copy_only=False)
    X = np.zeros((len(text), len(categories)))
    X[missing] = np.nan
    X[np.flatnonzero(known), place.drop_null().to_numpy()] = 1.0
    others = pc.unique(text.filter(pa.array(~known & ~missing)))
    return X, others.to_pylist()


def _scaled(X: Any, center: np.ndarray, scale: np.ndarray) -> Any:
    if sp.issparse(X):
        return _scaled_sparse(X, scale)
    scaled = np.subtract(X, center.astype(X.dtype))
    return np.divide(scaled, scale.astype(X.dtype), out=scaled)


def _scaled_sparse(X: Any, scale: np.ndarray) -> Any:
    return sp.csr_array((X.data / scale[X.indices], X.indices, X.indptr), X.shape, X.dtype)


# ---- learning an encoder -------------------------------------------------------------------------


def learn(table: Table, choice: Choice) -> Learned:
    """Look at the table once, and decide what its columns become."""
    chosen, ignored = choose_columns(table, choice)
    numbers = [name for name in chosen if table.kinds[name] in NUMERIC]
    texts = [name for name in chosen if table.kinds[name] == "text"]
    if not numbers and not texts:
        raise _nothing_to_work_on(table, ignored)
    survey = _survey(table, numbers, texts, choice.max_categories)

    for name, number in survey.numbers.items():
        if number.observed == 0:
            ignored[name] = NO_VALUES
    for name in texts:
        reason = survey.texts[name].not_a_category(choice.max_categories)
        if reason:
            ignored[name] = reason
    used = [name for name in chosen if name not in ignored]
    if not used:
        raise _nothing_to_work_on(table, ignored)

    known = {*used, choice.id}
    encoder = TableEncoder(
        named=table.named,
        id=choice.id,
        columns=used,
        categories={n: sorted(survey.texts[n].counts) for n in used if n in survey.texts},
        ignored=[name for name in table.names if name not in known],
    )
    if choice.standardize:
        encoder = _with_scale(encoder, survey, table)
    return Learned(
        encoder,
        survey.n_rows,
        n_missing=sum(survey.n_rows - survey.observed(name) for name in used),
        notes=_notes(table, encoder, ignored, survey),
    )


def choose_columns(table: Table, choice: Choice) -> tuple[list[str], dict[str, str]]:
    """The columns the user wants, in the table's order; and why some of them cannot be used."""
    if choice.id is not None:
        _check_id(table, choice.id)
    wanted = _matching(table, choice.columns) if choice.columns else set(table.names)
    dropped = _matching(table, choice.drop)
    chosen: list[str] = []
    ignored: dict[str, str] = {}
    for name in table.names:
        kind = table.kinds[name]
        if name == choice.id or name not in wanted or name in dropped:
            continue
        if not name and name not in choice.columns:
            ignored[name] = "a column without a name, such as row numbers; keep it with --id ''"
        elif kind == "nothing":
            ignored[name] = NO_VALUES
        elif kind == "text" and not choice.onehot:
            ignored[name] = "text"
        elif kind not in (*NUMERIC, "text"):
            ignored[name] = kind
        chosen.append(name)
    return [name for name in chosen if name not in ignored], ignored


def _check_id(table: Table, name: str) -> None:
    if not table.named:
        raise ValueError(f"--id needs a table with column names; {table.where} has none.")
    table.check_columns([name])


def _matching(table: Table, wanted: Sequence[str]) -> set[str]:
    """The columns with these names, or that match these patterns."""
    found: set[str] = set()
    for name in wanted:
        matches = [name] if name in table.kinds else fnmatch.filter(table.names, name)
        if not matches:
            table.check_columns([name])
        found.update(matches)
    return found


def _nothing_to_work_on(table: Table, ignored: Mapping[str, str]) -> ValueError:
    why = listed([f"{name!r}: {reason}" for name, reason in ignored.items()], most=3)
    return ValueError(
        f"{table.where} has no column to work on" + (f" ({why})." if why else "; --drop took all.")
    )


@dataclass
class _Text:
    """What a column of text holds."""

    counts: dict[str, int] = field(default_factory=dict)
    too_many: bool = False
    odd_value: str | None = None  # the first value that is no number, where most values are

    @property
    def observed(self) -> int:
        return sum(self.counts.values())

    def not_a_category(self, most: int) -> str:
        if self.too_many:
            return f"text with more than {most} different values; see --max-categories"
        if not self.counts:
            return NO_VALUES
        if 2 * len(self.counts) > self.observed:
            return "text, another in nearly every row"
        return ""


class _Survey(NamedTuple):
    n_rows: int
    numbers: dict[str, _Number]
    texts: dict[str, _Text]

    def observed(self, column: str) -> int:
        """How many rows have a value there."""
        return (self.numbers.get(column) or self.texts[column]).observed


class _Number(NamedTuple):
    """What a column of numbers holds."""

    observed: int
    mean: float
    deviation: float  # standard deviation, dividing by n


def _survey(table: Table, numbers: Sequence[str], texts: Sequence[str], most: int) -> _Survey:
    """One pass over the table: moments of the numbers, values of the texts."""
    moments: ColumnMoments | None = None
    found = {name: _Text() for name in texts}
    n_rows = 0
    with watch(f"reading {table.where}") as bar:
        for block in table.blocks([*numbers, *texts]):
            X = table.numbers(block, numbers)
            _check_finite(table, X, numbers)
            part = column_moments(X)
            moments = part if moments is None else merged(moments, part)
            for name in texts:
                _look_at(found[name], table.text(block, name), most)
            n_rows += X.shape[0]
            bar.update(n_rows)
    if moments is None or n_rows < 2:
        raise ValueError(f"{table.where} has {n_rows or 'no'} row; a model needs at least 2.")
    return _Survey(n_rows, _summaries(numbers, moments), found)


def _summaries(numbers: Sequence[str], moments: ColumnMoments) -> dict[str, _Number]:
    observed, mean, square = moments
    deviation = np.sqrt(square / np.maximum(observed, 1))
    columns = zip(observed.tolist(), mean.tolist(), deviation.tolist(), strict=True)
    return {name: _Number(*column) for name, column in zip(numbers, columns, strict=True)}


def _check_finite(table: Table, X: Any, numbers: Sequence[str]) -> None:
    infinite = count_nonfinite(X).inf > 0
    if infinite.any():
        name = numbers[int(np.argmax(infinite))]
        raise ValueError(
            f"{table.where} has infinite values in the column {name!r}; mark them as missing, or "
            "leave the column out with --drop."
        )


def _look_at(text: _Text, values: Any, most: int) -> None:
    """Count the values of a further block, unless they are too many to be categories."""
    import pyarrow.compute as pc

    if text.odd_value is None:
        text.odd_value = _odd_value(values.drop_null())
    if text.too_many:
        return
    for pair in pc.value_counts(values.drop_null()):
        value = pair["values"].as_py()
        text.counts[value] = text.counts.get(value, 0) + pair["counts"].as_py()
        if len(text.counts) > most:
            text.too_many = True
            return


def _odd_value(values: Any, enough: int = 1000) -> str | None:
    """The first value that is no number, if half of the first values are, with point or comma."""
    import pyarrow.compute as pc

    first = values.slice(0, enough)
    point, comma = (pc.match_substring_regex(first, kind) for kind in (NUMBER, WITH_COMMA))
    if 2 * (pc.sum(pc.or_(point, comma)).as_py() or 0) < max(len(first), 1):
        return None
    others = values.filter(pc.invert(pc.match_substring_regex(values, NUMBER)))
    return others[0].as_py() if len(others) else None


def _with_scale(encoder: TableEncoder, survey: _Survey, table: Table) -> TableEncoder:
    """The encoder, with a center and a scale for every column of the matrix."""
    center, scale = [], []
    for name in encoder.columns:
        if name in encoder.categories:
            text = survey.texts[name]
            share = [text.counts[value] / text.observed for value in encoder.categories[name]]
            center += share
            scale += [math.sqrt(p) for p in share]
            continue
        number = survey.numbers[name]
        if not math.isfinite(number.deviation):
            raise ValueError(
                f"{table.where} has values in the column {name!r} that are too large to be scaled; "
                "keep their unit with --scale none, or leave the column out with --drop."
            )
        center.append(0.0 if table.is_sparse else number.mean)
        scale.append(1.0 if _is_constant(number) else number.deviation)
    return replace(encoder, center=center, scale=scale)


def _is_constant(number: _Number) -> bool:
    # equal values have a mean that is off by rounding, and so a deviation
    return number.deviation <= 10 * sys.float_info.epsilon * abs(number.mean)


def _notes(
    table: Table, encoder: TableEncoder, ignored: Mapping[str, str], survey: _Survey
) -> list[str]:
    """What was done to the columns, one line for each kind of treatment."""
    notes = []
    if encoder.categories:
        shown = [f"{name} ({listed(values, 4)})" for name, values in encoder.categories.items()]
        notes.append(f"one-hot: {listed(shown)}")
    flags = [name for name in encoder.columns if table.kinds[name] == "true/false"]
    if flags:
        notes.append(f"true/false as 1/0: {listed(flags)}")
    for reason in dict.fromkeys(ignored.values()):
        names = [repr(name) if not name else name for name in ignored if ignored[name] == reason]
        notes.append(f"ignored: {listed(names)} ({reason})")
    constant = [
        n for n in encoder.columns if n in survey.numbers and _is_constant(survey.numbers[n])
    ]
    if constant:
        notes.append(f"constant: {listed(constant)} (adds nothing)")
    return notes + (_hints(table, survey) if table.is_text else [])


def _hints(table: Table, survey: _Survey) -> list[str]:
    """What may have been read in another way than it was meant."""
    hints = [_hint(n, text.odd_value) for n, text in survey.texts.items() if text.odd_value]
    if all(re.match(NUMBER, name) for name in table.names):
        hints.append(
            "hint: the first line is all numbers and was taken for column names; if it is data, "
            "use --no-header"
        )
    return hints


def _hint(name: str, odd_value: str) -> str:
    """How a column of text could become numbers."""
    what = f"hint: {name} would be numbers but for values such as {odd_value!r}"
    if re.match(WITH_COMMA, odd_value):
        return f"{what}; is the comma its decimal point? --decimal ,"
    return f"{what}; is the value missing there? --missing {shlex.quote(odd_value)}"


# ---- moments by column ---------------------------------------------------------------------------


class ColumnMoments(NamedTuple):
    observed: np.ndarray  # (d,)  how many values are not NaN
    mean: np.ndarray  # (d,)
    square: np.ndarray  # (d,)  sum (x - mean)^2


def column_moments(X: Any) -> ColumnMoments:
    """What one block has, column by column."""
    if sp.issparse(X):
        return _sparse_moments(X)
    seen = ~np.isnan(X)
    count = seen.sum(axis=0)
    mean = np.where(seen, X, 0).sum(axis=0, dtype=np.float64) / np.maximum(count, 1)
    with np.errstate(over="ignore"):  # a square that is infinite is noticed where it is used
        return ColumnMoments(count, mean, (np.where(seen, X - mean, 0.0) ** 2).sum(axis=0))


def _sparse_moments(X: Any) -> ColumnMoments:
    n, d = X.shape
    seen = ~np.isnan(X.data)
    column, value = X.indices[seen], X.data[seen].astype(np.float64)
    count = n - np.bincount(X.indices[~seen], minlength=d)
    mean = np.bincount(column, value, minlength=d) / np.maximum(count, 1)
    zeros = count - np.bincount(column, minlength=d)
    stored = np.bincount(column, (value - mean[column]) ** 2, minlength=d)
    return ColumnMoments(count, mean, stored + zeros * mean**2)


def merged(left: ColumnMoments, right: ColumnMoments) -> ColumnMoments:
    """The moments of two blocks as one (Chan, Golub and LeVeque 1979)."""
    observed = left.observed + right.observed
    share = right.observed / np.maximum(observed, 1)
    gap = right.mean - left.mean
    with np.errstate(over="ignore"):
        square = left.square + right.square + gap**2 * share * left.observed
    return ColumnMoments(observed, left.mean + share * gap, square)
