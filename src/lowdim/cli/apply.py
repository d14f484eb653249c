"""`lowdim apply`: the codes of further rows under a saved model."""

from __future__ import annotations

from typing import Any

import click

from lowdim.cli.options import (
    csv_options,
    debug_option,
    output_option,
    quiet_option,
    stream_option,
)


@click.command(epilog="Text tables and parquet need pyarrow: pip install 'lowdim[io]'.")
@click.argument("model_path", metavar="MODEL")
@click.argument("table", metavar="TABLE")
@output_option
@click.option(
    "--id",
    "id_column",
    metavar="COLUMN",
    help="A column that names the rows; kept. Default: the one the model was fitted with.",
)
@stream_option
@csv_options
@quiet_option
@debug_option
def apply(
    model_path: str,
    table: str,
    output: str | None,
    id_column: str | None,
    stream: bool | None,
    quiet: bool,
    **csv_format: Any,
) -> None:
    """Write the codes of the rows of TABLE under MODEL.

    MODEL is a file that `lowdim reduce`, `lowdim cluster` or `model.save` wrote. For a clustering,
    every row's cluster is written, with its distance or probability. The table is encoded and
    scaled as the model's own was. Columns are found by name: their order does not matter, further
    columns are ignored, and a category that the model has never seen counts as none of those it
    knows. Without -o the codes go to standard output.

    \b
    Examples:
      lowdim apply m.lowdim new.csv -o codes.csv
      lowdim apply m.lowdim new.parquet --id person -o codes.parquet
      lowdim apply m.lowdim - < new.csv > codes.csv
    """
    import lowdim
    from lowdim.cli.codes import ids_lost, write_codes
    from lowdim.cli.encoding import TableEncoder
    from lowdim.cli.writing import check_output
    from lowdim.tables.files import CsvFormat, listed, open_table

    def say(*notes: str) -> None:
        for note in () if quiet else notes:
            click.echo(note, err=True)

    output = "-" if output is None else output
    check_output(output, table)
    model = lowdim.load(model_path)
    if not hasattr(model, "transform") and not hasattr(model, "predict_proba"):
        raise ValueError(f"{model_path} holds a {type(model).__name__}, which has no codes.")
    saved = TableEncoder.of_model(model)
    with lowdim.config_context(progress=False if quiet else None):
        ids = saved.id if id_column is None else id_column
        as_text = [*saved.categories, *([] if ids is None else [ids])]
        source = open_table(table, CsvFormat(**csv_format), as_text=as_text, stream=stream)
        encoder = saved.fitted_to(source, id_column)
        if unused := encoder.unused(source):
            say(f"ignored: {listed(unused)} (not part of the model)")
        if saved.id is not None and encoder.id is None:
            say(f"no id column {saved.id!r} here: codes are in the order of the rows")
        n_rows, unknown = write_codes(model, encoder, source, output)
    for name, values in unknown.items():
        say(f"unknown: {name} has {listed([repr(v) for v in values])}, counted as no category")
    say(*ids_lost(encoder, output))
    if output != "-" and not quiet:
        click.echo(f"codes    {output}: {n_rows} rows")
