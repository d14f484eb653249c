"""What `map_table` gives: a page, coordinates, models."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

import lowdim
from lowdim.report.maps import findings
from tests.report.maps.planted import MAPS
from tests.report.samples import planted_table


@pytest.fixture(autouse=True)
def nothing_again(monkeypatch):
    """Maps are made once; making them again has tests of its own."""
    monkeypatch.setattr(findings, "changes_of", lambda *_: None)


@pytest.fixture
def table(rng):
    X = rng.normal(size=(40, 3)) + 6.0 * (np.arange(40) % 2)[:, None]
    return pd.DataFrame(X, columns=list("abc"))


def test_the_report_says_what_it_is(map_report):
    assert repr(map_report).startswith("MapReport(160 rows; PCA, MDS, Sammon, t-SNE and UMAP; ")
    assert list(map_report.models) == list(MAPS)


def test_coordinates_have_names_of_their_maps(map_report, found):
    columns = map_report.coordinates
    assert list(columns)[:4] == ["pca1", "pca2", "mds1", "mds2"] and len(columns) == 10
    np.testing.assert_array_equal(columns["tsne2"], found.maps[3].Y[:, 1])


def test_coordinates_are_written_with_the_names_of_rows(map_report, tmp_path):
    map_report.save_coordinates(tmp_path / "c.csv")
    read = pd.read_csv(tmp_path / "c.csv")
    assert list(read)[:3] == ["name", "pca1", "pca2"] and read["name"][3] == "row <b>3</b>"
    np.testing.assert_allclose(read["umap1"], map_report.coordinates["umap1"], rtol=1e-6)
    map_report.save_coordinates(tmp_path / "c.npy")
    assert np.load(tmp_path / "c.npy").shape == (160, 10)


def test_saved_models_give_the_places_of_the_page(map_report, tmp_path):
    files = map_report.save_models(tmp_path / "m")
    assert [path.name for path in files] == [*(f"{name}.lowdim" for name in MAPS), "map.py"]
    model = lowdim.load(tmp_path / "m" / "tsne.lowdim")
    places = np.asarray(model.transform(planted_table()))
    np.testing.assert_allclose(places[:, 0], map_report.coordinates["tsne1"], rtol=1e-5, atol=1e-5)


def test_a_script_of_somebody_else_stays(map_report, tmp_path):
    (tmp_path / "map.py").write_text("mine\n")
    with pytest.raises(ValueError, match="is there already, and is not a script of a page"):
        map_report.save_models(tmp_path)
    assert not (tmp_path / "pca.lowdim").exists()


def test_a_notebook_shows_the_page_in_a_frame_of_its_own(map_report):
    frame = map_report._repr_html_()
    assert frame.startswith("<iframe srcdoc=") and 'title="lowdim map"' in frame


@pytest.mark.parametrize("kind", ["matrix", "polars", "dict"])
def test_tables_of_any_library_have_the_same_maps(table, kind):
    as_kind = {
        "matrix": table.to_numpy(),
        "polars": pl.from_pandas(table),
        "dict": {name: table[name].to_numpy() for name in table},
    }[kind]
    one, other = (lowdim.map_table(t, maps=["pca"]).coordinates for t in (table, as_kind))
    np.testing.assert_allclose(other["pca1"], one["pca1"], atol=1e-6)


def test_mixed_tables_are_encoded_as_everywhere():
    n = 40
    table = pd.DataFrame(
        {
            "word": np.where(np.arange(n) % 2, "a", "b"),
            "when": pd.date_range("2020-01-01", periods=n, freq="7D"),
            "flag": np.arange(n) % 3 == 0,
            "x": np.r_[np.nan, np.arange(n - 1.0)],
        }
    )
    report = lowdim.map_table(table, maps=["pca", "mds"])
    assert np.isfinite(report.coordinates["mds1"]).all()
    assert {"word=a", "x"} <= set(report.findings.encoded.feature_names)


def test_the_same_seed_gives_the_same_page(table):
    first, again = (lowdim.map_table(table, maps=["pca", "tsne"], random_state=1) for _ in "ab")
    np.testing.assert_array_equal(first.coordinates["tsne1"], again.coordinates["tsne1"])


def test_a_wide_table_keeps_all_its_columns(rng):
    report = lowdim.map_table(rng.normal(size=(30, 400)), maps=["pca"])
    assert report.findings.encoded.X.shape[1] == 400 and "<h2" in report.html


@pytest.mark.parametrize("n", [5, 9])
def test_small_tables_have_a_page(rng, n):
    report = lowdim.map_table(rng.normal(size=(n, 3)), maps=["pca", "mds", "tsne", "umap"])
    assert "<h2" in report.html


def test_rows_all_alike_have_a_page(rng):
    X = np.repeat(rng.normal(size=(4, 3)), 8, axis=0)
    assert "<h2" in lowdim.map_table(X, maps=["pca", "mds", "tsne", "umap"]).html


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"target": "nowhere"}, "no column 'nowhere'"),
        ({"maps": "isomap"}, "maps='isomap' is not known"),
        ({"drop": "a"}, "drop='a' is a text"),
        ({"random_state": None}, "random_state=None must be a whole number"),
        ({"maps": ["tsne"], "perplexity": 50.0}, "perplexity"),
    ],
    ids=["target", "maps", "drop", "seed", "perplexity"],
)
def test_bad_input_is_refused(table, settings, message):
    with pytest.raises((ValueError, TypeError), match=message):
        lowdim.map_table(table, **settings)
