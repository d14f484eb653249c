"""The command `lowdim`: one file per verb, and what all verbs say when something goes wrong.

A verb parses, calls the public API and writes. Its module imports nothing but click; what it needs
for the work is imported when the work begins, so `lowdim --help` answers at once.

Errors are one line on standard error. Exit codes: 0 all went well, 2 bad input (a usage error, a
file that cannot be read or written, data that a method refuses), 130 interrupted, 1 a bug of ours.
What counts as bad input are ValueError, TypeError, OSError, ImportError and MemoryError, the
exceptions with which lowdim refuses input; any other exception is a bug and keeps its traceback.
"""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Sequence
from importlib import import_module
from typing import Any, TextIO

import click

from lowdim._version import __version__
from lowdim.cli.options import debug_option, debugging

# verb -> the module that holds it, under the verb's name
_HOME = {
    "explore": "lowdim.cli.explore",
    "map": "lowdim.cli.map",
    "reduce": "lowdim.cli.reduce",
    "cluster": "lowdim.cli.cluster",
    "complete": "lowdim.cli.complete",
    "generate": "lowdim.cli.generate",
    "recommend": "lowdim.cli.recommend",
    "topics": "lowdim.cli.topics",
    "embed": "lowdim.cli.embed",
    "similar": "lowdim.cli.similar",
    "analogy": "lowdim.cli.analogy",
    "align": "lowdim.cli.align",
    "words": "lowdim.cli.words",
    "compress": "lowdim.cli.compress",
    "decompress": "lowdim.cli.decompress",
    "denoise": "lowdim.cli.denoise",
    "inpaint": "lowdim.cli.inpaint",
    "apply": "lowdim.cli.apply",
    "methods": "lowdim.cli.methods",
    "warmup": "lowdim.cli.warmup",
}
BAD_INPUT = 2
INTERRUPTED = 130  # as a shell reports a program ended by Ctrl-C


class _BadInput(click.ClickException):
    exit_code = BAD_INPUT


class Verbs(click.Group):
    """A group that imports a verb when it is asked for, and turns exceptions into one line."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_HOME)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _HOME:
            return None
        return getattr(import_module(_HOME[cmd_name]), cmd_name)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            with warnings.catch_warnings():
                if not debugging(ctx):
                    warnings.simplefilter("default", UserWarning)
                    warnings.showwarning = _show_warning
                return super().invoke(ctx)
        except BrokenPipeError:
            raise  # the reader of our output went away: click ends quietly
        except (ValueError, TypeError, OSError, ImportError, MemoryError) as error:
            if isinstance(error, ImportError) and (error.name or "").startswith("lowdim"):
                raise  # a part of lowdim is missing, not a package that the user can install
            if debugging(ctx):
                traceback.print_exception(error)
            raise _BadInput(_explained(error)) from error

    def main(  # type: ignore[override]  # all arguments but `args` go on to click by name
        self, args: Sequence[str] | None = None, *, standalone_mode: bool = True, **settings: Any
    ) -> Any:
        if not standalone_mode:
            return super().main(args, standalone_mode=False, **settings)
        try:
            result = super().main(args, standalone_mode=False, **settings)
        except click.Abort:
            click.echo("Interrupted.", err=True)
            sys.exit(INTERRUPTED)
        except click.ClickException as error:
            click.echo(
                f"Error: {_one_line(error.format_message())}{_where_to_look(error)}", err=True
            )
            sys.exit(error.exit_code)
        sys.exit(result if isinstance(result, int) else 0)


@click.group(
    cls=Verbs,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, "-V", "--version", message="%(prog)s %(version)s")
@debug_option
@click.pass_context
def main(ctx: click.Context) -> None:
    """Find the small structure inside big tables.

    \b
    Examples:
      lowdim explore data.csv -o report.html
      lowdim map data.csv -o map.html
      lowdim reduce data.csv -k 2 -o codes.csv --model m.lowdim
      lowdim cluster data.csv -k auto -o labels.csv
      lowdim complete data.csv -o filled.csv --std
      lowdim generate data.csv -n 1000 -o synthetic.csv
      lowdim recommend ratings.csv --user 42
      lowdim topics letters/ -o page.html
      lowdim embed letters/ -o vectors.txt --page words.html
      lowdim compress photo.png -o photo.lowdim --psnr 38
      lowdim apply m.lowdim new.csv -o new-codes.csv

    `lowdim VERB --help` explains a verb.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def _explained(error: Exception) -> str:
    if hasattr(error, "for_command_line"):  # a TableError: its cure names options
        return error.for_command_line()
    if isinstance(error, MemoryError):
        return f"There is not enough memory ({error}). Read the table in parts with --stream."
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}."
    return str(error) or type(error).__name__


def _where_to_look(error: click.ClickException) -> str:
    if not isinstance(error, click.UsageError) or error.ctx is None:
        return ""
    return f" See '{error.ctx.command_path} --help'."


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    in_words = getattr(message, "for_command_line", message.__str__)  # of a TableWarning
    click.echo(f"Warning: {_one_line(in_words())}", err=True)
