"""What all verbs that read a table share: the options, and one object that holds what they say.

@click.command()
@click.option(...)              options of the verb
@table_verb()                   TABLE, and the options of file, format, kinds, stream and quiet
def verb(request, ...):
    table = request.open()
    encoder = request.fit(table)
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

from lowdim.cli.options import Names, Order, Separator, debug_option, quiet_option

if TYPE_CHECKING:
    from lowdim.tables.encoder import TableEncoder
    from lowdim.tables.table import Table

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

LONGEST_LINE = 2000  # characters of a note


@dataclass(frozen=True)
class TableRequest:
    """A table, and what the user says about it.

    Attributes
    ----------
    path : str
        A file, a folder or pattern of files, or '-' for standard input.
    form : mapping
        How a text file is written: arguments of `lowdim.tables.open_table`.
    wishes : mapping
        What columns are: arguments of `lowdim.TableEncoder`.
    stream : bool or None
        Read in parts; None decides by size.
    quiet : bool
        Say nothing.
    """

    path: str
    form: Mapping[str, Any] = field(default_factory=dict)
    wishes: Mapping[str, Any] = field(default_factory=dict)
    stream: bool | None = None
    quiet: bool = False

    def open(self, as_text: Callable[[Sequence[str]], Sequence[str]] | None = None) -> Table:
        """The table; columns that `as_text` chooses of its names stay as they are written.

        Without it, that is the column of ids, if one is named: 007 is not the number 7.
        """
        from lowdim.tables.opening import open_table

        as_text = self._ids if as_text is None else as_text
        return open_table(self.path, stream=self.stream, text_columns=as_text, **self.form)

    def encoder(self) -> TableEncoder:
        """The encoder that the user asks for, not yet fitted."""
        from lowdim.tables.encoder import TableEncoder

        return TableEncoder(**self.wishes)

    def uncentred(self) -> TableRequest:
        """The same, with columns that stay 0 or more if they are: no means, logarithms, circles."""
        wishes = dict(self.wishes)
        if wishes.get("log", "auto") == "auto":
            wishes["log"] = False
        if wishes.get("dates", "auto") == "auto":
            wishes["dates"] = "days"
        return replace(self, wishes={**wishes, "center": False})

    def fit(self, table: Table) -> TableEncoder:
        """The encoder fitted to the table; says what was found."""
        from lowdim.cli.found import notes_of
        from lowdim.tables.errors import TableError

        self.say(*table.notes)
        if table.n_rows == 1:
            raise TableError(f"{table.where} has 1 row; a model needs at least 2.")
        encoder = self.encoder().fit(table)
        self.say(*notes_of(encoder))
        return encoder

    def say(self, *notes: str) -> None:
        """Lines on standard error, unless the user wants quiet."""
        from lowdim.tables.errors import as_options, plain

        for note in () if self.quiet else notes:
            click.echo(plain(as_options(note), LONGEST_LINE), err=True)

    def show(self, lines: Sequence[str], output: str | None = None) -> None:
        """The result in words: on standard output, unless a table goes there."""
        if not self.quiet:
            click.echo("\n".join(lines), err=output == "-")

    def _ids(self, names: Sequence[str]) -> list[str]:
        return [name for name in names if name == self.wishes.get("id")]


def table_verb(
    *, metavar: str = "TABLE", kinds: bool = True, fill_all: bool = False, stream: bool = True
) -> Callable[[Decorated], Decorated]:
    """Make a verb of tables: it gets a `TableRequest`, and its own options by name.

    Parameters
    ----------
    metavar : str
        What the help calls the table.
    kinds : bool
        Whether the user can say what columns are; not where a saved model knows that.
    fill_all : bool
        Whether the verb fills missing values: then it may fill cells that do not apply.
    stream : bool
        Whether the table can be read in parts.
    """
    options = [
        *(_KINDS if kinds else ()),
        *([_FILL_ALL] if fill_all else ()),
        *_FORM,
        *([_STREAM] if stream else ()),
        quiet_option,
        debug_option,
    ]

    def decorate(verb: Decorated) -> Decorated:
        @functools.wraps(verb)
        def call(**values: Any) -> Any:
            import lowdim

            request = _request(values, kinds)
            with lowdim.config_context(progress=False if request.quiet else None):
                return verb(request, **values)

        decorated: Any = call
        for option in reversed(options):
            decorated = option(decorated)
        return click.argument("table", metavar=metavar)(decorated)

    return decorate


def _request(values: dict[str, Any], kinds: bool) -> TableRequest:
    """The request that the shared options make; they are taken out of the values."""
    form = {name: values.pop(name) for name in _FORM_NAMES}
    wishes = {}
    if kinds:
        given = [name for name in _KIND_NAMES if name in values]
        wishes = dict(_wish(name, values.pop(name)) for name in given)
        wishes["missing_marks"] = list(form["missing"])
    return TableRequest(
        values.pop("table"),
        {name: value for name, value in form.items() if value is not None},
        wishes,
        values.pop("stream", None),
        values.pop("quiet"),
    )


def _wish(name: str, value: Any) -> tuple[str, Any]:
    """An option as an argument of TableEncoder."""
    if name in ("categorical", "numeric", "ignore", "columns"):
        columns = [column for part in value for column in part]
        return name, columns if columns or name != "columns" else None
    if name == "ordered":
        return name, dict(value) or None
    if name == "log":
        return name, {"auto": "auto", "none": False}.get(",".join(value), value)
    if name == "dates":
        return name, False if value == "none" else value
    if name == "scale":
        return name, value == "standard"
    return ("fill_not_applicable" if name == "fill_all" else name), value


def _columns_option(*names: str, help: str) -> Any:
    return click.option(*names, type=Names(), multiple=True, metavar="COL", help=help)


_KINDS = (
    _columns_option(
        "--categorical",
        help="Columns that are categories, such as 1, 2, 3 for regions. Here and below: names "
        "between commas, or patterns such as 'gene*'; can be repeated.",
    ),
    _columns_option(
        "--numeric", help="Columns that are numbers, though they look like identifiers."
    ),
    click.option(
        "--ordered",
        type=Order(),
        multiple=True,
        metavar="COL=A,B,C",
        help="A column with levels in an order, from first to last. Can be repeated.",
    ),
    _columns_option("--ignore", "--drop", "ignore", help="Leave these columns out."),
    click.option(
        "--id", "id", metavar="COL", help="The column that names the rows; it is written first."
    ),
    _columns_option(
        "--columns",
        help="Use only these columns; those of .npy and .npz go by their numbers, from 0.",
    ),
    click.option(
        "--log",
        type=Names(),
        default="auto",
        show_default=True,
        metavar="auto|none|COLS",
        help="Columns that count by their logarithm; auto: positive ones with a heavy tail.",
    ),
    click.option(
        "--dates",
        type=click.Choice(["auto", "days", "none"]),
        default="auto",
        show_default=True,
        help="auto: days, and season and hour where they vary; days alone; none leaves dates out.",
    ),
    click.option(
        "--max-levels",
        "--max-categories",
        "max_levels",
        type=click.IntRange(min=1),
        default=50,
        show_default=True,
        metavar="N",
        help="Text with more different values is no category, and is left out.",
    ),
    click.option(
        "--scale",
        type=click.Choice(["standard", "none"]),
        default="standard",
        show_default=True,
        help="standard: every column counts the same, whatever its unit. none: a column counts by "
        "its variance; for columns in one unit, such as pixels or spectra.",
    ),
)
_KIND_NAMES = tuple(
    "categorical numeric ordered ignore id columns log dates max_levels scale fill_all".split()
)
_FILL_ALL = click.option(
    "--fill-all",
    is_flag=True,
    help="Also fill cells that do not apply, such as the category of a storm that is none.",
)
_FORM = (
    click.option(
        "--missing",
        multiple=True,
        metavar="TEXT",
        help="A further mark of missing values. Empty cells, NA, N/A, null, ?, - and the like are "
        "known. Can be repeated.",
    ),
    click.option(
        "--separator",
        "--delimiter",
        "separator",
        type=Separator(),
        metavar="CHAR",
        help="What is between the columns of a text table: a character, tab or whitespace. Here "
        "and below: found from the file, if nothing is said.",
    ),
    click.option("--decimal", metavar="CHAR", help="The decimal mark of a text table: . or ,"),
    click.option("--thousands", metavar="CHAR", help="What is between thousands: 1,200."),
    click.option(
        "--quote", metavar="CHAR", help="What text with separators in it stands between, or none."
    ),
    click.option(
        "--encoding", metavar="NAME", help="How characters are stored, for example latin-1."
    ),
    click.option(
        "--header/--no-header", default=None, help="Whether the first row has the column names."
    ),
    click.option(
        "--comment", metavar="TEXT", help="What lines begin with that are no rows, or none."
    ),
    click.option(
        "--sheet", metavar="NAME", help="The sheet of a workbook, by its name or number from 0."
    ),
)
_FORM_NAMES = tuple(
    "missing separator decimal thousands quote encoding header comment sheet".split()
)
_STREAM = click.option(
    "--stream/--no-stream",
    default=None,
    help="Read the table in parts, for tables larger than memory. By default, those above 1 GB.",
)
