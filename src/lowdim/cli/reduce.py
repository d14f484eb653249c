"""`lowdim reduce`: fit a method to a table, write the few numbers that stand for each row."""

from __future__ import annotations

from typing import Any

import click

from lowdim.cli.methods_table import METHODS, build, method_options
from lowdim.cli.options import (
    AUTO_COMPONENTS,
    Rank,
    model_file_option,
    output_option,
    seed_option,
)
from lowdim.cli.table_verb import TableRequest, table_verb


@click.command(epilog="Text tables and parquet need pyarrow: pip install 'lowdim[io]'.")
@click.option(
    "-k",
    "--components",
    "k",
    type=Rank(),
    default=2,
    show_default=True,
    metavar="K",
    help=f"How many numbers describe a row; {AUTO_COMPONENTS}; for pca also a share of variance, "
    "such as 0.9.",
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
@method_options
@seed_option
@table_verb()
def reduce(
    request: TableRequest,
    k: int | float | str,
    method: str,
    output: str | None,
    model_path: str | None,
    seed: int,
    **options: Any,
) -> None:
    """Describe every row of TABLE by K numbers.

    TABLE is a file (.csv, .tsv, .xlsx, .parquet, .feather, .json, .jsonl, .npy, .npz; text also
    with .gz), a folder or pattern of such files, or '-' for csv from standard input. Columns may be
    numbers, words, dates, yes and no; standard error says what was found. Missing values are taken
    as such: no row is left out, none is filled with means.

    Without -o and --model nothing is written: the summary is printed, to look first.

    \b
    Examples:
      lowdim reduce data.csv
      lowdim reduce data.csv -k 2 -o codes.csv --model m.lowdim
      lowdim reduce survey.csv --id person --ignore 'comment*' -k auto -o codes.parquet
      lowdim reduce spectra.npy --scale none -k 10 -o codes.npy
      lowdim reduce huge.parquet --stream -o codes.parquet
      lowdim reduce data.csv --method vae --hidden 64 --passes 100 -o codes.csv
    """
    from lowdim import TableModel
    from lowdim.cli.row_codes import save_and_write
    from lowdim.tables.writing import check_outputs

    check_outputs({"output": output, "model": model_path}, [request.path], {"model": ()})
    estimator = build(method, k, seed, options)
    request = request.uncentred() if METHODS[method].positive else request
    table = request.open()
    encoder = request.fit(table)
    if METHODS[method].positive:
        _refuse_negative(encoder, method)
    rows = encoder.rows(table)
    estimator.set_params(n_components=_rank(request, rows, encoder, k, seed))
    model = TableModel(estimator, encoder=request.encoder()).fit_encoded(table, encoder, rows)
    del rows  # the codes are computed chunk by chunk, from the table
    save_and_write(request, model, table, output, model_path)
    request.show(_summary(model, table, method, {"codes": output, "model": model_path}), output)


def _refuse_negative(encoder: Any, method: str) -> None:
    """Raise if a column of numbers has negative values, and say which."""
    from lowdim.tables.errors import listed, quoted

    low = {column.name: getattr(column.codec, "low", 0.0) for column in encoder.encoding_.used}
    negative = [quoted(name) for name, least in low.items() if least < 0]
    if negative:
        raise ValueError(
            f"--method {method} takes values of 0 or more, and {listed(negative)} "
            f"{'has' if len(negative) == 1 else 'have'} negative ones. Leave "
            f"{'it' if len(negative) == 1 else 'them'} out with --ignore, or choose --method pca."
        )


def _rank(
    request: TableRequest, rows: Any, encoder: Any, k: int | float | str, seed: int
) -> int | float:
    """The number of components, or the share of variance, that is asked for."""
    if isinstance(k, str):
        from lowdim.cli.auto import components

        k = components(request, rows, encoder, seed)
    d = rows.n_columns
    if k > d:
        raise ValueError(
            f"-k {k} is more than the {d} numbers that the columns became; choose at most {d}."
        )
    return k


def _summary(model: Any, table: Any, method: str, files: dict[str, str | None]) -> list[str]:
    from lowdim.cli.summary import loadings_text, method_lines, table_lines, written_lines

    lines = [
        *table_lines(table, model.encoder_),
        *method_lines(model.estimator_),
        *written_lines(files),
    ]
    if METHODS[method].loadings:
        lines += ["", loadings_text(model.encoder_, model.estimator_)]
    return lines
