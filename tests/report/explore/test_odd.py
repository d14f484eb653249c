"""Odd rows: how unlikely they are, and why."""

import numpy as np
import pytest
from scipy.stats import chi2, multivariate_normal

import lowdim
from lowdim.report.explore.odd import squared_distances

pytestmark = pytest.mark.usefixtures("few_models")


def test_squared_distances_are_those_of_the_observed_block():
    random = np.random.default_rng(0)
    W, mean, noise = random.normal(size=(5, 2)), random.normal(size=5), 0.3
    X = random.normal(size=(20, 5))
    X[random.random(X.shape) < 0.3] = np.nan
    C = W @ W.T + noise * np.eye(5)
    for x, found in zip(X, squared_distances(X, mean, W, noise), strict=True):
        o = ~np.isnan(x)
        r = (x - mean)[o]
        assert found == pytest.approx(r @ np.linalg.solve(C[np.ix_(o, o)], r), abs=1e-9)


def test_odd_chances_are_those_of_the_model_for_complete_rows():
    random = np.random.default_rng(0)
    X = random.multivariate_normal([0, 0, 0], [[1, 0.8, 0.5], [0.8, 1, 0.4], [0.5, 0.4, 1]], 400)
    found = lowdim.explore(X).findings
    model = found.factors.model
    C = model.get_covariance()
    density = multivariate_normal(model.mean_, C).logpdf(found.encoded.X)
    squares = -2 * density - np.linalg.slogdet(C)[1] - 3 * np.log(2 * np.pi)
    np.testing.assert_allclose(
        found.odd.log10_chance, chi2.logsf(squares, 3) / np.log(10), atol=1e-6
    )


def test_what_makes_a_row_odd_is_not_what_was_expected(report):
    reasons = [reason for row in report.findings.odd.rows for reason in row.reasons]
    assert reasons and all(reason.value != reason.expected for reason in reasons)
