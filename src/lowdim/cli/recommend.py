"""`lowdim recommend`: what users would like, from a table of what they rated."""

from __future__ import annotations

from typing import Any

import click

from lowdim.cli.options import csv_options, debug_option, quiet_option, seed_option

MODEL_FILE = ".lowdim"


@click.command(epilog="Text tables and parquet need pyarrow: pip install 'lowdim[io]'.")
@click.argument("ratings", metavar="RATINGS")
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
    help="Where to write the recommendations: .csv, .tsv or .parquet; '-' is csv on standard "
    "output. By default they are printed.",
)
@click.option(
    "--model",
    "model_path",
    metavar="FILE",
    help=f"Where to save the recommender; a name that ends in {MODEL_FILE} can then be given as "
    "RATINGS.",
)
@seed_option
@csv_options
@quiet_option
@debug_option
def recommend(
    ratings: str,
    users: tuple[str, ...],
    everyone: bool,
    item: str | None,
    n: int,
    evaluate: bool,
    split: str,
    test_size: float,
    titles_path: str | None,
    seen: bool,
    output: str | None,
    model_path: str | None,
    seed: int,
    quiet: bool,
    **others: Any,
) -> None:
    """Recommend items to users, from RATINGS: a table with a line for each rating.

    RATINGS is a .csv, .tsv or .parquet file with columns of users, items and, if there are,
    ratings and times; '-' reads csv from standard input. Without ratings it is learned who has
    seen what. Ids are taken as they are written.

    \b
    Examples:
      lowdim recommend ratings.csv --user 42 -n 10
      lowdim recommend ratings.csv --user 42 --titles movies.csv
      lowdim recommend ratings.csv --evaluate --split time
      lowdim recommend ratings.csv --all -o recommendations.csv --model r.lowdim
      lowdim recommend r.lowdim --similar-to 50
    """
    import lowdim
    from lowdim.cli.rating_tables import ColumnNames, read_titles, read_triplets
    from lowdim.cli.writing import check_output
    from lowdim.tables.files import CsvFormat

    wishes = [bool(users), everyone, item is not None, evaluate]
    if sum(wishes) > 1 or not (any(wishes) or model_path is not None):
        raise click.UsageError("Choose one of --user, --all, --similar-to and --evaluate.")
    check_output(output, ratings, kinds=(".csv", ".tsv", ".parquet"), what="recommendations")
    check_output(model_path, ratings, kinds=())
    names = ColumnNames(
        *(others.pop(f"{what}_column") for what in ("user", "item", "rating", "time", "title"))
    )
    settings = {name: others.pop(name) for name in ("implicit", "components", "penalty")}
    given = {name: others.pop(name) for name in ("unknown", "duplicates")}
    policies = {name: policy for name, policy in given.items() if policy is not None}
    with lowdim.config_context(progress=False if quiet else None):
        if ratings.endswith(MODEL_FILE):
            recommender = _loaded(ratings, evaluate, policies)
        else:
            form = CsvFormat(**others)
            lines = read_triplets(ratings, form, names, use_ratings=not settings["implicit"])
            if titles_path is not None:
                lines = lines._replace(titles=read_titles(titles_path, form, names))
            recommender = _unfitted(lines.rating is None, seed, **settings, **policies)
            if evaluate:
                found = recommender.evaluate(
                    lines, split=split, test_size=test_size, k=n, random_state=seed
                )
                click.echo(str(found))
                return
            recommender.fit(lines)
        if model_path is not None:
            recommender.save(model_path)
        if item is not None:
            table = recommender.similar_items(item, n)
        elif everyone:
            table = recommender.recommend_all(n, exclude_seen=not seen)
        elif users:
            table = recommender.recommend_all(n, users=list(users), exclude_seen=not seen)
        else:
            return
        _write(table, output)


def _loaded(path: str, evaluate: bool, policies: dict[str, str]) -> Any:
    import lowdim

    if evaluate:
        raise ValueError("--evaluate needs the table of ratings, not a saved recommender.")
    recommender = lowdim.load(path)
    if not isinstance(recommender, lowdim.Recommender):
        raise ValueError(f"{path} holds a {type(recommender).__name__}, not a recommender.")
    return recommender.set_params(**policies)


def _unfitted(
    no_ratings: bool,
    seed: int,
    *,
    implicit: bool,
    components: int | None,
    penalty: float | None,
    **policies: str,
) -> Any:
    import lowdim
    from lowdim.completion.recommender import EXPLICIT, IMPLICIT

    given = {"n_components": components, "penalty": penalty, "random_state": seed}
    settings = (IMPLICIT if implicit or no_ratings else EXPLICIT) | {
        name: value for name, value in given.items() if value is not None
    }
    return lowdim.Recommender(lowdim.ALS(**settings), **policies)


def _write(table: Any, output: str | None) -> None:
    if output is None:
        click.echo(table.to_text())
        return
    from lowdim.cli.arrow_files import open_arrow_file

    with open_arrow_file(output) as file:
        file.write(table.to_frame("pyarrow"))
