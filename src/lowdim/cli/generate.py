"""`lowdim generate`: new rows like those of a table, new images, more text."""

from __future__ import annotations

from typing import Any

import click

from lowdim.cli.generated_images import ARRAYS, PICTURES, Shape
from lowdim.cli.generated_images import METHODS as OF_IMAGES
from lowdim.cli.generated_text import TextWish
from lowdim.cli.generators import METHODS, NAMES
from lowdim.cli.options import seed_option
from lowdim.cli.table_verb import TableRequest, table_verb

PAGES = (".html", ".htm")
ROWS = 1000  # that are drawn from a model that does not know how many it learned from


class Given(click.ParamType):
    """A column and a value: group=north."""

    name = "given"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, str]:
        if isinstance(value, tuple):
            return value
        column, is_there, level = value.partition("=")
        if not is_there or not column.strip() or not level.strip():
            self.fail(f"{value!r} is not a column and a value, such as group=north.", param, ctx)
        return column.strip(), level.strip()


@click.command(epilog="Text tables and parquet need pyarrow: pip install 'lowdim[io]'.")
@click.option(
    "-n",
    "--rows",
    "n",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many rows, images or texts. Default: as many rows as the table has, 64 images, 1 "
    "text.",
)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    help="Where to write the rows: .csv, .tsv, .xlsx, .parquet, ..., or .npy if all columns are "
    "numbers; '-' is csv on standard output. Of images: .png, ... for a wall of them beside real "
    "ones, .npz or .npy for arrays. Of text: .txt; without it, standard output.",
)
@click.option(
    "--method",
    type=click.Choice(["auto", *dict.fromkeys((*NAMES, *OF_IMAGES))]),
    default="auto",
    show_default=True,
    help="auto: the one whose rows are hardest to tell from rows that were held out; "
    + "; ".join(f"{method.name}: {method.says}" for method in METHODS)
    + ". For images: vae, gan, diffusion, or pixelcnn (PixelCNN: pixel by pixel).",
)
@click.option(
    "--holes",
    is_flag=True,
    help="Leave cells empty as in the table: each row gets the empty cells of a row of the table, "
    "drawn at random. Without it all cells are filled that apply.",
)
@click.option(
    "--given",
    type=Given(),
    multiple=True,
    metavar="COL=VALUE",
    help="Only rows with this value of a category, flag or whole number. Can be repeated.",
)
@click.option(
    "--model",
    "model_path",
    metavar="FILE",
    help="Where to save the model, for `lowdim generate FILE` and `lowdim apply`.",
)
@click.option(
    "--page",
    metavar="FILE",
    help="Where to write a page with drawn and real ones beside each other, and how good they are: "
    "one .html file that needs no network.",
)
@click.option(
    "--prompt", metavar="TEXT", help="TABLE is a text: write more of it, beginning with this."
)
@click.option(
    "--length",
    type=click.IntRange(min=1),
    metavar="N",
    help="TABLE is a text: so many characters after the prompt. Default: 300.",
)
@click.option(
    "--temperature",
    type=click.FloatRange(min=0.0),
    metavar="T",
    help="Of text: below 1 likely characters come more often, 0 takes the likeliest. Default: 1.",
)
@click.option(
    "--steps",
    type=click.IntRange(min=1),
    metavar="N",
    help="Of text: steps of learning, about 0.1 s each; more write better. Default: 1000.",
)
@click.option(
    "--image-shape",
    type=Shape(),
    metavar="HxW",
    help="Each row of an .npy or .npz file is an image of this shape: 28x28, or 32x32x3. Arrays of "
    "three or four dimensions are images anyway.",
)
@seed_option
@table_verb(fill_all=True)
def generate(
    request: TableRequest,
    n: int | None,
    output: str | None,
    method: str,
    holes: bool,
    given: tuple[tuple[str, str], ...],
    model_path: str | None,
    page: str | None,
    prompt: str | None,
    length: int | None,
    temperature: float | None,
    steps: int | None,
    image_shape: tuple[int, ...] | None,
    seed: int,
) -> None:
    """Draw new rows like those of TABLE; or new images, more text, or from a saved model.

    TABLE is a file (.csv, .xlsx, .parquet, .npy, ...), a folder or pattern of such files, '-' for
    csv from standard input; a file of images (.npz, .npy), a text (.txt, .md), or a model that
    --model of this verb or of `lowdim complete` saved.

    The rows have the columns of the table in their order, and such values as these have: whole
    numbers, as many decimals, categories that were seen, dates. Names of rows, remarks and other
    text are left out. Rows are drawn from a model, so none is a row of the table but by chance; of
    a table with few different rows many are. The same seed gives the same rows.

    Without -o no rows are written: the summary is printed, to look first.

    \b
    Examples:
      lowdim generate data.csv -n 1000 -o synthetic.csv
      lowdim generate survey.csv --holes --given region=north -o synthetic.csv
      lowdim generate data.csv --method transformer --page page.html -o synthetic.csv
      lowdim generate data.csv --method mixture --model m.lowdim -o synthetic.parquet
      lowdim generate m.lowdim -n 100 --seed 1 -o more.csv
      lowdim generate corpus.txt --prompt "ROMEO:" --length 300 -n 3
      lowdim generate images.npz -o grid.png
    """
    wish = TextWish(prompt, length, temperature, steps)
    kind, model = _kind(request.path, wish, image_shape)
    files = {KINDS[kind]: output, "model": model_path, "page": page}
    _check_files(kind, output, model_path, page, request.path)
    options = {"--holes": holes, "--given": bool(given), "--method": method != "auto"}
    _check_options(kind, options, model is not None, model_path, wish, image_shape, method)
    if kind == "text":
        from lowdim.cli.generated_text import generate_text

        generate_text(request, model, wish, n, seed, files)
    elif kind == "images":
        from lowdim.cli.generated_images import generate_images

        generate_images(request, model, method, image_shape, n, seed, files)
    else:
        _generate_rows(request, model, method, holes, dict(given), n, seed, files)


