"""The largest singular values of rows that are not centred."""

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp

import lowdim
from lowdim.core.blocks import ArrayBlocks
from lowdim.core.opening import as_blocks
from lowdim.linalg import sparse as sparse_module
from lowdim.linear import decomposition as module
from lowdim.linear.decomposition import completed, decomposition, measured, turn


def settings(algorithm="krylov", **others):
    defaults = {
        "n_iter": 5,
        "n_oversamples": 10,
        "power_iteration_normalizer": "auto",
        "tol": 0.0,
        "max_iter": 300,
    }
    return SimpleNamespace(**{**defaults, "algorithm": algorithm, **others})


def sparse(rng, n, d, density=0.1):
    return sp.random_array((n, d), density=density, rng=rng, format="csr")


# ---- golden values -------------------------------------------------------------------------------


def test_a_diagonal_matrix_shows_its_diagonal():
    found = decomposition(settings(), ArrayBlocks(np.diag([1.0, 5.0, 3.0])), 2, None)
    np.testing.assert_allclose(found.s, [5.0, 3.0])
    np.testing.assert_allclose(found.components, [[0, 1, 0], [0, 0, 1]], atol=1e-15)


# ---- the derivation ------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(700, 560), (560, 700)], ids=["tall", "wide"])
@pytest.mark.parametrize("kind", ["sparse", "dense", "stream"])
@pytest.mark.parametrize("algorithm", ["krylov", "arpack"])
def test_every_road_finds_the_same(rng, shape, kind, algorithm):
    X = sparse(rng, *shape)
    _, s, Vt = np.linalg.svd(X.toarray(), full_matrices=False)
    rows = {
        "sparse": lambda: ArrayBlocks(X),
        "dense": lambda: ArrayBlocks(X.toarray()),
        "stream": lambda: as_blocks(lowdim.stream(lambda: iter([X[:200], X[200:]]))),
    }[kind]()
    if kind == "stream" and algorithm == "arpack":
        with pytest.raises(ValueError, match="needs X in memory; for streams and Dask choose"):
            decomposition(settings(algorithm), rows, 3, rng)
        return
    found = decomposition(settings(algorithm), rows, 3, rng)
    V = found.components
    np.testing.assert_allclose(V @ V.T, np.eye(3), atol=1e-10)
    # singular values lie 1% apart: it ends where passes would add 1e-9 of what is captured
    captured = np.sum((X @ V.T) ** 2) / np.sum(s[:3] ** 2)
    assert 1 - 1e-7 < captured < 1 + 1e-12
    np.testing.assert_allclose(found.s * found.unit, s[:3], rtol=1e-6)
    assert abs(V[0] @ Vt[0]) == pytest.approx(1.0, abs=1e-10)
    codes = X @ V.T
    np.testing.assert_allclose(found.variance, codes.var(axis=0), rtol=1e-4)
    assert found.total == pytest.approx(X.toarray().var(axis=0).sum(), rel=1e-12)


@pytest.mark.parametrize("shape", [(3000, 620), (620, 3000)], ids=["tall", "wide"])
def test_power_iterations_give_axes_whose_codes_they_describe(rng, shape):
    X = sparse(rng, *shape, density=0.08)
    found = decomposition(settings("randomized"), ArrayBlocks(X), 4, rng)
    s = sp.linalg.svds(X, k=4, return_singular_vectors=False)[::-1]
    assert (found.s <= s * (1 + 1e-10)).all()  # a subspace never holds more than the best one
    np.testing.assert_allclose(found.s[0], s[0], rtol=1e-10)
    codes = X @ found.components.T
    np.testing.assert_allclose(np.linalg.norm(codes, axis=0), found.s, rtol=1e-8)
    np.testing.assert_allclose(found.variance, codes.var(axis=0), rtol=1e-8)


