"""Files of word vectors: every form, and every way in which they are wrong, with its line."""

import gzip
import resource
import struct

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lowdim import WordVectors
from lowdim.text.vectors import reading, source

WORDS = ["the", "of", "café"]
VECTORS = np.array([[0.5, -1.0], [0.1, 1e-3], [3.0, -4e10]], np.float32)


def read(tmp_path, content, **arguments):
    content = content.encode() if isinstance(content, str) else content
    (tmp_path / "words").write_bytes(content)
    return WordVectors.load_word2vec_format(tmp_path / "words", **arguments)


def binary(end=b"", header=b"3 2\n"):
    parts = zip(WORDS, VECTORS, strict=True)
    return header + b"".join(w.encode() + b" " + v.tobytes() + end for w, v in parts)


FORMS = {
    "word2vec text": "3 2\nthe 0.5 -1\nof 0.1 1e-3\ncafé 3 -4e10\n",
    "no line end": "3 2\nthe 0.5 -1\nof 0.1 1e-3\ncafé 3 -4e10",
    "Windows": "3 2\r\nthe 0.5 -1\r\nof 0.1 1e-3\r\ncafé 3 -4e10\r\n",
    "GloVe": "the 0.5 -1\nof 0.1 1e-3\ncafé 3 -4e10\n",
    "fastText .vec": "3 2\nthe 0.5 -1 \nof 0.1 1e-3 \ncafé 3 -4e10 \n",
    "tabs": "the\t0.5\t-1\nof\t0.1\t1e-3\ncafé\t3\t-4e10\n",
    "two blanks": "the  0.5  -1\nof  0.1  1e-3\ncafé  3  -4e10\n",
    "blank lines at the end": "3 2\nthe 0.5 -1\nof 0.1 1e-3\ncafé 3 -4e10\n\n \n",
    "byte order mark": "\ufeff3 2\nthe 0.5 -1\nof 0.1 1e-3\ncafé 3 -4e10\n",
    "binary": binary(),
    "binary with line ends": binary(b"\n"),
}


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("piece", [7, 2**20])
def test_every_form_gives_the_same(tmp_path, monkeypatch, name, packed, piece):
    monkeypatch.setattr(source, "PIECE_BYTES", piece)
    monkeypatch.setattr(reading, "PIECE_BYTES", piece)
    content = FORMS[name] if isinstance(FORMS[name], bytes) else FORMS[name].encode()
    wv = read(tmp_path, gzip.compress(content) if packed else content)
    assert wv.index_to_key == WORDS and wv.vectors.dtype == np.float32
    assert_array_equal(wv.vectors, VECTORS)
    few = read(tmp_path, content, limit=2)
    assert few.index_to_key == WORDS[:2]
    assert_array_equal(few.vectors, VECTORS[:2])


def test_text_in_another_encoding_is_text(tmp_path):
    assert read(tmp_path, b"1 2\ncaf\xe9 1 2\n", encoding="latin-1").index_to_key == ["café"]


def test_what_is_said_of_a_file_is_believed(tmp_path):
    assert len(read(tmp_path, "1 2\n3 4\n", no_header=True)) == 2
    assert read(tmp_path, "1 1\n3 4\n")["3"].tolist() == [4.0]
    assert_array_equal(read(tmp_path, binary(), binary=True).vectors, VECTORS)
    wide = read(tmp_path, "a 0.1\n", datatype=np.float64)
    assert wide.vectors.dtype == np.float64 and wide["a"][0] == 0.1


def test_a_binary_file_whose_bytes_look_like_text_is_read_as_binary(tmp_path):
    numbers = np.frombuffer(b"12345678", np.float32)  # the bytes are digits
    wv = read(tmp_path, b"2 2\na 12345678\nb 12345678\n", binary=True)
    assert_array_equal(wv["b"], numbers)


def test_words_may_hold_blanks_and_signs(tmp_path):
    text = ". . . 1 2\n\N{NO-BREAK SPACE} 3 4\n12 5 6\nto name@domain.com 7 8\nnan 9 1\n"
    text += "</script> 2 3\n"
    wv = read(tmp_path, text)
    words = [". . .", "\N{NO-BREAK SPACE}", "12", "to name@domain.com", "nan", "</script>"]
    assert wv.index_to_key == words
    assert wv.vectors[:4].tolist() == [[1, 2], [3, 4], [5, 6], [7, 8]]


def test_counts_come_from_a_file_of_their_own(tmp_path):
    (tmp_path / "counts").write_text("of 3\nthe 9\n")
    wv = read(tmp_path, "the 1 2\nof 3 4\n", fvocab=tmp_path / "counts")
    assert wv.counts.tolist() == [9, 3]
    (tmp_path / "counts").write_text("the 9\n")
    with pytest.raises(ValueError, match="counts has no count of 'of'"):
        read(tmp_path, "the 1 2\nof 3 4\n", fvocab=tmp_path / "counts")
    (tmp_path / "counts").write_text("the 9\nof many\n")
    with pytest.raises(ValueError, match="counts, line 2: 'of many' is not a word"):
        read(tmp_path, "the 1 2\nof 3 4\n", fvocab=tmp_path / "counts")


