"""Documents cut into words: by kernels as Python would, in batches of any size."""

import re

import numpy as np
import pytest

import lowdim
from lowdim.text.counting.cutting import as_words
from lowdim.text.tokens import cutters
from lowdim.text.tokens.cutters import Cutter
from lowdim.text.tokens.sources import Lines

ALPHABET = [*"abcABC_ 09.,;'\n\t-", "é", "É", "Σ", "İ", "好", "。", "\N{GRINNING FACE}", "\u2003"]


def words_of(documents, tokenizer="words", sentences=False):
    """The words of each sentence, put together from batches."""
    cutter = Cutter(tokenizer, sentences)
    found, waiting = [], []
    for item in cutter.items(iter(documents)):
        chunk = cutter.cut(item)
        names = as_words(chunk.words)
        words = [names[i] for i in chunk.ids]
        np.testing.assert_array_equal(chunk.counts, np.bincount(chunk.ids, minlength=len(names)))
        done = 0
        for end in chunk.ends:
            found.append([*waiting, *words[done:end]])
            waiting, done = [], int(end)
        waiting += words[done:]
    assert not waiting
    return found


def random_texts(rng, n=40):
    return ["".join(rng.choice(ALPHABET, size=rng.integers(0, 60))) for _ in range(n)]


@pytest.mark.parametrize("characters", [1, 7, 2**19])
def test_words_are_those_of_python(rng, characters, monkeypatch):
    monkeypatch.setattr(cutters, "CHUNK_CHARACTERS", characters)
    monkeypatch.setattr(cutters, "LOOKED_AHEAD", 3)
    texts = random_texts(rng)
    assert words_of(texts) == [re.findall(r"\w+", text.lower()) for text in texts]
    assert words_of(texts, "split") == [text.split() for text in texts]
    assert words_of(texts, str.split) == [text.split() for text in texts]


@pytest.mark.parametrize("long_lines", [0, 2**22])
def test_lines_of_a_file_are_documents_unless_they_are_blank(rng, long_lines, monkeypatch):
    monkeypatch.setattr(cutters, "LONG_LINES", long_lines)
    texts = ["".join(rng.choice([*ALPHABET, "\n", "\r\n"], size=200)) for _ in range(10)]
    texts += ["", "\n", " \n\t\n", "a\n\n...\n \r\nb", "end\n", "ΟΔΟΣ\nΣ\nİ"]
    lines = [line for text in texts for line in text.split("\n") if line.strip()]
    blocks = [Lines(text) for text in texts]
    assert words_of(blocks) == [re.findall(r"\w+", line.lower()) for line in lines]
    assert words_of(blocks, "split") == [line.split() for line in lines]
    assert words_of(blocks, str.split) == [line.split() for line in lines]
    vectorizer = lowdim.CountVectorizer(strip_accents="unicode", stop_words=["a"])
    expected = [vectorizer.build_analyzer()(line) for line in lines]
    assert words_of(blocks, vectorizer) == expected
    mixed = words_of(["x", Lines("One two. Three\nFour"), ["y"], Lines("z")], sentences=True)
    assert mixed == [["x"], ["one", "two"], ["three"], ["four"], ["y"], ["z"]]
    mixed = words_of(["x", Lines("One\nFour"), ["y"], Lines("z"), "v"])
    assert mixed == [["x"], ["one"], ["four"], ["y"], ["z"], ["v"]]


def test_strings_and_lists_of_words_may_be_mixed(rng, monkeypatch):
    monkeypatch.setattr(cutters, "WORDS_IN_PYTHON", 5)
    documents = ["The cat", ["The", "cat sat"], ("on",), [], "a Mat", "", ["x"] * 20, "end"]
    expected = [["the", "cat"], ["The", "cat sat"], ["on"], [], ["a", "mat"], [], ["x"] * 20]
    assert words_of(documents) == [*expected, ["end"]]


VECTORIZERS = {
    "stop words": {"stop_words": ["the", "a"]},
    "a stemmer": {"stemmer": lambda word: word[:3]},
    "a pattern": {"token_pattern": "[a-z]+", "lowercase": False},
    "a pattern for Python": {"token_pattern": r"\b[a-z]+-?[a-z]*\b"},
    "accents": {"strip_accents": "unicode"},
    "a tokenizer": {"tokenizer": str.split, "token_pattern": None},
    "a longest word": {"max_word_length": 3},
    "an analyzer": {"analyzer": str.split},
}


@pytest.mark.filterwarnings("ignore:The parameter")
@pytest.mark.parametrize("kind", VECTORIZERS)
def test_a_vectorizer_cuts_as_it_does(rng, kind):
    vectorizer = lowdim.CountVectorizer(**VECTORIZERS[kind])
    analyze = vectorizer.build_analyzer()
    texts = [*random_texts(rng), "The cat sat on a mat; the well-known Café"]
    assert words_of(texts, vectorizer) == [analyze(text) for text in texts]


def test_texts_are_cut_into_sentences_and_lists_are_not():
    documents = ["One two. Three!\n\nFour", ["five.", "six"]]
    expected = [["one", "two"], ["three"], ["four"], ["five.", "six"]]
    assert words_of(documents, sentences=True) == expected
    in_python = [["One", "two."], ["Three!"], ["Four"], ["five.", "six"]]
    assert words_of(documents, str.split, sentences=True) == in_python


def test_a_word_of_a_million_letters_is_a_word():
    (words,) = words_of(["x" * 10**6 + " y"])
    assert [len(word) for word in words] == [10**6, 1]


def test_a_tokenizer_may_give_any_iterable():
    assert words_of(["a b"], lambda text: (word for word in text.split())) == [["a", "b"]]


REFUSED = {
    "another name": (["a"], "word", ValueError, "tokenizer='word' must be 'words', 'split'"),
    "a number": (["a"], 3, ValueError, "tokenizer=3 must be"),
    "pairs of words": (
        ["a"],
        lowdim.CountVectorizer(ngram_range=(1, 2)),
        ValueError,
        "needs a vectorizer of single words",
    ),
    "letters": (["ab"], lambda text: text, TypeError, "made a str of document 0.*list of words"),
    "nothing": (["ab"], lambda text: None, TypeError, "made a NoneType of document 0"),
    "numbers": (["a", [1, 2]], "words", TypeError, r"Document 1 has 1 \(int\) in place of word 0"),
    "one number": (
        [["a"], ["b", 2.5]],
        "words",
        TypeError,
        r"Document 1 has 2.5 \(float\).*word 1",
    ),
    "lists in lists": ([["a", ["b"]]], "words", TypeError, r"Document 0 has \['b'\] \(list\)"),
    "numbers made": (
        ["a b"],
        lambda text: [len(word) for word in text.split()],
        TypeError,
        "words are text",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_makes_no_words_is_refused(kind):
    documents, tokenizer, error, message = REFUSED[kind]
    with pytest.raises(error, match=message):
        words_of(documents, tokenizer)
