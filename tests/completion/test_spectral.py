"""What the spectral completers share: entries in one unit, factors out, warm starts."""

import numpy as np
import pytest

import lowdim
from lowdim import SVP, Entries, SoftImpute
from lowdim.completion.entries import observed
from lowdim.completion.spectral import Factors, dot, gathered, root_mean_square


def matrix(rng, n=30, d=12, missing=0.3):
    X = rng.normal(size=(n, 2)) @ rng.normal(size=(2, d)) + 4.0
    return np.where(rng.random(X.shape) < missing, np.nan, X)


def test_opened_entries_are_centred_and_of_size_one(rng):
    X = matrix(rng)
    opened = SVP(center="global")._open(X)
    y = (X - np.nanmean(X)) / opened.scale
    np.testing.assert_allclose(opened.entries.values, y[~np.isnan(X)], rtol=1e-10, atol=1e-12)
    assert root_mean_square(opened.entries.values) == pytest.approx(1.0)


@pytest.mark.parametrize("center", [None, "global", "rows", "columns", "both"])
@pytest.mark.parametrize("scale", [None, "rows", "columns"])
def test_what_is_published_predicts_the_entries_that_were_opened(rng, center, scale):
    X = matrix(rng, missing=0.0)
    model = SoftImpute(center=center, scale=scale)
    opened = model._open(X)
    U, s, Vt = np.linalg.svd(opened.entries.by_rows.toarray(), full_matrices=False)
    model.singular_values_, model.code_penalty_ = s, 0.0
    model._publish(opened, Factors(U * s, Vt.T))  # all of y: so all of X comes back
    found = model.row_factors_ @ model.components_ + model.mean_
    np.testing.assert_allclose(found, X, rtol=1e-9)


def test_the_factors_of_the_last_fit_are_a_warm_start_in_any_unit(rng):
    X = matrix(rng)
    model = SVP(2, center="both", warm_start=True).fit(X)
    opened = model._open(X)
    before = opened.entries.product_at(*model._last_factors(opened))
    again = model._open(1000.0 * X)  # the last fit, in units a thousand times as large
    rescaled = again.entries.product_at(*model._last_factors(again))
    np.testing.assert_allclose(1000.0 * rescaled, before, rtol=1e-9, atol=1e-9)
    assert SVP(2)._last_factors(opened) is None


def test_streams_are_gathered_into_one_matrix(rng, monkeypatch):
    monkeypatch.setattr("lowdim.completion.spectral.ROWS_AT_A_TIME", 7)
    X = matrix(rng)
    rows = SVP().open_entries(lowdim.stream(lambda: iter(np.split(X, [4, 5, 20]))))
    whole, parts = observed(X), gathered(rows)
    np.testing.assert_array_equal(parts.toarray(), whole.toarray())
    assert parts.nnz == whole.nnz and parts.has_canonical_format


def test_sums_of_float32_are_taken_in_float64():
    ones = np.ones(2**25, dtype=np.float32)  # in float32 a running sum stops at 2^24
    assert dot(ones, ones) == 2**25
    assert root_mean_square(ones) == 1.0


def test_weights_and_other_shapes_are_refused(rng):
    X = matrix(rng)
    with pytest.raises(ValueError, match="SVP counts every entry the same"):
        SVP().fit(Entries(X, weight=np.ones(X.shape)))
    model = SVP(2, warm_start=True).fit(X)
    with pytest.raises(
        ValueError, match=r"a matrix of 30 x 12; X is 29 x 12. Set warm_start=False"
    ):
        model.fit(X[1:])


@pytest.mark.parametrize("center", [None, "columns", "both"])
def test_rows_and_columns_without_entries_are_not_seen_by_the_method(rng, center):
    X = matrix(rng)
    grown = np.insert(np.insert(X, [0, 7, 30], np.nan, axis=0), [3, 12], np.nan, axis=1)
    rows, columns = ~np.isnan(grown).all(axis=1), ~np.isnan(grown).all(axis=0)
    plain, model = (SVP(2, center=center).fit(Y) for Y in (X, grown))
    np.testing.assert_array_equal(model.row_factors_[rows], plain.row_factors_)
    np.testing.assert_array_equal(model.mean_[columns], plain.mean_)
    np.testing.assert_array_equal(model.components_[:2, columns], plain.components_[:2])
    assert not model.row_factors_[~rows].any() and not model.components_[:2, ~columns].any()
    expected = 0.0 if center is None else np.nanmean(X)
    np.testing.assert_allclose(model.complete()[~rows][:, ~columns], expected)


def test_a_warm_start_leaves_out_rows_without_entries(rng):
    X = np.insert(matrix(rng), [4, 9], np.nan, axis=0)
    model = SVP(2, warm_start=True).fit(X)
    opened = model._open(X)
    L, R = model._last_factors(opened)
    rows = ~np.isnan(X).all(axis=1)
    np.testing.assert_allclose(L @ R.T * opened.scale, model.complete()[rows], atol=1e-10)
