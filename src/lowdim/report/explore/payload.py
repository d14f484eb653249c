"""The data in the page: small enough for a file, exact enough to read.

Numbers are 16-bit steps between the least and the largest value (whole numbers exactly, where they
fit; of a logarithm, in steps of the logarithm), words 8-bit places in a list, both in base64. Dates
are days since 1970.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from typing import Any

import numpy as np
from bokeh.palettes import Viridis256
from markupsafe import Markup

from lowdim.plots.style import PALETTE
from lowdim.report.explore.filling import FilledColumn
from lowdim.report.explore.findings import Findings
from lowdim.report.explore.sampling import sample_rows
from lowdim.report.explore.view import Column
from lowdim.tables.codecs import CategoryCodec, FlagCodec, NumberCodec

MAP_ROWS = 100_000
MAP_VALUES = 600_000  # of columns that can be shown, coloured by and compared in the map
LEAST_COLUMNS = 3
MOST_COORDINATES = 5
MOST_WORDS = 40  # different words of a column in the map; rarer ones are 'other'
FILLED_VALUES = 100_000
MOST_LABELS = 100_000
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


def row_labels(findings: Findings) -> list[str] | None:
    """Names of all rows; None if they go by their numbers."""
    encoded = findings.encoded
    n = len(encoded.X)
    numbered = encoded.names is None and encoded.numbers is None
    if numbered or n > MOST_LABELS:
        return None
    return [encoded.label(i) for i in range(n)]


# ---- the map -------------------------------------------------------------------------------------


def map_rows(findings: Findings, seed: int) -> np.ndarray:
    """The rows that are drawn."""
    return sample_rows(len(findings.encoded.X), MAP_ROWS, seed)


def map_columns(findings: Findings, n_drawn: int) -> list[Column]:
    """The columns that the map can show: the target, then those that the factors tell most of."""
    encoded, told = findings.encoded, findings.factors.told
    most = max(LEAST_COLUMNS, MAP_VALUES // n_drawn)
    by_column = [float(told[span].max()) for span in encoded.spans]
    best = np.argsort([-t for t in by_column], kind="stable")[:most]
    columns = [encoded.used[j] for j in sorted(best)]
    return columns if encoded.target is None else [encoded.target, *columns]


def map_payload(findings: Findings, rows: np.ndarray) -> dict[str, Any]:
    """What the page's script needs to draw, colour and compare rows."""
    n, plane = len(rows), findings.factors.plane
    clusters = findings.clusters
    words = [f"cluster {j}" for j in range(clusters.model.n_components)]
    cluster = {"name": "cluster", "codes": packed(clusters.labels[rows], "u1"), "words": words}
    whole = n == len(plane)
    return {
        "n": n,
        "rows": None if whole else packed(rows, "<u4"),
        "coordinates": [
            packed(plane[rows, j], "<f4") for j in range(min(plane.shape[1], MOST_COORDINATES))
        ],
        "columns": [cluster, *(_packed_column(c, rows) for c in map_columns(findings, n))],
        "firstColumn": 1,  # those before it are not part of the table
        "palette": list(PALETTE),
        "viridis": list(Viridis256),
    }


def _packed_column(column: Column, rows: np.ndarray) -> dict[str, Any]:
    if column.words is not None:
        codes, words = _common_words(column.amounts, column.words)
        codes = np.where(codes < 0, MISSING_WORD, codes)
        return {"name": column.name, "codes": packed(codes[rows], "u1"), "words": words}
    log = _log_offset(column)
    y = column.amounts if log is None else np.log(column.amounts + log)
    missing = np.isnan(y)
    known = y[~missing]
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
    steps = MISSING_NUMBER - 1
    whole = high - low <= steps and bool(np.all(known == np.round(known)))
    step = 1.0 if whole else high / steps - low / steps
    codes = np.full(len(y), MISSING_NUMBER, dtype=np.uint16)
    codes[~missing] = np.round(known / step - low / step).clip(0, steps) if step > 0 else 0
    return {
        "name": column.name,
        "codes": packed(codes[rows], "<u2"),
        "words": None,
        "low": low,
        "step": step,
        "log": log,
        "date": column.is_date,
    }


def _log_offset(column: Column) -> float | None:
    """What to add before a logarithm, so that zeros have one; None: no logarithm."""
    codec = column.info.codec
    if not isinstance(codec, NumberCodec) or codec.zero is None or column.info.form == "span":
        return None
    return 0.0 if codec.low > 0 else codec.zero


def _common_words(codes: np.ndarray, values: Sequence[str]) -> tuple[np.ndarray, list[str]]:
    """Codes of the most frequent words, the others together."""
    if len(values) <= MOST_WORDS:
        return codes, list(values)
    count = np.bincount(codes[codes >= 0], minlength=len(values))
    top = np.sort(np.argsort(-count, kind="stable")[: MOST_WORDS - 1])
    place = np.full(len(values) + 1, MOST_WORDS - 1)
    place[top] = np.arange(len(top))
    place[-1] = -1
    return place[codes], [*(values[j] for j in top), "(other)"]


# ---- the filled values ---------------------------------------------------------------------------


def filled_shown(parts: Sequence[FilledColumn]) -> list[FilledColumn]:
    """The columns whose filled values are in the page: as many as fit."""
    shown, total = [], 0
    for part in parts:
        total += len(part.rows)
        if total > FILLED_VALUES:
            break
        shown.append(part)
    return shown


def filled_payload(parts: Sequence[FilledColumn]) -> dict[str, Any]:
    """The filled values with their uncertainty."""
    return {"columns": [_packed_cells(part) for part in parts]}


def _packed_cells(part: FilledColumn) -> dict[str, Any]:
    column = part.column
    words = None if column.words is None else list(column.words)
    as_share = isinstance(column.info.codec, CategoryCodec | FlagCodec)
    return {
        "name": column.name,
        "rows": packed(part.rows, "<u4"),
        "value": packed(part.value, "<u2" if words else "<f4"),
        "low": packed(part.low, "<f4"),
        "high": None if as_share else packed(part.high, "<f4"),
        "words": words,
        "date": column.is_date,
        "whole": column.is_whole,
    }
