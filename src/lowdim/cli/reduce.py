"""`lowdim reduce`: fit a method to a table, write the codes of its rows."""

from __future__ import annotations

from typing import Any

import click

from lowdim.cli.methods_table import METHODS, build, method_options, offered_options
from lowdim.cli.options import (
    Rank,
    csv_options,
    debug_option,
    encoding_options,
    model_file_option,
    output_option,
    quiet_option,
    seed_option,
    stream_option,
)


@click.command(epilog="Text tables and parquet need pyarrow: pip install 'lowdim[io]'.")
@click.argument("table", metavar="TABLE")
@click.option(
    "-k",
    "--components",
    "k",
    type=Rank(),
    default=2,
    show_default=True,
    metavar="K",
    help="How many numbers describe a row; 'auto' lets the data decide (parallel analysis, or with "
    "--scale none bi-cross-validation); for pca also a share of variance, such as 0.9.",
)
@click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    default="pca",
    show_default=True,
    help="; ".join(f"{name}: {method.about}" for name, method in METHODS.items()) + ".",
)
@output_option
@model_file_option
@encoding_options
@method_options
@seed_option
@stream_option
@csv_options
@quiet_option
@debug_option
def reduce(
    table: str,
    k: int | float | str,
    method: str,
    output: str | None,
    model_path: str | None,
    id_column: str | None,
    columns: tuple[list[str], ...],
    drop: tuple[list[str], ...],
    categories: str,
    max_categories: int,
    scale: str,
    seed: int,
    stream: bool | None,
    quiet: bool,
    **others: Any,
) -> None:
    """Describe every row of TABLE by K numbers.

    TABLE is a .csv, .tsv, .parquet, .npy or .npz file, or '-' for csv from standard input. Empty
    fields are missing values, which the method takes as such: no row is left out, none is filled
    with means. Columns of text become categories; dates are left out; standard error says which.

    Without -o and --model nothing is written: the summary is printed, to look first.

    \b
    Examples:
      lowdim reduce data.csv
      lowdim reduce data.csv -k 2 -o codes.csv --model m.lowdim
      lowdim reduce survey.csv --id person --drop 'comment*' -k auto -o codes.parquet
      lowdim reduce spectra.npy --scale none -k 10 -o codes.npy
      lowdim reduce huge.parquet --stream -o codes.parquet
    """
    import lowdim
    from lowdim.cli.codes import ids_lost, write_codes
    from lowdim.cli.encoding import Choice, learn
    from lowdim.cli.summary import loadings_text, summarize
    from lowdim.cli.writing import check_output
    from lowdim.tables.files import CsvFormat, open_table

    def say(*notes: str) -> None:
        for note in () if quiet else notes:
            click.echo(note, err=True)

    check_output(output, table)
    check_output(model_path, table, kinds=())
    options = {name: others.pop(name) for name in offered_options()}
    given = {name: value for name, value in options.items() if value is not None}
    model = build(method, k, seed, given)
    with lowdim.config_context(progress=False if quiet else None):
        as_text = [] if id_column is None else [id_column]
        source = open_table(table, CsvFormat(**others), as_text=as_text, stream=stream)
        choice = Choice.of_options(id_column, columns, drop, categories, max_categories, scale)
        learned = learn(source, choice)
        say(*learned.notes)
        rows = learned.encoder.rows(source, learned.n_rows)
        if isinstance(k, str):
            k, reason = _rank_of(rows, seed, scaled=choice.standardize)
            say(reason)
        _check_rank(k, rows)
        model.set_params(n_components=k)
        model.fit(rows)
        del rows  # the codes are computed block by block, from the table
        model.table_encoding_ = learned.encoder.to_dict()
        if model_path is not None:
            model.save(model_path)
        if output is not None:
            write_codes(model, learned.encoder, source, output)
            say(*ids_lost(learned.encoder, output))
    if not quiet:
        text = summarize(source, learned, model, output, model_path)
        if METHODS[method].loadings:
            text += f"\n\n{loadings_text(learned.encoder, model)}"
        click.echo(text, err=output == "-")


def _rank_of(rows: Any, seed: int, scaled: bool) -> tuple[int, str]:
    """How many components the data support, at least one; and what to say about it.

    Columns of the same variance are what parallel analysis assumes. Held-out blocks are better
    where columns keep their units, but where scaling has made their noise unequal they ask for
    further components, as weights.
    """
    import lowdim

    method, name = ("parallel", "parallel analysis") if scaled else ("bcv", "bi-cross-validation")
    k = lowdim.choose_rank(rows, method, random_state=seed).choice
    if k == 0:
        return 1, f"-k auto: no component stands out of the noise ({name}); one is kept"
    return k, f"-k auto: {k} by {name}"


def _check_rank(k: int | float, rows: Any) -> None:
    d = rows.n_columns
    if k > d:
        raise ValueError(f"-k {k} is more than the {d} columns of the table; choose at most {d}.")
