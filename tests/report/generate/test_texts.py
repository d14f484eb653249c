"""Copies are found, characters counted."""

import numpy as np
import pytest

from lowdim.report.generate.texts import WINDOW, find_texts

REAL = "the quick brown fox jumps over the lazy dog. " * 5


def test_copies_and_new_text_are_told_apart():
    copied = find_texts("t", REAL, [REAL[3:60]], 0, None)
    own = find_texts("t", REAL, ["a dog over the fox, " * 3], 0, None)
    assert copied.copied == 1.0 and own.copied == 0.0


def test_characters_have_their_shares():
    found = find_texts("t", "aab ", ["abb\n"], 0, 1.5)
    assert found.characters.levels[0] == "a" and "space" in found.characters.levels
    assert found.characters.real[0] == pytest.approx(0.5)
    assert found.characters.drawn[0] == pytest.approx(0.25)


def test_short_texts_copy_nothing_that_is_known():
    assert np.isnan(find_texts("t", REAL, ["x" * (WINDOW - 1)], 0, None).copied)
    assert np.isnan(find_texts("t", None, [REAL], 0, None).copied)
