"""Shares of topics in documents, written a part of the corpus at a time."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from lowdim.core.progress import watch
from lowdim.report.topics.report import share_table
from lowdim.selection.topic_model import TopicModel
from lowdim.tables.writing import open_writer
from lowdim.text.corpus import Corpus


def write_shares(model: TopicModel, documents: Corpus, path: str) -> int:
    """Write the id of each document and its share of each topic; returns how many documents."""
    n, names = 0, model.get_feature_names_out()
    with (
        closing(documents.parts()) as parts,
        open_writer(path) as writer,
        watch("writing shares") as bar,
    ):
        for part in parts:
            writer.write(share_table(part.ids, model.transform(part.texts), names))
            n += len(part.ids)
            bar.update(n)
    return n


def corpus_of(path: str, **arguments: Any) -> Corpus:
    """The documents of a file; bytes that are no characters become replacement signs."""
    from lowdim.text.corpus import corpus

    given = {name: value for name, value in arguments.items() if value is not None}
    return corpus(path, decode_error="replace", **given)
