"""Text files as documents."""

import gzip
import random

import pytest

import lowdim
from lowdim.text.corpus import files
from lowdim.text.corpus.documents import CorpusError


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "b").mkdir()
    (tmp_path / "a.txt").write_text("first")
    (tmp_path / "b" / "c.md").write_text("# second\n")
    (tmp_path / "b" / "d.txt.gz").write_bytes(gzip.compress(b"third"))
    (tmp_path / "e.csv").write_text("no,document")
    (tmp_path / ".hidden.txt").write_text("hidden")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "log.txt").write_text("hidden")
    return tmp_path


def test_each_file_of_a_folder_is_a_document(folder):
    corpus = lowdim.corpus(folder)
    assert len(corpus) == 3
    assert corpus.ids == ["a.txt", "b/c.md", "b/d.txt.gz"]
    assert list(corpus) == ["first", "# second\n", "third"]


TEXT = "one\ntwo\n\n  \nthree\r\nfour\n"


@pytest.mark.parametrize(
    ("split", "texts", "ids"),
    [
        ("line", ["one", "two", "three", "four"], [1, 2, 5, 6]),
        ("blank", ["one\ntwo", "three\nfour"], [1, 5]),
        ("file", [TEXT], ["t.txt"]),
        ("auto", ["one\ntwo", "three\nfour"], [1, 5]),
    ],
)
@pytest.mark.parametrize("piece", [2, 2**20])
def test_a_file_is_split_as_asked(tmp_path, split, texts, ids, piece, monkeypatch):
    monkeypatch.setattr(files, "PIECE_BYTES", piece)
    (tmp_path / "t.txt").write_bytes(TEXT.encode())
    if split == "auto" and piece == 2:
        return  # it looks at the first piece
    corpus = lowdim.corpus(tmp_path / "t.txt", split=split)
    assert list(corpus) == texts and corpus.ids == ids


@pytest.mark.parametrize(
    ("text", "split"),
    [
        ("one\ntwo\nthree\n", "line"),
        ("one\n\ntwo\n\nthree", "line"),
        ("one\ntwo\n\nthree", "blank"),
        ("\n".join(["line"] * 100 + [""] + ["line"] * 100), "line"),
        ("", "line"),
    ],
)
def test_auto_looks_for_paragraphs(tmp_path, text, split):
    (tmp_path / "t.txt").write_text(text)
    assert lowdim.corpus(tmp_path / "t.txt")._source.split == split


def test_marks_and_strange_characters_are_text(tmp_path):
    text = "emoji \N{GRINNING FACE} עברית </script> $$ nul\0x"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        (tmp_path / "t.txt").write_bytes(text.encode(encoding))
        asked = encoding.removesuffix("-sig")
        assert list(lowdim.corpus(tmp_path / "t.txt", encoding=asked)) == [text]


@pytest.mark.parametrize("piece", [3, 2**20])
def test_bytes_that_are_no_characters_are_placed(tmp_path, piece, monkeypatch):
    monkeypatch.setattr(files, "PIECE_BYTES", piece)
    path = tmp_path / "t.txt"
    path.write_bytes("né".encode() + b"abc\xff\xfe and more\n")
    with pytest.raises(CorpusError, match=r"t.txt is not in utf-8: the bytes ff.*at byte 6 stand"):
        list(lowdim.corpus(path, split="line"))
    assert list(lowdim.corpus(path, split="line", decode_error="ignore")) == ["néabc and more"]
    replaced = "néabc\ufffd\ufffd and more"
    assert list(lowdim.corpus(path, split="line", decode_error="replace")) == [replaced]


def test_files_that_hold_no_text_are_refused(tmp_path):
    path = tmp_path / "picture.txt"
    path.write_bytes(random.Random(0).randbytes(5000))
    with pytest.raises(CorpusError, match=r"picture.txt is not a text file.*control characters"):
        list(lowdim.corpus(path, split="file", decode_error="replace"))


def test_damaged_and_missing_files_are_named(tmp_path):
    (tmp_path / "cut.txt.gz").write_bytes(gzip.compress(b"text " * 10000)[:60])
    with pytest.raises(CorpusError, match=r"cut.txt.gz is damaged or cut short"):
        list(lowdim.corpus(tmp_path / "cut.txt.gz", split="file"))
    with pytest.raises(FileNotFoundError, match="no file"):
        lowdim.corpus(tmp_path / "none.txt")
    (tmp_path / "empty").mkdir()
    with pytest.raises(CorpusError, match="is a folder without documents"):
        lowdim.corpus(tmp_path / "empty")
    (tmp_path / "a.pdf").write_text("x")
    with pytest.raises(CorpusError, match=r"ends in '.pdf'"):
        lowdim.corpus(tmp_path / "a.pdf")
    (tmp_path / "a.txt").write_text("x")
    for encoding in ("utf8x", "hex", "rot13"):
        with pytest.raises(CorpusError, match=f"encoding='{encoding}' is not known"):
            lowdim.corpus(tmp_path / "a.txt", encoding=encoding)


@pytest.mark.parametrize("split", ["line", "blank", "file"])
def test_a_document_that_is_too_long_is_not_read_to_its_end(tmp_path, split, monkeypatch):
    monkeypatch.setattr(files, "PIECE_BYTES", 100)
    (tmp_path / "t.txt").write_text("a" * 100_000)
    corpus = lowdim.corpus(tmp_path / "t.txt", split=split, max_characters=1000)
    with pytest.raises(CorpusError, match=r"has 1,\d+ characters; at most 1,000"):
        list(corpus)


def test_a_long_line_of_blanks_hides_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "PIECE_BYTES", 100)
    (tmp_path / "t.txt").write_text("one\n" + " " * 5000 + "\ntwo\n")
    for split in ("line", "blank"):
        corpus = lowdim.corpus(tmp_path / "t.txt", split=split, max_characters=1000)
        assert list(corpus) == ["one", "two"] and corpus.ids == [1, 3]


@pytest.mark.parametrize("piece", [1, 5, 2**20])
def test_blocks_of_lines_are_the_file(tmp_path, piece, monkeypatch):
    monkeypatch.setattr(files, "PIECE_BYTES", piece)
    (tmp_path / "t.txt").write_text(TEXT + "a last line")
    corpus = lowdim.corpus(tmp_path / "t.txt", split="line")
    blocks = list(corpus.line_blocks())
    assert "".join(blocks).encode() == (tmp_path / "t.txt").read_bytes()
    assert all(block.endswith("\n") for block in blocks[:-1])
    for split in ("blank", "file"):
        assert lowdim.corpus(tmp_path / "t.txt", split=split).line_blocks() is None


def test_blocks_with_a_line_that_is_too_long_are_refused_as_lines_are(tmp_path):
    (tmp_path / "t.txt").write_text("one\ntwo\nthree four five\n")
    assert len(list(lowdim.corpus(tmp_path / "t.txt", max_characters=15).line_blocks())) == 1
    with pytest.raises(CorpusError, match="document '3' has 15 characters; at most 10"):
        list(lowdim.corpus(tmp_path / "t.txt", max_characters=10).line_blocks())
