"""Which language documents are in, by its commonest words, and what to leave out of it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import islice
from typing import NamedTuple

from lowdim.text.counting.stop_words import stop_list

LOOKED_AT = 500  # documents
CHARACTERS = 5_000  # of each
LEAST_SHARE = 0.08  # of words that are among a language's commonest ones
LEAST_WORDS = 2  # different ones of these
WORD = re.compile(r"[^\W\d_]+")


class Language(NamedTuple):
    """A language by its code, its name for stemmers, and its commonest words."""

    code: str
    name: str
    common: frozenset[str]


def _language(code: str, name: str, common: str) -> Language:
    return Language(code, name, frozenset(common.split()))


LANGUAGES = (
    _language("en", "english", "the of and to in is that it for was on with as are this be by not"),
    _language("de", "german", "der die und das ist nicht ein eine mit von den zu auf für sich dem"),
    _language("fr", "french", "le la les des et est un une dans que pour qui sur pas au avec du"),
    _language("es", "spanish", "el la los las que en un una por con para se del es no su como más"),
    _language("it", "italian", "il di che la è per un una con non del sono della le si da gli più"),
    _language("pt", "portuguese", "o a os as que em um uma para com não do da no na se dos mais"),
    _language("nl", "dutch", "de het een van en in is dat op te zijn met voor niet aan er ook"),
    _language("sv", "swedish", "och att det som en på är av för med till den har inte om ett"),
    _language("da", "danish", "og at det som en på er af for med til den har ikke om et der"),
    _language("no", "norwegian", "og at det som en på er av for med til den har ikke om et jeg"),
    _language("fi", "finnish", "ja on ei se että oli hän mutta kun niin joka ovat myös tai kuin"),
    _language("ru", "russian", "и в не на что он с как это по но из у за от так о же для"),
    _language("tr", "turkish", "ve bir bu için de da ile çok ne daha gibi olarak ama en o"),
    _language("hu", "hungarian", "a az és hogy nem is egy volt de ez meg csak már mint el"),
    _language("ro", "romanian", "și de la în a cu pe nu că din un o este sau mai pentru ca"),
)
_BY_WORD = {key: one for one in LANGUAGES for key in (one.code, one.name)}

# what is left of "don't" and the like where an apostrophe ends words
_CONTRACTED = (
    "ain aren couldn didn doesn don hadn hasn haven isn let ll mustn needn re shan shouldn ve "
    "wasn weren won wouldn"
).split()


def language_of(documents: Iterable[str]) -> str | None:
    """The code of the language of documents, by the first of them; None if none is found."""
    counts: Counter[str] = Counter()
    for text in islice(documents, LOOKED_AT):
        counts.update(word.lower() for word in WORD.findall(text[:CHARACTERS]))
    total = counts.total()
    shares = {
        one.code: sum(counts[word] for word in one.common) / total
        for one in LANGUAGES
        if len(one.common & counts.keys()) >= LEAST_WORDS
    }
    best = max(shares, key=shares.__getitem__, default=None)
    return best if best is not None and shares[best] >= LEAST_SHARE else None


def known_language(language: str) -> str:
    """The code of a language that is named by its code or in English."""
    found = _BY_WORD.get(language.lower())
    return language.lower() if found is None else found.code


def stop_words_of(language: str | None) -> list[str] | None:
    """Words of a language that carry no topic, in order; None without a language."""
    if language is None:
        return None
    code = known_language(language)
    words = stop_list("english" if code == "en" else code)
    assert words is not None
    return sorted({*words, *(_CONTRACTED if code == "en" else ())})


def stemmer_of(language: str | None) -> str:
    """The name of a language for `CountVectorizer(stemmer=...)`."""
    if language is None:
        raise ValueError(
            "Stems are those of a language, and none was found in the documents; name it: "
            "language='english'."
        )
    found = _BY_WORD.get(language.lower())
    return language.lower() if found is None else found.name
