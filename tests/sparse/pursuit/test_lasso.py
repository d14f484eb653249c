"""The lasso along its path."""

import numpy as np
import pytest

from lowdim.sparse.pursuit.lasso import lasso
from tests.sparse.pursuit.examples import lasso_gap, unit_atoms


@pytest.mark.parametrize(("k", "d"), [(10, 20), (40, 16), (150, 30)])
@pytest.mark.parametrize("alpha", [0.5, 0.05, 1e-3])
def test_a_code_is_the_minimum(rng, k, d, alpha):
    D, X = unit_atoms(rng, k, d), rng.standard_normal((20, d))
    Z = lasso(D @ D.T, X @ D.T, alpha).toarray()
    assert lasso_gap(D, X, Z, alpha).max() < 1e-9


@pytest.mark.parametrize("alpha", [0.5, 0.05])
def test_a_warm_start_leads_to_the_same_code(rng, alpha):
    D, X = unit_atoms(rng, 40, 16), rng.standard_normal((20, 16))
    G, B = D @ D.T, X @ D.T
    start = lasso(G, B + 0.1 * rng.standard_normal(B.shape), 1.5 * alpha)
    warm, cold = lasso(G, B, alpha, start=start), lasso(G, B, alpha)
    np.testing.assert_allclose(warm.toarray(), cold.toarray(), atol=1e-9)
