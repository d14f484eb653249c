import numpy as np
import pytest
from scipy.sparse.linalg import aslinearoperator

from lowdim import sparse
from lowdim.sparse.promises import products
from tests.sparse.promises.examples import simplex

BY_KIND = {"hadamard": 0.125, "dct": 0.176723}


@pytest.mark.parametrize("kind", BY_KIND)
def test_spikes_and_waves(kind):
    U = sparse.union(sparse.basis("identity", 64), sparse.basis(kind, 64))
    assert sparse.coherence(U) == pytest.approx(BY_KIND[kind], abs=5e-7)


def test_welchs_bound():
    assert sparse.welch_bound(64, 128) == pytest.approx(0.088736, abs=5e-7)
    assert sparse.welch_bound(5, 5) == 0.0
    for d in (2, 3, 7):  # a simplex reaches it
        assert sparse.coherence(simplex(d)) == pytest.approx(sparse.welch_bound(d, d + 1), rel=1e-9)


def test_babel_adds_up_the_largest_products(rng, monkeypatch):
    A = rng.normal(size=(6, 11))
    V = A / np.linalg.norm(A, axis=0)
    G = np.sort(np.abs(V.T @ V) - np.eye(11), axis=1)[:, ::-1]
    monkeypatch.setattr(products, "BLOCK_NUMBERS", 30)
    for s in range(11):
        assert sparse.babel(A, s) == pytest.approx(G[:, :s].sum(axis=1).max(), rel=1e-12)
    assert sparse.babel(A, 1) == sparse.coherence(A)


def test_lengths_of_atoms_do_not_matter(rng):
    A = rng.normal(size=(4, 7))
    other = A * 10.0 ** rng.uniform(-200, 200, size=7)
    assert sparse.coherence(other) == pytest.approx(sparse.coherence(A), rel=1e-12)


def test_operators_are_dictionaries(rng):
    A = rng.normal(size=(4, 7))
    assert sparse.coherence(aslinearoperator(A)) == pytest.approx(sparse.coherence(A), rel=1e-12)


def test_the_door():
    with pytest.raises(ValueError, match="Atom 1 of U is zero; leave it out"):
        sparse.coherence([[1.0, 0.0], [1.0, 0.0]])
    with pytest.raises(ValueError, match="NaN or infinity"):
        sparse.coherence([[1.0, np.nan]])
    with pytest.raises(ValueError, match="columns of a matrix"):
        sparse.coherence([1.0, 2.0])
    with pytest.raises(ValueError, match="s=3 is more than the 2 other atoms"):
        sparse.babel(np.eye(3), 3)
    with pytest.raises(ValueError, match="L=0"):
        sparse.welch_bound(3, 0)
