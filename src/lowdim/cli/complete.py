"""`lowdim complete`: fill the holes of a table, and say how sure."""

from __future__ import annotations

from typing import Any

import click

from lowdim.cli.options import (
    Rank,
    csv_options,
    debug_option,
    encoding_options,
    quiet_option,
    seed_option,
    stream_option,
)

METHODS = {
    "ppca": "ProbabilisticPCA: knows how sure it is",
    "als": "ALS: alternating least squares with biases, for tables that are mostly holes",
    "softimpute": "SoftImpute: chooses the number of components by itself",
}


@click.command(epilog="Text tables and parquet need pyarrow: pip install 'lowdim[io]'.")
@click.argument("table", metavar="TABLE")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Where to write the filled table: .csv, .tsv, .parquet, or .npy if all columns are "
    "numbers; '-' is csv on standard output.",
)
@click.option(
    "--std",
    is_flag=True,
    help="Also write, for every column of numbers that had holes, a column NAME_std: the standard "
    "deviation of each filled value, 0 where it was there. With --method ppca.",
)
@click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    default="ppca",
    show_default=True,
    help="; ".join(METHODS.values()) + ".",
)
@click.option(
    "-k",
    "--components",
    "k",
    type=Rank(),
    default="auto",
    show_default=True,
    metavar="K",
    help="How many numbers describe a row; 'auto' lets the data decide (parallel analysis). For "
    "softimpute: at most so many.",
)
@click.option(
    "--model", "model_path", metavar="FILE", help="Where to save the model, for `lowdim apply`."
)
@encoding_options
@seed_option
@stream_option
@csv_options
@quiet_option
@debug_option
def complete(
    table: str,
    output: str | None,
    std: bool,
    method: str,
    k: int | float | str,
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
    **csv_format: Any,
) -> None:
    """Fill the empty fields of TABLE by what the other fields of the row say.

    TABLE is a .csv, .tsv, .parquet or .npy file, or '-' for csv from standard input. Every column
    is written in its place and in its own units, and what was there stays as it is. Numbers get
    their expectation, text and true/false the likeliest value. Columns that cannot be used (dates,
    names, remarks) are written as they are.

    Without -o nothing is written: the summary is printed, to look first.

    \b
    Examples:
      lowdim complete data.csv
      lowdim complete data.csv -o filled.csv --std
      lowdim complete survey.csv --id person --drop 'comment*' -o filled.parquet
      lowdim complete ratings.npy --scale none --method als -k 5 -o filled.npy
    """
    import lowdim
    from lowdim.cli.encoding import Choice, learn
    from lowdim.cli.filling import Filling, count_holes, write_filled
    from lowdim.cli.summary import line, table_lines, written_lines
    from lowdim.cli.writing import check_output
    from lowdim.tables.files import CsvFormat, listed, open_table

    def say(*notes: str) -> None:
        for note in () if quiet else notes:
            click.echo(note, err=True)

    if std and method != "ppca":
        raise ValueError(f"--std does not go with --method {method}; ppca knows how sure it is.")
    if isinstance(k, float):
        raise ValueError(f"-k {k} is a share of variance; choose a number of components, or auto.")
    check_output(output, table, what="tables")
    check_output(model_path, table, kinds=())
    with lowdim.config_context(progress=False if quiet else None):
        as_text = [] if id_column is None else [id_column]
        source = open_table(table, CsvFormat(**csv_format), as_text=as_text, stream=stream)
        if source.is_sparse:
            raise ValueError(f"{source.where} is a sparse matrix, which has zeros but no holes.")
        choice = Choice.of_options(id_column, columns, drop, categories, max_categories, scale)
        learned = learn(source, choice)
        say(*learned.notes)
        encoder = learned.encoder
        rows = encoder.rows(source, learned.n_rows)
        if isinstance(k, str) and method != "softimpute":
            k, reason = _rank_of(rows, seed)
            say(reason)
        model = _unfitted(method, k, len(encoder.feature_names), seed).fit(rows)
        del rows  # the table is filled block by block
        model.table_encoding_ = encoder.to_dict()
        if model_path is not None:
            model.save(model_path)
        holes = count_holes(source, encoder)
        if output is not None:
            write_filled(Filling(model, encoder, holes, std), source, output)
    if not quiet:
        found = [f"{name} {count}" for name, count in holes.items() if count]
        lines = [
            *table_lines(source, learned),
            line("method", type(model).__name__),
            line("filled" if output else "to fill", listed(found, 10) if found else "nothing"),
            *written_lines({"table": output, "model": model_path}),
        ]
        click.echo("\n".join(lines), err=output == "-")


def _rank_of(rows: Any, seed: int) -> tuple[int, str]:
    """How many components stand out of the noise, at least one; and what to say about it."""
    import lowdim

    d = rows.n_columns
    if d < 3 or rows.shape[0] < 4:
        return 1, "-k auto: 1, the table is small"
    k = max(1, min(lowdim.choose_rank(rows, "parallel", random_state=seed).choice, d - 1))
    return k, f"-k auto: {k} by parallel analysis"


def _unfitted(method: str, k: int | str, d: int, seed: int) -> Any:
    import lowdim

    most = max(d - 1, 1)
    if isinstance(k, int) and k > most:
        raise ValueError(f"-k {k} is too large for a table of {d} columns; choose at most {most}.")
    if method == "ppca":
        return lowdim.ProbabilisticPCA(k, random_state=seed)
    if method == "als":
        return lowdim.ALS(k, random_state=seed)
    return lowdim.SoftImpute(max_rank=None if isinstance(k, str) else k)
