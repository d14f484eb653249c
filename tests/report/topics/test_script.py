"""The script gives the topics of the page again."""

import json

import numpy as np
import pytest

import lowdim
from lowdim.report.topics.script import FIRST_LINE
from tests.report.topics.planted import planted_records, planted_texts


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "letters.jsonl"
    path.write_text("\n".join(json.dumps(record) for record in planted_records(30, nasty=False)))
    return path


@pytest.mark.parametrize(
    "wishes",
    [
        {},
        {"method": "nmf"},
        {"language": "english", "stem": True, "ngrams": 2},
        {"language": None},
        {"sample": 20, "random_state": 3},
    ],
    ids=str,
)
def test_running_it_gives_the_same_shares(path, wishes, tmp_path, monkeypatch, capsys):
    report = lowdim.topics(path, 2, text="text", id="name", **wishes)
    assert report.script.startswith(FIRST_LINE)
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(compile(report.script, "script", "exec"), names)
    np.testing.assert_allclose(names["shares"], report.findings.shares)
    assert (tmp_path / "topics.lowdim").exists() and capsys.readouterr().out


def test_documents_in_memory_are_called_so():
    report = lowdim.topics(planted_texts(20)[0], 2)
    assert "lowdim.corpus(documents)  # what the page is about" in report.script


def test_a_number_that_was_chosen_is_said_with_how_to_choose():
    report = lowdim.topics(planted_texts(60)[0])
    assert "lowdim.choose_topics(" in report.script
