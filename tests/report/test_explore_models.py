"""The models of a page: saved, loaded, made again by its script; and the filled table."""

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
from lowdim.report.explore import clusters, findings, script
from lowdim.tables import open_table, take_rows

pytestmark = pytest.mark.usefixtures("few_models")


def numbers(n=90):
    random = np.random.default_rng(1)
    X = random.normal(size=(n, 2)) @ random.normal(size=(2, 5)) + 0.3 * random.normal(size=(n, 5))
    X[:, 4] = np.exp(2 * X[:, 4])  # a heavy tail
    X[random.random(X.shape) < 0.1] = np.nan
    return X


def words(n=90):
    """Words, dates, flags, text of numbers, whole numbers; missing values in all of them."""
    random = np.random.default_rng(2)
    group = np.arange(n) % 3
    table = pd.DataFrame(
        {
            "name": [f"r{i}" for i in range(n)],
            "size": np.array(["small", "middle", "large"])[group],
            "price": [f"${1000 * (g + 1) + i:,}" for i, g in enumerate(group)],
            "seen": pd.to_datetime("2020-01-01") + pd.to_timedelta(40 * group + np.arange(n), "D"),
            "on sale": random.random(n) < 0.2 + 0.3 * group,
            "count": 10 * group + random.integers(0, 9, n),
            "weight": (5 * group + random.normal(size=n)).round(2),
            "remark": [f"nothing much to say about number {i}, but this much" for i in range(n)],
        }
    ).astype({"on sale": object, "price": object, "size": object})
    for column in table.columns[1:7]:
        table.loc[random.choice(n, 7, replace=False), column] = None
    return table


@pytest.fixture(scope="module")
def of_numbers(few_models):
    return lowdim.explore(numbers())


@pytest.fixture(scope="module")
def of_words(few_models):
    return lowdim.explore(words())


@pytest.fixture(scope="module")
def of_file(few_models, tmp_path_factory):
    path = tmp_path_factory.mktemp("file") / "table.csv"
    words().to_csv(path, index=False)
    return lowdim.explore(path, target="size")


def matrix(frame):
    return np.asarray(frame if isinstance(frame, np.ndarray) else frame.to_numpy())


def cells(frame, name):
    """A column of a table, whatever holds it."""
    return frame[:, int(name)] if isinstance(frame, np.ndarray) else frame[name]


def assert_filled_as_on_the_page(found, filled):
    for part in found.filled:
        column, info = cells(filled, part.column.name), part.column.info
        values = np.asarray(part.column.read(open_values(column)), dtype=float)
        np.testing.assert_array_equal(values[part.rows], part.value, err_msg=info.name)


def open_values(column):
    from lowdim.tables.frames.series import values_of

    return values_of(column)


# ---- saved models --------------------------------------------------------------------------------


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


# ---- the script ----------------------------------------------------------------------------------


def assert_same_models(report, **names):
    exec(report.script, names)
    found = report.findings
    np.testing.assert_array_equal(matrix(names["codes"]), found.factors.codes)
    np.testing.assert_array_equal(names["labels"], found.clusters.labels)
    assert_filled_as_on_the_page(found, names["filled"])


def test_the_script_gives_the_models_of_the_page_again(tmp_path, planted):
    path = tmp_path / "table.csv"
    planted().to_csv(path, index=False, sep=";")
    table = open_table(path, separator=";", text_columns=["name"])
    report = lowdim.explore(table, "word", id="name", drop=["c"], sample=120, log=False)
    assert f"open_table({str(path)!r}, text_columns=['name'], separator=';')" in report.script
    assert "take_rows(table, some_rows(160, 120))" in report.script
    assert_same_models(report)


def test_the_script_of_a_table_in_memory_takes_it_by_the_name_of_table(of_numbers):
    encoder = lowdim.TableEncoder(
        ordered={"size": ["small", "middle", "large"]}, categorical=["count"], ignore="remark"
    )
    assert_same_models(lowdim.explore(words(), encoder=encoder), table=words())
    assert_same_models(of_numbers, table=numbers())


def test_the_script_fits_to_the_rows_that_the_page_fits_to(monkeypatch):
    for module, name in [
        (findings, "FIT_ROWS"),
        (findings, "FILL_ROWS"),
        (clusters, "FIT_ROWS"),
        (script, "FIT_ROWS"),
        (script, "FILL_ROWS"),
    ]:
        monkeypatch.setattr(module, name, 70)
    report = lowdim.explore(words())
    assert report.script.count(".fit_encoded(") == 3
    assert_same_models(report, table=words())


def test_the_script_uses_public_names_only(of_words):
    assert "lowdim.report" not in of_words.script and "._" not in of_words.script


# ---- the filled table ----------------------------------------------------------------------------


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
