"""`lowdim recommend`: what users would like, from a table of what they rated."""

from __future__ import annotations

from typing import Any

import click

from lowdim.cli.options import seed_option
from lowdim.cli.table_verb import TableRequest, table_verb

MODEL_FILE = ".lowdim"


@click.command(epilog="Text tables and parquet need pyarrow: pip install 'lowdim[io]'.")
@click.option(
    "--user", "users", multiple=True, metavar="ID", help="For this user. Can be repeated."
)
@click.option("--all", "everyone", is_flag=True, help="For all users; write them with -o.")
@click.option("--similar-to", "item", metavar="ID", help="Items like this one instead.")
@click.option(
    "-n", "n", type=click.IntRange(min=1), default=10, show_default=True, help="How many items."
)
@click.option(
    "--evaluate",
    is_flag=True,
    help="Hold ratings out and say how well they are predicted: errors, and precision, recall, "
    "NDCG, MAP and coverage of the first N recommendations.",
)
@click.option(
    "--split",
    type=click.Choice(["random", "time", "last"]),
    default="random",
    show_default=True,
    help="What --evaluate holds out: ratings at random, the latest, or the latest of each user.",
)
@click.option(
    "--test-size",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.1,
    show_default=True,
    metavar="PART",
    help="Which part --evaluate holds out.",
)
@click.option(
    "--titles",
    "titles_path",
    metavar="FILE",
    help="A table with a column of items and one of titles.",
)
@click.option(
    "--implicit",
    is_flag=True,
    help="Learn from who has seen what; ratings count only if --rating-column names them, as how "
    "often. Taken by itself if there are no ratings.",
)
@click.option("--user-column", metavar="NAME", help="By default user, userId, user_id, ...")
@click.option("--item-column", metavar="NAME", help="By default item, movieId, product_id, ...")
@click.option("--rating-column", metavar="NAME", help="By default rating, stars, score, ...")
@click.option("--time-column", metavar="NAME", help="By default timestamp, time, date, ...")
@click.option("--title-column", metavar="NAME", help="By default title, name, ...")
@click.option(
    "--seen/--not-seen",
    "seen",
    default=False,
    help="Whether to recommend what the user has rated already.",
)
@click.option(
    "--unknown",
    type=click.Choice(["error", "mean", "popular"]),
    help="What an unknown user gets: an error (the default), the items with the best mean, or the "
    "most rated ones.",
)
@click.option(
    "--duplicates",
    type=click.Choice(["error", "mean", "sum", "last"]),
    default="error",
    show_default=True,
    help="If a user has rated an item more than once.",
)
@click.option(
    "-k",
    "--components",
    type=click.IntRange(min=1),
    metavar="K",
    help="Number of factors. Default: 20, implicit 40.",
)
@click.option(
    "--penalty",
    type=click.FloatRange(min=0),
    metavar="X",
    help="Larger: closer to what all users think. Default: 12, implicit 10.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Where to write the recommendations: .csv, .tsv, .parquet, .xlsx, ...; '-' is csv on "
    "standard output. By default they are printed.",
)
@click.option(
    "--model",
    "model_path",
    metavar="FILE",
    help=f"Where to save the recommender; a name that ends in {MODEL_FILE} can then be given as "
    "RATINGS.",
)
@seed_option
@table_verb(metavar="RATINGS", kinds=False, stream=False)
def recommend(
    request: TableRequest,
    titles_path: str | None,
    output: str | None,
    model_path: str | None,
    **options: Any,
) -> None:
    """Recommend items to users, from RATINGS: a table with a line for each rating.

    RATINGS is a file (.csv, .tsv, .xlsx, .parquet, ...) with columns of users, items and, if there
    are, ratings and times; '-' reads csv from standard input. Without ratings it is learned who has
    seen what. Ids are taken as they are written.

    \b
    Examples:
      lowdim recommend ratings.csv --user 42 -n 10
      lowdim recommend ratings.csv --user 42 --titles movies.csv
      lowdim recommend ratings.csv --evaluate --split time
      lowdim recommend ratings.csv --all -o recommendations.csv --model r.lowdim
      lowdim recommend r.lowdim --similar-to 50
    """
    asked = _asked(options)
    if len(asked) > 1 or not (asked or model_path is not None):
        raise click.UsageError("Choose one of --user, --all, --similar-to and --evaluate.")
    _check_files([request.path, titles_path], output, model_path)
    if request.path.endswith(MODEL_FILE):
        recommender = _loaded(request.path, options)
    else:
        recommender, lines = _prepared(request, titles_path, options)
        if options["evaluate"]:
            click.echo(str(_evaluation(recommender, lines, options)))
            return
        recommender.fit(lines)
    if model_path is not None:
        recommender.save(model_path)
    if asked:
        _write(_answer(recommender, options), output)


