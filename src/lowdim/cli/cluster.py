"""`lowdim cluster`: find the groups of a table's rows, say what makes them, write their numbers."""

from __future__ import annotations

from typing import Any

import click

from lowdim.cli.options import seed_option
from lowdim.cli.table_verb import TableRequest, table_verb

PLOTS = (".png", ".svg", ".pdf")


class Count(click.ParamType):
    """A number of clusters, or `auto`."""

    name = "count"

    def convert(self, value: Any, param: Any, ctx: Any) -> int | str:
        if value == "auto" or isinstance(value, int):
            return value
        if not value.isdecimal() or int(value) < 1:
            self.fail(f"{value!r} is not a number of clusters, nor 'auto'.", param, ctx)
        return int(value)


METHODS = {
    "kmeans": "KMeans: round clusters of like size",
    "gmm": "GaussianMixture: clusters of any size and shape, with probabilities",
}


@click.command(epilog="Text tables and parquet need pyarrow: pip install 'lowdim[io]'.")
@click.option(
    "-k",
    "--clusters",
    "k",
    type=Count(),
    default="auto",
    show_default=True,
    metavar="K",
    help="How many clusters; 'auto' tries up to 10 and takes the best (kmeans: by silhouette, gmm: "
    "by BIC).",
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
    help="Shape of the clusters of gmm. Default: full; diag if there are categories.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Where to write every row's cluster: .csv, .tsv, .parquet, .xlsx, .npy, ...; '-' is csv "
    "on standard output.",
)
@click.option(
    "--model",
    "model_path",
    metavar="FILE",
    help="Where to save the model, for `lowdim apply`. The name of a method is taken as --method.",
)
@click.option(
    "--plot",
    "plot_path",
    metavar="FILE",
    help="Where to draw the clusters (.png, .svg or .pdf): in the first two principal components, "
    "with ellipses; for kmeans of two columns, with the regions of the centers.",
)
@seed_option
@table_verb()
def cluster(
    request: TableRequest,
    k: int | str,
    method: str,
    output: str | None,
    model_path: str | None,
    plot_path: str | None,
    **settings: Any,
) -> None:
    """Find groups of like rows in TABLE, and say what is high and low in each.

    TABLE is a file (.csv, .xlsx, .parquet, .npy, ...), a folder or pattern of such files, or '-'
    for csv from standard input. Rows with missing values are grouped by what is known of them.

    The clusters are printed with their sizes, the columns whose mean differs most from the whole
    (in standard deviations), and their most typical row. Without -o no labels are written.

    \b
    Examples:
      lowdim cluster data.csv
      lowdim cluster data.csv -k 5 -o labels.csv --plot clusters.png
      lowdim cluster survey.csv --method gmm --id person -o labels.csv --model groups.lowdim
      lowdim apply groups.lowdim new.csv -o new-labels.csv
    """
    from lowdim.cli.row_codes import save_and_write
    from lowdim.tables.writing import check_outputs

    if model_path in METHODS:
        method, model_path = str(model_path), None
    files = {"labels": output, "model": model_path, "plot": plot_path}
    paths = {"output": output, "model": model_path, "plot": plot_path}
    check_outputs(paths, [request.path], {"model": (), "plot": PLOTS})
    table, model, rows = _fitted(request, k, method, **settings)
    save_and_write(request, model, table, output, model_path)
    labels = model.estimator_.predict(rows)
    _draw(plot_path, rows, labels, model)
    if not request.quiet:
        request.show(_summary(table, model, rows, labels, files), output)


def _fitted(
    request: TableRequest, k: int | str, method: str, covariance: str | None, seed: int
) -> tuple[Any, Any, Any]:
    """The table, the model that was fitted to it, and its rows as numbers."""
    from lowdim import TableModel
    from lowdim.tables.codecs import CategoryCodec

    if covariance is not None and method != "gmm":
        raise ValueError(f"--covariance does not go with --method {method}; it goes with gmm.")
    table = request.open()
    encoder = request.fit(table)
    rows = encoder.rows(table)
    # the columns of all levels add up to a constant: a full covariance of them is singular
    levels = any(isinstance(column.codec, CategoryCodec) for column in encoder.columns_)
    estimator = _unfitted(method, covariance or ("diag" if levels else "full"), seed)
    count = _count(request, rows, estimator, k, seed)
    estimator.set_params(**{"n_clusters" if method == "kmeans" else "n_components": count})
    model = TableModel(estimator, encoder=request.encoder())
    return table, model.fit_encoded(table, encoder, rows), rows


def _unfitted(method: str, covariance: str, seed: int) -> Any:
    import lowdim

    if method == "kmeans":
        return lowdim.KMeans(n_init=4, random_state=seed)
    return lowdim.GaussianMixture(covariance_type=covariance, n_init=2, random_state=seed)


def _count(request: TableRequest, rows: Any, estimator: Any, k: int | str, seed: int) -> int:
    """The number of clusters that is asked for."""
    if isinstance(k, str):
        from lowdim.cli.auto import clusters

        k = clusters(request, rows, estimator, seed)
    n = rows.shape[0]
    if k > n:
        raise ValueError(f"-k {k} is more than the {n} rows of the table; choose at most {n}.")
    return k


def _draw(path: str | None, rows: Any, labels: Any, model: Any) -> None:
    from lowdim.cli.cluster_summary import drawn
    from lowdim.core.atomic import replacing

    if path is None:
        return
    figure = drawn(rows, labels, model.estimator_, model.encoder_.encoding_).figure
    with replacing(path) as file:
        figure.savefig(file, format=path.rpartition(".")[2].lower())


def _summary(
    table: Any, model: Any, rows: Any, labels: Any, files: dict[str, str | None]
) -> list[str]:
    from lowdim.cli.cluster_summary import RowNames, model_line, table_of_clusters
    from lowdim.cli.saved_models import row_names
    from lowdim.cli.summary import table_lines, written_lines

    estimator, names = model.estimator_, RowNames(table, row_names(model, table))
    k = getattr(estimator, "n_clusters", None) or estimator.n_components
    return [
        *table_lines(table, model.encoder_),
        model_line(estimator, k),
        *written_lines(files),
        "",
        table_of_clusters(rows, labels, k, model.encoder_.encoding_, names),
    ]
