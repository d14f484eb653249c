"""Data in a page: JSON that cannot become markup, arrays small enough for a file.

A column travels as a dict. Numbers are 16-bit steps between the least and the largest value (whole
numbers exactly, where they fit; of a logarithm, in steps of the logarithm), words 8-bit places in a
list, both in base64; `js/map.js` reads them again.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

MOST_WORDS = 40  # different words of a column; rarer ones are 'other'
MISSING_NUMBER, MISSING_WORD = 65_535, 255


def json_script(name: str, value: Any) -> Markup:
    """A script element with data; nothing in it can end the element or begin another."""
    text = json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    for sign in "<>&":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return Markup('<script type="application/json" id="{}">{}</script>').format(name, Markup(text))


def packed(values: np.ndarray, dtype: str) -> str:
    """Little-endian bytes in base64."""
    return base64.b64encode(np.asarray(values, dtype=np.dtype(dtype)).tobytes()).decode("ascii")


def packed_words(
    name: str, places: np.ndarray, words: Sequence[str], rows: np.ndarray
) -> dict[str, Any]:
    """Some rows of a column of words.

    Parameters
    ----------
    name : str
    places : ndarray of int (n,)
        Of all rows in `words`; -1 where there is no value.
    words : sequence of str
        Of more than MOST_WORDS the rarest become one, '(other)'.
    rows : ndarray of int
        Those that are wanted.
    """
    places, few = _common_words(places, words)
    values = np.where(places < 0, MISSING_WORD, places)[rows]
    return {"name": name, "values": packed(values, "u1"), "words": few}


def packed_numbers(
    name: str,
    values: np.ndarray,
    rows: np.ndarray,
    log: float | None = None,
    is_date: bool = False,
) -> dict[str, Any]:
    """Some rows of a column of numbers.

    Parameters
    ----------
    name : str
    values : ndarray (n,)
        Of all rows; NaN where there is no value. Dates are days since 1970.
    rows : ndarray of int
        Those that are wanted.
    log : float or None
        What to add before the logarithm in which steps are even; None: no logarithm.
    is_date : bool
    """
    y = values if log is None else np.log(values + log)
    missing = np.isnan(y)
    known = y[~missing]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
    most = MISSING_NUMBER - 1
    whole = high - low <= most and bool(np.all(known == np.round(known)))
    step = 1.0 if whole else high / most - low / most
    steps = np.full(len(y), MISSING_NUMBER, dtype=np.uint16)
    steps[~missing] = np.round(known / step - low / step).clip(0, most) if step > 0 else 0
    return {
        "name": name,
        "values": packed(steps[rows], "<u2"),
        "words": None,
        "low": low,
        "step": step,
        "log": log,
        "date": is_date,
    }


def _common_words(places: np.ndarray, words: Sequence[str]) -> tuple[np.ndarray, list[str]]:
    """Places of the most frequent words, the others together."""
    if len(words) <= MOST_WORDS:
        return places, list(words)
    count = np.bincount(places[places >= 0], minlength=len(words))
    top = np.sort(np.argsort(-count, kind="stable")[: MOST_WORDS - 1])
    place = np.full(len(words) + 1, MOST_WORDS - 1)
    place[top] = np.arange(len(top))
    place[-1] = -1
    return place[places], [*(words[j] for j in top), "(other)"]
