"""`lowdim complete`: fill the missing values of a table, and say how sure."""

from __future__ import annotations

from typing import Any

import click

from lowdim.cli.options import AUTO_COMPONENTS, Rank, model_file_option, seed_option
from lowdim.cli.table_verb import TableRequest, table_verb

METHODS = {
    "ppca": "ProbabilisticPCA: knows how sure it is",
    "als": "ALS: alternating least squares with biases, for tables that are mostly missing",
    "softimpute": "SoftImpute: chooses the number of components by itself",
    "vae": "VAE: a network, for rows that no plane explains; knows how sure it is",
}
KNOW_HOW_SURE = ("ppca", "vae")
SPARE = 2  # components of a network beyond those of -k auto: it leaves alone what it does not need


@click.command(epilog="Text tables and parquet need pyarrow: pip install 'lowdim[io]'.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Where to write the filled table: .csv, .tsv, .xlsx, .parquet, ..., or .npy if all "
    "columns are numbers; '-' is csv on standard output.",
)
@click.option(
    "--std",
    is_flag=True,
    help="Also write, for every column of numbers with missing values, a column NAME_std: the "
    "standard deviation of each filled value, 0 where it was there. With --method "
    + " or ".join(KNOW_HOW_SURE)
    + ".",
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
    help=f"How many numbers describe a row; {AUTO_COMPONENTS}. For softimpute: at most so many.",
)
@model_file_option
@seed_option
@table_verb(fill_all=True)
def complete(
    request: TableRequest,
    output: str | None,
    std: bool,
    method: str,
    k: int | float | str,
    model_path: str | None,
    seed: int,
) -> None:
    """Fill the empty cells of TABLE by what the other cells of the row say.

    TABLE is a file (.csv, .xlsx, .parquet, .npy, ...), a folder or pattern of such files, or '-'
    for csv from standard input. Every column is written in its place, and what was there stays as
    it is. Filled values are such as the column has: whole numbers, its categories, dates. Cells
    that do not apply stay empty, and so do columns that are not used (names, remarks).

    Without -o nothing is written: the summary is printed, to look first.

    \b
    Examples:
      lowdim complete data.csv
      lowdim complete data.csv -o filled.csv --std
      lowdim complete survey.csv --id person --ignore 'comment*' -o filled.parquet
      lowdim complete ratings.npy --scale none --method als -k 5 -o filled.npy
      lowdim complete data.csv --method vae --std -o filled.csv
    """
    from lowdim.cli.filled import check_fits
    from lowdim.tables.writing import check_outputs

    _check_options(std, method, k)
    check_outputs({"output": output, "model": model_path}, [request.path], {"model": ()})
    table = request.open()
    check_fits(output, table)
    model = _fitted(request, table, method, k, seed)
    if model_path is not None:
        model.save(model_path)
    counts = _filled(model, table, output, std)
    files = {"table": output, "model": model_path}
    request.show(_summary(model, table, counts, files), output)


def _check_options(std: bool, method: str, k: int | float | str) -> None:
    if std and method not in KNOW_HOW_SURE:
        raise ValueError(
            f"--std does not go with --method {method}; {' and '.join(KNOW_HOW_SURE)} know how "
            "sure they are."
        )
    if method == "vae":
        from lowdim.deep.engine import torch_for

        torch_for("--method vae")  # before any work
    if isinstance(k, float):
        raise ValueError(f"-k {k} is a share of variance; choose a number of components, or auto.")


def _fitted(request: TableRequest, table: Any, method: str, k: Any, seed: int) -> Any:
    from lowdim import TableModel
    from lowdim.tables.errors import TableError

    if table.is_sparse:
        raise TableError(f"{table.where} is a sparse matrix, which has zeros but nothing missing.")
    encoder = request.fit(table)
    rows = encoder.rows(table)
    if isinstance(k, str) and method != "softimpute":
        from lowdim.cli.auto import components

        most = max(rows.n_columns - 1, 1)
        k = components(request, rows, encoder, seed, most=most)
        if method == "vae" and k < most:
            k = min(k + SPARE, most)
            request.say(f"-k auto: {k} for a network, which leaves alone what it does not need")
    estimator = _unfitted(method, k, rows.n_columns, seed)
    return TableModel(estimator, encoder=request.encoder()).fit_encoded(table, encoder, rows)


def _unfitted(method: str, k: int | str, d: int, seed: int) -> Any:
    import lowdim

    most = max(d - 1, 1)
    if isinstance(k, int) and k > most:
        raise ValueError(f"-k {k} is too large for a table of {d} columns; choose at most {most}.")
    if method == "ppca":
        return lowdim.ProbabilisticPCA(k, random_state=seed)
    if method == "als":
        return lowdim.ALS(k, random_state=seed)
    if method == "vae":
        return lowdim.VAE(k, random_state=seed)
    return lowdim.SoftImpute(max_rank=None if isinstance(k, str) else k)


def _filled(model: Any, table: Any, output: str | None, std: bool) -> tuple[Any, Any]:
    """Write the filled table, if asked for; by column, the cells to fill and those left empty."""
    from lowdim.cli.filled import filler_of, write_filled
    from lowdim.tables.filling import count_empty

    filler = filler_of(model, std=std)
    to_fill, do_not_apply = count_empty(filler, table)
    if output is not None:
        write_filled(filler, table, output, to_fill)
    return to_fill, do_not_apply


def _summary(
    model: Any, table: Any, counts: tuple[Any, Any], files: dict[str, str | None]
) -> list[str]:
    from lowdim.cli.summary import counts_line, line, table_lines, written_lines

    to_fill, do_not_apply = counts
    what = "filled" if files["table"] is not None else "to fill"
    return [
        *table_lines(table, model.encoder_),
        line("method", type(model.estimator_).__name__),
        *counts_line(what, to_fill, otherwise="nothing"),
        *counts_line("empty", do_not_apply, "do not apply; --fill-all fills them"),
        *written_lines(files),
    ]
