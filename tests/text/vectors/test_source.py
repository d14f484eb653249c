"""Files of word vectors as bytes: piece by piece, and what is none of them."""

import gzip
import io
import pickle

import numpy as np
import pytest

from lowdim import WordVectors
from lowdim.text.vectors import source
from lowdim.text.vectors.source import Source, WordFileError


@pytest.mark.parametrize("piece", [1, 2, 3, 7, 100])
def test_pieces_do_not_change_what_is_read(monkeypatch, piece):
    monkeypatch.setattr(source, "PIECE_BYTES", piece)
    text = b"one\r\ntwo words\n\nlast"
    bytes_, lines = Source(io.BytesIO(text), "f"), Source(io.BytesIO(text), "f")
    assert bytes_.peek(2) == b"on" and bytes_.take(3) == b"one"
    assert bytes_.until(b" ", 100) == b"\r\ntwo" and bytes_.until(b"x", 100) is None
    assert bytes_.line() == b"words" and bytes_.line() == b"" and bytes_.line() == b"last"
    assert bytes_.line() is None and bytes_.peek(5) == b""
    found = [line for some in lines.lines() for line in some]
    assert [line.rstrip(b"\r") for line in found] == [b"one", b"two words", b"", b"last"]


def test_a_file_without_lines_takes_no_memory(monkeypatch):
    monkeypatch.setattr(source, "LONGEST_LINE", 1000)
    monkeypatch.setattr(source, "PIECE_BYTES", 100)
    with pytest.raises(WordFileError, match="a line of more than 1,000 bytes"):
        Source(io.BytesIO(b"x" * 10_000), "f").line()


OTHERS = {
    "pickle": (pickle.dumps({"a": 1}, 4), r"is a pickle.*save_word2vec_format\('vectors.bin'"),
    "fastText": (b"\xba\x16\x4f\x2f\x0c\x00", "model of fastText.*Use the .vec file"),
    "zip": (b"PK\x03\x04 and so on", "zip archive"),
    "npy": (b"\x93NUMPY\x01\x00", "arrays without words"),
    "empty": (b"", "is empty"),
    "cut gzip": (gzip.compress(b"a 1 2\n" * 1000)[:-20], "cut short: it cannot be unpacked"),
    "no gzip": (b"\x1f\x8b nothing", "damaged"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_files_of_another_kind_are_refused_with_the_way_out(tmp_path, name):
    content, message = OTHERS[name]
    (tmp_path / "f").write_bytes(content)
    with pytest.raises(WordFileError, match=message):
        WordVectors.load_word2vec_format(tmp_path / "f")


def test_gensims_own_files_are_refused(tmp_path):
    from tests.text.vectors.examples import gensim_twin

    twin = gensim_twin(WordVectors(["a"], np.ones((1, 2), np.float32)))
    twin.save(str(tmp_path / "k.kv"))
    with pytest.raises(ValueError, match="is a pickle, as gensim's save"):
        WordVectors.load(tmp_path / "k.kv")


def test_what_is_no_file_is_said_to_be_none(tmp_path):
    with pytest.raises(FileNotFoundError, match="no file"):
        WordVectors.load_word2vec_format(tmp_path / "nothing")
    with pytest.raises(ValueError, match="cannot be read"):
        WordVectors.load_word2vec_format(tmp_path)
