"""Golden shares of pairs of bases; coherent pairs are refused, or warned of, by what is seen."""

import numpy as np
import pytest

import lowdim
from lowdim import sparse
from lowdim.sparse.sensing import coherent
from lowdim.sparse.sensing.coherent import seen_atoms

D = 64


@pytest.mark.parametrize(
    "kind, basis, share",
    [
        ("pixels", "identity", 1.0),
        ("pixels", "hadamard", 1 / D),
        ("pixels", "dct", 2 / D * np.cos(np.pi / (2 * D)) ** 2),  # at the ends of the slowest wave
        ("dct", "haar", 1.0),  # the mean is an atom of both
        ("pixels", "haar", 0.5),  # the shortest step has two numbers
    ],
)
def test_golden_shares(kind, basis, share):
    W = sparse.measurement(kind, 20, D, random_state=0)
    assert seen_atoms(W, sparse.basis(basis, D)).share == pytest.approx(share, rel=1e-12)


def test_shares_are_the_largest_squares_of_products(rng):
    W, U = sparse.measurement("dft", 30, D, random_state=0), sparse.basis("db4", D)
    F, A = sparse.basis("dft", D).matrix(), U.matrix()
    squares = (F.T @ A) ** 2 / (A**2).sum(axis=0)
    found = seen_atoms(W, U)
    assert found.share == pytest.approx(squares.max(), rel=1e-9)
    assert found.least == pytest.approx(squares[W.chosen].sum(axis=0).min(), rel=1e-9)


def test_of_many_atoms_some_are_looked_at(monkeypatch):
    monkeypatch.setattr(coherent, "MOST_NUMBERS", 4 * D)
    W, U = sparse.measurement("pixels", 20, D, random_state=0), sparse.basis("haar", D)
    looked = []
    synthesize = type(U).synthesize

    def counted(self, Z):
        looked.append(np.flatnonzero(Z.any(axis=0)))
        return synthesize(self, Z)

    monkeypatch.setattr(type(U), "synthesize", counted)
    assert seen_atoms(W, U).share == pytest.approx(0.5)  # the last ones are the shortest
    assert np.concatenate(looked).tolist() == [0, 21, 42, 63]


def fitted(kind, basis, M):
    model = lowdim.CompressiveSensing(M, measurement=kind, basis=basis, random_state=0)
    return model.fit(np.eye(D))


@pytest.mark.parametrize("kind, basis", [("dft", "dct"), ("dct", "dct"), ("pixels", "identity")])
def test_atoms_that_nothing_measures_are_refused(kind, basis):
    message = f"measurement='{kind}' with basis='{basis}': some atoms are in none of the 20 of 64"
    with pytest.raises(ValueError, match=message):
        fitted(kind, basis, 20)
    assert fitted(kind, basis, D).n_components_ == D  # all numbers are measured: nothing is missed


@pytest.mark.parametrize("kind, basis, M", [("dct", "db4", 30), ("pixels", "sym8", 41)])
def test_atoms_that_are_hardly_seen_are_warned_of(kind, basis, M):
    with pytest.warns(UserWarning, match=f"{M} of 64 are measured; rows with atoms that are"):
        fitted(kind, basis, M)


@pytest.mark.parametrize(
    "kind, basis",
    [("gaussian", "dct"), ("bernoulli", "identity"), ("pixels", "dct"), ("pixels", "hadamard"),
     ("dct", "identity"), ("dft", "identity")],
)  # fmt: skip
def test_pairs_that_have_little_in_common_are_no_matter(kind, basis):
    assert fitted(kind, basis, 20).n_components_ == 20  # warnings are errors here
