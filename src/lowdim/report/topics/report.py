"""`lowdim.topics`: from a corpus to a page about its topics."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from lowdim.core.threads import single_threaded_blas
from lowdim.core.validation import check_at_least, check_choice
from lowdim.report.page.report import PageReport
from lowdim.report.topics.findings import Findings, Wishes, find
from lowdim.report.topics.reading import LEAST_DOCUMENTS, read_documents
from lowdim.report.topics.script import Source, script
from lowdim.selection.topic_model import (
    METHODS,
    TopicModel,
    relevance_order,
    topics_of_terms,
)
from lowdim.tables.writing import check_outputs, write_table
from lowdim.text.corpus import Corpus

WORDS = 50  # of each topic in the table of words
RELEVANCE = 0.6


@dataclass(frozen=True)
class TopicsReport(PageReport):
    """What was found in a corpus, as a page.

    Attributes
    ----------
    findings : Findings
        The topics and their documents as plain data: `findings.topics`, `findings.shares`,
        `findings.duplicates`, `findings.odd.documents`, ...
    script : str
        A Python script that gives the topics again.
    """

    findings: Findings
    script: str
    seed: int

    frame_title = "lowdim topics"

    @property
    def model(self) -> TopicModel:
        """The model: texts in, shares of topics out."""
        return self.findings.model

    def _make_html(self) -> str:
        from lowdim.report.topics.page import page

        return page(self.findings, self.script, self.seed)

    def show(self) -> Path:
        """Open the page in a browser; returns the file, which is a temporary one."""
        import tempfile
        import webbrowser

        folder = Path(tempfile.mkdtemp(prefix="lowdim-"))
        self.save(folder / "topics.html")
        webbrowser.open((folder / "topics.html").as_uri())
        return folder / "topics.html"

    def save_words(self, path: str | os.PathLike[str]) -> None:
        """Write the words of the topics as a table: topic, name, word, probability, ..."""
        target = os.fspath(path)
        check_outputs({"path": target}, [])
        write_table(word_table(self.model, [t.name for t in self.findings.topics]), target)

    def save_documents(self, path: str | os.PathLike[str]) -> None:
        """Write the shares of topics in each document of the page: id, a column per topic."""
        target = os.fspath(path)
        check_outputs({"path": target}, [])
        names = self.model.get_feature_names_out()
        write_table(share_table(self.findings.reading.ids, self.findings.shares, names), target)

    def __repr__(self) -> str:
        n, v = self.findings.counts.shape
        k, reading = len(self.findings.topics), self.findings.reading
        some = "1 topic" if k == 1 else f"{k} topics"
        drawn = "" if reading.numbers is None else f"drawn from {reading.n_read}, "
        return f"TopicsReport({n} documents, {drawn}{v} terms, {some})"


@single_threaded_blas()
def topics(
    source: Any,
    k: int | str = "auto",
    *,
    text: str | None = None,
    id: str | None = None,
    label: str | None = None,
    time: str | None = None,
    method: str = "lda",
    language: str | None = "auto",
    stem: bool = False,
    ngrams: int = 1,
    sample: int | None = None,
    split: str = "auto",
    encoding: str = "utf-8",
    random_state: int = 0,
) -> TopicsReport:
    """Find the topics of a corpus: what its documents are about, and which are odd.

    Parameters
    ----------
    source : path, list of str, Series, data frame, Dask bag, callable or Corpus
        What `lowdim.corpus` takes: a folder of texts, a .txt, .jsonl, .csv or .parquet file, ...
    k : int or 'auto', default='auto'
        Number of topics; 'auto' takes as many as predict held-out words best.
    text, id : str or None, default=None
        The columns with the texts and with the names of documents, where the source has columns.
    label : str or None, default=None
        A column to hold the topics against; no model sees it.
    time : str or None, default=None
        A column of dates or years, for topics over time.
    method : {'lda', 'plsa', 'nmf'}, default='lda'
        See `TopicModel`.
    language : str or None, default='auto'
        Whose stop words are left out: 'english', or the code of another language, which needs
        stopwordsiso. 'auto' finds out; None leaves none out.
    stem : bool, default=False
        Whether words become their stems; needs snowballstemmer.
    ngrams : int, default=1
        Up to so many words in a row count as terms.
    sample : int or None, default=None
        Look at so many documents, drawn at random. None looks at all; of a corpus of more than 200
        million characters, at about 30 million.
    split : {'auto', 'line', 'blank', 'file'}, default='auto'
        What a document is in a text file; see `lowdim.corpus`.
    encoding : str, default='utf-8'
        Of files. Bytes that are no characters become replacement signs, and the page counts them.
    random_state : int, default=0
        The same number gives the same page.

    Returns
    -------
    TopicsReport
        `save("page.html")` writes the page; a notebook shows it; `findings.topics` are the topics,
        `model` is the `TopicModel`.

    Examples
    --------
    >>> import lowdim
    >>> sea = ["the ship left the harbour", "a harbour and a ship", "waves, ship and harbour"]
    >>> sky = ["the sun and the moon", "moon, stars and sun", "the sun, the moon, the stars"]
    >>> report = lowdim.topics(4 * (sea + sky), k=2)
    >>> sorted(topic.words[0] in ("ship", "harbour") for topic in report.findings.topics)
    [False, True]
    """
    wishes = Wishes(k, method, language, bool(stem), ngrams, label, time)
    _check(wishes, sample, random_state)
    if find_spec("bokeh") is None:
        raise ImportError('The page needs bokeh: pip install "lowdim[report]".')
    reading = read_documents(
        source,
        text=text,
        id=id,
        label=label,
        time=time,
        split=split,
        encoding=encoding,
        sample=sample,
        seed=random_state,
    )
    findings = find(reading, wishes, random_state)
    usual = {"text": None, "id": None, "split": "auto", "encoding": "utf-8"}
    given = {"text": text, "id": id, "split": split, "encoding": encoding}
    arguments = {name: value for name, value in given.items() if value != usual[name]}
    path = os.fspath(source) if isinstance(source, str | os.PathLike) else None
    if isinstance(source, Corpus):
        arguments = {}
    made = script(findings, Source(path, arguments), wishes, random_state)
    return TopicsReport(findings, made, random_state)


def _check(wishes: Wishes, sample: Any, random_state: Any) -> None:
    if wishes.k != "auto":
        check_at_least("k", wishes.k, 1)
    check_choice("method", wishes.method, METHODS)
    check_at_least("ngrams", wishes.ngrams, 1)
    if sample is not None:
        check_at_least("sample", sample, LEAST_DOCUMENTS)
    if not isinstance(random_state, Integral) or random_state < 0:
        raise ValueError(
            f"random_state={random_state!r} must be a whole number, at least 0: the page says how "
            "to make it again."
        )


# ---- tables --------------------------------------------------------------------------------------


def word_table(model: TopicModel, names: list[str], n: int = WORDS) -> Any:
    """The most relevant words of each topic, as a table of pyarrow."""
    import pyarrow as pa

    topics, weights = model.components_, model.topic_weights_
    order = relevance_order(topics, weights, RELEVANCE, n)  # (k, n)
    terms = model.vectorizer_.get_feature_names_out()
    by_term = topics_of_terms(topics, weights)
    k, size = order.shape
    topic = np.repeat(np.arange(k), size)
    word = order.ravel()
    return pa.table(
        {
            "topic": topic + 1,
            "name": [names[j] for j in topic],
            "rank": np.tile(np.arange(1, size + 1), k),
            "word": [str(terms[j]) for j in word],
            "probability": topics[topic, word],
            "share_of_word": by_term[word, topic],
        }
    )


def share_table(ids: list[Any], shares: np.ndarray, names: Sequence[str]) -> Any:
    """Documents by topics, as a table of pyarrow: id, a column per topic of these names."""
    import pyarrow as pa

    columns: dict[str, Any] = {"id": [_written(name) for name in ids]}
    for name, column in zip(names, shares.T, strict=True):
        columns[str(name)] = np.ascontiguousarray(column)
    return pa.table(columns)


def _written(name: Any) -> str:
    """An id as a file can hold it: halves of surrogate pairs have no bytes."""
    return str(name).encode("utf-8", "replace").decode("utf-8")
