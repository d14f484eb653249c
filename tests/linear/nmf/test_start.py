import numpy as np
import pytest

import lowdim
from lowdim.core.blocks import ArrayBlocks
from lowdim.linear.nmf.data import data_of
from lowdim.linear.nmf.objective import units_of
from lowdim.linear.nmf.start import split_by_sign, start_from
from tests.linear.nmf.examples import parts


def opened(X, weight=None):
    rows = ArrayBlocks(X)
    units = units_of(rows, weight, 2.0, "NMF")
    return data_of(rows, weight, units.unit), units


def test_a_matrix_of_rank_one_is_its_own_start():
    X = np.outer([1.0, 2.0, 3.0], [4.0, 0.0, 1.0])
    W, V = split_by_sign(opened(X)[0], 1)
    np.testing.assert_allclose(W @ V.T, X, atol=1e-12)
    assert np.linalg.norm(W) == pytest.approx(np.linalg.norm(V))


def test_separate_blocks_are_found_exactly():
    X = np.zeros((5, 6))
    X[:2, :3], X[2:, 3:] = 3.0, 1.0
    W, V = split_by_sign(opened(X)[0], 2)
    np.testing.assert_allclose(W @ V.T, X, atol=1e-12)


@pytest.mark.parametrize("init", ["random", "nndsvd", "nndsvda", "nndsvdar"])
def test_starts_are_not_negative_and_scale_with_the_root_of_x(init, rng):
    X = parts(rng)
    (data, units), (scaled, scaled_units) = opened(X), opened(16.0 * X)
    plain = start_from(init, data, 3, units, np.random.default_rng(0))
    larger = start_from(init, scaled, 3, scaled_units, np.random.default_rng(0))
    for Z, four_times in zip(plain, larger, strict=True):
        assert (Z >= 0).all() and Z.any()
        np.testing.assert_allclose(four_times, 4.0 * Z, rtol=1e-6, atol=1e-9)
    assert (plain.V == 0).any() == (init == "nndsvd")


def test_fills_differ_from_the_plain_start_only_where_that_is_zero(rng):
    data, units = opened(parts(rng))
    plain = start_from("nndsvd", data, 3, units, rng)
    for init in ("nndsvda", "nndsvdar"):
        filled = start_from(init, data, 3, units, rng)
        for Z, other in zip(plain, filled, strict=True):
            np.testing.assert_array_equal(other[Z > 0], Z[Z > 0])


def test_a_row_of_weight_two_starts_as_two_rows_do(rng):
    X = parts(rng, n=20)
    weight = rng.integers(1, 4, size=20).astype(float)
    repeated = start_from(None, *with_k(opened(np.repeat(X, weight.astype(int), axis=0))), rng)
    by_weight = start_from(None, *with_k(opened(X, weight)), rng)
    np.testing.assert_allclose(by_weight.V, repeated.V, atol=1e-8)
    np.testing.assert_allclose(
        np.repeat(by_weight.W, weight.astype(int), axis=0), repeated.W, atol=1e-8
    )


def with_k(data_and_units, k=3):
    data, units = data_and_units
    return data, k, units


def test_components_beyond_the_rank_are_not_all_alike(rng):
    X = np.outer(rng.random(20) + 1, rng.random(8) + 1)
    start = start_from(None, *with_k(opened(X)), np.random.default_rng(0))
    assert np.linalg.matrix_rank(start.V) == 3


@pytest.mark.parametrize("init", ["nndsvd", "nndsvda", "nndsvdar"])
def test_more_components_than_singular_vectors_are_refused(init):
    with pytest.raises(ValueError, match="choose init='random'"):
        lowdim.NMF(3, init=init).fit(np.ones((2, 2)))
