"""The map: the rows in the plane of two components."""

from __future__ import annotations

from lowdim.report.explore.findings import Findings
from lowdim.report.explore.payload import (
    MAP_ROWS,
    map_columns,
    map_coordinates,
    map_payload,
    map_rows,
)
from lowdim.report.page.map import map_body, point_map, point_source, small_map
from lowdim.report.page.sections import MAP, Section

MAP_ID = "map"
GLANCE = "glance"  # the name of the small map at the top


def map_section(findings: Findings, seed: int) -> Section:
    """The rows in the plane of two components."""
    rows, plane = map_rows(findings, seed), findings.factors.plane
    data = map_payload(findings, rows)
    axes = list(map_coordinates(findings))
    has_target = findings.encoded.target is not None
    note, planes = _note(findings, len(rows)), _planes(findings, axes)
    body = map_body(MAP_ID, data, axes, 1 if has_target else 0, note, planes)
    lead = (
        "Rows that are alike lie close together; choose what colours them, and select some with "
        "the lasso or the box to see how they differ from the others."
    )
    source = point_source(MAP_ID, plane[rows, 0], plane[rows, 1])
    drawn = {MAP_ID: point_map(MAP_ID, source, axes), GLANCE: small_map(source)}
    return Section(MAP_ID, "The map", "Map", lead, body, drawn, scripts=(MAP,), data=data)


def _planes(findings: Findings, axes: list[str]) -> list[tuple[str, int]]:
    """The planes to choose among, and where their coordinates begin; none if there is one only."""
    others = [(name, axes.index(f"{name} 1")) for name in findings.maps]
    return [("components", 0), *others] if others else []


def _note(findings: Findings, n_drawn: int) -> str:
    """What the map does not show."""
    n, used = len(findings.factors.plane), len(findings.encoded.used)
    shown = len(map_columns(findings, n_drawn)) - (findings.encoded.target is not None)
    notes = []
    if findings.maps:
        notes.append(
            "t-SNE and UMAP keep who is next to whom: their axes, the sizes of clumps and the gaps "
            "between them mean nothing. lowdim map makes a page of maps and says how to read each."
        )
    if n_drawn < n:
        notes.append(f"{MAP_ROWS:,} of the {n:,} rows are drawn, chosen at random.")
    if shown < used:
        notes.append(f"Of the {used} columns the {shown} that the factors explain best are here.")
    return " ".join(notes)