def test_products_in_a_kernel_are_those_of_scipy(rng, monkeypatch):
    X = sparse(rng, 700, 900)
    plain = decomposition(settings(), ArrayBlocks(X), 3, np.random.default_rng(0))
    monkeypatch.setattr(sparse_module, "ENTRIES_PER_CUT", 1)
    threaded = decomposition(settings(), ArrayBlocks(X), 3, np.random.default_rng(0))
    np.testing.assert_allclose(threaded.s, plain.s, rtol=1e-12)
    np.testing.assert_allclose(threaded.components, plain.components, atol=1e-9)


@pytest.mark.parametrize("order", ["sorted", "unsorted"])
def test_entries_are_not_copied_by_columns_where_these_are_sorted_or_few(order, rng, monkeypatch):
    X = sparse(rng, 900, 600, density=0.3)
    plain = decomposition(settings(), ArrayBlocks(X.copy()), 3, np.random.default_rng(0))
    if order == "unsorted":
        X = sp.csr_array((X.data[::-1], X.indices[::-1], X.nnz - X.indptr[::-1]), X.shape)
        X = sp.csr_array(X[::-1])
        assert not X.has_sorted_indices
    monkeypatch.setattr(sparse_module, "ENTRIES_PER_CUT", 1)

    def refused(A):
        raise AssertionError("a copy by columns")

    monkeypatch.setattr(sparse_module, "by_column", refused)
    found = decomposition(settings(), ArrayBlocks(X), 3, np.random.default_rng(0))
    np.testing.assert_allclose(found.s, plain.s, rtol=1e-9)


def blocks_of(rng, d, widths):
    Q = np.linalg.qr(rng.normal(size=(d, sum(widths))))[0]
    return tuple(np.ascontiguousarray(part) for part in np.split(Q, np.cumsum(widths)[:-1], axis=1))


def counting(X):
    asked = []

    def times(V):
        asked.append(V.shape[1])
        return X @ V

    return times, asked


def test_codes_in_the_span_of_blocks_need_no_product(rng):
    X = rng.normal(size=(40, 30))
    times, asked = counting(X)
    halves, basis = module.Halves(times), blocks_of(rng, 30, [4, 4, 4])
    for Q in basis:
        halves.times(Q)
    Z = np.linalg.qr(rng.normal(size=(12, 5)))[0]
    V, codes = halves.in_span(basis, Z)
    np.testing.assert_allclose(V, np.hstack(basis) @ Z, atol=1e-14)
    np.testing.assert_allclose(codes, X @ V, atol=1e-12)
    assert asked == [4, 4, 4]


def test_blocks_that_were_not_kept_are_multiplied_again_with_the_same_bits(rng):
    X = rng.normal(size=(40, 30))
    basis = blocks_of(rng, 30, [4, 4, 4])
    Z, found = np.eye(12)[:, :7], []
    for known in (basis, basis[2:], ()):  # a fit that was cut short has lost some
        halves = module.Halves(counting(X)[0])
        for Q in known:
            halves.times(Q)
        found.append(halves.in_span(basis, Z)[1])
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[2])


def test_after_a_restart_codes_are_one_product(rng):
    X = rng.normal(size=(40, 30))
    times, asked = counting(X)
    basis = blocks_of(rng, 30, [9, 4])
    V, codes = module.Halves(times).in_span(basis, np.eye(13)[:, :7])
    np.testing.assert_array_equal(V, np.hstack(basis)[:, :7])
    np.testing.assert_array_equal(codes, X @ V)
    assert asked == [7]


@pytest.mark.parametrize("tilt", [0.0, 1e-4])
def test_axes_of_vectors_that_are_nearly_orthonormal_are_made_so(tilt, rng):
    X = rng.normal(size=(60, 30)) * np.logspace(0, -2, 30)
    V = np.linalg.qr(rng.normal(size=(30, 6)))[0] + tilt * rng.normal(size=(30, 6))
    found = module._from_right(X @ V, V, module.straightening(V))
    # a Newton step leaves 3/8 of the square of V'V - I, which is some 2 sqrt(6) tilt at most
    P = found.components
    np.testing.assert_allclose(P @ P.T, np.eye(6), atol=100 * tilt**2 + 1e-14)
    np.testing.assert_allclose(found.codes, X @ P.T, atol=1e-12)
    np.testing.assert_allclose(found.s, np.linalg.norm(found.codes, axis=0), rtol=1e-10)


