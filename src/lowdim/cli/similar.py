"""`lowdim similar`: the words nearest to a word, or to a sum of words."""

from __future__ import annotations

import click

from lowdim.cli.options import debug_option


@click.command()
@click.argument("path", metavar="VECTORS")
@click.argument("words", metavar="WORD...", nargs=-1)
@click.option("--minus", multiple=True, metavar="WORD", help="Taken away. Can be repeated.")
@click.option(
    "-n", "n", type=click.IntRange(min=1), default=10, show_default=True, help="How many words."
)
@debug_option
def similar(path: str, words: tuple[str, ...], minus: tuple[str, ...], n: int) -> None:
    """Print the words of VECTORS nearest to WORD, or to the sum of several.

    VECTORS is a file of word2vec's text (.txt, .vec) or binary form (.bin), also with .gz, of
    GloVe's, or one that lowdim wrote (.lowdim). How near words are is the cosine of the angle
    between their vectors, at most 1.

    \b
    Examples:
      lowdim similar vectors.txt king
      lowdim similar vectors.txt paris italy --minus france
      lowdim similar vectors.bin river water -n 20
    """
    from lowdim.cli.vector_files import known_words, read_vectors
    from lowdim.cli.word_tables import answers

    if not (words or minus):
        raise click.UsageError("Name a word.")
    vectors = read_vectors(path)
    with known_words(path):
        found = vectors.most_similar(positive=list(words), negative=list(minus), topn=n)
    click.echo(answers(found, "cosine"))
