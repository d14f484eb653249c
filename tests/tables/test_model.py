"""TableModel: encoder and model as one, from a table to a table."""

from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import lowdim
from lowdim import GaussianMixture, KMeans, ProbabilisticPCA, TableEncoder, TableModel
from lowdim.tables.errors import TableWarning


@pytest.fixture
def people(rng):
    """A size that shows in numbers, words and flags, and missing values."""
    n = 300
    size = rng.normal(size=n)
    table = pd.DataFrame(
        {
            "name": [f"n{i:03}" for i in range(n)],
            "height": np.round(170 + 8 * size + 2 * rng.normal(size=n), 1),
            "shoe": np.rint(40 + 3 * size + rng.normal(size=n)).astype(int),
            "weight": np.round(70 * np.exp(0.15 * size + 0.1 * rng.normal(size=n)), 1),
            "build": np.where(size + 0.3 * rng.normal(size=n) > 0, "large", "small"),
            "tall": size > 0.5,
        }
    )
    whole = table.copy()
    for name in ("height", "weight", "build"):
        table.loc[rng.random(n) < 0.15, name] = None
    return table, whole


def test_what_was_there_stays_and_what_was_missing_is_filled(people):
    table, _ = people
    filled = TableModel(ProbabilisticPCA(2)).fit(table).impute(table)
    assert not filled.isna().any().any()
    for name in table.columns:
        known = table[name].notna()
        pd.testing.assert_series_equal(filled[name][known], table[name][known])
    assert filled.dtypes.equals(table.dtypes)


def test_filled_values_are_close_to_the_truth(people):
    table, whole = people
    model = TableModel(ProbabilisticPCA(1)).fit(table)
    filled = model.impute(table)
    lost = table["height"].isna()
    error = (filled["height"] - whole["height"])[lost].std()
    # shoe and weight predict the size, and that three quarters of the variance of the height; with
    # some of them missing, and 45 values to judge by, it is more than half
    assert error < np.sqrt(0.5) * whole["height"].std()
    lost = table["build"].isna()
    # 0.85 is expected; below 0.6 would be four standard errors of 45 guesses
    assert (filled["build"] == whole["build"])[lost].mean() > 0.6


def test_filled_values_stay_within_what_was_seen(people):
    table, _ = people
    odd = table.copy()
    odd.loc[0, ["height", "shoe", "weight"]] = [None, 400, 400.0]
    model = TableModel(ProbabilisticPCA(1), encoder=TableEncoder(log=False)).fit(table)
    assert model.impute(odd)["height"][0] == table["height"].max()
    assert model.impute(odd, within="kind")["height"][0] > table["height"].max()


def test_uncertainty_comes_in_the_units_of_the_table(people):
    table, whole = people
    model = TableModel(ProbabilisticPCA(1)).fit(table)
    filled, std, levels = model.impute(table, return_std=True, return_levels=True)
    lost = table["height"].isna()
    assert (std["height"][~lost] == 0).all()
    inside = np.abs(filled["height"] - whole["height"])[lost] < 1.96 * std["height"][lost]
    assert 0.8 < inside.mean() <= 1.0
    np.testing.assert_allclose(levels["build"].sum(axis=1), 1.0)
    assert list(levels["tall"].columns) == ["False", "True"]


def test_codes_are_a_frame_with_names_and_the_index(people):
    table, _ = people
    model = TableModel(ProbabilisticPCA(2)).fit(table)
    named = table.set_index("name")
    codes = model.transform(named)
    assert list(codes.columns) == ["probabilisticpca0", "probabilisticpca1"]
    assert codes.index.equals(named.index)
    rows = model.encoder_.rows(table)
    np.testing.assert_array_equal(codes.to_numpy(), model.estimator_.transform(rows))
    assert isinstance(model.transform(pl.from_pandas(table)), pl.DataFrame)


def test_decoded_codes_are_a_table(people):
    table, _ = people
    model = TableModel(ProbabilisticPCA(2)).fit(table)
    decoded = model.inverse_transform(model.transform(table))
    assert decoded["shoe"].dtype == table["shoe"].dtype
    assert set(decoded["build"]) <= {"large", "small"}
    assert np.corrcoef(decoded["shoe"], table["shoe"])[0, 1] > 0.8


def test_drawn_rows_are_like_those_learned_from(people):
    table, _ = people
    model = TableModel(GaussianMixture(2, covariance_type="diag", random_state=0)).fit(table)
    drawn = model.sample(2000, random_state=0)
    assert list(drawn.columns) == [name for name in table.columns if name != "name"]
    assert drawn["shoe"].dtype == table["shoe"].dtype
    assert (drawn["weight"] > 0).all()
    assert abs(drawn["height"].mean() - table["height"].mean()) < 1.5
    assert abs((drawn["build"] == "large").mean() - (table["build"] == "large").mean()) < 0.15


