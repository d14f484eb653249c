"""`lowdim topics`: one page about the topics of a corpus."""

from __future__ import annotations

from typing import Any

import click

from lowdim.cli.options import debug_option, quiet_option, seed_option

PAGES = (".html", ".htm")
SPLITS = ("auto", "line", "blank", "file")


class TopicCount(click.ParamType):
    """A number of topics, or `auto`."""

    name = "count"

    def convert(self, value: Any, param: Any, ctx: Any) -> int | str:
        if value == "auto" or isinstance(value, int):
            return value
        if not value.isdecimal() or int(value) < 1:
            self.fail(f"{value!r} is not a number of topics, at least 1, nor 'auto'.", param, ctx)
        return int(value)


@click.command(
    epilog="It needs bokeh and pyarrow: pip install 'lowdim[report,io]'. Stems and stop words of "
    "languages other than English need 'lowdim[text]'."
)
@click.argument("corpus", metavar="CORPUS")
@click.option(
    "-o",
    "--output",
    default="topics.html",
    show_default=True,
    metavar="FILE",
    help="Where to write the page.",
)
@click.option(
    "-k",
    "--topics",
    "k",
    type=TopicCount(),
    default="auto",
    show_default=True,
    metavar="N|auto",
    help="Number of topics; 'auto' takes as many as predict held-out words best.",
)
@click.option("--text", metavar="COL", help="The column or field with the texts.")
@click.option("--id", "id_column", metavar="COL", help="The column that names the documents.")
@click.option("--label", metavar="COL", help="A column to hold the topics against.")
@click.option("--time", metavar="COL", help="A column of dates or years.")
@click.option(
    "--method",
    type=click.Choice(["lda", "plsa", "nmf"]),
    default="lda",
    show_default=True,
    help="Latent Dirichlet allocation, probabilistic LSA, or NMF with the Kullback-Leibler loss.",
)
@click.option(
    "--language",
    default="auto",
    show_default=True,
    metavar="NAME",
    help="Whose stop words are left out: english, or a code such as de; 'none' leaves none out.",
)
@click.option("--stem", is_flag=True, help="Count stems instead of words.")
@click.option(
    "--ngrams",
    type=click.IntRange(min=1, max=5),
    default=1,
    show_default=True,
    metavar="N",
    help="Up to so many words in a row count as terms.",
)
@click.option(
    "--sample",
    type=click.IntRange(min=4),
    metavar="N",
    help="Look at N documents, drawn at random, instead of all.",
)
@click.option(
    "--split",
    type=click.Choice(SPLITS),
    default="auto",
    show_default=True,
    help="What a document is in a text file: a line, lines between blank ones, or the file.",
)
@click.option("--encoding", default="utf-8", show_default=True, help="Of text files.")
@click.option(
    "--model", "model_path", metavar="FILE", help="Where to save the model, for `lowdim apply`."
)
@click.option(
    "--documents",
    metavar="FILE",
    help="Where to write the shares of topics in each document: .csv, .parquet, ...",
)
@click.option("--words", metavar="FILE", help="Where to write the words of each topic.")
@seed_option
@quiet_option
@debug_option
def topics(
    corpus: str,
    output: str,
    model_path: str | None,
    documents: str | None,
    words: str | None,
    quiet: bool,
    **wishes: Any,
) -> None:
    """Find the topics of CORPUS and write a page about them.

    CORPUS is a folder of texts, or a file: .txt, .md, .jsonl (also .gz), .csv, .tsv, .parquet. What
    the topics are, how many there are, which documents are typical of each and which are odd, how
    topics go with a label and change over time. The page is one file that works without a network.

    \b
    Examples:
      lowdim topics letters/ -o page.html
      lowdim topics news.jsonl --text body --time date --label section -k 30
      lowdim topics news.jsonl --model m.lowdim --documents shares.csv --words words.csv
      lowdim apply m.lowdim new.jsonl -o shares.csv
    """
    import lowdim
    from lowdim.tables.writing import check_outputs

    outputs = {"output": output, "model": model_path, "documents": documents, "words": words}
    check_outputs(outputs, [corpus], {"output": PAGES, "model": ()})
    seed, id_column = wishes.pop("seed"), wishes.pop("id_column")
    with lowdim.config_context(progress=False if quiet else None):
        report = lowdim.topics(corpus, id=id_column, random_state=seed, **wishes)
        report.save(output)
        if model_path is not None:
            report.model.save(model_path)
        if words is not None:
            report.save_words(words)
        if documents is not None:
            form = {name: wishes[name] for name in ("text", "split", "encoding")}
            _write_documents(report, corpus, documents, id=id_column, **form)
    if not quiet:
        written = {"page": output, "model": model_path, "shares": documents, "words": words}
        click.echo("\n".join(_lines(report, written)), err="-" in (documents, words))


def _write_documents(report: Any, path: str, output: str, **form: Any) -> None:
    """The shares of all documents: those of the page, or of the whole corpus read once more."""
    from lowdim.cli.shares import corpus_of, write_shares

    if report.findings.reading.numbers is None:
        report.save_documents(output)
    else:
        write_shares(report.model, corpus_of(path, **form), output)


def _lines(report: Any, written: dict[str, str | None]) -> list[str]:
    from lowdim.cli.summary import written_lines
    from lowdim.tables.errors import plain

    lines = [repr(report)]
    for topic in report.findings.topics:
        words = plain(", ".join(topic.words), 70)
        lines.append(f"{topic.number + 1:>4}  {topic.share:>6.1%}  {words}")
    return [*lines, *written_lines(written)]
