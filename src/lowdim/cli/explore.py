"""`lowdim explore`: one page about the structure of a table."""

from __future__ import annotations

from collections.abc import Mapping

import click

from lowdim.cli.options import seed_option
from lowdim.cli.table_verb import TableRequest, table_verb

PAGES = (".html", ".htm")


@click.command(epilog="It needs bokeh and pyarrow: pip install 'lowdim[report,io]'.")
@click.option(
    "-o",
    "--output",
    default="report.html",
    show_default=True,
    metavar="FILE",
    help="Where to write the page.",
)
@click.option("--target", metavar="COL", help="A column to colour the rows by; no model sees it.")
@click.option(
    "--sample",
    type=click.IntRange(min=5),
    metavar="N",
    help="Look at N rows, drawn at random, instead of all.",
)
@click.option(
    "--filled",
    metavar="FILE",
    help="Where to write the table with its missing values filled: .csv, .xlsx, .parquet, ...",
)
@click.option("--models", metavar="DIR", help="A folder to save the models in, for `lowdim apply`.")
@seed_option
@table_verb(fill_all=True)
def explore(
    request: TableRequest,
    output: str,
    target: str | None,
    sample: int | None,
    filled: str | None,
    models: str | None,
    seed: int,
) -> None:
    """Find the structure of TABLE and write a page about it.

    How many dimensions it really has and what they are, which rows belong together, what missing
    values probably are, which rows are odd, and a Python script to go on with. The page is one
    file that works without a network.

    \b
    Examples:
      lowdim explore data.csv -o report.html
      lowdim explore survey.csv --target region --id person --ignore remarks
      lowdim explore data.csv --filled filled.csv --models models/
    """
    import lowdim
    from lowdim.cli.found import notes_of
    from lowdim.cli.summary import written_lines

    check_files(request.path, {"output": output, "filled": filled}, models)
    table = request.open()
    request.say(*table.notes)
    report = lowdim.explore(
        table, target, encoder=request.encoder(), sample=sample, random_state=seed
    )
    request.say(*notes_of(report.findings.encoded.encoder))
    report.save(output)
    if filled is not None:
        report.save_filled(filled)
    if models is not None:
        report.save_models(models)
    written = {"page": output, "filled": filled, "models": models}
    request.show([repr(report), *written_lines(written)])


def check_files(table: str, outputs: Mapping[str, str | None], models: str | None) -> None:
    """Raise if a page, a table or a folder of models cannot be written there."""
    import os

    from lowdim.tables.errors import TableError, plain
    from lowdim.tables.writing import check_outputs

    check_outputs(outputs, [table], {"output": PAGES})
    if models is not None and os.path.exists(models) and not os.path.isdir(models):
        raise TableError(f"{plain(models, 200)} is a file.", "Name a folder for {models}.")
