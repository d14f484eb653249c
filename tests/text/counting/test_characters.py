"""Runs of characters, as Python cuts them."""

from functools import partial

import numpy as np
import pytest

import lowdim
from lowdim.text.counting import tally
from lowdim.text.counting.analysis import character_ngrams, character_ngrams_of_words
from lowdim.text.counting.base import counter_of
from lowdim.text.counting.characters import CharacterRules
from lowdim.text.counting.tally import CharacterCounter, PythonCounter, stacked

LETTERS = list("ab  \t\n\N{EM SPACE}\x1cé\N{GREEK SMALL LETTER SIGMA}\U0001f600\ud800")


def random_texts(rng):
    lengths = rng.integers(0, 30, 60)
    return ["", "a", "   ", *("".join(rng.choice(LETTERS, n)) for n in lengths)]


@pytest.mark.parametrize("within_words", [False, True])
@pytest.mark.parametrize("ngrams", [(1, 1), (1, 3), (4, 4), (3, 40)])
def test_kernels_and_python_count_the_same(rng, ngrams, within_words, monkeypatch):
    monkeypatch.setattr(tally, "CHUNK_CHARACTERS", 200)
    texts = random_texts(rng)
    make = character_ngrams_of_words if within_words else character_ngrams
    analyze, rules = partial(make, ngram_range=ngrams), CharacterRules(ngrams, within_words)
    counters = [CharacterCounter(rules), PythonCounter(analyze)]
    tables = []
    for counter in counters:
        X = stacked(list(counter.parts(texts)), None, len(list(counter.terms())), np.int64)
        order = sorted(range(X.shape[1]), key=counter.terms().__getitem__)
        tables.append((sorted(counter.terms()), X.toarray()[:, order]))
    assert tables[0][0] == tables[1][0]
    np.testing.assert_array_equal(tables[0][1], tables[1][1])
    # with terms that are given, all others do not count; places of all runs are kept
    some = tables[0][0][::2]
    known = {term: i for i, term in enumerate(some)}
    X = stacked(list(CharacterCounter(rules, some).parts(texts)), None, len(some), np.int64)
    np.testing.assert_array_equal(X.toarray(), tables[0][1][:, ::2])
    found = []
    for counter in (CharacterCounter(rules, some), PythonCounter(analyze, known)):
        ids, lengths = [], []
        for part, last in counter.sequences(texts):
            ids += [sorted(piece.tolist()) for piece in np.split(part, last[:-1])]
            lengths.append(last)
        found.append(ids)
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("arguments", "kind"),
    [
        ({"analyzer": "char"}, "_Prepared"),
        ({"analyzer": "char_wb", "strip_accents": "unicode"}, "_Prepared"),
        ({"analyzer": "char", "ngram_range": (0, 2)}, "PythonCounter"),
        ({"analyzer": list}, "PythonCounter"),
    ],
)
def test_kernels_count_where_they_can(arguments, kind):
    assert type(counter_of(lowdim.CountVectorizer(**arguments), None)).__name__ == kind


def test_an_analyzer_of_a_subclass_counts():
    class Doubled(lowdim.CountVectorizer):
        def build_analyzer(self):
            return lambda text: [c * 2 for c in text]

    assert list(Doubled(analyzer="char").fit(["abc"]).get_feature_names_out()) == ["aa", "bb", "cc"]


def test_a_document_that_is_no_text_is_refused():
    with pytest.raises((TypeError, AttributeError)):
        lowdim.CountVectorizer(analyzer="char").fit(["abc", 3])
