"""`lowdim align`: the vectors of one language or corpus in the space of another."""

from __future__ import annotations

from typing import Any

import click

from lowdim.cli.options import debug_option, quiet_option


@click.command()
@click.argument("source", metavar="SOURCE")
@click.argument("target", metavar="TARGET")
@click.argument("pairs", metavar="[PAIRS]", required=False)
@click.option(
    "-o",
    "--output",
    required=True,
    metavar="FILE",
    help="Where to write the vectors of SOURCE, turned: .txt, .vec or .bin, also with .gz, or "
    ".lowdim.",
)
@click.option(
    "--swap",
    is_flag=True,
    help="PAIRS and --test have the words of TARGET first, then those of SOURCE.",
)
@click.option(
    "--test",
    metavar="FILE",
    help="Pairs like PAIRS, of which to say how many are found: keep them out of PAIRS.",
)
@click.option(
    "--refine",
    type=click.IntRange(min=0),
    default=0,
    show_default=True,
    metavar="N",
    help="N times, words that are nearest to each other become pairs, too.",
)
@quiet_option
@debug_option
def align(
    source: str,
    target: str,
    pairs: str | None,
    output: str,
    swap: bool,
    test: str | None,
    refine: int,
    quiet: bool,
) -> None:
    """Turn the vectors of SOURCE so that words lie near their partners in TARGET.

    SOURCE and TARGET are files of word vectors, as for `lowdim similar`. PAIRS has a word of SOURCE
    and one of TARGET on each line (.csv, or with a tab or a blank between; also .gz); a word may
    stand on several. Pairs with a word that has no vector are left out. Without PAIRS, words that
    are written alike are pairs.

    \b
    Examples:
      lowdim align french.vec english.vec fr-en.csv -o french-in-english.vec
      lowdim align french.vec english.vec train.csv --test test.csv -o f.lowdim --refine 3
      lowdim align brown.txt wikipedia.txt -o brown-in-wikipedia.txt
      lowdim words french-in-english.vec --against english.vec -o both.html
    """
    import lowdim
    from lowdim.cli.vector_files import check_vector_outputs, read_vectors, write_vectors

    check_vector_outputs({"output": output}, {}, [source, target, pairs, test])
    given = None if pairs is None else _pairs(pairs, swap)
    asked = None if test is None else _pairs(test, swap)
    with lowdim.config_context(progress=False if quiet else None):
        found = lowdim.text.align(read_vectors(source), read_vectors(target), given, refine=refine)
        write_vectors(found.transform(), output)
        score = None if asked is None else found.evaluate(asked)
    if not quiet:
        click.echo("\n".join(_lines(found, score, output)))


def _pairs(path: str, swap: bool) -> list[tuple[str, str]]:
    import lowdim
    from lowdim.tables.errors import TableError, plain

    pairs = lowdim.datasets.load_dictionary(path)
    if not pairs:
        raise TableError(f"{plain(path, 200)} has no pairs of words.")
    return [(b, a) for a, b in pairs] if swap else pairs


def _lines(found: Any, score: dict[int, float] | None, output: str) -> list[str]:
    from lowdim.cli.summary import line, written_lines
    from lowdim.cli.word_tables import precisions

    lines = [line("pairs", f"{len(found.pairs_):,}"), *written_lines({"vectors": output})]
    return lines if score is None else [*lines, precisions(score)]
