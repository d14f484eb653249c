"""Text to numbers and back."""

import sys

import numpy as np
import pytest

from lowdim.deep.transformer import vocabulary
from lowdim.deep.transformer.vocabulary import Bytes, Characters, Pairs

TEXT = "naïve\ncafé 中文 \U0001f600!"


def test_characters_come_back():
    known = Characters(vocabulary.learned_characters([TEXT, "xyz"]))
    assert known.size == len(set(TEXT + "xyz"))
    ids = known.ids(TEXT)
    assert len(ids) == len(TEXT) and known.text(ids) == TEXT
    assert known.names(known.ids("\nx")) == ["\\n", "x"]


def test_unknown_characters_are_named():
    known = Characters(["a", "b"])
    with pytest.raises(ValueError, match=r"2 characters .*: '#', 'é' \(first at place 2\)"):
        known.ids("ab#é")
    with pytest.raises(ValueError, match=r"1 character that"):
        known.ids("\U0001f600")


def test_bytes_come_back():
    known = Bytes()
    np.testing.assert_array_equal(known.ids("aé"), [97, 0xC3, 0xA9])
    assert known.text(known.ids(TEXT)) == TEXT
    assert known.text(np.array([97, 0xC3])) == "a\ufffd"
    assert known.names(np.array([97, 0xC3])) == ["a", "\\xc3"]


def test_pairs_come_back_and_are_fewer():
    pytest.importorskip("tokenizers")
    known = Pairs(vocabulary.learned_pairs(["the cat and the dog " * 20], 280))
    assert 256 < known.size <= 280
    ids = known.ids("the cat and the cow")
    assert len(ids) < 12 and known.text(ids) == "the cat and the cow"
    assert known.text(known.ids(TEXT)) == TEXT  # bytes that were not seen
    assert "".join(known.names(ids)) == "the cat and the cow"


def test_without_tokenizers_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    with pytest.raises(ImportError, match=r"pip install 'lowdim\[text\]'"):
        vocabulary.learned_pairs(["abc"], 256)
