"""Groups of rows."""

import numpy as np
import pytest

from lowdim.report.explore.clusters import (
    BORDER_ROWS,
    LEAST_VARIANCE,
    RESAMPLES,
    find_clusters,
    mixture_of,
)
from tests.report.explore.tables import encoded_of

# `find` collects the warnings of models, for the page to repeat
pytestmark = pytest.mark.filterwarnings("ignore:.*collapsed onto a point")


def groups(rng, n=240, apart=8.0):
    """Two groups in a plane of four columns."""
    group = np.arange(n) % 2
    Z = rng.normal(size=(n, 2)) + apart * group[:, None] * [1.0, -1.0]
    return Z @ np.array([[1.0, 1, 0, 1], [0, 1, 1, -1]]) + 0.1 * rng.normal(size=(n, 4)), group


def test_planted_groups_are_found_again_in_resampled_rows(rng):
    X, group = groups(rng)
    found, model = find_clusters(encoded_of(X), 2, seed=0)
    assert found.model.n_components == 2
    agree = (found.labels == group).mean()
    assert max(agree, 1 - agree) > 0.99
    assert found.stability.shape == (RESAMPLES,) and found.stability.mean() > 0.95
    np.testing.assert_array_equal(model.predict(X), found.labels)


def test_border_rows_are_the_least_certain_of_their_cluster(rng):
    X, _ = groups(rng, apart=3.0)
    found, _ = find_clusters(encoded_of(X), 2, seed=0)
    assert len(found.border) == found.model.n_components > 1
    for j, rows in enumerate(found.border):
        assert 0 < len(rows) <= BORDER_ROWS and np.all(found.labels[rows] == j)
        others = np.setdiff1d(np.flatnonzero(found.labels == j), rows)
        assert found.certainty[rows].max() <= found.certainty[others].min()


def test_rows_that_are_mostly_alike_are_one_group():
    X = np.repeat(np.random.default_rng(0).normal(size=(5, 3)), 20, axis=0)
    found, _ = find_clusters(encoded_of(X), 2, seed=0)
    assert found.choice is None and found.model.n_components == 1
    assert set(found.labels) == {0} and len(found.stability) == 0


@pytest.mark.parametrize(("n", "form"), [(59, "diag"), (60, "full")])
def test_clusters_have_any_shape_where_rows_are_many_enough(n, form):
    mixture = mixture_of((n, 2), seed=3)
    assert mixture.covariance_type == form
    assert mixture.reg_covar == LEAST_VARIANCE and mixture.random_state == 3