def _asked(options: dict[str, Any]) -> list[str]:
    """What is wanted: the options that say so."""
    return [name for name in ("users", "everyone", "item", "evaluate") if options[name]]


def _check_files(read: list[str | None], output: str | None, model_path: str | None) -> None:
    from lowdim.tables.writing import WRITABLE, check_outputs

    kinds = [kind for kind in WRITABLE if kind not in (".npy", ".npz")]  # ids are text
    check_outputs({"output": output, "model": model_path}, read, {"output": kinds, "model": ()})


def _policies(options: dict[str, Any]) -> dict[str, str]:
    """What to do with unknown users and ratings that come twice, where the user says it."""
    return {name: options[name] for name in ("unknown", "duplicates") if options[name] is not None}


def _loaded(path: str, options: dict[str, Any]) -> Any:
    import lowdim

    if options["evaluate"]:
        raise ValueError("--evaluate needs the table of ratings, not a saved recommender.")
    recommender = lowdim.load(path)
    if not isinstance(recommender, lowdim.Recommender):
        raise ValueError(f"{path} holds a {type(recommender).__name__}, not a recommender.")
    return recommender.set_params(**_policies(options))


def _prepared(
    request: TableRequest, titles_path: str | None, options: dict[str, Any]
) -> tuple[Any, Any]:
    """A recommender that is not yet fitted, and the ratings."""
    from lowdim.cli.rating_tables import ColumnNames, read_titles, read_triplets

    kinds = ("user", "item", "rating", "time", "title")
    names = ColumnNames(*(options[f"{kind}_column"] for kind in kinds))
    lines = read_triplets(request, names, use_ratings=not options["implicit"])
    if titles_path is not None:
        lines = lines._replace(titles=read_titles(request, titles_path, names))
    return _unfitted(lines.rating is None, options), lines


def _unfitted(no_ratings: bool, options: dict[str, Any]) -> Any:
    import lowdim
    from lowdim.completion.recommender.estimator import EXPLICIT, IMPLICIT

    given = {
        "n_components": options["components"],
        "penalty": options["penalty"],
        "random_state": options["seed"],
    }
    settings = (IMPLICIT if options["implicit"] or no_ratings else EXPLICIT) | {
        name: value for name, value in given.items() if value is not None
    }
    return lowdim.Recommender(lowdim.ALS(**settings), **_policies(options))


def _evaluation(recommender: Any, lines: Any, options: dict[str, Any]) -> Any:
    return recommender.evaluate(
        lines,
        split=options["split"],
        test_size=options["test_size"],
        k=options["n"],
        random_state=options["seed"],
    )


def _answer(recommender: Any, options: dict[str, Any]) -> Any:
    """The table of recommendations, or of similar items."""
    n = options["n"]
    if options["item"] is not None:
        return recommender.similar_items(options["item"], n)
    users = {} if options["everyone"] else {"users": list(options["users"])}
    return recommender.recommend_all(n, exclude_seen=not options["seen"], **users)


def _write(table: Any, output: str | None) -> None:
    from lowdim.tables.writing import write_table

    if output is None:
        click.echo(table.to_text())
    else:
        write_table(table.to_frame("pyarrow"), output)
