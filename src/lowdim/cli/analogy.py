"""`lowdim analogy`: A is to B as C is to what?"""

from __future__ import annotations

import click

from lowdim.cli.options import debug_option, quiet_option

METHODS = ("3cosadd", "3cosmul", "pair")


@click.command()
@click.argument("path", metavar="VECTORS")
@click.argument("words", metavar="[A B C]", nargs=-1)
@click.option(
    "--questions",
    metavar="FILE",
    help="Answer all questions of a file: lines of four words, ': name' begins a section, as in "
    "questions-words.txt; also .gz.",
)
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default="3cosadd",
    show_default=True,
    help="The word nearest to B - A + C; that of the largest product of cosines; that whose "
    "difference from C is most like B - A.",
)
@click.option(
    "-n", "n", type=click.IntRange(min=1), default=5, show_default=True, help="How many answers."
)
@quiet_option
@debug_option
def analogy(
    path: str,
    words: tuple[str, ...],
    questions: str | None,
    method: str,
    n: int,
    quiet: bool,
) -> None:
    """Answer by VECTORS: A is to B as C is to what?

    VECTORS is a file of word vectors, as for `lowdim similar`. With --questions, print how many
    questions of each section are answered rightly; those with a word that is not known are not
    asked.

    \b
    Examples:
      lowdim analogy vectors.txt man king woman
      lowdim analogy vectors.txt france paris italy --method 3cosmul -n 3
      lowdim analogy vectors.txt --questions questions-words.txt
    """
    import lowdim
    from lowdim.cli.vector_files import known_words, read_vectors
    from lowdim.cli.word_tables import accuracies, answers
    from lowdim.report.words.questions import accuracy, questions_of

    if (len(words) != 3) if questions is None else bool(words):
        raise click.UsageError("Give three words, or --questions FILE.")
    if questions is not None:
        if method != "3cosadd":
            raise click.UsageError("--questions are answered by 3cosadd, as everybody does.")
        asked = questions_of(questions)
        with lowdim.config_context(progress=False if quiet else None):
            click.echo(accuracies(accuracy(read_vectors(path), asked)))
        return
    vectors = read_vectors(path)
    with known_words(path):
        found = vectors.analogy(*words, topn=n, method=method)
    click.echo(answers(found, "cosine" if method == "3cosadd" else "score"))
