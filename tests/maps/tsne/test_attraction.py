"""The pull of neighbours, and the divergence."""

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.maps.tsne import attraction as module
from lowdim.maps.tsne.attraction import attraction, divergence, pairs_of, rounded
from tests.maps.tsne.examples import plain_divergence, random_affinities


def test_two_points_by_hand():
    """Distance 2, p = 1/2 each way: a pull of 1/2 * 2 / 5; KL of two pairs is 0."""
    pairs = pairs_of(np.array([[0, 0.5], [0.5, 0]]))
    Y = np.array([[0, 0], [2, 0]], np.float32)
    np.testing.assert_allclose(attraction(pairs, Y, 1.0), [[-0.2, 0], [0.2, 0]], rtol=1e-6)
    assert divergence(pairs, Y, 1.0, Z=0.4) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("axes", [1, 2, 3, 5])
@pytest.mark.parametrize("dof", [1.0, 0.4, 3.0])
def test_pulls_are_those_of_the_definition(axes, dof, rng):
    P = random_affinities(rng, 40)
    Y = rng.normal(size=(40, axes)).astype(np.float32)
    difference = Y[:, None].astype(np.float64) - Y
    near = 1 / (1 + (difference**2).sum(axis=2) / dof)
    expected = np.einsum("ij,ijk->ik", P.toarray() * near, difference)
    np.testing.assert_allclose(attraction(pairs_of(P), Y, dof), expected, atol=1e-6)


@pytest.mark.parametrize("dof", [1.0, 2.5])
def test_the_divergence_is_that_of_the_definition(dof, rng):
    P, Y = random_affinities(rng, 40), rng.normal(size=(40, 2)).astype(np.float32)
    w = (1 + ((Y[:, None] - Y) ** 2).sum(axis=2) / dof) ** (-(dof + 1) / 2)
    found = divergence(pairs_of(P), Y, dof, float(w.sum() - 40))
    assert found == pytest.approx(plain_divergence(Y, P, dof), abs=1e-5)


def test_pieces_cover_all_rows_and_change_no_bit(rng, monkeypatch):
    P, Y = random_affinities(rng, 60), rng.normal(size=(60, 2)).astype(np.float32)
    whole = attraction(pairs_of(P), Y, 1.0)
    monkeypatch.setattr(module, "PIECE", 100)
    pairs = pairs_of(P)
    assert len(pairs.pieces) > 5
    assert [first for first, _ in pairs.pieces[1:]] == [last for _, last in pairs.pieces[:-1]]
    assert (pairs.pieces[0][0], pairs.pieces[-1][1]) == (0, 60)
    for threads in (1, 2, 3):
        with lowdim.config_context(threads=threads):
            np.testing.assert_array_equal(attraction(pairs, Y, 1.0), whole)


def test_a_row_without_neighbours_is_not_pulled(rng):
    P = sp.csr_array(([0.5, 0.5], ([0, 2], [2, 0])), shape=(3, 3))
    Y = rng.normal(size=(3, 2)).astype(np.float32)
    np.testing.assert_array_equal(attraction(pairs_of(P), Y, 1.0)[1], 0)


def test_affinities_have_16_bits(rng):
    p = 10.0 ** rng.uniform(-30, 0, size=100)
    np.testing.assert_allclose(rounded(p), p, rtol=2.0**-16)
    noisy = rounded(p * (1 + 1e-14 * rng.normal(size=100)))
    np.testing.assert_array_equal(noisy, rounded(p))
    np.testing.assert_array_equal(rounded(np.array([0.0, 0.5, 1.0])), [0.0, 0.5, 1.0])
