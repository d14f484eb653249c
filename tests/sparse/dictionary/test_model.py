import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.decomposition

from lowdim import DictionaryLearning
from lowdim.sparse.dictionary.model import encode, in_memory
from lowdim.sparse.pursuit.coding import Plan
from lowdim.sparse.pursuit.dictionaries import of_atoms

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture
def fitted(rng):
    X = rng.normal(size=(40, 8))
    return X, DictionaryLearning(6, alpha=0.4, max_iter=5, random_state=0).fit(X)


@pytest.mark.parametrize("algorithm", ["lasso_lars", "lasso_cd", "lars", "omp", "threshold"])
def test_transform_gives_scikit_learns_codes(fitted, algorithm):
    X, model = fitted
    model.set_params(transform_algorithm=algorithm)
    n_nonzero = 2 if algorithm in ("omp", "lars") else None
    model.set_params(transform_n_nonzero_coefs=n_nonzero)
    expected = sklearn.decomposition.sparse_encode(
        X, model.components_, algorithm=algorithm, alpha=0.4, n_nonzero_coefs=n_nonzero
    )
    np.testing.assert_allclose(model.transform(X), expected, atol=1e-5)


def test_codes_may_be_split_sparse_and_of_some_error(fitted):
    X, model = fitted
    Z = model.set_params(transform_max_error=0.5).transform(X)
    error = np.linalg.norm(X - Z @ model.components_, axis=1)
    spanned = X @ np.linalg.pinv(model.components_) @ model.components_
    possible = np.linalg.norm(X - spanned, axis=1) <= 0.49 * np.linalg.norm(X, axis=1)
    assert (error[possible] <= 0.5 * np.linalg.norm(X[possible], axis=1) + 1e-9).all()
    split = model.set_params(split_sign=True, sparse_output=True).transform(X)
    assert isinstance(split, sp.csr_array) and split.shape == (40, 12) and split.min() >= 0
    np.testing.assert_allclose(model.inverse_transform(split), Z @ model.components_)
    with pytest.raises(ValueError, match="Expected 12, got 6"):
        model.inverse_transform(Z)


def test_codes_are_found_in_any_unit(rng):
    D, X = np.eye(3), rng.normal(size=(5, 3))
    plan = Plan("lasso_lars", 0, 0.5, None, 1000, False)
    plain = encode(X, of_atoms(D), plan)
    scaled = encode(X * 2.0**500, of_atoms(D), plan._replace(alpha=0.5 * 2.0**500))
    np.testing.assert_allclose(scaled / 2.0**500, plain)
    assert in_memory(plain) is plain
