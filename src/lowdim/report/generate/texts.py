"""Written texts beside a real one: which characters they have, and what they copy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lowdim.report.generate.columns import Shares

WINDOW, STEP = 20, 5  # characters of a copied piece, and from one piece to the next
MOST_CHARACTERS = 24
EXCERPT = 600


class TextFindings(NamedTuple):
    """What is said of written texts."""

    name: str
    texts: list[str]
    excerpt: str  # of the real text
    characters: Shares
    copied: float  # share of pieces of the texts that stand in the real text
    bits: float | None  # of a character


def find_texts(
    name: str, real: str | None, texts: Sequence[str], seed: int, bits: float | None
) -> TextFindings:
    """Findings of texts; without a real text, of themselves alone."""
    drawn = "".join(texts)
    source = drawn if real is None else real
    start = int(np.random.default_rng(seed).integers(max(len(source) - EXCERPT, 1)))
    excerpt = "" if real is None else source[start : start + EXCERPT]
    counts = [Counter(text) for text in (source, drawn)]
    top = [c for c, _ in counts[0].most_common(MOST_CHARACTERS)]
    share = [np.array([count[c] for c in top]) / max(count.total(), 1) for count in counts]
    labels = [{" ": "space", "\n": "new line", "\t": "tab"}.get(c, c) for c in top]
    pieces = [t[i : i + WINDOW] for t in texts for i in range(0, len(t) - WINDOW + 1, STEP)]
    copied = [piece in source for piece in pieces] if real is not None else []
    return TextFindings(
        name,
        list(texts),
        excerpt,
        Shares("characters", labels, None, False, share[0], share[1]),
        float(np.mean(copied)) if copied else float("nan"),
        bits,
    )
