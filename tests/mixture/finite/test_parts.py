"""The parts of a table: values, units and categories."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from lowdim import MixedMixture, MixtureModel
from lowdim.core.opening import as_blocks
from lowdim.mixture.families import FAMILIES
from lowdim.mixture.finite import parts as mixture_parts
from lowdim.mixture.finite.parts import (
    Part,
    as_fitted,
    as_seen,
    decoded,
    encoded,
    measured,
    moved,
    moved_back,
    seen_from,
)

# ---- what a family sees --------------------------------------------------------------------------


def test_categories_are_seen_by_their_number_and_come_back_as_they_were():
    values = (np.array([2.0, 5.0, 7.0]), np.array([0.0, 1.0]))
    part = as_fitted(FAMILIES["categorical"](), None, values)
    X = np.array([[5.0, 0.0], [7.0, 1.0], [np.nan, 1.0], [6.0, 0.0]])  # 6 is unknown
    numbers = encoded(X, part)
    np.testing.assert_array_equal(numbers, [[1, 0], [2, 1], [np.nan, 1], [np.nan, 0]])
    np.testing.assert_array_equal(decoded(numbers[:2], part), X[:2])
    np.testing.assert_array_equal(part.family.sizes, [3, 2])


@pytest.mark.parametrize("sparse", [False, True])
def test_reals_are_seen_in_units_of_their_columns_and_come_back(rng, sparse):
    X = rng.normal(size=(50, 3)) * [1.0, 20.0, 0.1] + [0.0, 100.0, -3.0]
    block = sp.csr_array(X) if sparse else X
    part = measured(Part(FAMILIES["gaussian"]()), as_blocks(block), None)
    origin = 0.0 if sparse else X.mean(axis=0)  # sparse rows are measured from 0
    unit = X.std(axis=0)
    V = encoded(block, part)
    V = V.toarray() if sparse else V
    np.testing.assert_allclose(V, (X - origin) / unit, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(decoded(V, part), X, rtol=1e-9, atol=1e-12)


def test_parameters_move_into_the_units_of_a_part_and_back(rng):
    part = Part(FAMILIES["gaussian"](), None, np.array([1.0, -2.0]), np.array([4.0, 0.5]))
    params = {"means": rng.normal(size=(3, 2)), "variances": rng.random((3, 2))}
    there = moved(part, params)
    np.testing.assert_allclose(there["means"], (params["means"] - part.origin) / part.unit)
    back = moved_back(part, there)
    for name, value in params.items():
        np.testing.assert_allclose(back[name], value, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("sparse", [False, True])
def test_parameters_that_columns_have_no_numbers_for_are_kept_as_they_were_seen(sparse):
    part = Part(FAMILIES["gaussian"](), None, np.array([3e200, 1.0]), np.array([1e200, 2.0]))
    params = {"means": np.array([[0.5, 1.0]]), "variances": np.array([[2.0, 3.0]])}
    assert as_seen(part._replace(unit=np.array([1e20, 2.0])), params) is None
    seen = as_seen(part, params)
    again, found = seen_from(part._replace(origin=None, unit=None), seen, sparse)
    mean = again.origin + again.unit * found["means"][0]
    np.testing.assert_allclose(mean, [3.5e200, 3.0])
    np.testing.assert_array_equal(found["variances"], params["variances"])
    assert not sparse or not again.origin.any()


def test_categories_are_those_of_rows_with_weight():
    X = np.array([[1.0], [2.0], [np.nan], [9.0]])
    part = measured(Part(FAMILIES["categorical"]()), as_blocks(X), np.array([1.0, 1.0, 1.0, 0.0]))
    np.testing.assert_array_equal(part.categories[0], [1.0, 2.0])


# ---- the door ------------------------------------------------------------------------------------


def test_counts_that_share_a_total_cannot_be_missing_in_mixed_tables_either(rng):
    X = rng.poisson(3.0, size=(50, 4)).astype(float)
    X[3, 1] = np.nan
    model = MixedMixture(columns={"multinomial": [0, 1, 2]}, random_state=0)
    with pytest.raises(ValueError, match="NaN in a column of Multinomial components"):
        model.fit(X)
    X[3, 1], X[3, 3] = 2.0, np.nan  # a Gaussian column may have missing values
    filled, std = model.fit(X).impute(X, return_std=True)
    assert np.isfinite(filled).all() and std[3, 3] > 0


def test_values_that_do_not_fit_the_family_are_refused(rng):
    X = rng.normal(size=(20, 3))
    with pytest.raises(ValueError, match="other than 0 and 1"):
        MixtureModel("bernoulli").fit(X)
    with pytest.raises(ValueError, match="Negative values in data"):
        MixtureModel("poisson").fit(X)
    with pytest.raises(ValueError, match="NaN in 1 of 3 columns"):
        MixtureModel("multinomial").fit(np.where(np.arange(3) == 1, np.nan, np.abs(X)))
    with pytest.raises(ValueError, match="no observed value in 1 of 3 columns"):
        MixtureModel("categorical").fit(np.where(np.arange(3) == 1, np.nan, X))
    with pytest.raises(ValueError, match="sparse and has NaN"):
        MixtureModel().fit(sp.csr_array(np.where(X > 1, np.nan, X)))
    with pytest.raises(TypeError, match="Sparse data was passed"):
        MixtureModel("categorical").fit(sp.csr_array(X))
    model = MixtureModel("bernoulli", random_state=0).fit(X > 0)
    with pytest.raises(ValueError, match="other than 0 and 1"):
        model.predict(X)


def test_a_column_of_names_is_no_category(monkeypatch):
    monkeypatch.setattr(mixture_parts, "MOST_CATEGORIES", 10)
    table = pd.DataFrame({"name": [f"n{i}" for i in range(20)], "x": np.arange(20.0)})
    with pytest.raises(ValueError, match="Column 0 of X has more than 10 categories"):
        MixedMixture().fit(table)
