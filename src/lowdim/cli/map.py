"""`lowdim map`: one page of maps of a table's rows."""

from __future__ import annotations

import click

from lowdim.cli.options import Names, seed_option
from lowdim.cli.table_verb import TableRequest, table_verb

USUAL = "pca,mds,tsne,umap"


@click.command(epilog="It needs bokeh and pyarrow: pip install 'lowdim[report,io]'.")
@click.option(
    "-o",
    "--output",
    default="map.html",
    show_default=True,
    metavar="FILE",
    help="Where to write the page.",
)
@click.option(
    "--maps",
    type=Names(),
    default=USUAL,
    show_default=True,
    metavar="NAMES",
    help="Which maps: pca, mds, tsne, umap, sammon, classical-mds, sne; names between commas.",
)
@click.option("--target", metavar="COL", help="A column to colour the rows by; no map sees it.")
@click.option(
    "--perplexity",
    type=click.FloatRange(min=0, min_open=True),
    metavar="P",
    help="How many rows a row looks at in t-SNE and SNE. [default: 30, less for few rows]",
)
@click.option(
    "--neighbors",
    type=click.IntRange(min=2),
    metavar="N",
    help="How many rows a row looks at in UMAP. [default: 15, less for few rows]",
)
@click.option(
    "--sample",
    type=click.IntRange(min=5),
    default=20_000,
    show_default=True,
    metavar="N",
    help="Fit maps to N rows at most, drawn at random; the others are placed among them.",
)
@click.option(
    "--coordinates",
    metavar="FILE",
    help="Where to write the place of every row in each map: .csv, .parquet, .npy, ...",
)
@click.option("--models", metavar="DIR", help="A folder to save the models in, for `lowdim apply`.")
@seed_option
@table_verb()
def map(
    request: TableRequest,
    output: str,
    maps: list[str],
    target: str | None,
    perplexity: float | None,
    neighbors: int | None,
    sample: int,
    coordinates: str | None,
    models: str | None,
    seed: int,
) -> None:
    """Make maps of TABLE's rows, side by side on one page.

    What is selected in one map is selected in all. The page says what may be read from each map
    and what not, shows how distances come out, and what another start or setting changes. It is
    one file that works without a network.

    \b
    Examples:
      lowdim map data.csv -o map.html
      lowdim map cells.parquet --maps pca,tsne,umap --target type --perplexity 50
      lowdim map data.csv --coordinates places.csv --models models/
    """
    import lowdim
    from lowdim.cli.explore import check_files
    from lowdim.cli.found import notes_of
    from lowdim.cli.row_codes import ids_lost
    from lowdim.cli.summary import written_lines

    check_files(request.path, {"output": output, "coordinates": coordinates}, models)
    table = request.open()
    request.say(*table.notes)
    report = lowdim.map_table(
        table,
        target,
        maps=maps,
        perplexity=perplexity,
        n_neighbors=neighbors,
        sample=sample,
        encoder=request.encoder(),
        random_state=seed,
    )
    encoder = report.findings.encoded.encoder
    request.say(*notes_of(encoder))
    report.save(output)
    if coordinates is not None:
        report.save_coordinates(coordinates)
        request.say(*ids_lost(encoder.id_, coordinates))
    if models is not None:
        report.save_models(models)
    written = {"page": output, "places": coordinates, "models": models}
    request.show([repr(report), *written_lines(written)])
