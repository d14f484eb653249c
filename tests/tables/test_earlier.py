"""Models that the command line of earlier versions saved give the codes that they gave then."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import lowdim
from lowdim.tables import open_table
from lowdim.tables.earlier import as_table_model, encoder_of_dict

FOLDER = Path(__file__).parent.parent / "fixtures" / "format1" / "table_encoding"
ROWS = {"matrix": "matrix.npy", "penguins": "penguins.csv"}  # the others: mixed.csv
ENCODING = {
    "named": True,
    "id": "name",
    "columns": ["mass", "sex"],
    "categories": {"sex": ["f", "m"]},
    "ignored": ["born"],
    "center": [4.0, 0.25, 0.75],
    "scale": [2.0, 0.5, 0.75**0.5],
}


def codes(name):
    """The codes that were written, by name of the code."""
    with (FOLDER / f"{name}_codes.csv").open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    return {key: [row[key] for row in rows] for key in rows[0]}


def loaded(name):
    model = as_table_model(lowdim.load(FOLDER / f"{name}.lowdim"))
    return model, open_table(str(FOLDER / ROWS.get(name, "mixed.csv")))


@pytest.mark.filterwarnings("ignore:'sex' has 'other' in 1 row")
@pytest.mark.parametrize("name", ["penguins", "mixed", "matrix"])
def test_codes_are_what_they_were(name):
    model, table = loaded(name)
    Z = np.asarray(model.transform(table))
    names = [key for key in codes(name) if key != "name"]
    assert list(model.get_feature_names_out()) == names
    expected = np.array([codes(name)[key] for key in names], dtype=float).T
    assert_allclose(Z, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "method", "what"),
    [("unscaled", "transform", "distance"), ("mixture", "predict_proba", "probability")],
)
def test_clusters_are_what_they_were(name, method, what):
    model, table = loaded(name)
    assert_array_equal(model.predict(table), np.array(codes(name)["cluster"], dtype=int))
    values = np.asarray(getattr(model, method)(table))
    nearest = values.min(axis=1) if what == "distance" else values.max(axis=1)
    assert_allclose(nearest, np.array(codes(name)[what], dtype=float), rtol=1e-12)


def test_an_encoding_becomes_an_encoder_with_the_same_numbers():
    encoder = encoder_of_dict(json.loads(json.dumps(ENCODING)))
    table = {
        "born": ["2001", "2002"],
        "sex": ["m", None],
        "mass": [5.0, np.nan],
        "name": ["a", "b"],
    }
    assert encoder.get_feature_names_out().tolist() == ["mass", "sex=f", "sex=m"]
    root = 0.75**0.5
    assert_allclose(encoder.transform(table), [[0.5, -0.5, 0.25 / root], [np.nan] * 3], rtol=1e-15)
    assert encoder.id_ == "name"


def test_units_are_kept_where_they_were():
    encoder = encoder_of_dict(ENCODING | {"center": None, "scale": None})
    table = {"sex": ["m", "f"], "mass": [5.0, 6.0]}
    assert_array_equal(encoder.transform(table), [[5, 0, 1], [6, 1, 0]])
    assert_array_equal(encoder.inverse_transform(encoder.transform(table))["sex"], ["m", "f"])


def test_a_filled_table_has_the_levels_that_were_there():
    model, table = loaded("mixed")
    filled = model.impute(table)
    assert filled["sex"].isna().sum() == filled["mass"].isna().sum() == 0
    assert set(filled["sex"]) == {"f", "m"}


def test_a_model_fitted_in_python_takes_its_columns_as_they_are(rng):
    X = rng.normal(size=(20, 3))
    model = as_table_model(lowdim.PCA(2).fit(X))
    assert_allclose(model.transform(X), lowdim.PCA(2).fit_transform(X), atol=1e-14)
    assert model.n_features_in_ == 3 and not hasattr(model, "feature_names_in_")


def test_a_model_of_tables_is_itself(rng):
    model = lowdim.TableModel(lowdim.PCA(1)).fit(rng.normal(size=(20, 3)))
    assert as_table_model(model) is model


def test_a_converted_model_is_saved_as_one_of_tables(tmp_path):
    model, table = loaded("mixed")
    model.save(tmp_path / "m.lowdim")
    again = lowdim.load(tmp_path / "m.lowdim")
    assert_array_equal(again.transform(table), model.transform(table))


@pytest.mark.parametrize(
    "damage",
    [
        {"columns": None},
        {"columns": ["a"]},
        {"scale": [1.0]},
        {"scale": None},
        {"categories": {"other": ["a"]}},
        {"categories": []},
        {"further": 1},
        {"named": False},
    ],
)
def test_a_damaged_encoding_is_refused(damage):
    with pytest.raises(ValueError, match="table encoding is damaged"):
        encoder_of_dict(ENCODING | damage)
