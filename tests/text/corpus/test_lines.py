"""One object of JSON in each line."""

import gzip
import json

import pytest

import lowdim
from lowdim.text.corpus.documents import CorpusError

ROWS = [
    {"text": "one", "id": "a", "year": 1990, "other": [1]},
    {"text": None, "id": "b", "year": None, "other": "x"},
    {"text": "three\n\ud83d\ude00", "id": "c"},
]


@pytest.fixture
def path(tmp_path):
    lines = "\n".join(map(json.dumps, ROWS)) + "\n\n"
    (tmp_path / "d.jsonl").write_text(lines)
    (tmp_path / "d.jsonl.gz").write_bytes(gzip.compress(lines.encode()))
    return tmp_path / "d.jsonl"


def test_a_field_of_each_line_is_a_document(path):
    for name in (path, f"{path}.gz"):
        corpus = lowdim.corpus(name, text="text", id="id", columns=["year"])
        assert list(corpus) == ["one", "", "three\n\N{GRINNING FACE}"]
        assert corpus.ids == ["a", "b", "c"] and corpus.columns["year"] == [1990, None, None]
    assert lowdim.corpus(path).ids == [1, 2, 3]


def test_fields_of_the_first_lines_are_known(path):
    path.write_text('{"body": null}\n{"body": "two", "label": "x"}\n{"more": 1}\n')
    corpus = lowdim.corpus(path, columns=["label"])
    assert list(corpus) == ["", "two", ""] and corpus.columns["label"] == [None, "x", None]


def test_broken_lines_are_named(path):
    for line, reason in (('{"text": "x', "Unterminated"), ("[1]", "it is a list"), ("x", "Expect")):
        path.write_text(f'{{"text": "a"}}\n{line}\n')
        with pytest.raises(CorpusError, match=rf"line 2: this is not one object.*{reason}"):
            list(lowdim.corpus(path))


def test_what_is_no_text_is_named(path):
    path.write_text('{"text": "a"}\n{"text": 3}\n')
    with pytest.raises(CorpusError, match="line 2: 'text' holds int, not text"):
        list(lowdim.corpus(path))


def test_fields_that_are_not_there_are_named(path):
    for argument in ("text", "id"):
        with pytest.raises(ValueError, match="has no column 'txt'; did you mean 'text'"):
            lowdim.corpus(path, **{argument: "txt"})
    path.write_text("\n")
    with pytest.raises(CorpusError, match="has no documents"):
        lowdim.corpus(path)
