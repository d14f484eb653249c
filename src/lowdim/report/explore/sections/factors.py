"""Rotated loadings, the correlation circle, and what the factors are about."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from markupsafe import Markup

from lowdim.report.explore import figures
from lowdim.report.explore.findings import Factors, Findings
from lowdim.report.page.figures import heat_map, plain
from lowdim.report.page.parts import percent, place, table
from lowdim.report.page.sections import Section

MOST_TOP = 5  # columns named for a factor


def factor_section(findings: Findings) -> Section:
    """Rotated loadings, the correlation circle, and what the factors are about."""
    factors, names = findings.factors, findings.encoded.feature_names
    heads = ["factor", "suggested name", "explains#", "columns it goes with"]
    lines = [
        (
            f"factor\u00a0{j + 1}",
            factors.names[j],
            percent(float((factors.rotated[:, j] ** 2).sum() / len(names))),
            _top(factors.rotated[:, j], names),
        )
        for j in range(factors.rotated.shape[1])
    ]
    drawn, pictures = _pictures(factors, names)
    body = table(heads, lines, "factors") + Markup('<div class="pair">{}</div>').format(pictures)
    rest = len(names) - figures.MOST_FEATURES
    if rest > 0:
        body += Markup(
            '<p class="muted">The heat map has the {} columns that the factors explain best; {} '
            "others are left out.</p>"
        ).format(figures.MOST_FEATURES, rest)
    lead = factor_sentence(findings)
    return Section("factors", "The factors", "Factors", lead, body, drawn, in_short=True)


def _pictures(factors: Factors, names: Sequence[str]) -> tuple[dict[str, Any], Markup]:
    """The loadings, and of two factors or more the circle: figures, and where they go."""
    k = factors.rotated.shape[1]
    best = np.argsort(-factors.explained, kind="stable")[: figures.MOST_FEATURES]
    # columns of one factor stand together
    main = np.abs(factors.rotated[best]).argmax(axis=1)
    shown = best[np.lexsort((-np.abs(factors.rotated[best, main]), main))]
    drawn = {
        "loadings": heat_map(
            factors.rotated[shown],
            [names[f] for f in shown],
            [f"factor {j + 1}" for j in range(k)],
            "loadings",
            "correlation",
        )
    }
    places = place(
        "loadings",
        "How columns go with the factors, rotated by varimax: blue with, orange against.",
    )
    if k > 1:
        drawn["circle"] = figures.circle(factors.correlations, names)
        places += place(
            "circle",
            "Correlation circle: columns and the first two components, not rotated. Long arrows "
            "are well explained; arrows that point the same way go together.",
        )
    return drawn, places


def factor_sentence(findings: Findings) -> str:
    """What the strongest factor is about, and what no factor explains."""
    factors, names = findings.factors, findings.encoded.feature_names
    share = percent(float(factors.explained.mean()))
    least = int(np.argmin(factors.explained))
    k = factors.rotated.shape[1]
    which = "The factor is" if k == 1 else "The strongest factor is"
    together = "It explains" if k == 1 else f"All {k} together explain"
    return (
        f"{which} “{plain(factors.names[0], 90)}”. {together} {share} of the columns' "
        f"variance, least of {plain(names[least], 40)} "
        f"({percent(float(factors.explained[least]))})."
    )


def _top(loadings: np.ndarray, names: Sequence[str]) -> Markup:
    top = np.argsort(-np.abs(loadings), kind="stable")[:MOST_TOP]
    return Markup(", ").join(
        Markup('{} <span class="{}">{}</span>').format(
            names[f], "high" if loadings[f] > 0 else "low", f"{loadings[f]:+.2f}"
        )
        for f in top
    )
