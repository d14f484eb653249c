"""Names of months, in the languages and forms that columns of dates are written in.

A style says how names are written: 'en short title' is Mar, 'de long upper' is MÄRZ, and
'fr short lower.' is janv. with its point.
"""

from __future__ import annotations

_NAMES = {
    "en long": "january february march april may june july august september october november "
    "december",
    "en short": "jan feb mar apr may jun jul aug sep oct nov dec",
    "de long": "januar februar märz april mai juni juli august september oktober november dezember",
    "de short": "jan feb mär apr mai jun jul aug sep okt nov dez",
    "fr long": "janvier février mars avril mai juin juillet août septembre octobre novembre "
    "décembre",
    "fr short": "janv févr mars avr mai juin juil août sept oct nov déc",
    "es long": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre "
    "diciembre",
    "es short": "ene feb mar abr may jun jul ago sep oct nov dic",
    "it long": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre "
    "novembre dicembre",
    "it short": "gen feb mar apr mag giu lug ago set ott nov dic",
}
_MONTHS = {form: names.split() for form, names in _NAMES.items()}
ENGLISH_MONTHS = frozenset(_MONTHS["en long"] + _MONTHS["en short"])
_FURTHER = {"sept": [("en short", 9), ("fr short", 9)], "mrz": [("de short", 3)]}
_CASES = {"title": str.title, "lower": str.lower, "upper": str.upper}


def month_of(name: str) -> tuple[int, tuple[str, ...]] | None:
    """The month of a name and the styles that it may be written in; None if it is no month."""
    bare = name.removesuffix(".")
    case = next((case for case, write in _CASES.items() if write(bare) == bare), None)
    word = bare.lower()
    forms = [(form, names.index(word) + 1) for form, names in _MONTHS.items() if word in names]
    forms = _FURTHER.get(word, forms)
    if case is None or not forms:
        return None
    end = name[len(bare) :]
    return forms[0][1], tuple(f"{form} {case}{end}" for form, _ in forms)


def month_name(month: int, style: str) -> str:
    """How a month, from 1 on, is written in this style."""
    language, length, case = style.split(" ")
    name = _CASES[case.removesuffix(".")](_MONTHS[f"{language} {length}"][month - 1])
    return name + "." * case.endswith(".")
