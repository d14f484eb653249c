"""What methods of one name do alike in every class: draw, fill in, score."""

from __future__ import annotations

from inspect import signature

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import config_context

from tests.estimators.examples import CLASSES, METHODS, quiet, small, table

pytestmark = quiet


def classes_with(method):
    return pytest.mark.parametrize("name", [n for n in CLASSES if getattr(METHODS[n], method)])


# ---- sample --------------------------------------------------------------------------------------


def rows_of(drawn):
    rows = drawn[0] if isinstance(drawn, tuple) else drawn  # mixtures also give the component
    return rows.toarray() if sp.issparse(rows) else rows


@classes_with("sample")
def test_a_seeded_model_draws_the_same_rows_unless_another_seed_is_given(name):
    model = small(name).fit(table())
    model.random_state = 7
    drawn = rows_of(model.sample(20))
    np.testing.assert_array_equal(rows_of(model.sample(20)), drawn)
    np.testing.assert_array_equal(rows_of(model.sample(20, random_state=7)), drawn)
    assert not np.array_equal(rows_of(model.sample(20, random_state=8)), drawn)
    model.random_state = None
    assert not np.array_equal(rows_of(model.sample(20)), rows_of(model.sample(20)))
    model.random_state = np.random.default_rng(7)
    np.testing.assert_array_equal(rows_of(model.sample(20)), drawn)
    assert not np.array_equal(rows_of(model.sample(20)), drawn)  # the generator has moved on


# ---- impute --------------------------------------------------------------------------------------


def says_how_sure(name):
    return "return_std" in signature(CLASSES[name].impute).parameters


def incomplete(name):
    X = table(missing=0.2)
    return X, small(name).fit(X)


@classes_with("impute")
def test_what_is_filled_in_has_a_standard_deviation_and_what_is_observed_has_none(name):
    X, model = incomplete(name)
    if not says_how_sure(name):  # a dictionary is no model of noise: what is filled in, only
        filled = model.impute(X)
        np.testing.assert_array_equal(filled[~np.isnan(X)], X[~np.isnan(X)])
        assert np.isfinite(filled).all()
        return
    X[7] = np.nan  # a row without values
    filled, std = model.impute(X, return_std=True)
    np.testing.assert_array_equal(filled, model.impute(X))
    assert filled.shape == std.shape == X.shape and filled.dtype == std.dtype
    assert (std[~np.isnan(X)] == 0).all() and (std[np.isnan(X)] > 0).all()
    assert np.isfinite(std).all()
    assert (std[7] >= 0.5 * np.median(std[np.isnan(X)])).all()  # nothing is known of this row


@classes_with("impute")
def test_impute_follows_set_output(name):
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    X, model = incomplete(name)
    if not says_how_sure(name):
        found = model.set_output(transform="pandas").impute(X)
        assert isinstance(found, pd.DataFrame) and np.isfinite(found.to_numpy()).all()
        return
    expected, std = model.impute(X, return_std=True)
    frame = pd.DataFrame(X, columns=list("abcde"), index=np.arange(60) + 100)
    named = small(name).fit(frame)
    assert model.set_output(transform="pandas") is model
    for kind, container in (("pandas", pd.DataFrame), ("polars", pl.DataFrame)):
        for fitted, columns in ((model, ["x0", "x1", "x2", "x3", "x4"]), (named, list("abcde"))):
            given = X if fitted is model else frame
            found, wanted = (
                fitted.set_output(transform=kind).impute(given, return_std=True),
                expected,
            )
            if name == "MixedMixture" and fitted is named:
                found = (found[1], found[1])  # of a table it makes a table of the same kind
                wanted = std
            assert [type(part) for part in found] == [container] * 2
            assert list(found[0].columns) == list(found[1].columns) == columns
            np.testing.assert_allclose(np.asarray(found[0]), wanted, rtol=1e-9)
            np.testing.assert_allclose(np.asarray(found[1]), std, rtol=1e-9)
    assert isinstance(model.set_output(transform="default").impute(X), np.ndarray)
    if name != "MixedMixture":
        kept = named.set_output(transform="pandas").impute(frame)
        assert list(kept.index) == list(frame.index)


@classes_with("impute")
def test_impute_follows_the_global_choice_of_output(name):
    pd = pytest.importorskip("pandas")
    X, model = incomplete(name)
    with config_context(transform_output="pandas"):
        assert isinstance(model.impute(X), pd.DataFrame)
    assert isinstance(model.impute(X), np.ndarray)
