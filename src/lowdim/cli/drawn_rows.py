"""Rows drawn from a model of tables, in the table's own kinds, written a chunk at a time.

Given values are kept by draws of all else given them, from models that draw missing values; from
others by drawing until enough rows have them. What comes out has the distribution that the model
gives to the other columns of such rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from lowdim.core.progress import watch
from lowdim.tables.codecs import CategoryCodec, FlagCodec, NumberCodec, OrderedCodec
from lowdim.tables.decoding import decoded_columns, emptied, framed
from lowdim.tables.drawing import drawn_given, drawn_matrix
from lowdim.tables.encoding import Encoding
from lowdim.tables.errors import TableError, listed, no_such_column, plain, quoted
from lowdim.tables.filling import decimals, rounded
from lowdim.tables.frames.dtypes import stacked_chunks
from lowdim.tables.frames.values import Values
from lowdim.tables.model import TableModel
from lowdim.tables.writing import open_writer

CHUNK = 50_000  # rows that are drawn at a time
MOST_TRIES = 1000  # rows drawn for each one that has the given values
FEW = 100_000  # rows that are always tried


def check_draws(model: Any, where: str) -> None:
    """Raise if a model cannot draw rows."""
    if not hasattr(model, "sample"):
        name = type(getattr(model, "estimator_", model)).__name__
        raise TableError(
            f"{where} holds a {name}, which cannot draw rows.",
            "Take one that `lowdim generate` or `lowdim complete` (ppca, vae) saved.",
        )


def drawn_values(
    model: TableModel, n: int, random: np.random.Generator, fill_all: bool = False
) -> dict[str, Values]:
    """n rows, by column of the table."""
    return _decoded(model.encoder_.encoding_, _sampled(model, n, random), fill_all)


def drawn_numbers(
    model: TableModel, n: int, encoding: Encoding, random: np.random.Generator
) -> np.ndarray:
    """n rows as they would be written, as the numbers of an encoding."""
    values = drawn_values(model, n, random, fill_all=True)
    return np.hstack([c.codec.encode(c.name, values[c.name]) for c in encoding.used])  # type: ignore[union-attr]


def _sampled(
    model: TableModel, n: int, random: np.random.Generator, given: Mapping[str, str] | None = None
) -> np.ndarray:
    """n rows of numbers; with the given values only if the model draws what is missing."""
    estimator, encoding = model.estimator_, model.encoder_.encoding_
    if given and hasattr(estimator, "draw_imputations"):
        known = {name: given_numbers(encoding, name, value) for name, value in given.items()}
        try:
            return drawn_given(estimator, encoding, n, random, known)
        except ValueError as error:
            raise TableError(f"--given {_asked(given)}: {error}") from error
    Z = drawn_matrix(estimator, encoding, n, random)
    return Z[random.permutation(len(Z))]  # of mixtures they come component by component


def _decoded(encoding: Encoding, Z: np.ndarray, fill_all: bool) -> dict[str, Values]:
    codecs = {column.name: column.codec for column in encoding.columns}
    found = decoded_columns(encoding, Z, "kind", fill_all)
    return {name: rounded(values, codecs[name]) for name, values in found.items()}


# ---- given values --------------------------------------------------------------------------------


def check_given(encoding: Encoding, given: Mapping[str, str], where: str) -> None:
    """Raise if a value that is asked for is none that drawn rows can have."""
    used = {column.name: column for column in encoding.used}
    for name, value in given.items():
        if name not in used:
            raise no_such_column(where, name, list(used), "given")
        codec: Any = used[name].codec
        if isinstance(codec, CategoryCodec | FlagCodec | OrderedCodec):
            levels = [str(level) for level in codec.levels]
            if not any(_same(level, value) for level in levels):
                some = listed([quoted(level) for level in levels], 6)
                raise TableError(
                    f"--given {plain(name)}={plain(value)}: {quoted(name)} has no such level; "
                    f"choose one of {some}."
                )
        elif not isinstance(codec, NumberCodec) or codec.kind != "whole number":
            raise TableError(
                f"--given {plain(name)}={plain(value)}: {quoted(name)} is of kind "
                f"{quoted(codec.kind)}, which no drawn row has exactly.",
                "Give levels of categories, flags, or whole numbers.",
            )
        elif (number := _number(value)) is None or not number.is_integer():
            raise TableError(
                f"--given {plain(name)}={plain(value)}: {quoted(name)} holds whole numbers."
            )


def given_numbers(encoding: Encoding, name: str, value: str) -> np.ndarray:
    """The numbers of a column that has this value, (width,)."""
    column = next(column for column in encoding.used if column.name == name)
    codec: Any = column.codec
    if isinstance(codec, NumberCodec):
        return codec.encode(name, Values(codec.form, np.array([_number(value)])))[0]
    (place, *_) = [j for j, level in enumerate(codec.levels) if _same(str(level), value)]
    if isinstance(codec, OrderedCodec):
        return np.array([(place - codec.center) / codec.scale])
    return codec.at_places(np.array([place]))[0]


def _asked(given: Mapping[str, str]) -> str:
    return ", ".join(f"{plain(name)}={plain(value)}" for name, value in given.items())


def _matches(values: Mapping[str, Values], given: Mapping[str, str], n: int) -> np.ndarray:
    """Which rows have the given values, (n,) bool."""
    match = np.ones(n, dtype=bool)
    for name, value in given.items():
        match &= _equal(values[name], value)
    return match


def _equal(values: Values, value: str) -> np.ndarray:
    if values.places is not None:
        same = [_same(level, value) for level in values.levels]
        return np.array([*same, False])[values.places]
    assert values.numbers is not None
    truth = {"true": 1.0, "false": 0.0}.get(value.lower())
    number = truth if truth is not None else _number(value)
    return values.numbers == number


def _same(level: str, value: str) -> bool:
    """The same text, or the same number: 1 is 1.0."""
    number = _number(value)
    return level == value or (number is not None and _number(level) == number)


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _drawn_chunks(
    model: TableModel,
    n: int,
    random: np.random.Generator,
    given: Mapping[str, str],
    fill_all: bool,
) -> Iterator[tuple[int, dict[str, Values]]]:
    """Rows in chunks, with how many there are in each."""
    encoding, left, tried, found = model.encoder_.encoding_, n, 0, 0
    rejects = bool(given) and not hasattr(model.estimator_, "draw_imputations")
    while left > 0:
        rate = 1.0 if tried == 0 else max(found, 1) / tried
        count = min(CHUNK, max(int(1.2 * left / rate), 1000)) if rejects else min(CHUNK, left)
        Z = _sampled(model, count, random, given)
        if given:
            Z = Z[_matches(_decoded(encoding, Z, fill_all=True), given, len(Z))]
        tried, found = tried + count, found + len(Z)
        if tried > max(FEW, MOST_TRIES * found):
            raise TableError(
                f"--given {_asked(given)}: {found} of {tried:,} drawn rows have these values.",
                "Ask for fewer or more frequent ones.",
            )
        Z = Z[:left]
        left -= len(Z)
        if len(Z):
            yield len(Z), _decoded(encoding, Z, fill_all)


# ---- written -------------------------------------------------------------------------------------


def write_drawn(
    model: TableModel,
    n: int,
    path: str,
    seed: int,
    *,
    given: Mapping[str, str],
    patterns: np.ndarray | None = None,
    fill_all: bool = False,
) -> list[str]:
    """Write n drawn rows; gives the names of the columns.

    `patterns` (rows, used columns) say where cells are empty: each drawn row gets one at random.
    """
    encoding, origin = model.encoder_.encoding_, model.encoder_.origin_
    random, done, names = np.random.default_rng(seed), 0, list[str]()
    with (
        open_writer(path, digits=decimals(encoding), spelling=origin.spelling) as writer,
        watch("drawing rows", total=n) as bar,
    ):
        for count, values in _drawn_chunks(model, n, random, given, fill_all):
            if patterns is not None:
                values = _with_holes(values, encoding, patterns, count, random, given)
            names = list(values)
            writer.write(framed(encoding, origin, values), names)
            done += count
            bar.update(done)
    return names


def drawn_frame(
    model: TableModel, n: int, seed: int, given: Mapping[str, str], fill_all: bool = False
) -> Any:
    """n drawn rows as a table."""
    encoding, origin = model.encoder_.encoding_, model.encoder_.origin_
    chunks = _drawn_chunks(model, n, np.random.default_rng(seed), given, fill_all)
    frames = [framed(encoding, origin, values) for _, values in chunks]
    return frames[0] if len(frames) == 1 else stacked_chunks(frames)


def _with_holes(
    values: Mapping[str, Values],
    encoding: Encoding,
    patterns: np.ndarray,
    count: int,
    random: np.random.Generator,
    keep: Sequence[str] | Mapping[str, str],
) -> dict[str, Values]:
    """The values, empty where rows of the table are that are drawn at random."""
    chosen = patterns[random.integers(len(patterns), size=count)]
    empty = {column.name: chosen[:, c] for c, column in enumerate(encoding.used)}
    copies = {column.name: column.copy_of for column in encoding.columns}
    return {
        name: emptied(column, empty[source])
        if (source := copies.get(name) or name) in empty and name not in keep
        else column
        for name, column in values.items()
    }
