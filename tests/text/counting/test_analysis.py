"""Terms of a document in Python: those of scikit-learn."""

import pytest
from sklearn.feature_extraction import text as sk

import lowdim
from lowdim.text.counting.analysis import (
    as_ascii,
    character_ngrams,
    character_ngrams_of_words,
    without_accents,
    word_ngrams,
)

TEXTS = [
    "",
    " ",
    "Ein naïver Café-Gast,  12 Ångström;\n\tΟΔΟΣ İstanbul ㎐ ﬁ",
    "a b c",
    "العربية 中文字 कखग",
    "x" * 50,
    "tab\tnew\nline  blank",
]


@pytest.mark.parametrize("text", TEXTS)
def test_accents_come_off_as_in_scikit_learn(text):
    assert without_accents(text) == sk.strip_accents_unicode(text)
    assert as_ascii(text) == sk.strip_accents_ascii(text)


@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 3), (2, 4), (5, 5)])
@pytest.mark.parametrize("text", TEXTS)
def test_ngrams_are_those_of_scikit_learn(text, ngram_range):
    for analyzer, ours in (
        ("char", character_ngrams),
        ("char_wb", character_ngrams_of_words),
        ("word", lambda t, r: word_ngrams(t.split(), r)),
    ):
        theirs = sk.CountVectorizer(
            analyzer=analyzer,
            ngram_range=ngram_range,
            lowercase=False,
            **({"tokenizer": str.split, "token_pattern": None} if analyzer == "word" else {}),
        ).build_analyzer()
        assert sorted(ours(text, ngram_range)) == sorted(theirs(text))


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"strip_accents": "unicode"},
        {"strip_accents": "ascii", "stop_words": ["gast"]},
        {"strip_accents": str.swapcase},
        {"lowercase": False, "ngram_range": (1, 2)},
        {"preprocessor": str.upper},
        {"token_pattern": r"(\w)\w+"},
        {"analyzer": str.split},
    ],
    ids=repr,
)
@pytest.mark.parametrize("text", TEXTS)
def test_analyzers_are_those_of_scikit_learn(text, arguments):
    ours, theirs = lowdim.CountVectorizer(**arguments), sk.CountVectorizer(**arguments)
    assert ours.build_analyzer()(text) == theirs.build_analyzer()(text)


def test_stems_come_after_stop_words_and_before_ngrams():
    vectorizer = lowdim.CountVectorizer(
        stop_words=["the"], stemmer=lambda word: word[:2], max_word_length=5, ngram_range=(1, 2)
    )
    analyze = vectorizer.build_analyzer()
    assert analyze("The cats theorem longest dogs") == ["ca", "do", "ca do"]


def test_more_than_one_group_is_refused():
    with pytest.raises(ValueError, match="More than 1 capturing group"):
        lowdim.CountVectorizer(token_pattern=r"(a)(b)").build_tokenizer()


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        ({"analyzer": "char", "stemmer": str.lower}, "stemmer"),
        ({"analyzer": "char", "max_word_length": 3}, "max_word_length"),
        ({"analyzer": str.split, "ngram_range": (1, 2)}, "ngram_range"),
    ],
)
def test_arguments_that_do_nothing_are_named(arguments, name):
    with pytest.warns(UserWarning, match=f"'{name}' will not be used"):
        lowdim.CountVectorizer(**arguments).fit(["aa bb"])


def test_missing_documents_are_refused():
    with pytest.raises(ValueError, match=r"np.nan is an invalid document"):
        lowdim.CountVectorizer().fit(["aa", float("nan")])
