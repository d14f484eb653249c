"""Shepard plots: distances in the data against distances in each map."""

from __future__ import annotations

from markupsafe import Markup

from lowdim.report.maps import figures
from lowdim.report.maps.findings import Findings
from lowdim.report.page.parts import place
from lowdim.report.page.sections import Section


def shepard_section(findings: Findings) -> Section:
    """Distances in the data and in the maps."""
    truth = findings.truth
    dissimilarity = truth.condensed[truth.pairs]
    drawn = {
        f"shepard-{one.kind.name}": figures.shepard(
            f"shepard-{one.kind.name}", dissimilarity, one.kept.distance
        )
        for one in findings.maps
    }
    places = Markup("").join(
        Markup("<div><h3>{}</h3>{}</div>").format(
            one.kind.title, place(f"shepard-{one.kind.name}", _caption(one.kind.title))
        )
        for one in findings.maps
    )
    best = max(findings.maps, key=lambda one: one.kept.distance_correlation)
    lead = (
        f"{best.kind.title} keeps the order of distances best: "
        f"{best.kept.distance_correlation:.2f} (Spearman's correlation, 1 is the same order)."
    )
    return Section(
        "shepard",
        "Distances in the data and in the maps",
        "Distances",
        lead,
        Markup('<div class="pair">{}</div>').format(places),
        drawn,
    )


def _caption(title: str) -> str:
    return (
        f"{title}: each point is a pair of rows, to the right their distance in the data, upwards "
        "in the map. On a narrow line that rises, distances are kept; the orange line is the "
        "middle, its flat parts are distances that the map does not tell apart."
    )
