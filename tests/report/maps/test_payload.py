"""The data of the page: small, and what the scripts read back."""

import base64
import json

import numpy as np
import pandas as pd
import pytest

import lowdim
from lowdim.report.maps import findings as found_module
from lowdim.report.maps import payload


@pytest.fixture(autouse=True)
def nothing_again(monkeypatch):
    """Maps are made once; making them again has tests of its own."""
    monkeypatch.setattr(found_module, "changes_of", lambda *_: None)


def unpacked(text, dtype):
    return np.frombuffer(base64.b64decode(text), dtype)


def test_places_and_neighbours_come_back(found):
    data = payload.maps_payload(found)
    near = unpacked(data["near"]["rows"], "<u4").reshape(-1, data["near"]["k"])
    np.testing.assert_array_equal(near, found.truth.near)
    for one, sent in zip(found.maps, data["maps"], strict=True):
        x = unpacked(sent["x"], "<f4") * np.abs(one.Y).max()  # a page needs no unit
        np.testing.assert_allclose(x, one.Y[:, 0], rtol=1e-6)
        np.testing.assert_array_equal(unpacked(sent["kept"], "u1"), one.kept.rows)
        assert sent["density"] is None


def test_the_data_are_json_without_nan(found):
    json.dumps(payload.maps_payload(found), allow_nan=False)
    json.dumps(payload.changes_payload(found), allow_nan=False)


def test_columns_are_clusters_then_the_target_then_the_others(found):
    names = [column["name"] for column in payload.maps_payload(found)["columns"]]
    assert names[:3] == ["cluster", "word", "a"] and len(names) == 8


def test_rows_go_by_their_names(found):
    assert payload.row_names(found)[3] == "row <b>3</b>"


@pytest.fixture
def many(rng, monkeypatch):
    """A page that draws 40 of 90 rows and has room for three columns."""
    monkeypatch.setattr(found_module, "DRAWN_ROWS", 40)
    monkeypatch.setattr(payload, "PAGE_VALUES", 120)
    X = rng.normal(size=(90, 6))
    X[:, 3:] = X[:, 3:4] + 0.1 * rng.normal(size=(90, 3))
    return lowdim.map_table(pd.DataFrame(X, columns=list("abcdef")), maps=["pca"]).findings


def test_a_page_without_room_shows_the_columns_that_vary_most_together(many):
    columns = [column.name for column in payload.shown_columns(many)]
    assert columns == ["d", "e", "f"]


def test_rows_that_are_drawn_keep_their_numbers(many):
    data = payload.maps_payload(many)
    assert not data["named"] or payload.row_names(many) == [str(i) for i in many.drawn]
    np.testing.assert_array_equal(unpacked(data["rows"], "<u4"), many.drawn)


def test_the_shade_counts_all_rows_where_they_lie(many):
    density = payload.maps_payload(many)["maps"][0]["density"]
    shades = unpacked(density["shades"], "u1").reshape(density["cells"], -1)
    Y = many.maps[0].Y / np.abs(many.maps[0].Y).max()
    size = density["size"] / density["cells"]
    at = np.minimum((Y - [density["x"], density["y"]]) / size, density["cells"] - 1).astype(int)
    assert (shades[at[:, 1], at[:, 0]] > 0).all()
    assert (shades > 0).sum() == len(np.unique(at, axis=0))
