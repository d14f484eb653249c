"""Shares of topics, written part by part."""

import json

import numpy as np
import pandas as pd

import lowdim
from lowdim.cli.shares import corpus_of, write_shares
from lowdim.text.corpus import documents as parts
from tests.report.topics.planted import planted_records, planted_texts


def test_parts_of_a_corpus_have_the_shares_of_the_whole(tmp_path, monkeypatch):
    path = tmp_path / "letters.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in planted_records(20, nasty=False)))
    model = lowdim.TopicModel(2, random_state=0).fit(planted_texts(40)[0])
    monkeypatch.setattr(parts, "PART_CHARACTERS", 1000)
    n = write_shares(model, corpus_of(str(path), text="text", id="name"), str(tmp_path / "s.csv"))
    table = pd.read_csv(tmp_path / "s.csv")
    assert n == len(table) == 22 and table["id"].iloc[-1] == "odd"
    expected = model.transform(lowdim.corpus(path, text="text"))
    np.testing.assert_allclose(table.iloc[:, 1:], expected)


def test_bytes_that_are_no_characters_do_not_stop_it(tmp_path):
    path = tmp_path / "bad.txt"
    path.write_bytes(b"ship \xff\nmoon\n")
    assert len(list(corpus_of(str(path), split="line", id=None))) == 2
