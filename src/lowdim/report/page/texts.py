"""Texts as a page shows them: cut and harmless.

Texts may hold anything: NUL, halves of surrogate pairs, marks that turn the direction of what
follows, a word of a million letters. What cannot be shown becomes a sign that says so; what is too
long is cut. Markup needs no care here: texts only ever become text nodes.
"""

from __future__ import annotations

import re

LONGEST_TEXT = 700  # characters of a document in the page
LONGEST_EXCERPT = 160
LONGEST_RUN = 60  # characters without a blank
_UNSEEN = re.compile(
    "[\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\ud800-\\udfff\\ufff9-\\uffff"
    "\\u200e\\u200f\\u061c\\u202a-\\u202e\\u2066-\\u2069\\ufeff]"
)
_BLANKS = re.compile(r"[ \t\u2028\u2029]+")
_LINES = re.compile(r"\s*\n\s*")
_RUN = re.compile(rf"\S{{{LONGEST_RUN + 1},}}")


def harmless(text: str) -> str:
    """Text without what cannot be shown, or changes how other text is shown."""
    return _UNSEEN.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n").replace("\r", "\n"))


def excerpt(text: str, most: int = LONGEST_EXCERPT) -> str:
    """The beginning of a text in one line."""
    line = " ".join(harmless(text[: 4 * most]).split())
    line = _RUN.sub(_cut_run, line)
    return line if len(line) <= most and len(text) <= 4 * most else line[: most - 1].rstrip() + "…"


def beginning(text: str, most: int = LONGEST_TEXT) -> str:
    """The beginning of a text with its lines."""
    shown = _LINES.sub("\n", _BLANKS.sub(" ", harmless(text[: 4 * most]))).strip()
    shown = _RUN.sub(_cut_run, shown)
    return shown if len(shown) <= most and len(text) <= 4 * most else shown[: most - 1] + "…"


def _cut_run(match: re.Match[str]) -> str:
    return match[0][: LONGEST_RUN - 1] + "…"