WRONG = {
    "short": (
        "3 2\na 1 2\nb 3 4\n",
        "words ends after 2 words, and line 1 says 3",
    ),
    "long": ("1 2\na 1 2\nb 3 4\n", "words, line 3: there are more than the 1 words that line 1"),
    "short line": ("3 2\na 1 2\nb 3\nc 5 6\n", "words, line 3: 1 numbers after the word, and 2"),
    "long line": ("2 2\na 1 2\nb 3 4 5\n", "words, line 3: more than the 2 numbers"),
    "short line of GloVe": ("a 1 2\nb 3\n", "words, line 2: 1 numbers after the word, and 2 are"),
    "NaN": ("2 2\na 1 2\nb nan 4\n", "words, line 3: the vector of 'b' has NaN"),
    "too large": ("2 2\na 1 2\nb 1e99 4\n", "words, line 3: the vector of 'b' has NaN or infinite"),
    "doubled": (
        "3 2\na 1 2\nb 3 4\na 5 6\n",
        "line 4: the word 'a' .* second time, after line 2",
    ),
    "no number at first": ("2 2\na 1 x2\nb 3 4\n", "words, line 2: 'x2' is not a number"),
    "no number": ("2 2\na 1 2\nb 3 x4\n", "words, line 3: 'x4' is not a number"),
    "blank line": ("3 2\na 1 2\n\nb 3 4\n", "words, line 3: this line is blank"),
    "no words": ("0 2\n", "has no words"),
    "text": ("once upon a time\n", "line 1: 'once upon a time' is no word with its numbers"),
    "encoding": (b"2 2\na 1 2\n\xff\xfe 3 4\n", "line 3: the word .* is not in utf8"),
    "a wide header": ("3 999999999999\na 1 2\n", "vectors of 999,999,999,999 numbers"),
    "binary short": (binary()[:-3], "ends after 2 words, and line 1 says 3"),
    "binary long": (
        binary() + b"x \0\0\0\0\0\0\0\0",
        "after the 3 words that line 1 says there is more",
    ),
    "binary NaN": (
        b"2 1\na " + struct.pack("<f", 1) + b"b " + struct.pack("<f", np.nan),
        "word 2: the vector of 'b' has NaN",
    ),
    "binary doubled": (
        b"2 1\na " + struct.pack("<f", 1) + b"a " + struct.pack("<f", 2),
        "word 2: the word 'a' stands there a second time, after word 1",
    ),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("piece", [7, 2**20])
def test_what_is_wrong_is_said_with_its_line(tmp_path, monkeypatch, name, piece):
    monkeypatch.setattr(source, "PIECE_BYTES", piece)
    content, message = WRONG[name]
    with pytest.raises(ValueError, match=message):
        read(tmp_path, content)


def test_a_header_that_is_required_is_missed(tmp_path):
    with pytest.raises(ValueError, match="does not begin with a line that says"):
        read(tmp_path, "a 1 2\n", no_header=False)
    with pytest.raises(ValueError, match="which a binary file needs"):
        read(tmp_path, "a 1 2\n", binary=True)


def test_the_first_of_doubled_words_may_be_kept(tmp_path):
    wv = read(tmp_path, "4 1\na 1\nb 2\na 3\nc 4\n", duplicates="first")
    assert wv.index_to_key == ["a", "b", "c"] and wv.vectors.ravel().tolist() == [1, 2, 4]


def test_bytes_that_are_no_characters_may_be_replaced(tmp_path):
    content = b"caf\xe9 1 2\n"
    assert read(tmp_path, content, unicode_errors="ignore").index_to_key == ["caf"]
    assert read(tmp_path, content, encoding="latin-1").index_to_key == ["café"]


@pytest.mark.parametrize("start", [b"a 1 2\n", b"a \0\0\x80\x3f\0\0\0\x40"], ids=["text", "binary"])
def test_a_header_of_a_million_million_words_takes_no_memory(tmp_path, start):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with pytest.raises(ValueError, match="line 1 says 1,000,000,000,000"):
        read(tmp_path, b"1000000000000 2\n" + start)
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 20_000  # kilobytes


def test_many_words_are_read_in_many_pieces(tmp_path, rng, monkeypatch):
    monkeypatch.setattr(source, "PIECE_BYTES", 100)
    vectors = rng.normal(size=(300, 3)).astype(np.float32)
    wv = WordVectors([f"w{i}" for i in range(300)], vectors)
    for name, arguments in {"t": {}, "b": {"binary": True}}.items():
        wv.save_word2vec_format(tmp_path / name, **arguments)
        again = WordVectors.load_word2vec_format(tmp_path / name)
        assert again.index_to_key == wv.index_to_key
        assert_array_equal(again.vectors, vectors)
