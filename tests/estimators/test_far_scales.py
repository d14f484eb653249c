"""Beyond 1e150 squares of distances are no numbers: what is one is still right."""

from __future__ import annotations

import numpy as np
import pytest

import lowdim
from tests.estimators.examples import table


@pytest.mark.parametrize("factor", [1e200, 1e-200])
def test_kmeans_finds_its_clusters_where_their_score_is_no_number(factor):
    X = table()
    plain = lowdim.KMeans(2, random_state=0).fit(X)
    far = lowdim.KMeans(2, random_state=0).fit(factor * X)
    np.testing.assert_array_equal(far.labels_, plain.labels_)
    np.testing.assert_array_equal(far.predict(factor * X), plain.labels_)
    np.testing.assert_allclose(far.cluster_centers_ / factor, plain.cluster_centers_, rtol=1e-12)
    # a sum of squares, of 1e400 or 1e-400: rounded as all numbers are, to infinity or to 0
    assert far.score(factor * X) == (-np.inf if factor > 1.0 else 0.0)


def test_the_score_of_kmeans_of_float32_rows_is_finite_at_any_scale():
    X = table(dtype=np.float32)
    plain = lowdim.KMeans(2, random_state=0).fit(X).score(X)
    for factor in (np.float32(2.0**100), np.float32(2.0**-100)):
        far = lowdim.KMeans(2, random_state=0).fit(factor * X)
        assert far.score(factor * X) == pytest.approx(plain * float(factor) ** 2, rel=1e-5)
