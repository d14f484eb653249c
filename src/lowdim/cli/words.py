"""`lowdim words`: one page about word vectors."""

from __future__ import annotations

import click

from lowdim.cli.options import debug_option, quiet_option, seed_option

ALIGN = ("auto", "alike", "none")


@click.command(epilog="It needs bokeh: pip install 'lowdim[report]'.")
@click.argument("path", metavar="VECTORS")
@click.option(
    "-o",
    "--output",
    default="words.html",
    show_default=True,
    metavar="FILE",
    help="Where to write the page.",
)
@click.option(
    "--questions", metavar="FILE", help="Analogies in Google's form, to be answered; also .gz."
)
@click.option(
    "--against",
    metavar="VECTORS",
    help="Vectors of another language or corpus, for one map of both.",
)
@click.option(
    "--align",
    type=click.Choice(ALIGN),
    default="auto",
    show_default=True,
    help="How the two come into one space: by words written alike; not at all, since they are; "
    "auto looks whether they are.",
)
@click.option(
    "--words",
    "n_words",
    type=click.IntRange(min=1),
    default=5000,
    show_default=True,
    metavar="N",
    help="How many words the map has: the commonest.",
)
@seed_option
@quiet_option
@debug_option
def words(
    path: str,
    output: str,
    questions: str | None,
    against: str | None,
    align: str,
    n_words: int,
    seed: int,
    quiet: bool,
) -> None:
    """Write a page about the word vectors of a file.

    VECTORS is a file of word2vec's text (.txt, .vec) or binary form (.bin), also with .gz, of
    GloVe's, or one that lowdim wrote (.lowdim). The page has a map of the words, the nearest words
    of each, clusters, analogies as arrows, and how many questions are answered rightly. It is one
    file that works without a network.

    \b
    Examples:
      lowdim words vectors.txt -o words.html
      lowdim words vectors.bin --questions questions-words.txt -o words.html
      lowdim words french.vec --against english.vec -o both.html
    """
    import lowdim
    from lowdim.cli.summary import written_lines
    from lowdim.cli.vector_files import check_vector_outputs

    check_vector_outputs({}, {"output": output}, [path, questions, against])
    with lowdim.config_context(progress=False if quiet else None):
        report = lowdim.words(
            path,
            questions=questions,
            against=against,
            align=align,
            n_words=n_words,
            random_state=seed,
        )
        report.save(output)
    if not quiet:
        click.echo("\n".join([repr(report), *written_lines({"page": output})]))
