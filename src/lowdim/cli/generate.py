"""`lowdim generate`: new rows like those of a table."""

from __future__ import annotations

from typing import Any

import click

from lowdim.cli.generators import METHODS, NAMES
from lowdim.cli.options import seed_option
from lowdim.cli.table_verb import TableRequest, table_verb

ROWS = 1000  # that are drawn from a model that does not know how many it learned from


class Given(click.ParamType):
    """A column and a value: group=north."""

    name = "given"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        column, is_there, level = value.partition("=")
        if not is_there or not column.strip() or not level.strip():
            self.fail(f"{value!r} is not a column and a value, such as group=north.", param, ctx)
        return column.strip(), level.strip()


@click.command(epilog="Text tables and parquet need pyarrow: pip install 'lowdim[io]'.")
@click.option(
    "-n",
    "--rows",
    "n",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many rows. Default: as many as the table has.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Where to write the rows: .csv, .tsv, .xlsx, .parquet, ..., or .npy if all columns are "
    "numbers; '-' is csv on standard output.",
)
@click.option(
    "--method",
    type=click.Choice(["auto", *NAMES]),
    default="auto",
    show_default=True,
    help="auto: the one whose rows are hardest to tell from rows that were held out; "
    + "; ".join(method.says for method in METHODS)
    + ".",
)
@click.option(
    "--holes",
    is_flag=True,
    help="Leave cells empty as in the table: each row gets the empty cells of a row of the table, "
    "drawn at random. Without it all cells are filled that apply.",
)
@click.option(
    "--given",
    type=Given(),
    multiple=True,
    metavar="COL=VALUE",
    help="Only rows with this value of a category, flag or whole number. Can be repeated.",
)
@click.option(
    "--model",
    "model_path",
    metavar="FILE",
    help="Where to save the model, for `lowdim generate FILE` and `lowdim apply`.",
)
@seed_option
@table_verb(fill_all=True)
def generate(
    request: TableRequest,
    n: int | None,
    output: str | None,
    method: str,
    holes: bool,
    given: tuple[tuple[str, str], ...],
    model_path: str | None,
    seed: int,
) -> None:
    """Draw new rows like those of TABLE, or from a saved model.

    TABLE is a file (.csv, .xlsx, .parquet, .npy, ...), a folder or pattern of such files, '-' for
    csv from standard input, or a model that --model of this verb or of `lowdim complete` saved.

    The rows have the columns of the table in their order, and such values as these have: whole
    numbers, as many decimals, categories that were seen, dates. Names of rows, remarks and other
    text are left out. Rows are drawn from a model, so none is a row of the table but by chance; of
    a table with few different rows many are. The same seed gives the same rows.

    Without -o nothing is written: the summary is printed, to look first.

    \b
    Examples:
      lowdim generate data.csv -n 1000 -o synthetic.csv
      lowdim generate survey.csv --holes --given region=north -o synthetic.csv
      lowdim generate data.csv --method mixture --model m.lowdim -o synthetic.parquet
      lowdim generate m.lowdim -n 100 --seed 1 -o more.csv
    """
    from lowdim.cli.drawn_rows import check_given, write_drawn
    from lowdim.cli.saved_models import holds_model
    from lowdim.tables.writing import check_outputs

    check_outputs({"output": output, "model": model_path}, [request.path], {"model": ()})
    wanted = dict(given)
    from_model = holds_model(request.path)
    if from_model:
        _check_options_of_models(method, holes, model_path)
        model, lines, patterns = *_loaded(request), None
    else:
        model, lines, patterns = _fitted(request, method, holes, wanted, seed)
    encoding = model.encoder_.encoding_
    check_given(encoding, wanted, request.path)
    if model_path is not None:
        model.save(model_path)
    n = n or getattr(model.encoder_, "n_rows_seen_", None) or ROWS
    if output is not None:
        fill_all = bool(model.encoder_.fill_not_applicable)
        write_drawn(model, n, output, seed, given=wanted, patterns=patterns, fill_all=fill_all)
    files = {"rows": output, "model": model_path}
    request.show([*lines, *_drawn_lines(model, n, output, wanted, files)], output)


def _check_options_of_models(method: str, holes: bool, model_path: str | None) -> None:
    if method != "auto":
        raise ValueError(f"--method {method} goes with a table; a saved model is what it is.")
    if holes:
        raise ValueError("--holes goes with a table; a saved model does not know its empty cells.")
    if model_path is not None:
        raise ValueError("--model goes with a table; the model is saved already.")


def _loaded(request: TableRequest) -> tuple[Any, list[str]]:
    from lowdim.cli.drawn_rows import check_draws
    from lowdim.cli.saved_models import load_table_model
    from lowdim.cli.summary import line
    from lowdim.tables.errors import plain

    model, where = load_table_model(request.path), plain(request.path, 200)
    check_draws(model, where)
    return model, [line("from", where), line("method", type(model.estimator_).__name__)]


def _fitted(
    request: TableRequest, name: str, holes: bool, given: dict[str, str], seed: int
) -> tuple[Any, list[str], Any]:
    """A model of the table, what to say of it, and where the table is empty if that is asked."""
    from lowdim.cli.drawn_rows import check_given
    from lowdim.cli.generators import Material, best_method, named
    from lowdim.cli.summary import line, table_lines
    from lowdim.tables.errors import TableError
    from lowdim.tables.filling import empty_patterns

    method = None if name == "auto" else named(name)
    table = request.open()
    if table.is_sparse:
        raise TableError(f"{table.where} is a sparse matrix; give a table of columns.")
    encoder = request.fit(table)
    check_given(encoder.encoding_, given, table.where)
    material = Material(request, table, encoder, seed)
    if method is None:
        method = best_method(material)
    material.check(method)
    model = material.fit(method)
    patterns = empty_patterns(model.encoder_.encoding_, encoder.origin_, table) if holes else None
    lines = [*table_lines(table, encoder), line("method", type(model.estimator_).__name__)]
    return model, lines, patterns


def _drawn_lines(
    model: Any, n: int, output: str | None, given: dict[str, str], files: dict[str, str | None]
) -> list[str]:
    from lowdim.cli.summary import line, written_lines
    from lowdim.tables.errors import plain

    asked = ", ".join(f"{plain(name)}={plain(value)}" for name, value in given.items())
    what = f"{n} rows" if output is not None else f"{n} rows to draw"
    return [line("drawn", what + (f" with {asked}" if asked else "")), *written_lines(files)]
