"""A sparse matrix is the dense one with zeros: the same model, whichever of them is given."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from lowdim.completion.model import Completer
from tests.estimators.examples import METHODS, MODELS, assert_same_model, quiet, short, table

pytestmark = quiet


def takes_sparse(model):
    """Whether entries that are not stored are zeros; to completers they are missing."""
    return METHODS[type(model).__name__].sparse and not isinstance(model, Completer)


SPARSE = {name: model for name, model in MODELS.items() if takes_sparse(model)}
each_sparse_model = pytest.mark.parametrize("model", SPARSE.values(), ids=SPARSE.keys())


@each_sparse_model
@pytest.mark.parametrize("whole", [False, True], ids=["numbers", "whole numbers"])
def test_sparse_and_dense_rows_give_the_same_model(model, whole):
    X = table(n=120)
    X -= 8.0
    X[np.random.default_rng(1).random(X.shape) < 0.4] = 0.0
    if whole:  # where distances are equal, rules for ties decide
        X = np.round(X)
    X = np.abs(X)
    dense, sparse = short(model, max_iter=10), short(model, max_iter=10)
    try:
        sparse.fit(sp.csr_array(X))
    except TypeError as error:  # some solvers look at rows that are not sparse
        assert "dense data is required" in str(error)
        return
    # sums in another order, which iterations carry on
    assert_same_model(dense.fit(X), sparse, rtol=1e-6)
