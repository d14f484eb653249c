"""The data of the page: places of the rows in each map, their columns, their neighbours."""

from __future__ import annotations

from typing import Any

import numpy as np
from bokeh.palettes import Viridis256

from lowdim.plots.style import PALETTE
from lowdim.report.explore.payload import MOST_NAMES, packed_column
from lowdim.report.explore.view import Column
from lowdim.report.maps.findings import Findings, OneMap
from lowdim.report.maps.keeping import in_unit
from lowdim.report.page.payload import packed, packed_words

PAGE_VALUES = 2_000_000  # of columns that can be shown, coloured by and compared
MOST_COLUMNS = 100
CELLS = 160  # of the picture of density, along each side


def row_names(findings: Findings) -> list[str] | None:
    """Names of the drawn rows; None if they go by their numbers, or are too many."""
    encoded, drawn = findings.encoded, findings.drawn
    numbered = encoded.names is None and encoded.numbers is None and len(drawn) == findings.n_rows
    if numbered or len(drawn) > MOST_NAMES:
        return None
    return [encoded.label(int(i)) for i in drawn]


def shown_columns(findings: Findings) -> list[Column]:
    """The columns that the page can show: the target, then those that vary most together."""
    encoded = findings.encoded
    most = min(MOST_COLUMNS, max(PAGE_VALUES // max(len(findings.drawn), 1), 3))
    columns = list(encoded.used)
    if len(columns) > most:
        share = _explained(findings)
        best = np.argsort([-float(share[span].max()) for span in encoded.spans], kind="stable")
        columns = [columns[j] for j in np.sort(best[:most])]
    return columns if encoded.target is None else [encoded.target, *columns]


def _explained(findings: Findings) -> np.ndarray:
    """How much of each column of numbers the first components hold; of no PCA, its variance."""
    for one in findings.maps:
        if one.kind.name == "pca":
            model = one.model.estimator_
            return np.asarray(
                (model.components_**2 * model.explained_variance_[:, None]).sum(axis=0)
            )
    some = findings.truth.X[findings.truth.judged]
    dense = np.asarray(some.toarray() if hasattr(some, "toarray") else some, dtype=np.float64)
    count = np.maximum((~np.isnan(dense)).sum(axis=0), 1)
    middle = np.nansum(dense, axis=0) / count
    return np.nansum((dense - middle) ** 2, axis=0) / count


def maps_payload(findings: Findings) -> dict[str, Any]:
    """What js/linked.js draws."""
    drawn, groups = findings.drawn, findings.groups
    clusters = [f"cluster {j}" for j in range(groups.n_clusters)]
    columns = [packed_words("cluster", groups.labels, clusters, drawn)]
    columns += [packed_column(column, drawn) for column in shown_columns(findings)]
    near = findings.truth.near
    return {
        "n": len(drawn),
        "rows": None if len(drawn) == findings.n_rows else packed(drawn, "<u4"),
        "named": row_names(findings) is not None,
        "columns": columns,
        "firstCompared": 1,
        "what": "row",
        "palette": list(PALETTE),
        "viridis": list(Viridis256),
        "near": {"k": near.shape[1], "rows": packed(near, "<u4")},
        "maps": [_packed_map(one, findings) for one in findings.maps],
    }


def _packed_map(one: OneMap, findings: Findings) -> dict[str, Any]:
    all_places, _ = in_unit(one.Y)  # a page shows no numbers of coordinates
    Y = all_places[findings.drawn]
    whole = len(findings.drawn) == findings.n_placed
    return {
        "name": one.kind.name,
        "title": one.kind.title,
        "x": packed(Y[:, 0], "<f4"),
        "y": packed(Y[:, 1], "<f4"),
        "kept": packed(one.kept.rows, "u1"),
        "density": None if whole else _density(all_places),
    }


def _density(Y: np.ndarray) -> dict[str, Any]:
    """How many rows lie in each cell of a grid, as shades from 0 to 255."""
    placed = Y[np.isfinite(Y[:, 0])]
    low, high = placed.min(axis=0), placed.max(axis=0)
    size = float(max((high - low).max(), np.finfo(np.float32).tiny))
    cells = np.minimum((placed - low) / size * CELLS, CELLS - 1).astype(int)
    count = np.bincount(cells[:, 1] * CELLS + cells[:, 0], minlength=CELLS * CELLS)
    shade = np.round(255 * np.log1p(count) / np.log1p(count.max()))
    return {
        "cells": CELLS,
        "x": float(low[0]),
        "y": float(low[1]),
        "size": size,
        "shades": packed(shade, "u1"),
    }


def changes_payload(findings: Findings) -> dict[str, Any]:
    """The maps made again, for js/again.js."""
    return {
        "changes": [
            {
                "title": one.kind.title,
                "rows": packed(one.rows, "<u4"),
                "maps": [
                    {"x": packed(Y[:, 0], "<f4"), "y": packed(Y[:, 1], "<f4")}
                    for Y in (in_unit(M)[0] for M in (one.first, *(a.Y for a in one.again)))
                ],
            }
            for one in findings.changes
        ]
    }
