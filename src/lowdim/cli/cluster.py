"""`lowdim cluster`: find the groups of a table's rows, say what makes them, write their numbers."""

from __future__ import annotations

from typing import Any

import click

from lowdim.cli.options import (
    csv_options,
    debug_option,
    encoding_options,
    quiet_option,
    seed_option,
    stream_option,
)

MOST_CLUSTERS = 10  # that -k auto considers


class Count(click.ParamType):
    """A number of clusters, or `auto`."""

    name = "count"

    def convert(self, value: Any, param: Any, ctx: Any) -> int | str:
        if value == "auto" or isinstance(value, int):
            return value
        if not value.isdigit() or int(value) < 1:
            self.fail(f"{value!r} is not a number of clusters, nor 'auto'.", param, ctx)
        return int(value)


METHODS = {
    "kmeans": "KMeans: round clusters of like size",
    "gmm": "GaussianMixture: clusters of any size and shape, with probabilities",
}


@click.command(epilog="Text tables and parquet need pyarrow: pip install 'lowdim[io]'.")
@click.argument("table", metavar="TABLE")
@click.option(
    "-k",
    "--clusters",
    "k",
    type=Count(),
    default="auto",
    show_default=True,
    metavar="K",
    help=f"How many clusters; 'auto' tries up to {MOST_CLUSTERS} and takes the best (kmeans: by "
    "silhouette, gmm: by BIC).",
)
@click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    default="kmeans",
    show_default=True,
    help="; ".join(METHODS.values()) + ".",
)
@click.option(
    "--covariance",
    type=click.Choice(["full", "tied", "diag", "spherical", "unit"]),
    help="Shape of the clusters of gmm. Default: full; diag if there are text columns.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Where to write every row's cluster: .csv, .tsv, .parquet or .npy; '-' is csv on standard "
    "output.",
)
@click.option(
    "--model",
    "model_path",
    metavar="FILE",
    help="Where to save the model, for `apply`. The name of a method is taken as --method.",
)
@click.option(
    "--plot",
    "plot_path",
    metavar="FILE",
    help="Where to draw the clusters (.png, .svg or .pdf): in the first two principal components, "
    "with ellipses; for kmeans of two columns, with the regions of the centers.",
)
@encoding_options
@seed_option
@stream_option
@csv_options
@quiet_option
@debug_option
def cluster(
    table: str,
    k: int | str,
    method: str,
    covariance: str | None,
    output: str | None,
    model_path: str | None,
    plot_path: str | None,
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
    """Find groups of like rows in TABLE, and say what is high and low in each.

    TABLE is a .csv, .tsv, .parquet, .npy or .npz file, or '-' for csv from standard input. Empty
    fields are missing values: rows with holes are grouped by what is known of them.

    The clusters are printed with their sizes, the columns whose mean differs most from the whole
    (in standard deviations), and their most typical row. Without -o no labels are written.

    \b
    Examples:
      lowdim cluster data.csv
      lowdim cluster data.csv -k 5 -o labels.csv --plot clusters.png
      lowdim cluster survey.csv --method gmm --id person -o labels.csv --model groups.lowdim
      lowdim apply groups.lowdim new.csv -o new-labels.csv
    """
    import lowdim
    from lowdim.cli.cluster_summary import drawn, model_line, table_of_clusters
    from lowdim.cli.codes import ids_lost, write_codes
    from lowdim.cli.encoding import Choice, learn
    from lowdim.cli.summary import table_lines, written_lines
    from lowdim.cli.writing import check_output
    from lowdim.tables.files import CsvFormat, open_table

    def say(*notes: str) -> None:
        for note in () if quiet else notes:
            click.echo(note, err=True)

    if model_path in METHODS:
        method, model_path = str(model_path), None
    if covariance is not None and method != "gmm":
        raise ValueError(f"--covariance does not go with --method {method}; it goes with gmm.")
    check_output(output, table)
    check_output(model_path, table, kinds=())
    check_output(plot_path, table, kinds=(".png", ".svg", ".pdf"), what="figures")
    with lowdim.config_context(progress=False if quiet else None):
        as_text = [] if id_column is None else [id_column]
        source = open_table(table, CsvFormat(**csv_format), as_text=as_text, stream=stream)
        choice = Choice.of_options(id_column, columns, drop, categories, max_categories, scale)
        learned = learn(source, choice)
        say(*learned.notes)
        encoder = learned.encoder
        rows = encoder.rows(source, learned.n_rows)
        model = _unfitted(method, covariance, seed, text=bool(encoder.categories))
        if isinstance(k, str):
            k, reason = _count_of(rows, model, method, seed)
            say(reason)
        _check_count(k, learned.n_rows)
        model.set_params(**{_count_name(method): k})
        model.fit(rows)
        labels = model.predict(rows)
        model.table_encoding_ = encoder.to_dict()
        if model_path is not None:
            model.save(model_path)
        if output is not None:
            write_codes(model, encoder, source, output)
            say(*ids_lost(encoder, output))
        if plot_path is not None:
            drawn(rows, labels, model, encoder).figure.savefig(plot_path)
        if not quiet:
            lines = [
                *table_lines(source, learned),
                model_line(model, k),
                *written_lines({"labels": output, "model": model_path, "plot": plot_path}),
                "",
                table_of_clusters(rows, labels, k, source, encoder),
            ]
            click.echo("\n".join(lines), err=output == "-")


def _unfitted(method: str, covariance: str | None, seed: int, *, text: bool) -> Any:
    import lowdim

    if method == "kmeans":
        return lowdim.KMeans(n_init=4, random_state=seed)
    # one-hot columns add up to 1: a full covariance of them is singular
    shape = covariance or ("diag" if text else "full")
    return lowdim.GaussianMixture(covariance_type=shape, n_init=2, random_state=seed)


def _count_name(method: str) -> str:
    return "n_clusters" if method == "kmeans" else "n_components"


def _count_of(rows: Any, model: Any, method: str, seed: int) -> tuple[int, str]:
    """How many clusters the data show, and what to say about it."""
    import lowdim

    first, criterion = (2, "silhouette") if method == "kmeans" else (1, "bic")
    last = min(MOST_CLUSTERS, rows.shape[0] - 1)
    if last <= first:
        return 1, f"-k auto: {rows.shape[0]} rows are too few to choose; one cluster"
    chosen = lowdim.choose_k(
        rows, model, k=range(first, last + 1), criterion=criterion, random_state=seed
    )
    name = {"bic": "BIC", "silhouette": "silhouette"}[criterion]
    return chosen.choice, f"-k auto: {chosen.choice} by {name}, of {first} to {last}"


def _check_count(k: int, n_rows: int) -> None:
    if k > n_rows:
        raise ValueError(
            f"-k {k} is more than the {n_rows} rows of the table; choose at most {n_rows}."
        )