def test_clusters_are_those_of_the_encoded_rows(people):
    table, _ = people
    model = TableModel(KMeans(3, n_init=2, random_state=0)).fit(table)
    rows = model.encoder_.rows(table)
    np.testing.assert_array_equal(model.predict(table), model.estimator_.predict(rows))
    assert not hasattr(model, "sample")
    assert not hasattr(TableModel(KMeans(2)), "predict_proba")


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_files_and_streams_give_the_model_of_the_frame(people, tmp_path, ending):
    table, _ = people
    path = tmp_path / f"people{ending}"
    table.to_csv(path, index=False) if ending == ".csv" else table.to_parquet(path)
    model = TableModel(ProbabilisticPCA(2, random_state=0))
    expected = clone(model).fit(table).transform(table).to_numpy()
    for stream in (False, True):
        opened = lowdim.tables.open_table(path, stream=stream)
        codes = clone(model).fit(opened).transform(opened)
        np.testing.assert_allclose(np.asarray(codes), expected, rtol=1e-6, atol=1e-6)
    filled = clone(model).fit(path).impute(path)
    assert not pd.DataFrame(filled).isna().any().any()


def test_later_tables_may_lack_columns(people):
    table, _ = people
    model = TableModel(ProbabilisticPCA(2)).fit(table)
    with pytest.warns(TableWarning, match="lacks 'weight'"):
        codes = model.transform(table.drop(columns="weight"))
    assert np.isfinite(codes.to_numpy()).all()


def test_a_pipeline_of_models_is_a_model(people, tmp_path):
    table, _ = people
    steps = make_pipeline(ProbabilisticPCA(2), GaussianMixture(2, random_state=0))
    model = TableModel(steps).fit(table)
    model.save(tmp_path / "clusters.lowdim")
    again = lowdim.load(tmp_path / "clusters.lowdim")
    np.testing.assert_array_equal(again.predict(table), model.predict(table))
    np.testing.assert_array_equal(again.predict_proba(table), model.predict_proba(table))


def test_one_file_holds_encoder_and_model(people, tmp_path):
    table, _ = people
    model = TableModel(ProbabilisticPCA(2), encoder=TableEncoder(ignore=["shoe"])).fit(table)
    path = tmp_path / "model.lowdim"
    model.save(path)
    pd.testing.assert_frame_equal(lowdim.load(path).transform(table), model.transform(table))
    pd.testing.assert_frame_equal(lowdim.load(path).impute(table), model.impute(table))
    # in a new process, without pandas: what came in as pandas comes out as a dict
    script = (
        "import json, sys, lowdim; sys.modules['pandas'] = None\n"
        "model = lowdim.load(sys.argv[1])\n"
        "table = {'height': [170.0, None], 'weight': [70.0, 90.0], 'build': ['small', None],\n"
        "         'tall': [False, True]}\n"
        "print(json.dumps({k: list(map(float, v)) for k, v in model.transform(table).items()}))"
    )
    run = subprocess.run(
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=True
    )
    rows = pd.DataFrame(
        {
            "height": [170.0, None],
            "weight": [70.0, 90.0],
            "build": ["small", None],
            "tall": [False, True],
        }
    )
    expected = model.transform(rows)
    for name, values in json.loads(run.stdout).items():
        np.testing.assert_allclose(values, expected[name], rtol=1e-12)


def test_arrays_are_tables_without_names(rng):
    X = rng.normal(size=(50, 4))
    X[rng.random(X.shape) < 0.1] = np.nan
    model = TableModel(ProbabilisticPCA(2)).fit(X)
    assert isinstance(model.transform(X), np.ndarray)
    filled = model.impute(X)
    known = ~np.isnan(X)
    np.testing.assert_array_equal(filled[known], X[known])
    assert np.isfinite(filled).all()


def test_dask_frames_are_learned_from_and_encoded_lazily(people):
    dd = pytest.importorskip("dask.dataframe")
    table, _ = people
    table = table.drop(columns="name")
    model = TableModel(ProbabilisticPCA(2, random_state=0)).fit(
        dd.from_pandas(table, npartitions=3)
    )
    whole = TableModel(ProbabilisticPCA(2, random_state=0)).fit(table)
    codes = model.transform(dd.from_pandas(table, npartitions=3)).compute()
    np.testing.assert_allclose(codes, whole.transform(table).to_numpy(), rtol=1e-5, atol=1e-6)
