"""Files of word vectors are written to the byte as word2vec and gensim write them."""

import gzip

import numpy as np
import pytest

from lowdim import WordVectors


@pytest.fixture
def wv():
    return WordVectors(["a", "é"], np.array([[0.1, 2], [-1e-8, 3e9]], np.float32), [1, 5])


def test_the_bytes_of_every_form(tmp_path, wv):
    path = tmp_path / "f"
    wv.save_word2vec_format(path, sort_attr=None)
    assert path.read_text() == "2 2\na 0.1 2.0\né -1e-08 3e+09\n"
    wv.save_word2vec_format(path, write_header=False)  # the commonest first
    assert path.read_text() == "é -1e-08 3e+09\na 0.1 2.0\n"
    wv.save_word2vec_format(path, binary=True, prefix="*")
    one, two = (vector.tobytes() for vector in wv.vectors)
    assert path.read_bytes() == b"2 2\n*\xc3\xa9 " + two + b"*a " + one
    wv.save_word2vec_format(path, binary=True, line_ends=True, sort_attr=None)
    assert path.read_bytes() == b"2 2\na " + one + b"\n\xc3\xa9 " + two + b"\n"


def test_counts_are_a_file_of_their_own(tmp_path, wv):
    wv.save_word2vec_format(tmp_path / "f", tmp_path / "counts")
    assert (tmp_path / "counts").read_text() == "é 5\na 1\n"


def test_names_with_gz_are_packed_and_equal_words_give_equal_bytes(tmp_path, wv):
    for name in ("a.txt.gz", "b.txt.gz"):
        wv.save_word2vec_format(tmp_path / name, sort_attr=None)
    packed = (tmp_path / "a.txt.gz").read_bytes()
    assert packed == (tmp_path / "b.txt.gz").read_bytes()
    assert gzip.decompress(packed).decode() == "2 2\na 0.1 2.0\né -1e-08 3e+09\n"


def test_float64_is_written_in_full(tmp_path, rng):
    vectors = rng.normal(size=(3, 4))
    WordVectors(list("abc"), vectors).save_word2vec_format(tmp_path / "f")
    again = WordVectors.load_word2vec_format(tmp_path / "f", datatype=np.float64)
    np.testing.assert_array_equal(again.vectors, vectors)


@pytest.mark.parametrize("word", ["a b", "a\nb", "", "a\tb"])
@pytest.mark.parametrize("binary", [True, False])
def test_words_that_such_files_cannot_hold_are_refused(tmp_path, word, binary):
    with pytest.raises(ValueError, match=r"blanks or line ends.*write it with save\(path\)"):
        WordVectors([word], [[1.0]]).save_word2vec_format(tmp_path / "f", binary=binary)
    assert list(tmp_path.iterdir()) == []


def test_half_a_surrogate_pair_is_refused(tmp_path):
    with pytest.raises(ValueError, match="surrogate"):
        WordVectors(["\ud800"], [[1.0]]).save_word2vec_format(tmp_path / "f")


def test_numbers_too_large_for_float32_are_refused_in_binary_files(tmp_path):
    with pytest.raises(ValueError, match="too large for float32"):
        WordVectors(["a"], [[1e99]]).save_word2vec_format(tmp_path / "f", binary=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"fvocab": "counts"}, "needs counts"),
        ({"binary": True, "write_header": False}, "needs the header"),
        ({"sort_attr": "length"}, "sort_attr='length'"),
    ],
)
def test_what_cannot_be_written_is_refused(tmp_path, arguments, message):
    with pytest.raises(ValueError, match=message):
        WordVectors(["a"], [[1.0]]).save_word2vec_format(tmp_path / "f", **arguments)
