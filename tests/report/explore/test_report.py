"""`lowdim.explore` and what it returns: saved models, the filled table, and what is refused."""

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest

import lowdim
from lowdim.tables import open_table, take_rows
from tests.report.explore.tables import (
    assert_filled_as_on_the_page,
    frame,
    matrix,
    numbers,
    storms,
    words,
)

pytestmark = pytest.mark.usefixtures("few_models")


def test_a_notebook_shows_the_page_in_a_frame_of_its_own(report):
    frame = report._repr_html_()
    assert frame.count("<") == 2 and 'sandbox="allow-scripts allow-downloads"' in frame
    assert "allow-same-origin" not in frame


def assert_saved(report, table, folder, n_filled):
    found = report.findings
    files = report.save_models(folder / "models")
    names = ["factors.lowdim", "clusters.lowdim", "filling.lowdim", "explore.py"]
    assert [path.name for path in files] == names
    factors, groups, filling = (lowdim.load(path) for path in files[:3])
    np.testing.assert_array_equal(matrix(factors.transform(table)), found.factors.codes)
    np.testing.assert_array_equal(groups.predict(table), found.clusters.labels)
    assert len(found.filled) == n_filled
    assert_filled_as_on_the_page(found, filling.impute(table))


def test_saved_models_give_the_numbers_of_the_page(tmp_path, of_numbers, of_words):
    assert_saved(of_numbers, numbers(), tmp_path, n_filled=5)
    assert_saved(of_words, words(), tmp_path, n_filled=6)
    table = pl.from_pandas(words())
    assert_saved(lowdim.explore(table), table, tmp_path, n_filled=6)


