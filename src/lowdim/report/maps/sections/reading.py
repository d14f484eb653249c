"""What may be read from each map, and what not."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from lowdim.report.maps.findings import Findings
from lowdim.report.maps.says import IN_ORDER, reading
from lowdim.report.page.parts import percent, table
from lowdim.report.page.sections import Section, Tile


def reading_section(findings: Findings) -> Section:
    """What may be read from each map, and what not."""
    parts = []
    for one in findings.maps:
        found = reading(one, findings)
        parts.append(
            Markup(
                '<article class="panel"><h3>{}</h3><h4>May be read from it</h4>{}'
                "<h4>May not</h4>{}</article>"
            ).format(one.kind.title, _list(found.may), _list(found.may_not))
        )
    body = Markup('<div class="pair">{}</div>').format(Markup("").join(parts))
    body += Markup("<h3>In figures</h3>") + _figures(findings)
    body += Markup('<p class="muted">{}</p>').format(
        "Neighbours kept: of each row's nearest rows in the data, how many are nearest in the map. "
        "Trustworthy: neighbours in the map that are neighbours in the data; continuous: the other "
        "way round; both are 1 at best. Order of distances: Spearman's correlation, 1 at best. "
        "Error of distances: stress-1 after the best change of scale, 0 at best."
    )
    best = max(findings.maps, key=lambda one: one.kept.share)
    order = max(findings.maps, key=lambda one: one.kept.distance_correlation)
    agreement = order.kept.distance_correlation
    if agreement < IN_ORDER:
        lead = (
            f"For who is next to whom look at {best.kind.title}; how far apart rows are no map "
            f"shows well: {order.kind.title} does best, where the order of distances agrees with "
            f"the data by {agreement:.2f} (Spearman; 1 is the same order)."
        )
    elif best is not order:
        lead = (
            f"For who is next to whom look at {best.kind.title}; for how far apart rows are, at "
            f"{order.kind.title}."
        )
    else:
        lead = f"{best.kind.title} keeps most of both: neighbours, and the order of distances."
    if len(findings.maps) == 1:
        lead = f"What a map of {best.kind.title} shows of the data, and what it does not."
    tile = Tile(percent(best.kept.share), f"of neighbours kept by {best.kind.title}")
    return Section(
        "reading", "What may be read from them", "How to read them", lead, body, tile=tile,
        in_short=len(findings.maps) > 1,
    )  # fmt: skip


def _list(sentences: Sequence[str]) -> Markup:
    items = Markup("").join(Markup("<li>{}</li>").format(sentence) for sentence in sentences)
    return Markup("<ul>{}</ul>").format(items)


def _figures(findings: Findings) -> Markup:
    """A line for each map."""
    heads = [
        "map",
        "neighbours kept#",
        "trustworthy#",
        "continuous#",
        "order of distances#",
        "error of distances#",
        "fitted to#",
    ]
    lines = [
        (
            one.kind.title,
            percent(one.kept.share),
            f"{one.kept.trustworthiness:.3f}",
            f"{one.kept.continuity:.3f}",
            f"{one.kept.distance_correlation:.3f}",
            f"{one.kept.stress:.3f}",
            f"{len(one.fitted):,} rows",
        )
        for one in findings.maps
    ]
    return table(heads, lines, "what the maps keep")