KINDS = {"table": "rows", "images": "images", "text": "texts"}  # and what is drawn of them


def _kind(path: str, wish: TextWish, shape: tuple[int, ...] | None) -> tuple[str, Any]:
    """What TABLE is, and the model in it, if it is one."""
    from lowdim.cli.generated_images import holds_images
    from lowdim.cli.generated_text import is_prose
    from lowdim.cli.saved_models import holds_model

    if holds_model(path):
        import lowdim

        model = lowdim.load(path)
        if getattr(model, "tokens_", "numbers") != "numbers":
            return "text", model
        return ("table" if getattr(model, "image_shape", None) is None else "images"), model
    if holds_images(path, shape):
        return "images", None
    return ("text" if wish.said or is_prose(path) else "table"), None


def _check_files(
    kind: str, output: str | None, model_path: str | None, page: str | None, path: str
) -> None:
    from lowdim.tables.writing import check_outputs

    endings: dict[str, Any] = {"model": (), "page": PAGES}
    if kind != "table":
        endings["output"] = (*PICTURES, *ARRAYS) if kind == "images" else ()
    check_outputs({"output": output, "model": model_path, "page": page}, [path], endings)


def _check_options(
    kind: str,
    options: dict[str, bool],
    is_model: bool,
    model_path: str | None,
    wish: TextWish,
    shape: tuple[int, ...] | None,
    method: str,
) -> None:
    """Raise if an option does not go with what TABLE is."""
    if kind != "images":
        if shape is not None:
            raise ValueError("--image-shape goes with images in an .npy or .npz file.")
        if kind == "table" and method not in ("auto", *NAMES):
            raise ValueError(f"--method {method} goes with images.")
    if kind != "text" and wish.said:
        raise ValueError("--prompt, --length, --temperature and --steps go with a text.")
    if kind == "images" and method not in ("auto", *OF_IMAGES):
        raise ValueError(
            f"--method {method} goes with a table; for images: {', '.join(OF_IMAGES)}."
        )
    for option in ("--holes", "--given", "--method"):
        fits = kind == "table" or (kind == "images" and option == "--method")
        if options[option] and not fits:
            raise ValueError(f"{option} goes with a table, not with {KINDS[kind]}.")
    if is_model:
        _check_options_of_models(method, options["--holes"], model_path)