def test_saved_models_give_the_numbers_of_the_page_in_a_new_process(tmp_path, of_file):
    of_file.save_models(tmp_path)
    path = of_file.findings.encoded.table.path
    program = (
        "import lowdim, numpy as np\n"
        f"codes = lowdim.load('factors.lowdim').transform({path!r}).to_numpy()\n"
        f"labels = lowdim.load('clusters.lowdim').predict({path!r})\n"
        "np.savez('found.npz', codes=codes, labels=labels)\n"
        f"lowdim.load('filling.lowdim').impute({path!r}).to_pickle('filled.pkl')\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=tmp_path)
    with np.load(tmp_path / "found.npz") as again:
        np.testing.assert_array_equal(again["codes"], of_file.findings.factors.codes)
        np.testing.assert_array_equal(again["labels"], of_file.findings.clusters.labels)
    assert_filled_as_on_the_page(of_file.findings, pd.read_pickle(tmp_path / "filled.pkl"))


def test_models_of_a_sample_give_its_rows_the_numbers_of_the_page(tmp_path):
    report = lowdim.explore(words(), sample=60)
    report.save_models(tmp_path)
    rows = take_rows(open_table(words()), report.findings.encoded.numbers)
    codes = lowdim.load(tmp_path / "factors.lowdim").transform(rows)
    np.testing.assert_array_equal(matrix(codes), report.findings.factors.codes)


def test_a_table_without_missing_values_has_two_models(tmp_path):
    report = lowdim.explore(np.random.default_rng(0).normal(size=(40, 3)))
    assert list(report.models) == ["factors", "clusters"]
    assert len(report.save_models(tmp_path)) == 3


def test_clusters_have_a_factor_model_of_the_components_above_chance(of_words):
    model, spectrum = of_words.models["clusters"].estimator_, of_words.findings.spectrum
    k = min(max(spectrum.parallel.choice, 2), spectrum.kept)
    assert model["factors"].n_components == k == of_words.findings.clusters.model.means_.shape[1]


def test_the_filled_table_has_all_columns_in_their_places_and_what_was_there_as_it_was(
    tmp_path, of_file
):
    of_file.save_filled(tmp_path / "filled.csv")
    files = Path(of_file.findings.encoded.table.path), tmp_path / "filled.csv"
    with files[0].open(newline="") as a, files[1].open(newline="") as b:
        before, after = list(csv.DictReader(a)), list(csv.DictReader(b))
    assert list(after[0]) == list(before[0]) and len(after) == len(before)
    kept = ("name", "size", "price", "seen", "remark")  # text stays as it is written
    for old, new in zip(before, after, strict=True):
        assert all(new[name] == old[name] for name in kept if old[name] != "")
        for name in ("count", "weight"):
            assert old[name] == "" or float(new[name]) == float(old[name])
        assert all(new[name] != "" for name in new if name != "size")
        assert new["price"].startswith("$") and new["count"].isdigit()
        assert len(new["weight"].split(".")[1]) == 2


@pytest.mark.parametrize("ending", ["tsv", "parquet", "xlsx", "feather", "jsonl"])
def test_the_filled_table_can_be_written_to_files_of_all_kinds(tmp_path, ending, of_words):
    path = tmp_path / f"filled.{ending}"
    of_words.save_filled(path)
    again = open_table(path)
    assert again.names == list(words().columns) and again.n_rows == 90
    (chunk,) = again.chunks()
    assert chunk.select(["size", "price", "seen", "weight"]).drop_null().num_rows == 90


def test_a_filled_matrix_is_a_matrix(tmp_path, of_numbers):
    X = numbers()
    of_numbers.save_filled(tmp_path / "filled.npy")
    filled = np.load(tmp_path / "filled.npy")
    np.testing.assert_array_equal(filled[~np.isnan(X)], X[~np.isnan(X)])
    np.testing.assert_array_equal(filled, of_numbers.models["filling"].impute(X))


def test_names_of_rows_beside_the_columns_are_written_first(tmp_path):
    table = (
        words().drop(columns="name").set_index(pd.Index([f"r{i}" for i in range(90)], name="row"))
    )
    lowdim.explore(table).save_filled(tmp_path / "filled.parquet")
    written = pq.read_table(tmp_path / "filled.parquet")
    assert written.column_names == ["row", *table.columns]
    assert written["row"].to_pylist() == table.index.tolist()


def test_a_table_without_missing_values_is_written_as_it_is(tmp_path):
    table = words().fillna({"size": "small"}).dropna().reset_index(drop=True)
    lowdim.explore(table).save_filled(tmp_path / "filled.parquet")
    again = pd.read_parquet(tmp_path / "filled.parquet")
    pd.testing.assert_frame_equal(again, table, check_dtype=False)


def test_the_filled_table_is_not_written_over_the_one_that_was_read(tmp_path, of_file):
    with pytest.raises(ValueError, match="is read; writing it would destroy it"):
        of_file.save_filled(of_file.findings.encoded.table.path)
    with pytest.raises(ValueError, match=r"ends in '.pdf', which cannot be written"):
        of_file.save_filled(tmp_path / "filled.pdf")


def test_a_script_that_somebody_else_wrote_is_not_written_over(tmp_path, rng):
    report = lowdim.explore(rng.normal(size=(30, 3)))
    (tmp_path / "explore.py").write_text("print('mine')\n")
    with pytest.raises(lowdim.tables.TableError, match="is not a script of a page"):
        report.save_models(tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["explore.py"]


def test_cells_that_do_not_apply_are_reported_and_stay_empty(tmp_path):
    table = storms()
    report = lowdim.explore(table)
    filled = {part.column.name: part.rows.tolist() for part in report.findings.filled}
    assert filled == {"pressure": list(range(0, 200, 11)), "category": [6]}
    assert "not applicable there (133 cells)" in report.html
    report.save_filled(tmp_path / "filled.csv")
    again = pd.read_csv(tmp_path / "filled.csv")
    assert again["pressure"].notna().all() and again["category"][6] in (1, 2, 3, 4, 5)
    depression = table["status"] == "depression"
    assert again["category"].isna().equals(depression)
    whole = lowdim.explore(table, encoder=lowdim.TableEncoder(fill_not_applicable=True))
    whole.save_filled(tmp_path / "whole.csv")
    assert pd.read_csv(tmp_path / "whole.csv").notna().all(axis=None)


def test_wishes_can_be_given_by_an_encoder_or_in_short():
    random = np.random.default_rng(0)
    table = pd.DataFrame(random.normal(size=(30, 4)), columns=list("abcd"))
    table["name"] = [f"{i:03d}" for i in range(30)]
    encoder = lowdim.TableEncoder(ignore=["a"], log=False, id="name")
    short = lowdim.explore(table, "d", id="name", drop=["a"], log=False)
    long = lowdim.explore(table, "d", encoder=encoder)
    both = lowdim.explore(table, "d", encoder=lowdim.TableEncoder(ignore=["a"], log=False))
    for report in (short, long, both):
        assert report.findings.encoded.feature_names == ["b", "c"]
        assert report.findings.encoded.label(7) == "007"
    assert encoder.ignore == ["a"] and not hasattr(encoder, "columns_")


def test_bad_arguments_are_refused():
    X = np.random.default_rng(0).normal(size=(30, 3))
    with pytest.raises(TypeError, match="give a list of column names"):
        lowdim.explore(X, drop="a")
    with pytest.raises(TypeError, match="log='income' must be"):
        lowdim.explore(X, log="income")
    with pytest.raises(ValueError, match="random_state=None must be a whole number"):
        lowdim.explore(X, random_state=None)
    with pytest.raises(ValueError, match="sample"):
        lowdim.explore(X, sample=2)
    with pytest.raises(TypeError, match=r"must be a lowdim\.TableEncoder"):
        lowdim.explore(X, encoder=lowdim.PCA())
    with pytest.raises(ValueError, match="missing='nan' is needed"):
        lowdim.explore(X, encoder=lowdim.TableEncoder(missing="mean"))


def test_what_is_no_table_is_refused():
    with pytest.raises(TypeError, match="cannot be made from int"):
        lowdim.explore(3)
    with pytest.raises(ValueError, match="2D array"):
        lowdim.explore(np.zeros(3))


def test_rows_of_a_sample_go_by_their_number_in_the_whole_table():
    table = frame(400)[["mass", "income"]]
    findings = lowdim.explore(table, sample=100).findings
    encoded = findings.encoded
    assert len(encoded.X) == 100 and findings.n_rows_read == 400
    for row in (0, 50, 99):
        number = int(encoded.label(row))
        assert encoded.used[0].show(row) == f"{table['mass'][number]:.5g}"


def test_a_sample_of_a_streamed_file_is_that_of_one_in_memory(tmp_path):
    frame(400).to_csv(tmp_path / "t.csv", index=False)
    whole, streamed = (
        lowdim.explore(open_table(tmp_path / "t.csv", stream=stream), sample=60).findings.encoded.X
        for stream in (False, True)
    )
    np.testing.assert_array_equal(streamed, whole)
