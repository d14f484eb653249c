"""PCA one block after another."""

import numpy as np
import pytest

from lowdim import PCA
from tests.linear.pca.tables import ATTRIBUTES, spectrum_data


def test_partial_fit_on_blocks_equals_fit_on_all(rng):
    X, weight = spectrum_data(rng, 300, offset=1e4), rng.integers(1, 3, size=300)
    model = PCA(3)
    for part, w in zip(np.split(X, [1, 50, 120]), np.split(weight, [1, 50, 120]), strict=True):
        model.partial_fit(part, sample_weight=w)
    whole = PCA(3, svd_solver="covariance_eigh").fit(X, sample_weight=weight)
    for name in ATTRIBUTES:
        np.testing.assert_allclose(getattr(model, name), getattr(whole, name), atol=1e-8)


def test_partial_fit_on_many_columns_keeps_the_leading_axes(rng, monkeypatch):
    for module in ("online", "solvers", "iterative"):
        monkeypatch.setattr(f"lowdim.linear.pca.{module}.COLUMNS_FOR_COVARIANCE", 3)
    X = spectrum_data(rng, 600, offset=2.0)
    model = PCA(2)
    for part in np.array_split(X, 6):
        model.partial_fit(part)
    np.testing.assert_allclose(model.components_, PCA(2).fit(X).components_, atol=1e-8)
    np.testing.assert_allclose(model.explained_variance_ratio_.sum(), 25 / 30.8, rtol=1e-8)


def test_partial_fit_refuses_missing_values_and_says_what_to_do():
    with pytest.raises(ValueError, match=r"fit\(lowdim.stream"):
        PCA(1).partial_fit(np.array([[1.0, np.nan], [2.0, 3.0]]))


def test_all_components_are_as_many_as_rows_seen_so_far(rng):
    X = rng.normal(size=(30, 12))
    model = PCA()
    for stop, k in ((4, 4), (9, 9), (30, 12)):
        model.partial_fit(X[model.n_samples_ if stop > 4 else 0 : stop])
        assert model.n_components_ == k and model.components_.shape == (k, 12)
        np.testing.assert_allclose(
            model.explained_variance_, PCA().fit(X[:stop]).explained_variance_, atol=1e-12
        )
