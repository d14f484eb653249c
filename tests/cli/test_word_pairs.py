"""Pairs of words from files."""

import gzip

import pytest

from lowdim.cli.word_pairs import read_pairs
from lowdim.tables.errors import TableError


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("p.csv", "chat,cat\nnull,NA\n"),
        ("p.csv", "chat;cat\nnull;NA\n"),
        ("p.csv", '"chat","cat"\r\n"null","NA"\r\n'),
        ("p.csv", "\ufeffchat,cat\n\n null , NA \n"),
        ("p.csv", "chat\tcat\nnull\tNA\n"),
        ("p.tsv", "chat\tcat\nnull\tNA\n"),
        ("p.txt", "chat cat\nnull NA\n"),
        ("p.txt", "chat\tcat\nnull\tNA\n"),
        ("p.csv", "chat,cat,1\nnull,NA,2\nempty,,3\n"),
    ],
    ids=range(9),
)
def test_words_are_taken_as_they_are_written(tmp_path, name, text):
    (tmp_path / name).write_text(text, encoding="utf-8", newline="")
    assert read_pairs(str(tmp_path / name)) == [("chat", "cat"), ("null", "NA")]
    (tmp_path / f"{name}.gz").write_bytes(gzip.compress(text.encode()))
    assert read_pairs(str(tmp_path / f"{name}.gz")) == [("chat", "cat"), ("null", "NA")]


def test_columns_can_be_named(tmp_path):
    (tmp_path / "p.csv").write_text("n,en,fr\n1,cat,chat\n2,dog,chien\n")
    found = read_pairs(str(tmp_path / "p.csv"), ["fr", "en"])
    assert found == [("chat", "cat"), ("chien", "dog")]


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("p.csv", b"", "has no pairs of words"),
        ("p.csv", b"chat,cat\nalone\n", r"Line 2 of .* has no second word"),
        ("p.csv", b"\xff\xff,\xfe\n", "not a table in UTF-8"),
        ("p.xlsx", b"", "does not end like a file of pairs"),
        ("p.csv.gz", b"no zip", "not a table in UTF-8"),
    ],
    ids=range(5),
)
def test_what_is_no_file_of_pairs_is_refused(tmp_path, name, content, said):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(TableError, match=said):
        read_pairs(str(tmp_path / name))


def test_a_column_that_is_not_there_is_named(tmp_path):
    (tmp_path / "p.csv").write_text("en,fr\ncat,chat\n")
    with pytest.raises(TableError, match="has no column 'de'"):
        read_pairs(str(tmp_path / "p.csv"), ["en", "de"])
