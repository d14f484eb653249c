"""Pairs of words that say no and yes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

PAIRS = (
    ("no", "yes"),
    ("n", "y"),
    ("false", "true"),
    ("f", "t"),
    ("off", "on"),
    ("0", "1"),
    ("-", "+"),
    ("absent", "present"),
    ("negative", "positive"),
    ("neg", "pos"),
    ("nein", "ja"),  # German
    ("n", "j"),
    ("falsch", "wahr"),
    ("aus", "an"),
    ("non", "oui"),  # French
    ("n", "o"),
    ("faux", "vrai"),
    ("no", "sí"),  # Spanish, Italian
    ("no", "si"),
    ("no", "sì"),
    ("não", "sim"),  # Portuguese
    ("nee", "ja"),  # Dutch
    ("nej", "ja"),  # Swedish, Danish
    ("nei", "ja"),  # Norwegian
    ("nie", "tak"),  # Polish
    ("нет", "да"),  # Russian
)


class FlagText(NamedTuple):
    """The two texts of a column that says no or yes, as most of its cells write them."""

    false: str
    true: str

    def parse(self, levels: Sequence[str]) -> np.ndarray:
        """0 and 1, (n,) float64, in any case of letters; NaN where a text is neither."""
        values = {self.false.casefold(): 0.0, self.true.casefold(): 1.0}
        found = (values.get(text.strip().casefold(), math.nan) for text in levels)
        return np.fromiter(found, dtype=np.float64, count=len(levels))

    def format(self, flags: np.ndarray) -> list[str | None]:
        """The text of the nearer one of 0 and 1; None for NaN."""
        return [
            None if math.isnan(x) else self.true if x >= 0.5 else self.false
            for x in np.asarray(flags, dtype=np.float64).tolist()
        ]


def flag_of(texts: Mapping[str, int]) -> FlagText | None:
    """The pair that these texts are, in any case of letters; None if they are something else."""
    written: dict[str, str] = {}
    for text in sorted(texts, key=lambda text: (-texts[text], text)):
        written.setdefault(text.casefold(), text)
    for false, true in PAIRS:
        if written.keys() == {false, true}:
            return FlagText(written[false], written[true])
    return None
