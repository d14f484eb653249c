"""Options that several verbs share, and the kinds of value that click does not know."""

from __future__ import annotations

import csv
from typing import Any

import click

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
    help="Where to write the codes, the few numbers that stand for each row: .csv, .tsv, .parquet, "
    ".xlsx, .jsonl, .npy, ...; '-' is csv on standard output.",
)

model_file_option = click.option(
    "--model", "model_path", metavar="FILE", help="Where to save the model, for `lowdim apply`."
)

seed_option = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, metavar="N"
)


AUTO_COMPONENTS = "'auto' takes as many as predict held-out values nearly as well as any number"


class Names(click.ParamType):
    """Column names between commas, as in a line of csv: quotes around a name with a comma."""

    name = "names"

    def convert(self, value: Any, param: Any, ctx: Any) -> list[str]:
        return value if isinstance(value, list) else split_names(value)


def split_names(text: str) -> list[str]:
    """The names in a line of csv."""
    return [name.strip() for name in next(csv.reader([text], skipinitialspace=True))]


class Order(click.ParamType):
    """A column and its levels from first to last: size=small,medium,large."""

    name = "order"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, list[str]]:
        if isinstance(value, tuple):
            return value
        column, is_there, levels = value.partition("=")
        order = split_names(levels) if levels else []
        if not is_there or len(order) < 2 or len(set(order)) < len(order):
            self.fail(
                f"{value!r} is not a column and two or more levels from first to last, such as "
                "size=small,medium,large.",
                param,
                ctx,
            )
        return column.strip(), order


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


class Sizes(click.ParamType):
    """Sizes of layers: whole numbers of at least 1, such as 64,32."""

    name = "sizes"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        parts = [part.strip() for part in value.split(",")]
        if not all(part.isascii() and part.isdigit() and int(part) > 0 for part in parts):
            self.fail(
                f"{value!r} is not a list of whole numbers of at least 1, such as 64 or 64,32.",
                param,
                ctx,
            )
        return tuple(int(part) for part in parts)


class Separator(click.ParamType):
    """What is between columns: one character; `tab`, `\\t` and `whitespace` are words for some."""

    name = "separator"

    def convert(self, value: Any, param: Any, ctx: Any) -> str:
        if value == "\\t":
            return "tab"
        if len(value) != 1 and value not in ("tab", "space", "whitespace", "none"):
            self.fail(f"{value!r} must be one character, 'tab' or 'whitespace'.", param, ctx)
        return value
