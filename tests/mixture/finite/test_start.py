"""Where finite mixtures start."""

import numpy as np
import scipy.sparse as sp
from sklearn.metrics import adjusted_rand_score

from lowdim import MixtureModel
from lowdim.core.opening import as_blocks
from lowdim.mixture.families import FAMILIES
from lowdim.mixture.finite import start as finite_start
from lowdim.mixture.finite.em import average_of, sums_of_all
from lowdim.mixture.finite.parts import Part, measured

# ---- golden values -------------------------------------------------------------------------------


def test_clusters_are_numbered_as_they_appear():
    labels = finite_start._by_appearance(np.array([4, 4, 0, 9, 0, 4]))
    np.testing.assert_array_equal(labels, [0, 0, 1, 2, 1, 0])


def test_missing_values_stand_at_the_mean_of_what_is_observed():
    F, weight = np.array([[1.0, 2.0], [np.nan, 4.0], [4.0, 6.0]]), np.array([2.0, 1.0, 1.0])
    centred = finite_start._centred(F, weight, True)
    np.testing.assert_allclose(centred, [[-1.0, -1.5], [0.0, 0.5], [2.0, 2.5]])
    scaled = finite_start._centred(F, weight, False)
    np.testing.assert_allclose(scaled[:, 0], np.array([-1.0, 0.0, 2.0]) / np.sqrt(2.0))


def test_the_start_is_that_of_clusters_with_a_row_like_the_average_added():
    X = np.repeat([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]], [6, 2], axis=0)
    rows = as_blocks(X)
    parts = (measured(Part(FAMILIES["bernoulli"]()), rows, None),)
    average = average_of(sums_of_all(X, parts, None), parts)
    found = finite_start.start(rows, parts, average, 2, None, np.random.default_rng(0))
    # clusters of 6 zeros and 2 ones; the average row is 1/4
    np.testing.assert_allclose(found.weights, [0.75, 0.25])
    p = found.params[0]["probabilities"]
    np.testing.assert_allclose(p, np.repeat([[0.25 / 7], [2.25 / 3]], 3, axis=1))


# ---- properties ----------------------------------------------------------------------------------


def test_wide_sparse_counts_are_never_made_dense(rng):
    d, n = 200_000, 300  # 480 MB as an array
    labels = np.arange(n) % 2
    columns = rng.integers(0, 1000, size=(n, 40)) + 1000 * labels[:, None]
    indptr = np.arange(0, 40 * n + 1, 40)
    X = sp.csr_array((np.ones(40 * n), columns.ravel(), indptr), shape=(n, d))
    model = MixtureModel("multinomial", random_state=0).fit(X)
    assert adjusted_rand_score(labels, model.predict(X)) == 1.0
