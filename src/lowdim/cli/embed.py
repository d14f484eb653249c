"""`lowdim embed`: vectors for the words of a text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import click

from lowdim.cli.embed_methods import METHODS, build, warnings_by_option
from lowdim.cli.options import debug_option, quiet_option, seed_option

SPLITS = ("auto", "line", "blank", "file")


@click.command(epilog="Tables of texts need pyarrow, pages bokeh: pip install 'lowdim[report,io]'.")
@click.argument("texts", metavar="TEXT...", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FILE",
    help="Where to write the vectors: .txt or .vec (word2vec's text form), .bin (its binary form), "
    "both also with .gz, or .lowdim.",
)
@click.option(
    "--method",
    type=click.Choice(list(METHODS)),
    default="skipgram",
    show_default=True,
    help="; ".join(f"{name}: {method.about}" for name, method in METHODS.items()) + ".",
)
@click.option(
    "-d",
    "--dimensions",
    type=click.IntRange(min=1),
    default=100,
    show_default=True,
    metavar="N",
    help="Numbers of a vector.",
)
@click.option(
    "--window",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many words to each side are near a word. Default: 5, glove 10.",
)
@click.option(
    "--min-count",
    type=click.IntRange(min=1),
    metavar="N",
    help="Leave out words that are seen fewer times. Default: 5.",
)
@click.option(
    "--epochs",
    type=click.IntRange(min=1),
    metavar="N",
    help="How many times to learn from all of the text; of methods that repeat a step, at most so "
    "many times.",
)
@click.option("--text", metavar="COL", help="The column or field with the texts, of a table.")
@click.option(
    "--split",
    type=click.Choice(SPLITS),
    default="auto",
    show_default=True,
    help="Where a window ends in a text file: at a line, at blank lines, or at the file's end.",
)
@click.option("--encoding", default="utf-8", show_default=True, help="Of text files.")
@click.option("--page", metavar="FILE", help="Also write a page about the vectors: words.html.")
@seed_option
@quiet_option
@debug_option
def embed(
    texts: tuple[str, ...],
    output: str,
    method: str,
    text: str | None,
    split: str,
    encoding: str,
    page: str | None,
    seed: int,
    quiet: bool,
    **options: Any,
) -> None:
    """Learn vectors for the words of TEXT: words that are used alike get vectors alike.

    TEXT is a file (.txt, .md, .jsonl, .csv, .tsv, .parquet; text also with .gz), a folder or a
    pattern of such files; there may be several. Words are runs of letters and digits, in lower
    case.

    \b
    Examples:
      lowdim embed letters/ -o vectors.txt
      lowdim embed wiki.txt.gz -o vectors.bin --method cbow -d 200 --epochs 3
      lowdim embed news.jsonl --text body -o vectors.lowdim --method pmi --page words.html
      lowdim similar vectors.txt king
    """
    import os
    import time

    import lowdim
    from lowdim.cli.vector_files import check_vector_outputs, write_vectors

    check_vector_outputs({"output": output}, {"page": page}, texts)
    model = build(method, seed, options)
    files = _files(texts)
    with lowdim.config_context(progress=False if quiet else None):
        began = time.perf_counter()
        with warnings_by_option(method):
            model.fit(_documents(files, text=text, split=split, encoding=encoding))
        seconds = time.perf_counter() - began
        write_vectors(model.wv, output)
        if page is not None:
            name = os.path.basename(output)
            lowdim.words(model.wv, name=name, random_state=seed).save(page)
    if not quiet:
        written = {"vectors": output, "page": page}
        click.echo("\n".join(_lines(model, files, seconds, written)))


def _files(texts: Sequence[str]) -> list[str]:
    """The files and folders that were named, patterns resolved."""
    import os
    from glob import glob, has_magic

    from lowdim.tables.errors import TableError, plain

    found: list[str] = []
    for one in texts:
        some = [one]
        if not os.path.exists(one) and has_magic(one):
            some = sorted(glob(one, recursive=True))
        if not some or not os.path.exists(some[0]):
            raise TableError(f"There is no file {plain(one, 200)}.")
        found += some
    return found


def _documents(files: Sequence[str], **form: Any) -> Iterator[str]:
    """The documents of all files, one after the other, each once."""
    from lowdim.core.progress import watch
    from lowdim.text.corpus import corpus

    opened = [corpus(path, decode_error="replace", max_characters=None, **form) for path in files]
    n = 0
    with watch("reading") as bar:
        for part in opened:
            for document in part:
                n += 1
                bar.update(n, "documents")
                yield document


def _lines(
    model: Any, files: Sequence[str], seconds: float, written: dict[str, str | None]
) -> list[str]:
    from lowdim.cli.summary import line, written_lines
    from lowdim.tables.errors import plain

    vectors = model.wv
    n, d = vectors.vectors.shape
    name = plain(files[0], 200) if len(files) == 1 else f"{len(files)} files"
    total = "" if vectors.counts is None else f", seen {int(vectors.counts.sum()):,} times"
    return [
        line("text", f"{name}: {n:,} different words{total}"),
        line("method", f"{type(model).__name__}, {d} dimensions, {seconds:.1f} s"),
        *written_lines(written),
    ]
