"""Languages by their commonest words, and what to leave out of them."""

import pytest

from lowdim.text.languages import (
    LANGUAGES,
    known_language,
    language_of,
    stemmer_of,
    stop_words_of,
)

TEXTS = {
    "en": "It was the best of times, it was the worst of times, and this is not for us to say.",
    "de": "Der Mann geht mit dem Hund auf die Straße, und das ist nicht für sich zu sehen.",
    "fr": "Le chat est dans la maison avec les enfants, et il ne sort pas pour le moment.",
    "es": "El perro y los gatos están en la casa, pero no se ve más que una parte del jardín.",
    "ru": "Это не то, что он видел на улице, но как и в доме, так же по воде.",
}


@pytest.mark.parametrize("code", TEXTS)
def test_a_sentence_has_the_language_of_its_common_words(code):
    assert language_of([TEXTS[code]]) == code


def test_texts_without_common_words_have_no_language():
    assert language_of(["qwx zzt prr", "0815 4711"]) is None
    assert language_of(["a b c", "a d"]) is None  # one word of several languages
    assert language_of([]) is None and language_of(["", "  "]) is None


def test_a_language_goes_by_its_code_and_by_its_name():
    assert known_language("German") == known_language("de") == "de"
    assert known_language("eo") == "eo"  # others are left to the lists of stop words
    assert stemmer_of("de") == stemmer_of("german") == "german"
    with pytest.raises(ValueError, match="name it: language="):
        stemmer_of(None)


def test_codes_and_names_of_languages_are_different():
    assert len({one.code for one in LANGUAGES} | {one.name for one in LANGUAGES}) == 2 * len(
        LANGUAGES
    )


def test_english_stop_words_have_the_halves_of_contractions():
    words = stop_words_of("english")
    assert {"the", "don", "ve"} <= set(words) and words == sorted(words)
    assert stop_words_of(None) is None
