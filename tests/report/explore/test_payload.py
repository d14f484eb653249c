"""The data of the page."""

import base64

import numpy as np
import pandas as pd

from lowdim.report.explore import payload
from lowdim.report.explore.payload import (
    filled_payload,
    filled_shown,
    map_columns,
    map_payload,
    map_rows,
    row_names,
)
from tests.report.explore.tables import encoded_of


def unpacked(text, kind):
    return np.frombuffer(base64.b64decode(text), dtype=kind)


# ---- the map -------------------------------------------------------------------------------------


def test_the_map_carries_values_exactly_enough(report, planted):
    data = map_payload(report.findings, np.arange(160))
    column = next(c for c in data["columns"] if c["name"] == "b")
    steps = unpacked(column["values"], "<u2")
    truth = planted()["b"].to_numpy()
    found = np.where(steps == 65535, np.nan, column["low"] + column["step"] * steps)
    np.testing.assert_allclose(found, truth, atol=np.nanmax(np.abs(truth)) * 1e-4)


def test_the_map_is_coloured_by_clusters_the_target_and_the_columns(report):
    data = map_payload(report.findings, np.arange(160))
    names = [column["name"] for column in data["columns"]]
    assert names == ["cluster", "word", *(column.name for column in report.findings.encoded.used)]
    assert data["firstCompared"] == 1 and data["rows"] is None
    labels = report.findings.clusters.labels
    np.testing.assert_array_equal(unpacked(data["columns"][0]["values"], "u1"), labels)


def test_of_many_columns_the_map_has_those_that_the_factors_explain_best(report, monkeypatch):
    monkeypatch.setattr(payload, "MAP_VALUES", 3 * 160)
    columns = map_columns(report.findings, 160)[1:]
    explained = report.findings.factors.explained
    best = sorted(np.argsort(-explained)[:3])
    assert [column.name for column in columns] == [
        report.findings.encoded.used[j].name for j in best
    ]


def test_some_rows_have_their_numbers_and_values(report, monkeypatch):
    monkeypatch.setattr(payload, "MAP_ROWS", 50)
    rows = map_rows(report.findings, seed=1)
    data = map_payload(report.findings, rows)
    np.testing.assert_array_equal(unpacked(data["rows"], "<u4"), rows)
    x = unpacked(data["coordinates"][0], "<f4")
    np.testing.assert_array_equal(x, report.findings.factors.plane[rows, 0].astype("f4"))


def test_steps_are_even_in_the_logarithm_where_the_models_take_it():
    x = np.exp(np.linspace(-5, 9, 60))
    encoded = encoded_of(pd.DataFrame({"x": x, "y": np.cos(np.arange(60))}))
    large, plain = (payload.packed_column(c, np.arange(60)) for c in encoded.used)
    assert large["log"] == 0.0 and plain["log"] is None
    found = np.exp(large["low"] + large["step"] * unpacked(large["values"], "<u2"))
    np.testing.assert_allclose(found, x, rtol=2e-4)


def test_rows_have_their_names_unless_they_go_by_numbers_or_are_too_many(report, monkeypatch):
    assert row_names(report.findings)[5] == "row <b>5</b>"
    monkeypatch.setattr(payload, "MOST_NAMES", 100)
    assert row_names(report.findings) is None


def test_numbered_rows_need_no_names(of_numbers):
    assert row_names(of_numbers.findings) is None


# ---- the filled values ---------------------------------------------------------------------------


def test_filled_values_are_those_that_were_found(of_words):
    parts = of_words.findings.filled
    for part, sent in zip(parts, filled_payload(parts)["columns"], strict=True):
        np.testing.assert_array_equal(unpacked(sent["rows"], "<u4"), part.rows)
        value = unpacked(sent["value"], "<f4" if sent["words"] is None else "<u2")
        np.testing.assert_array_equal(value, np.asarray(part.value).astype(value.dtype))
        np.testing.assert_allclose(unpacked(sent["low"], "<f4"), part.low, rtol=1e-6)
    sent = {column["name"]: column for column in filled_payload(parts)["columns"]}
    assert sent["size"]["high"] is None and sent["seen"]["date"] and sent["count"]["whole"]


def test_as_many_columns_as_fit_are_shown(of_words, monkeypatch):
    parts = of_words.findings.filled
    monkeypatch.setattr(payload, "FILLED_VALUES", len(parts[0].rows) + len(parts[1].rows))
    assert filled_shown(parts) == parts[:2]
