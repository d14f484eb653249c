"""The maps of a table, and what was done to make them."""

import numpy as np
import pandas as pd
import pytest

import lowdim
from lowdim.report.maps import findings as module
from tests.report.maps.planted import MAPS
from tests.report.samples import planted_table


@pytest.fixture(autouse=True)
def nothing_again(monkeypatch):
    """Maps are made once; making them again has tests of its own."""
    monkeypatch.setattr(module, "changes_of", lambda *_: None)


def table_of(rng, n=60):
    X = rng.normal(size=(n, 4)) + 6.0 * np.eye(2, 4)[np.arange(n) % 2]
    return pd.DataFrame(X, columns=list("abcd"))


def test_every_map_has_a_place_for_every_row(found):
    assert [one.kind.name for one in found.maps] == list(MAPS)
    for one in found.maps:
        assert one.Y.shape == (160, 2) and np.isfinite(one.Y).all()
        assert 0 < one.kept.share <= 1 and one.kept.rows.shape == (160,)
    assert found.truth.near.shape == (160, 10) and found.n_placed == found.n_rows == 160


def test_the_planted_groups_are_apart_in_every_map(found):
    group = np.arange(160) % 2
    for one in found.maps:
        middle = [one.Y[group == g].mean(axis=0) for g in (0, 1)]
        nearer = np.argmin([np.linalg.norm(one.Y - m, axis=1) for m in middle], axis=0)
        assert (nearer == group).mean() > 0.95, one.kind.name


def test_no_map_sees_the_target_nor_the_names(found):
    names = found.encoded.feature_names
    assert len(names) == 6 and not any(name.startswith(("word", "name")) for name in names)


def test_models_place_the_rows_of_the_table_where_the_page_has_them(found):
    table = planted_table()
    for one in found.maps:
        places = np.asarray(one.model.transform(table))
        np.testing.assert_allclose(places, one.Y, rtol=1e-5, atol=1e-5)


def test_large_tables_are_fitted_to_a_sample_and_all_rows_are_placed(rng):
    found = lowdim.map_table(table_of(rng, 90), maps=["pca", "tsne"], sample=40).findings
    pca, tsne = found.maps
    assert len(pca.fitted) == 90 and len(tsne.fitted) == 40
    assert np.isfinite(tsne.Y).all()
    assert any("t-SNE was fitted to 40 rows drawn at random;" in said for said in found.remarks)
    group = np.arange(90) % 2
    middle = [tsne.Y[tsne.fitted[group[tsne.fitted] == g]].mean(axis=0) for g in (0, 1)]
    nearer = np.argmin([np.linalg.norm(tsne.Y - m, axis=1) for m in middle], axis=0)
    assert (nearer == group).mean() > 0.95


def test_beyond_what_can_be_drawn_some_rows_are_points(rng, monkeypatch):
    monkeypatch.setattr(module, "DRAWN_ROWS", 30)
    found = lowdim.map_table(table_of(rng), maps=["pca"]).findings
    assert len(found.drawn) == 30 and found.n_placed == 60 and found.truth.near.max() < 30
    assert any("30 of the 60 rows are drawn as points" in said for said in found.remarks)


def test_a_row_without_values_has_no_place(rng):
    table = table_of(rng)
    table.loc[[3, 9]] = np.nan
    found = lowdim.map_table(table, maps=["pca", "tsne"]).findings
    for one in found.maps:
        assert np.flatnonzero(np.isnan(one.Y[:, 0])).tolist() == [3, 9]
    assert found.n_placed == 58 and 3 not in found.drawn
    assert "2 rows without any value have no place in a map." in found.remarks


def test_a_table_of_empty_rows_is_refused(rng):
    table = table_of(rng, 8)
    table.loc[:5] = np.nan
    with pytest.raises(ValueError, match="has 2 rows with values; a map needs at least 5"):
        lowdim.map_table(table, maps=["pca"])


def test_limits_on_rows_are_said(rng, monkeypatch):
    from dataclasses import replace

    kinds = {**module.KINDS, "mds": replace(module.KINDS["mds"], most_rows=30)}
    monkeypatch.setattr(module, "KINDS", kinds)
    found = lowdim.map_table(table_of(rng), maps=["mds"]).findings
    assert any("grows with the square of the rows, so it takes 30 at most" in said
               for said in found.remarks)  # fmt: skip