def test_a_sketch_of_the_rows_saves_a_pass(rng, monkeypatch):
    left = sparse(rng, 2400, 60, 0.05)
    X = sp.csr_array(left @ sparse(rng, 60, 1500, 0.05) + 0.05 * sparse(rng, 2400, 1500, 0.02))
    found = {}
    for least in (1, X.nnz + 1):
        monkeypatch.setattr(module, "ENTRIES_FOR_SKETCH", least)
        how = settings(tol=1e-4)
        found[least] = decomposition(how, ArrayBlocks(X), 20, np.random.default_rng(0)), how
    (with_it, first), (without, second) = found.values()
    assert first.history_[0] < second.history_[0] - 0.1
    assert first.n_iter_ <= second.n_iter_
    np.testing.assert_allclose(with_it.s, without.s, rtol=1e-3)


def test_indices_of_64_bits_change_nothing(rng, monkeypatch):
    monkeypatch.setattr(sparse_module, "ENTRIES_PER_CUT", 1)
    X = sparse(rng, 700, 900)
    wide = X.copy()
    wide.indices, wide.indptr = X.indices.astype(np.int64), X.indptr.astype(np.int64)
    first, second = (
        decomposition(settings(), ArrayBlocks(Y), 3, np.random.default_rng(0)) for Y in (X, wide)
    )
    np.testing.assert_array_equal(first.components, second.components)


# ---- properties ----------------------------------------------------------------------------------


def test_rows_are_measured_in_a_unit_in_which_squares_are_numbers(rng):
    X = rng.normal(size=(30, 4)) + 2.0
    plain = measured(ArrayBlocks(X))
    assert plain.unit == 1.0
    assert plain.squares == pytest.approx(np.sum(X**2))
    assert plain.total == pytest.approx(X.var(axis=0).sum())
    for factor in (1e200, 1e-200):
        scaled = measured(ArrayBlocks(X * factor))
        assert scaled.squares * (scaled.unit / factor) ** 2 == pytest.approx(plain.squares)


def test_a_constant_matrix_of_any_size_has_one_singular_value():
    found = decomposition(settings(), ArrayBlocks(np.full((6, 3), 1e200)), 2, None)
    np.testing.assert_allclose(found.s * found.unit, [np.sqrt(18.0) * 1e200, 0.0])
    assert found.total == 0.0


def test_what_lies_beyond_the_rank_is_replaced_by_unit_vectors():
    axes = np.array([[0.0, 1.0, 0.0], [0.6, 0.0, 0.8]])
    V, s = completed(axes, np.array([2.0, 1e-12]), 3, 1e-8)
    np.testing.assert_allclose(s, [2.0, 0.0, 0.0])
    np.testing.assert_allclose(V @ V.T, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(V[0], axes[0])


def test_rows_are_turned_so_that_their_largest_entry_is_positive():
    V = np.asfortranarray([[0.6, -0.8], [0.8, 0.6]])
    np.testing.assert_array_equal(turn(V), [[-0.6, 0.8], [0.8, 0.6]])
    assert turn(V).flags.c_contiguous


# ---- the door ------------------------------------------------------------------------------------


def test_more_components_than_there_can_be_are_refused_or_cut(rng):
    rows = ArrayBlocks(rng.normal(size=(4, 9)))
    with pytest.raises(ValueError, match="n_components=5 is more than the 4 that X allows"):
        decomposition(settings(), rows, 5, rng)
    assert len(decomposition(settings(), rows, 5, rng, at_most=True).s) == 4
    with pytest.raises(ValueError, match=r"n_components=4 must be less than 4.*choose 'krylov'"):
        decomposition(settings("arpack"), rows, 4, rng)
