"""Numbers of words and contexts."""

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.text.embeddings.words import context_numbers, known_counts, word_numbers
from tests.text.embeddings.examples import FOUR_WORDS

TEXT = ["the cat drinks milk", "the dog drinks water", "a cat and a dog eat"] * 5


@pytest.fixture(scope="module")
def of_text():
    return lowdim.SkipGram(2, window=2, random_state=0, max_iter=3, tol=0).fit(TEXT)


@pytest.fixture(scope="module")
def of_matrix():
    return lowdim.SkipGram(2, random_state=0, max_iter=3, tol=0).fit(FOUR_WORDS)


def test_words_are_found_by_name(of_text, of_matrix):
    assert of_text.words_[word_numbers(of_text, "cat")] == "cat"
    np.testing.assert_array_equal(word_numbers(of_matrix, ["3", "0"]), [3, 0])
    np.testing.assert_array_equal(context_numbers(of_matrix, ["4"]), [4])
    assert context_numbers(of_text, "milk") == word_numbers(of_text, "milk")


def test_columns_of_a_frame_are_contexts_by_name():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(FOUR_WORDS, columns=list("abcde"), index=["w", "x", "y", "z"])
    model = lowdim.SkipGram(1, random_state=0, max_iter=3, tol=0).fit(frame)
    assert context_numbers(model, "c") == 2
    assert word_numbers(model, "y") == 2


def test_an_unknown_word_is_named_with_near_spellings(of_text):
    with pytest.raises(KeyError, match=r"'catt'.*cat"):
        word_numbers(of_text, "catt")
    with pytest.raises(TypeError, match="must be a text"):
        word_numbers(of_text, 3)
    with pytest.raises(TypeError, match=r"word=<csr_array of shape \(2, 3\)> must be a text"):
        word_numbers(of_text, sp.csr_array((2, 3)))


def test_pairs_of_a_text_are_counted_among_known_words(of_text, of_matrix):
    N = known_counts(of_text, ["the cat drinks unheard milk"]).toarray()
    number = {word: i for i, word in enumerate(of_text.words_)}
    assert N[number["drinks"], number["milk"]] == 1
    assert N.sum() == 2 * (3 + 2)  # four places: three pairs of neighbours, two of distance 2
    with pytest.raises(TypeError, match="fitted to a matrix"):
        known_counts(of_matrix, ["a text"])
