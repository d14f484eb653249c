import numpy as np
import pytest
from scipy.sparse.linalg import aslinearoperator

from lowdim.sparse.sensing.greedy import coded, open_pursuit


def planted(rng, M=30, L=60, K=3, n=4):
    """A dictionary whose atoms differ much in length, codes, and their measurements."""
    WU = rng.normal(size=(M, L)) * rng.uniform(0.1, 10, L)
    Z = np.zeros((n, L))
    for row in Z:
        row[rng.choice(L, K, replace=False)] = rng.choice([-1, 1], K) * rng.uniform(1, 2, K)
    return WU, Z, Z @ WU.T


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_lengths_of_columns_do_not_matter(rng, dtype):
    WU, _, _ = planted(rng)
    lengths = np.linalg.norm(WU, axis=0)
    Z = np.zeros((2, 60))
    Z[0, [3, 40]], Z[1, 7] = [1.0, -1.0], 2.0
    Y = (Z / lengths @ WU.T).astype(dtype)
    found = coded(Y, open_pursuit(WU, "omp", None), 0.0)
    assert found.dtype == dtype
    assert np.allclose(found * lengths, Z, atol=1e-4 if dtype == np.float32 else 1e-9)


def test_operators_are_written_down_or_refused(rng, monkeypatch):
    WU, _, Y = planted(rng)
    matrix = coded(Y, open_pursuit(WU, "omp", 3), 0.0)
    assert np.allclose(coded(Y, open_pursuit(aslinearoperator(WU), "omp", 3), 0.0), matrix)
    monkeypatch.setattr("lowdim.sparse.pursuit.dictionaries.MOST_ATOMS", 10)
    with pytest.raises(ValueError, match=r"solver='ols' needs a matrix.*choose 'omp'"):
        open_pursuit(aslinearoperator(WU), "ols", 3)
    assert coded(Y, open_pursuit(aslinearoperator(WU), "omp", 3), 0.0).shape == (4, 60)


def test_a_row_below_the_noise_is_nothing(rng):
    WU, _, Y = planted(rng)
    Y[0] *= 1e-6 / np.linalg.norm(Y[0])
    found = coded(Y, open_pursuit(WU, "omp", None), 1e-3)
    assert not found[0].any() and found[1].any()
    left = np.linalg.norm(Y[1:] - found[1:] @ WU.T, axis=1)
    assert (left <= 1e-3).all()
