"""`lowdim explore`: one page about the structure of a table."""

from __future__ import annotations

from typing import Any

import click

from lowdim.cli.options import Names, csv_options, debug_option, quiet_option, seed_option


@click.command(epilog="It needs bokeh and pyarrow: pip install 'lowdim[report,io]'.")
@click.argument("table", metavar="TABLE")
@click.option(
    "-o",
    "--output",
    default="report.html",
    show_default=True,
    metavar="FILE",
    help="Where to write the page.",
)
@click.option("--target", metavar="NAME", help="A column to colour the rows by; no model sees it.")
@click.option("--id", "id_column", metavar="NAME", help="The column that names the rows.")
@click.option("--drop", type=Names(), multiple=True, metavar="NAMES", help="Leave these out.")
@click.option(
    "--log",
    "logs",
    type=Names(),
    default="auto",
    show_default=True,
    metavar="auto|none|NAMES",
    help="Columns that enter the models by their logarithm; auto: those positive and skewed.",
)
@click.option(
    "--sample",
    type=click.IntRange(min=5),
    metavar="N",
    help="Look at N rows, drawn at random, instead of all.",
)
@click.option(
    "--filled",
    metavar="FILE",
    help="Where to write the table with its missing values filled: .csv or .tsv.",
)
@click.option("--models", metavar="DIR", help="A folder to save the models in.")
@seed_option
@csv_options
@quiet_option
@debug_option
def explore(
    table: str,
    output: str,
    target: str | None,
    id_column: str | None,
    drop: tuple[list[str], ...],
    logs: list[str],
    sample: int | None,
    filled: str | None,
    models: str | None,
    seed: int,
    quiet: bool,
    **csv_format: Any,
) -> None:
    """Find the structure of TABLE and write a page about it.

    How many dimensions it really has and what they are, which rows belong together, what missing
    values probably are, which rows are odd, and the Python code to go on with. The page is one
    file that works without a network.

    \b
    Examples:
      lowdim explore data.csv -o report.html
      lowdim explore survey.csv --target region --id person --drop remarks
      lowdim explore data.csv --filled filled.csv --models models/
    """
    import lowdim
    from lowdim.cli.summary import written_lines
    from lowdim.cli.writing import check_output
    from lowdim.tables.files import CsvFormat

    log: Any = {"auto": "auto", "none": False}.get(",".join(logs), logs)
    check_output(output, table, kinds=(".html", ".htm"), what="pages")
    check_output(filled, table, kinds=(".csv", ".tsv"), what="filled tables")
    with lowdim.config_context(progress=False if quiet else None):
        report = lowdim.explore(
            table,
            target,
            id_column,
            [name for names in drop for name in names],
            sample,
            seed,
            log=log,
            csv_format=CsvFormat(**csv_format),
        )
        report.save(output)
    if filled is not None:
        report.save_filled(filled)
    if models is not None:
        report.save_models(models)
    if not quiet:
        written = {"page": output, "filled": filled, "models": models}
        click.echo("\n".join([repr(report), *written_lines(written)]))
