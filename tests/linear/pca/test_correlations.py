"""How columns and rows go with the components."""

import numpy as np

from lowdim import PCA
from tests.linear.pca.tables import spectrum_data


def test_correlations_are_those_of_columns_and_codes(rng):
    X = spectrum_data(rng, offset=3.0)
    pca = PCA(2).fit(X)
    found, Z = pca.correlations(X), pca.transform(X)
    expected = np.corrcoef(X.T, Z.T)[:7, 7:]
    np.testing.assert_allclose(found.variables, expected, atol=1e-10)
    D = X - X.mean(axis=0)
    np.testing.assert_allclose(found.cos2, Z**2 / np.sum(D**2, axis=1, keepdims=True), atol=1e-10)
