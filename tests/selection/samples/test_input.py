"""Both sides in the same columns and units; what cannot be compared is refused."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose

import lowdim
from lowdim.selection.samples.input import open_sides


def opened(real, fake, held_out=None, standardize=True, max_rows=5000, seed=0):
    return open_sides(real, fake, held_out, standardize, max_rows, np.random.default_rng(seed))


def in_order(X):
    return X[np.lexsort(X.T)]


def test_units_are_those_of_real_rows(rng):
    X, Y = rng.normal(size=(60, 2)) * 9 + 4, rng.normal(size=(30, 2))
    sides = opened(X, Y)
    assert_allclose(sides.real.mean(axis=0), 0, atol=1e-12)
    assert_allclose(in_order(sides.fake), in_order((Y - X.mean(axis=0)) / X.std(axis=0)))
    assert_allclose(in_order(opened(X, Y, standardize=False).real), in_order(X))


@pytest.mark.parametrize("kind", [np.float32, pd.DataFrame, pl.DataFrame, sp.csr_array, "stream"])
def test_whatever_holds_the_rows(rng, kind, tmp_path):
    X = rng.normal(size=(40, 3)).astype(np.float32).astype(np.float64)
    names = ["a", "b", "c"]
    if kind is np.float32:
        held = X.astype(kind)
    elif kind == "stream":
        np.save(tmp_path / "X.npy", X)
        held = lowdim.stream(tmp_path / "X.npy")
    elif kind is sp.csr_array:
        held = kind(X)
    else:
        held = kind(dict(zip(names, X.T, strict=True)))
    sides = opened(held, X if kind in ("stream", sp.csr_array, np.float32) else held)
    assert_allclose(in_order(sides.real), in_order(opened(X, X).real), rtol=1e-5, atol=1e-6)


def test_columns_are_found_by_name(rng):
    X = pd.DataFrame(rng.normal(size=(30, 2)), columns=["a", "b"])
    sides = opened(X, X[["b", "a"]])
    assert_allclose(in_order(sides.fake), in_order(sides.real))
    mixed = X.assign(kind=["u", "v"] * 15)
    sides = opened(mixed, mixed[["kind", "b", "a"]])
    assert sides.names == ["a", "b", "kind"]
    assert_allclose(in_order(sides.fake), in_order(sides.real))


def test_many_rows_are_drawn_and_the_first_are_a_sample(rng):
    X = np.arange(5000.0)[:, None]
    sides = opened(X, X, held_out=X[:400] + 0.5, max_rows=100, standardize=False)
    assert len(sides.real) == len(sides.fake) == 100
    assert len(sides.training) == len(sides.held_out) == 400
    assert len(np.unique(sides.real)) == 100
    assert 1000 < sides.real.mean() < 4000
    assert 1000 < sides.real[:50].mean() < 4000


def test_a_model_draws_its_own_rows(rng):
    X = rng.normal(size=(50, 3))
    for model in (lowdim.ProbabilisticPCA(1), lowdim.GaussianMixture(2, random_state=0)):
        assert opened(X, model.fit(X)).fake.shape == (50, 3)


def test_missing_values_are_refused_naming_impute(rng):
    X, Y = rng.normal(size=(2, 20, 2))
    Y[0, 0] = np.nan
    with pytest.raises(ValueError, match=r"fake has NaN in 1 of 40 entries.*impute"):
        opened(X, Y)
    with pytest.raises(ValueError, match="real has NaN"):
        table = pd.DataFrame({"x": [1.0, 2.0, None, 4.0] * 5, "k": ["a", "b"] * 10})
        opened(table, table)


@pytest.mark.parametrize(
    ("fake", "message"),
    [
        (np.ones((20, 3)), "fake has 3 columns and real 2"),
        (np.ones((4, 2)), "fake has 4 rows; 10 or more"),
        (lowdim.KMeans(1), "KMeans, which cannot draw rows"),
    ],
)
def test_what_does_not_fit_is_refused(rng, fake, message):
    with pytest.raises((ValueError, TypeError), match=message):
        opened(rng.normal(size=(20, 2)), fake)


def test_a_lacking_column_is_named(rng):
    X = pd.DataFrame(rng.normal(size=(20, 2)), columns=["a", "b"])
    with pytest.raises(ValueError, match="held_out lacks the column 'b'"):
        opened(X, X, held_out=X[["a"]])
