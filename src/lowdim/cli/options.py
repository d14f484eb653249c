"""Options that several verbs share, and the kinds of value that click does not know."""

from __future__ import annotations

import csv
from collections.abc import Callable
from typing import Any, TypeVar

import click

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_DEBUG = "lowdim.debug"


def debugging(ctx: click.Context) -> bool:
    """Whether --debug was given, to `lowdim` or to the verb."""
    return bool(ctx.meta.get(_DEBUG))


def _start_debugging(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        ctx.meta[_DEBUG] = True


debug_option = click.option(
    "--debug",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_start_debugging,
    help="Show the traceback of an error.",
)

quiet_option = click.option(
    "-q", "--quiet", is_flag=True, help="Print errors and warnings only, no progress bars."
)

output_option = click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Where to write the codes: .csv, .tsv, .parquet or .npy; '-' is csv on standard output.",
)

stream_option = click.option(
    "--stream/--no-stream",
    default=None,
    help="Read the table in parts, for tables larger than memory. By default, those above 1 GB.",
)


model_file_option = click.option(
    "--model", "model_path", metavar="FILE", help="Where to save the model, for `apply`."
)

seed_option = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, metavar="N"
)


class Names(click.ParamType):
    """Column names between commas, as in a line of csv: quotes around a name with a comma."""

    name = "names"

    def convert(self, value: Any, param: Any, ctx: Any) -> list[str]:
        return value if isinstance(value, list) else [n.strip() for n in next(csv.reader([value]))]


class Rank(click.ParamType):
    """A number of components, a share of variance, or `auto`."""

    name = "rank"

    def convert(self, value: Any, param: Any, ctx: Any) -> int | float | str:
        if value == "auto" or isinstance(value, int):
            return value
        try:
            number = float(value)
        except ValueError:
            self.fail(f"{value!r} is not a number of components, nor 'auto'.", param, ctx)
        if 0 < number < 1:
            return number
        if not number >= 1 or number % 1:  # not a number is not at least 1
            self.fail(
                f"{value} must be a whole number, at least 1; a share of variance between 0 and 1; "
                "or 'auto'.",
                param,
                ctx,
            )
        return int(number)


class Character(click.ParamType):
    """One character; `tab` and `\\t` are the tabulator."""

    name = "character"

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        character = {"tab": "\t", "\\t": "\t"}.get(value, value)
        if len(character) != 1:
            self.fail(f"{value!r} must be one character, or 'tab'.", param, ctx)
        return character


def encoding_options(verb: Decorated) -> Decorated:
    """Which columns of a table are used and how; for `Choice.of_options`."""
    for option in reversed(
        (
            click.option(
                "--id", "id_column", metavar="COLUMN", help="A column that names the rows; kept."
            ),
            click.option(
                "--columns",
                type=Names(),
                multiple=True,
                metavar="NAMES",
                help="Use only these columns: names between commas, or patterns such as 'gene*'. "
                "Columns of .npy and .npz go by their numbers, from 0.",
            ),
            click.option(
                "--drop", type=Names(), multiple=True, metavar="NAMES", help="Leave these out."
            ),
            click.option(
                "--categories",
                type=click.Choice(["onehot", "ignore"]),
                default="onehot",
                show_default=True,
                help="What becomes of text columns: one 0/1 column per category, or nothing.",
            ),
            click.option(
                "--max-categories",
                type=click.IntRange(min=1),
                default=20,
                show_default=True,
                metavar="N",
                help="A text column with more different values is left out.",
            ),
            click.option(
                "--scale",
                type=click.Choice(["standard", "none"]),
                default="standard",
                show_default=True,
                help="standard: every column counts the same, whatever its unit. none: a column "
                "counts by its variance; for columns in one unit, such as pixels or spectra.",
            ),
        )
    ):
        verb = option(verb)
    return verb


def csv_options(verb: Decorated) -> Decorated:
    """How a text table is written; given to the verb as `delimiter`, `decimal`, ..."""
    for option in reversed(
        (
            click.option(
                "--delimiter",
                type=Character(),
                metavar="CHAR",
                help="What separates the fields of a text table. Default: comma; for .tsv, tab.",
            ),
            click.option(
                "--decimal",
                type=Character(),
                default=".",
                metavar="CHAR",
                help="The decimal point of a text table: '.' or ','.",
            ),
            click.option(
                "--encoding",
                default="utf-8",
                show_default=True,
                metavar="NAME",
                help="How a text table's characters are stored, for example latin-1.",
            ),
            click.option(
                "--missing",
                multiple=True,
                metavar="TEXT",
                help="A further mark for missing values in a text table, for example '?'. Empty "
                "fields, NA, NaN, N/A and null are known. Can be repeated.",
            ),
            click.option(
                "--header/--no-header",
                default=True,
                help="Whether a text table's first line has the column names.",
            ),
        )
    ):
        verb = option(verb)
    return verb