def _generate_rows(
    request: TableRequest,
    model: Any,
    method: str,
    holes: bool,
    given: dict[str, str],
    n: int | None,
    seed: int,
    files: dict[str, str | None],
) -> None:
    from lowdim.cli.drawn_rows import check_given, write_drawn

    if model is not None:
        _check_no_page_of_models(files["page"])
        model, lines, patterns, table = *_loaded(request), None, None
    else:
        if files["page"] is not None and n is not None:
            _check_enough_for_page(n, "what is drawn")
        model, lines, patterns, table = _fitted(request, method, holes, given, seed, files["page"])
    check_given(model.encoder_.encoding_, given, request.path)
    if files["model"] is not None:
        model.save(files["model"])
    n = n or getattr(model.encoder_, "n_rows_seen_", None) or ROWS
    output, fill_all = files["rows"], bool(model.encoder_.fill_not_applicable)
    if output is not None:
        write_drawn(model, n, output, seed, given=given, patterns=patterns, fill_all=fill_all)
    if files["page"] is not None:
        _write_page(request, model, table, n, seed, given, files["page"])
    request.show([*lines, *_drawn_lines(model, n, output, given, files)], output)


def _write_page(
    request: TableRequest,
    model: Any,
    table: Any,
    n: int,
    seed: int,
    given: dict[str, str],
    path: str,
) -> None:
    """The page of as many rows as are looked at, the first of those that are written."""
    import lowdim
    from lowdim.cli.drawn_rows import drawn_frame
    from lowdim.cli.generators import ON_PAGE

    fill_all = bool(model.encoder_.fill_not_applicable)
    drawn = drawn_frame(model, min(n, ON_PAGE), seed, given, fill_all)
    encoder = request.encoder().fit(table)
    report = lowdim.sample_page(table, drawn, name=request.path, encoder=encoder, random_state=seed)
    report.save(path)
    found: Any = report.findings
    told = found.quality.c2st
    request.say(f"--page: a discriminator tells {told:.3f} of the rows right (0.5 is best)")


def _check_enough_for_page(n: int, where: str) -> None:
    from lowdim.selection.samples.input import LEAST_ROWS

    if n < LEAST_ROWS:
        raise ValueError(
            f"--page compares {LEAST_ROWS} rows or more, and {where} has {n}; leave --page out."
        )


def _check_no_page_of_models(page: str | None) -> None:
    if page is not None:
        raise ValueError("--page goes with a table: a saved model has no real rows to show.")


def _check_options_of_models(method: str, holes: bool, model_path: str | None) -> None:
    if method != "auto":
        raise ValueError(f"--method {method} goes with a table; a saved model is what it is.")
    if holes:
        raise ValueError("--holes goes with a table; a saved model does not know its empty cells.")
    if model_path is not None:
        raise ValueError("--model goes with a table; the model is saved already.")


def _loaded(request: TableRequest) -> tuple[Any, list[str]]:
    from lowdim.cli.drawn_rows import check_draws
    from lowdim.cli.saved_models import CODES, load_table_model
    from lowdim.cli.summary import line
    from lowdim.tables.errors import plain

    model = load_table_model(request.path, (*CODES, "sample"))
    where = plain(request.path, 200)
    check_draws(model, where)
    return model, [line("from", where), line("method", type(model.estimator_).__name__)]


def _fitted(
    request: TableRequest,
    name: str,
    holes: bool,
    given: dict[str, str],
    seed: int,
    page: str | None,
) -> tuple[Any, list[str], Any, Any]:
    """A model of the table, what to say of it, where it is empty if that is asked, and itself."""
    from lowdim.cli.drawn_rows import check_given
    from lowdim.cli.generators import Material, best_method, named
    from lowdim.cli.summary import line, table_lines
    from lowdim.tables.errors import TableError
    from lowdim.tables.filling import empty_patterns

    method = None if name == "auto" else named(name)
    table = request.open()
    if table.is_sparse:
        raise TableError(f"{table.where} is a sparse matrix; give a table of columns.")
    encoder = request.fit(table)
    check_given(encoder.encoding_, given, table.where)
    if page is not None:
        _check_enough_for_page(encoder.n_rows_seen_, table.where)
    material = Material(request, table, encoder, seed)
    if method is None:
        method = best_method(material)
    material.check(method)
    model = material.fit(method)
    patterns = empty_patterns(model.encoder_.encoding_, encoder.origin_, table) if holes else None
    lines = [*table_lines(table, encoder), line("method", type(model.estimator_).__name__)]
    return model, lines, patterns, table


def _drawn_lines(
    model: Any, n: int, output: str | None, given: dict[str, str], files: dict[str, str | None]
) -> list[str]:
    from lowdim.cli.summary import line, written_lines
    from lowdim.tables.errors import plain

    asked = ", ".join(f"{plain(name)}={plain(value)}" for name, value in given.items())
    what = f"{n} rows" if output is not None else f"{n} rows to draw"
    return [line("drawn", what + (f" with {asked}" if asked else "")), *written_lines(files)]
