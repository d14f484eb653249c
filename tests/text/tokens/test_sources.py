"""What is text, and how it comes."""

import gzip
import os
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.text.tokens.sources import documents_of, is_dask_text, is_text, items_of

TEXT = {
    "a path": "words.txt",
    "a Path": Path("words.txt"),
    "strings": ["a b", "c"],
    "bytes": [b"a b"],
    "a tuple": ("a b",),
    "lists of words": [["a", "b"], ["c"]],
    "empty ones first": [[], None, "", ["a"]],
    "arrays of words": [np.array(["a", "b"])],
    "an array of strings": np.array(["a b", "c"]),
    "an array of objects": np.array(["a b", "c"], dtype=object),
    "paths": [Path("words.txt")],
    "a generator": (text for text in ["a b"]),
    "a map": map(str, [1]),
    "a callable": lambda: iter(["a b"]),
    "Tokens": lowdim.text.read_tokens(["a b"], min_count=1),
    "a corpus": lowdim.corpus(["a b"]),
}
NO_TEXT = {
    "None": None,
    "bytes": b"a b",
    "a set": {"a b"},
    "a dict": {"a": 1},
    "numbers": [[1.0, 2.0]],
    "ragged numbers": [[1.0], [1.0, 2.0]],
    "a list of numbers": [1, 2],
    "no list": [],
    "empty lists": [[], []],
    "an array": np.ones((2, 2)),
    "a row": np.ones(2),
    "a table of strings": np.array([["a", "b"]]),
    "a number": 3.0,
    "a sparse matrix": sp.csr_array((2, 2)),
    "a memoryview": memoryview(np.ones((2, 2))),
    "a range": range(3),
    "a stream": lowdim.stream(lambda: iter([np.ones((2, 2))])),
}


@pytest.mark.parametrize("kind", TEXT)
def test_text_is_known(kind):
    assert is_text(TEXT[kind])


@pytest.mark.parametrize("kind", NO_TEXT)
def test_all_else_is_a_matrix_or_nothing(kind):
    assert not is_text(NO_TEXT[kind])


def test_series_are_text_and_frames_are_not():
    for library in ("pandas", "polars"):
        module = pytest.importorskip(library)
        assert is_text(module.Series(["a b", None]))
        assert not is_text(module.Series([1.0]))
        assert not is_text(module.DataFrame({"a": ["x"]}))
        assert list(documents_of(module.Series(["a b", None]))) == ["a b", ""]


def test_dask_bags_and_columns_are_text():
    bag, pd = pytest.importorskip("dask.bag"), pytest.importorskip("pandas")
    da, dd = pytest.importorskip("dask.array"), pytest.importorskip("dask.dataframe")
    frame = dd.from_pandas(pd.DataFrame({"a": ["x", "y"]}), npartitions=2)
    assert is_dask_text(bag.from_sequence(["a"])) and is_text(frame["a"])
    assert not is_text(frame) and not is_text(da.ones((2, 2)))


def test_documents_are_texts_or_lists_of_words():
    given = ["a b", b"c \xc3\xa9", None, float("nan"), ("x", "y"), np.array(["z"]), ["w"]]
    assert list(documents_of(given)) == ["a b", "c é", "", "", ("x", "y"), ["z"], ["w"]]
    assert list(documents_of(lambda: iter(["a"]))) == ["a"]
    assert list(documents_of(lowdim.corpus(["a", "b"]))) == ["a", "b"]


def test_files_are_read_as_a_corpus_reads_them(tmp_path):
    (tmp_path / "b.txt").write_text("third\n\nfourth\n")
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(b"first\nsecond"))
    (tmp_path / "notes.csv").write_text("text,year\nfifth words,1999\n")
    four = ["first", "second", "third", "fourth"]
    assert list(documents_of(tmp_path / "b.txt")) == four[2:]
    assert list(documents_of(os.fspath(tmp_path / "*.txt*"))) == four
    assert list(documents_of([tmp_path / "b.txt", "x", tmp_path / "a.txt.gz"])) == [
        *four[2:],
        "x",
        *four[:2],
    ]
    assert list(documents_of(tmp_path / "notes.csv")) == ["fifth words"]


def test_lines_of_a_file_come_many_at_a_time(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"one\n\ntwo\r\n  \nthree\n")
    for source in (tmp_path / "a.txt", lowdim.corpus(tmp_path / "a.txt")):
        (block,) = items_of(source)
        assert block.text == "one\n\ntwo\r\n  \nthree\n"
        assert list(block) == ["one", "two", "three"] == list(documents_of(source))
    whole = lowdim.corpus(tmp_path / "a.txt", split="file")
    assert list(items_of(whole)) == ["one\n\ntwo\r\n  \nthree\n"]
    assert next(items_of(["one", tmp_path / "a.txt"])) == "one"


def test_a_long_line_is_one_document(tmp_path):
    (tmp_path / "long.txt").write_text("word " * (3 * 10**6))
    (line,) = documents_of(tmp_path / "long.txt")
    assert len(line) == 15 * 10**6


REFUSED = {
    "no file": ("nowhere.txt", FileNotFoundError, r"no file nowhere.txt.*\[text\]"),
    "no match": ("nowhere-*.txt", FileNotFoundError, r"no file nowhere-\*.txt"),
    "a text": ("the cat sat", FileNotFoundError, r"A text itself is given in a list"),
    "a number": ([1.5], TypeError, "Document 0 is of type float; give texts"),
    "a dict": (["a", {}], TypeError, "Document 1 is of type dict"),
    "bytes": ([b"\xff"], ValueError, "Document 0 is not in UTF-8: byte 0"),
    "numbers that come once": (iter([np.ones(3)]), TypeError, "which gives its items only once"),
    "no iterable": (3, TypeError, "Text cannot be read from int"),
    "a set": ({"a"}, TypeError, "Text cannot be read from set"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_is_no_text_is_refused(kind):
    source, error, message = REFUSED[kind]
    with pytest.raises(error, match=message):
        list(documents_of(source))
