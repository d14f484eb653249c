import numpy as np
import pytest

from lowdim.sparse.dictionary.start import random_atoms
from lowdim.sparse.pursuit.greedy import omp
from lowdim.sparse.pursuit.observed import omp_observed


def twin(x, observed, D, s):
    """Greedy choice by the cosine with the observed part of an atom, then least squares."""
    A, chosen, rest = D[:, observed], [], x[observed]
    for _ in range(min(s, observed.sum())):
        score = np.abs(A @ rest) / np.linalg.norm(A, axis=1)
        score[chosen] = 0.0
        chosen.append(int(np.argmax(score)))
        z = np.linalg.lstsq(A[chosen].T, x[observed], rcond=None)[0]
        rest = x[observed] - z @ A[chosen]
    code = np.zeros(len(D))
    code[chosen] = z
    return code


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_codes_equal_those_of_the_twin(rng, dtype):
    D, X = random_atoms(15, 8, rng), rng.normal(size=(20, 8))
    observed = rng.random(X.shape) < 0.7
    observed[:, 0] = True
    Z = omp_observed(np.where(observed, X, 0).astype(dtype), observed, D.astype(dtype), 3)
    assert Z.dtype == dtype
    expected = [twin(x, o, D, 3) for x, o in zip(X, observed, strict=True)]
    tolerance = 1e-9 if dtype == np.float64 else 2e-3
    np.testing.assert_allclose(Z.toarray(), expected, atol=tolerance)


def test_with_all_observed_it_is_matching_pursuit(rng):
    D, X = random_atoms(15, 8, rng), rng.normal(size=(20, 8))
    squares = (X**2).sum(axis=1)
    for bound in (None, 0.3 * squares):
        found = omp_observed(X, np.ones(X.shape, bool), D, 4, bound).toarray()
        plain = omp(D @ D.T, X @ D.T, squares, 4, bound).toarray()
        np.testing.assert_allclose(found, plain, atol=1e-9)


def test_a_row_without_values_has_the_code_0(rng):
    D = random_atoms(5, 3, rng)
    assert omp_observed(np.zeros((1, 3)), np.zeros((1, 3), bool), D, 2).nnz == 0
