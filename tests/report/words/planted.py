"""Word vectors with a truth to find: three subjects, pairs that differ alike, hostile words."""

import numpy as np

import lowdim
from tests.report.samples import HOSTILE, MATH
from tests.report.topics.planted import FOOD, SEA, SKY

SUBJECTS = {"sea": SEA, "sky": SKY, "food": FOOD}
PAIRS = [
    *(("man", "woman"), ("king", "queen"), ("boy", "girl"), ("father", "mother")),
    *(("son", "daughter"), ("brother", "sister"), ("uncle", "aunt"), ("he", "she")),
]
NASTY = [
    HOSTILE,
    "</script>",
    "<!--",
    MATH,
    "\\(x\\)",
    "nul\x00",
    "half\ud800",
    "turned\u202edrow",
    "\U0001f469\u200d\U0001f52c",
    "\u0645\u0631\u062d\u0628\u0627",
    "\u05e9\u05dc\u05d5\u05dd",
    "\u4e2d\u6587",
    "x" * 100_000,
    "two\nlines",
    " ",
    "@label{custom}",
    "constructor",
    "__proto__",
]
D = 24
WOMAN = 3  # the direction in which the second words of pairs lie


def planted_words(nasty=False):
    """All words, the commonest first."""
    pairs = [word for pair in PAIRS for word in pair]
    subjects = [word for words in zip(*SUBJECTS.values(), strict=True) for word in words]
    return [*pairs, *subjects, *(NASTY if nasty else [])]


def planted_vectors(seed=0, nasty=False, noise=0.1):
    """WordVectors: subjects in directions 0 to 2, pairs around direction 4 with difference 3."""
    random = np.random.default_rng(seed)
    words = planted_words(nasty)
    X = noise * random.normal(size=(len(words), D))
    place = {word: i for i, word in enumerate(words)}
    for axis, some in enumerate(SUBJECTS.values()):
        X[[place[word] for word in some], axis] += 1.0
    for number, (first, second) in enumerate(PAIRS):
        own = np.zeros(D)
        own[4], own[8 + number] = 1.0, 0.8
        X[place[first]] += own
        X[place[second]] += own
        X[place[second], WOMAN] += 1.0
    counts = np.arange(len(words), 0, -1) * 10
    return lowdim.WordVectors(words, X.astype(np.float32), counts)


def turned(vectors, seed=1):
    """The same vectors in a space of their own."""
    Q = np.linalg.qr(np.random.default_rng(seed).normal(size=(D, D)))[0]
    X = vectors.vectors.astype(np.float64) @ Q
    return lowdim.WordVectors(vectors.index_to_key, X.astype(np.float32), vectors.counts)


QUESTIONS = """\
: family
man woman king queen
Boy Girl father mother
son daughter brother sister
man woman unheard queen
: subjects
ship harbour star planet
"""
