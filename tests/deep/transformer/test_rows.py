"""What a network makes of rows of numbers."""

import numpy as np
import pytest

pytest.importorskip("torch")

from lowdim.deep.transformer.rows import attention_of_rows, mean_states_of_rows
from tests.deep.chain.toy import all_rows, plain_levels
from tests.deep.transformer.networks import network


def test_rows_alone_are_as_rows_together_in_their_own_precision():
    module, levels, X = network(d=4), plain_levels(4, 3), all_rows(4, 3)
    X[3, 1] = np.nan
    Z = mean_states_of_rows(X, module, levels)
    assert Z.shape == (81, 8) and Z.dtype == np.float64
    np.testing.assert_allclose(mean_states_of_rows(X[3:4], module, levels), Z[3:4], rtol=1e-10)
    assert len(np.unique(Z.round(9), axis=0)) == 81
    single = mean_states_of_rows(X.astype(np.float32), module.float(), levels)
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, Z, atol=1e-4)


def test_attention_of_rows():
    module = network(d=4, n_context=1)
    X, y = all_rows(4, 3)[:5], np.arange(5.0)[:, None]
    A = attention_of_rows(X, module, plain_levels(4, 3), y)
    assert A.shape == (5, 2, 2, 4, 4)
    np.testing.assert_allclose(A.sum(axis=4), 1.0)
    codes = X.astype(np.int64)
    np.testing.assert_allclose(attention_of_rows(codes, module, None, y), A, rtol=1e-9)
