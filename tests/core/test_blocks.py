"""Rows in blocks: fold, map, take, sample, top and blend against plain NumPy."""

import gc
import tracemalloc
from typing import NamedTuple

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import lowdim
from lowdim.core.blocks import (
    Addend,
    ArrayBlocks,
    Blocks,
    add,
    blend,
    joined,
    rebatched,
    reduce_tree,
    rows_per_block,
)
from lowdim.core.config import config_context
from lowdim.core.opening import as_blocks

KINDS = ["dense", "float32", "fortran", "strided", "read-only", "sparse"]


class Moments(NamedTuple):
    count: int
    sum_x: np.ndarray
    sum_xx: np.ndarray


def moments(X, weight=None):
    X = X.toarray() if sp.issparse(X) else X
    W = X if weight is None else X * weight[:, None]
    return Moments(len(X), W.sum(axis=0), W.T @ X)


def column_sums(X):
    return np.asarray(X.sum(axis=0))


def products(X, Y):
    return X.T @ Y


def projection(X, W):
    return X @ W


def distance_to_center(X, center):
    return ((X - center) ** 2).sum(axis=1)


def as_kind(X, kind):
    """X, as another kind of matrix with the same values."""
    if kind == "float32":
        return X.astype(np.float32)
    if kind == "fortran":
        return np.asfortranarray(X)
    if kind == "strided":
        return np.repeat(np.repeat(X, 2, axis=0), 3, axis=1)[::2, ::3]
    if kind == "read-only":
        X = X.copy()
        X.flags.writeable = False
        return X
    return sp.csr_array(X) if kind == "sparse" else X


def tree_sum(parts):
    """Neighbours are added two by two, and then their sums: written down recursively."""
    if len(parts) == 1:
        return parts[0]
    half = 1 << (len(parts) - 1).bit_length() - 1  # the largest power of 2 below their number
    return tree_sum(parts[:half]) + tree_sum(parts[half:])


# Golden values


def test_fold_adds_up_what_the_function_gives_for_each_block():
    rows = ArrayBlocks(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), block_rows=2)
    sums = rows.fold(moments)
    assert sums.count == 3
    assert sums.sum_x.tolist() == [9.0, 12.0]
    assert sums.sum_xx.tolist() == [[35.0, 44.0], [44.0, 56.0]]


def test_blend_mixes_new_sums_into_old_ones():
    old = Moments(4, np.array([0.0, 8.0]), np.zeros((1, 1)))
    new = Moments(8, np.array([4.0, 0.0]), np.ones((1, 1)))
    mixed = blend(old, new, 0.25)
    assert isinstance(mixed, Moments)
    assert mixed.count == 5.0
    assert mixed.sum_x.tolist() == [1.0, 6.0]
    assert mixed.sum_xx.tolist() == [[0.25]]
    assert old.sum_x.tolist() == [0.0, 8.0]  # the old ones stay


def test_blend_of_nested_sums_and_numbers():
    assert blend((2.0, (np.array([4.0]), 0)), (4.0, (np.array([0.0]), 8)), 0.5) == (3.0, (2.0, 4.0))


# The tree


@pytest.mark.parametrize("n", [*range(1, 20), 63, 64, 65])
def test_the_tree_depends_on_nothing_but_the_number_of_parts(n):
    parts = [f"({i})" for i in range(n)]
    grown = reduce_tree((part for part in parts), lambda a, b: f"[{a}{b}]")

    def expected(parts):
        if len(parts) == 1:
            return parts[0]
        half = 1 << (len(parts) - 1).bit_length() - 1
        return f"[{expected(parts[:half])}{expected(parts[half:])}]"

    assert grown == expected(parts)


def sums_and_projection(X, W, weight):
    return moments(X, weight), projection(X, W)


def test_sums_and_rows_come_out_of_one_pass(rng):
    X, W, weight = rng.normal(size=(50, 4)), rng.normal(size=(4, 2)), rng.random(50)
    streamed = lowdim.stream(lambda: iter(np.split(X, [7, 30])))
    for rows in (ArrayBlocks(X, block_rows=6), as_blocks(streamed)):
        sums, Z = rows.fold_and_map(sums_and_projection, W, along=(weight,))
        assert isinstance(sums, Moments) and sums.count == 50
        np.testing.assert_allclose(sums.sum_x, weight @ X)
        np.testing.assert_allclose(Z, X @ W)


def test_sums_and_rows_come_out_of_one_pass_on_dask(rng):
    da = pytest.importorskip("dask.array")
    X, W, weight = rng.normal(size=(50, 4)), rng.normal(size=(4, 2)), rng.random(50)
    rows = as_blocks(da.from_array(X, chunks=(11, 4)))
    sums, Z = rows.fold_and_map(sums_and_projection, W, along=(weight,))
    np.testing.assert_allclose(sums.sum_x, weight @ X)
    np.testing.assert_allclose(Z, X @ W)


@given(st.lists(st.floats(-1e300, 1e300), min_size=1, max_size=70))
def test_fold_rounds_as_the_tree_does(numbers):
    rows = ArrayBlocks(np.array(numbers)[:, None], block_rows=1)
    assert rows.fold(column_sums)[0] == tree_sum(numbers)


def test_the_tree_holds_only_logarithmically_many_parts():
    alive, most = 0, 0

    class Part:
        def __init__(self):
            nonlocal alive, most
            alive += 1
            most = max(most, alive)

        def __del__(self):
            nonlocal alive
            alive -= 1

    reduce_tree((Part() for _ in range(1000)), lambda left, right: left)
    assert most <= 12  # log2(1000) parts, and the two in hand


# Sums


@given(
    n=st.integers(1, 40),
    d=st.integers(1, 6),
    block_rows=st.integers(1, 45),
    kind=st.sampled_from(KINDS),
    seed=st.integers(0, 2**32 - 1),
)
def test_fold_and_map_agree_with_numpy_for_every_shape_and_kind(n, d, block_rows, kind, seed):
    random = np.random.default_rng(seed)
    X = random.integers(-8, 9, size=(n, d)) / 4.0  # sums of such numbers are exact
    weight = random.integers(0, 4, size=n).astype(float)
    rows = ArrayBlocks(as_kind(X, kind), block_rows=block_rows)
    sums = rows.fold(moments, along=(weight,))
    np.testing.assert_array_equal(sums.sum_x, weight @ X)
    np.testing.assert_array_equal(sums.sum_xx, (X * weight[:, None]).T @ X)
    assert sums.sum_x.dtype == sums.sum_xx.dtype == np.float64
    W = random.integers(-2, 3, size=(d, 2)).astype(rows.dtype)
    np.testing.assert_array_equal(rows.map(projection, W), X @ W)
    assert rows.map(projection, W).dtype == rows.dtype


@pytest.mark.parametrize("kind", KINDS)
def test_results_are_bit_identical_for_any_number_of_threads(kind, rng):
    X = as_kind(rng.normal(size=(3000, 12)), kind)
    W = rng.normal(size=(12, 5)).astype(X.dtype)

    def results(threads):
        with config_context(threads=threads, block_bytes=4096):
            rows = as_blocks(X)
            return rows.fold(moments), rows.map(projection, W), rows.top(projected_norm, 7, W)

    sums, codes, top = results(1)
    for threads in (2, 3):
        other_sums, other_codes, other_top = results(threads)
        for one, other in zip(sums, other_sums, strict=True):
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(codes, other_codes)
        np.testing.assert_array_equal(top.index, other_top.index)
        np.testing.assert_array_equal(top.score, other_top.score)


def projected_norm(X, W):
    return ((X @ W) ** 2).sum(axis=1)


@pytest.mark.parametrize("block_rows", [1, 7, 100, 1000])
def test_the_block_size_changes_sums_by_rounding_only(block_rows, rng):
    X = rng.normal(size=(500, 4))
    sums = ArrayBlocks(X, block_rows=block_rows).fold(moments)
    # |error| <= eps n sum|x_i x_j| for any order of additions; sum|x_i x_j| is about n here
    np.testing.assert_allclose(sums.sum_xx, X.T @ X, rtol=0, atol=500 * 500 * 2.3e-16)


def test_sums_of_float32_blocks_are_kept_in_float64():
    # 2^24 + 1 is not a float32: added up in float32, ones would get lost from there on
    X = np.ones((3, 1), dtype=np.float32)
    X[0] = 2**24
    rows = ArrayBlocks(X, block_rows=1)
    for function in (column_sums, sum_all, sums_in_a_tuple):
        total = rows.fold(function)
        total = total[1][0] if isinstance(total, tuple) else total
        assert np.asarray(total).dtype == np.float64
        assert float(np.squeeze(total)) == 2**24 + 2


def sum_all(X):
    return X.sum()  # a float32 scalar


def sums_in_a_tuple(X):
    return len(X), (X.sum(axis=0), None if X is None else 0)


def test_a_single_float32_block_gives_float64_too():
    total = ArrayBlocks(np.ones((3, 2), dtype=np.float32)).fold(column_sums)
    assert total.dtype == np.float64


def test_counts_are_whole_numbers_and_never_overflow():
    def counts(X):
        return X[:, 0] > 0, np.int8(100), np.full(1, 200, dtype=np.uint8), len(X)

    rows = ArrayBlocks(np.ones((4, 1)), block_rows=1)
    positive, small, unsigned, count = rows.fold(counts)
    assert positive.tolist() == [4] and positive.dtype == np.int64
    assert small == 400 and unsigned.tolist() == [800] and count == 4


def test_a_count_may_turn_out_as_a_float_in_some_block():
    def sometimes_float(X):
        return np.array([1]) if X[0, 0] == 0 else np.array([0.5])

    total = ArrayBlocks(np.array([[0.0], [1.0], [1.0]]), block_rows=1).fold(sometimes_float)
    assert total.tolist() == [2.0]


def test_functions_may_return_nested_tuples_and_sparse_matrices():
    def nested(X):
        return (len(X), (X.sum(axis=0), Moments(1, X[0].copy(), sp.csr_array(X.T @ X))))

    X = np.arange(12.0).reshape(6, 2)
    count, (sum_x, (blocks, firsts, gram)) = ArrayBlocks(X, block_rows=2).fold(nested)
    assert (count, blocks) == (6, 3)
    np.testing.assert_array_equal(sum_x, X.sum(axis=0))
    np.testing.assert_array_equal(firsts, X[::2].sum(axis=0))
    np.testing.assert_array_equal(gram.toarray(), X.T @ X)


def test_add_does_not_write_into_what_it_does_not_own():
    base = np.ones((2, 2))
    view, frozen, right = base[0], np.ones(2), np.ones(2)
    frozen.flags.writeable = False
    for left in (view, frozen):
        np.testing.assert_array_equal(add(left, right), [2.0, 2.0])
        np.testing.assert_array_equal(left, [1.0, 1.0])
    np.testing.assert_array_equal(right, [1.0, 1.0])


class Gram(Addend):
    """X'X that adds itself."""

    def __init__(self, X):
        self._X, self.shape = X, (X.shape[1], X.shape[1])

    def add_to(self, total):
        total += self._X.T @ self._X


def gram_and_rows(X):
    return (Gram(np.asarray(X)), len(X)), X[:, :1]


def test_sums_that_add_themselves_are_those_of_arrays(rng):
    X = rng.normal(size=(50, 4))
    streamed = lowdim.stream(lambda: iter(np.split(X, [7, 30])))
    every = (
        ArrayBlocks(X, block_rows=6),
        ArrayBlocks(X, block_rows=6, in_order=True),
        ArrayBlocks(X, block_rows=60),
        as_blocks(streamed),
    )
    for rows in every:
        (gram, count), first = rows.fold_and_map(gram_and_rows)
        np.testing.assert_allclose(gram, X.T @ X)
        np.testing.assert_array_equal(first, X[:, :1])
        assert count == 50 and rows.fold(Gram).shape == (4, 4)


def test_sums_that_add_themselves_do_so_on_dask(rng):
    da = pytest.importorskip("dask.array")
    X = rng.normal(size=(50, 4))
    np.testing.assert_allclose(as_blocks(da.from_array(X, chunks=(11, 4))).fold(Gram), X.T @ X)


def test_what_adds_itself_does_not_write_into_what_is_not_its_own(rng):
    X, frozen = rng.normal(size=(5, 2)), np.ones((2, 2))
    frozen.flags.writeable = False
    np.testing.assert_allclose(add(frozen, Gram(X)), 1.0 + X.T @ X)
    np.testing.assert_array_equal(frozen, 1.0)


def test_in_order_sums_are_added_one_after_the_other(threads=(1, 2, 3)):
    parts = np.array([1e16, 1.0, -1e16, 1.0, 3.0])[:, None]
    expected = 0.0
    for part in parts[:, 0]:
        expected += part
    for number in threads:
        with config_context(threads=number):
            rows = ArrayBlocks(parts, block_rows=1, in_order=True)
            assert rows.fold(column_sums)[0] == expected
    with pytest.raises(ValueError, match="no rows"):
        ArrayBlocks(np.ones((0, 2)), in_order=True).fold(column_sums)


def test_blocks_in_order_of_sparse_rows_are_views():
    X = sp.csr_array(np.arange(40.0).reshape(10, 4))
    seen = []
    rows = ArrayBlocks(X, block_rows=2, in_order=True)
    rows.fold(lambda block: seen.append((block.toarray(), block.data)) or 0)
    np.testing.assert_array_equal(np.concatenate([part for part, _ in seen]), X.toarray())
    assert all(np.shares_memory(data, X.data) for _, data in seen)


def test_companions_are_cut_with_the_rows_and_none_stays_none():
    seen = []

    def look(X, scale, weight, nothing, factors):
        seen.append((len(X), weight.shape, nothing, factors.shape))
        return scale * (weight[:, None] * X * factors).sum()

    X = np.arange(10.0).reshape(5, 2)
    weight, factors = np.arange(5.0), np.ones((5, 2)) * 3
    with config_context(threads=1):
        total = ArrayBlocks(X, block_rows=2).fold(look, 10.0, along=(weight, None, factors))
    assert total == 10.0 * (weight[:, None] * X * 3).sum()
    assert seen == [(2, (2,), None, (2, 2)), (2, (2,), None, (2, 2)), (1, (1,), None, (1, 2))]


def test_no_rows_is_an_error():
    for work in (lambda rows: rows.fold(column_sums), lambda rows: rows.map(np.square)):
        with pytest.raises(ValueError, match=r"X has no rows \(n_samples=0\); at least 1"):
            work(ArrayBlocks(np.empty((0, 3))))


# Row-aligned results


def test_map_gives_a_tuple_of_arrays_where_the_function_does():
    class Codes(NamedTuple):
        label: np.ndarray
        square: np.ndarray

    def encode(X):
        return Codes(X[:, 0].astype(np.int64), X**2)

    X = np.arange(14.0).reshape(7, 2)
    codes = ArrayBlocks(X, block_rows=3).map(encode)
    assert isinstance(codes, Codes)
    np.testing.assert_array_equal(codes.label, X[:, 0])
    np.testing.assert_array_equal(codes.square, X**2)
    assert codes.label.dtype == np.int64


@pytest.mark.parametrize("block_rows", [3, 100])
def test_map_of_sparse_results_stays_sparse(block_rows, rng):
    X = sp.random_array((20, 6), density=0.3, format="csr", rng=rng)
    doubled = ArrayBlocks(X, block_rows=block_rows).map(np.multiply, 2)
    assert sp.issparse(doubled)
    np.testing.assert_array_equal(doubled.toarray(), 2 * X.toarray())


@pytest.mark.parametrize("block_rows", [2, 100])
def test_what_map_returns_is_never_a_view_of_the_data(block_rows):
    X = np.arange(10.0).reshape(5, 2)
    copied = ArrayBlocks(X, block_rows=block_rows).map(lambda block: block[:, :1])
    copied[:] = -1.0
    assert X[0, 0] == 0.0


@pytest.mark.parametrize("wrong", [lambda X: X[:1], lambda X: X.sum(axis=0), lambda X: X.sum()])
def test_map_refuses_results_that_are_not_one_per_row(wrong):
    with pytest.raises(ValueError, match="map needs one result per row"):
        ArrayBlocks(np.ones((6, 2)), block_rows=3).map(lambda X: np.asarray(wrong(X)))


def test_map_refuses_to_cut_floats_down_to_integers():
    def sometimes_float(X):
        return X[:, 0].astype(int) if X[0, 0] == 0 else X[:, 0] + 0.5

    with config_context(threads=1), pytest.raises(TypeError, match="same_kind"):
        ArrayBlocks(np.array([[0.0], [1.0]]), block_rows=1).map(sometimes_float)


def test_joined_parts_are_one_whether_or_not_their_number_is_known():
    parts = [(np.ones((2, 1)), np.arange(2)), (np.zeros((1, 1)), np.arange(1))]
    for n in (None, 3):
        ones, numbers = joined(iter(parts), n)
        assert ones.ravel().tolist() == [1, 1, 0] and numbers.tolist() == [0, 1, 0]


# Rows by number, at random, by score, in batches


@pytest.mark.parametrize("kind", KINDS)
def test_take_gives_the_rows_in_the_order_asked_for(kind, rng):
    X = rng.normal(size=(50, 3))
    rows = ArrayBlocks(as_kind(X, kind), block_rows=7)
    index = np.array([49, 0, 7, 7, 13])
    taken = rows.take(index)
    taken = taken.toarray() if sp.issparse(taken) else taken
    np.testing.assert_array_equal(taken, X.astype(rows.dtype)[index])


@given(n=st.integers(1, 60), size=st.integers(1, 60), seed=st.integers(0, 99))
def test_sample_gives_different_rows_and_the_same_ones_for_the_same_seed(n, size, seed):
    size = min(size, n)
    rows = ArrayBlocks(np.arange(float(n))[:, None], block_rows=4)
    drawn = rows.sample(size, np.random.default_rng(seed))
    assert drawn.shape == (size, 1)
    assert len(np.unique(drawn)) == size
    again = ArrayBlocks(np.arange(float(n))[:, None]).sample(size, np.random.default_rng(seed))
    np.testing.assert_array_equal(drawn, again)


def test_every_row_is_sampled_equally_often(rng):
    rows = ArrayBlocks(np.arange(5.0)[:, None])
    drawn = np.concatenate([rows.sample(2, rng).ravel() for _ in range(2000)])
    counts = np.bincount(drawn.astype(int), minlength=5)
    # 4000 draws over 5 rows: 800 each, standard deviation below sqrt(4000 * 0.2 * 0.8) = 25.3
    assert np.all(np.abs(counts - 800) < 6 * 25.3)


@given(
    scores=st.lists(st.integers(-3, 3), min_size=1, max_size=40),
    n=st.integers(1, 45),
    block_rows=st.integers(1, 10),
    sparse=st.booleans(),
)
def test_top_gives_the_best_rows_and_of_equals_the_first(scores, n, block_rows, sparse):
    X = np.column_stack([scores, np.arange(len(scores))]).astype(float)
    rows = ArrayBlocks(sp.csr_array(X) if sparse else X, block_rows=block_rows)
    best = rows.top(first_column, n)
    expected = sorted(range(len(scores)), key=lambda i: (-scores[i], i))[:n]
    assert best.index.tolist() == expected
    assert best.score.tolist() == [scores[i] for i in expected]
    found = best.rows.toarray() if sparse else best.rows
    np.testing.assert_array_equal(found, X[expected])


def first_column(X):
    return X[:, [0]].toarray().ravel() if sp.issparse(X) else X[:, 0]


def test_top_passes_parameters_and_companions_and_ranks_nan_last(rng):
    X = rng.normal(size=(30, 2))
    center, weight = np.array([1.0, -1.0]), rng.uniform(0.5, 2, size=30)
    weight[3] = np.nan

    def score(X, center, weight):
        return weight * distance_to_center(X, center)

    best = ArrayBlocks(X, block_rows=4).top(score, 29, center, along=(weight,))
    expected = weight * distance_to_center(X, center)
    np.testing.assert_array_equal(best.index, np.argsort(-expected)[:29])
    assert 3 not in best.index


@pytest.mark.parametrize("size", [1, 4, 5, 100])
def test_batches_come_in_order_with_their_companions(size, rng):
    X, weight = rng.normal(size=(13, 2)), np.arange(13.0)
    batches = list(ArrayBlocks(X, block_rows=3).batches(size, along=(weight, None)))
    assert all(len(rows) == size for rows, _, _ in batches[:-1])
    np.testing.assert_array_equal(np.concatenate([rows for rows, _, _ in batches]), X)
    np.testing.assert_array_equal(np.concatenate([w for _, w, _ in batches]), weight)
    assert all(nothing is None for _, _, nothing in batches)


@given(st.lists(st.integers(0, 7), max_size=12), st.integers(1, 9))
def test_rebatched_cuts_blocks_of_any_size_into_equal_ones(sizes, size):
    numbers, start, parts = np.arange(sum(sizes)), 0, []
    for count in sizes:
        parts.append((numbers[start : start + count, None], None))
        start += count
    batches = [rows for rows, _ in rebatched(iter(parts), size)]
    assert [len(batch) for batch in batches[:-1]] == [size] * max(len(batches) - 1, 0)
    joined_again = np.concatenate([np.empty((0, 1), int), *batches]).ravel()
    np.testing.assert_array_equal(joined_again, numbers)


# Blocks


def test_blocks_fit_the_cache_and_outweigh_their_moments():
    with config_context(block_bytes=2**20):
        assert rows_per_block(np.empty((10**6, 128))) == 2**20 // (128 * 8)
        assert rows_per_block(np.empty((10, 1000))) == 2000  # 2 d rows: 16 MB
        assert rows_per_block(np.empty((10, 100_000))) == 20  # 2^24 bytes: not more
        assert rows_per_block(np.empty((0, 3))) >= 1
        assert rows_per_block(sp.csr_array((10, 5))) >= 1


@pytest.mark.parametrize("dtype", [np.int32, np.uint8, bool, np.float16, ">f8"])
def test_other_numbers_become_float64(dtype):
    for X in (np.ones((3, 2), dtype=dtype), np.ones((3, 2), dtype=dtype).tolist()):
        rows = as_blocks(X)
        assert rows.dtype == np.float64 and rows.fold(column_sums).tolist() == [3.0, 3.0]


def test_as_blocks_keeps_blocks_and_says_what_it_holds():
    X = sp.csc_matrix(np.eye(3, dtype=np.float32))
    rows = as_blocks(X)
    assert isinstance(rows, Blocks) and as_blocks(rows) is rows
    assert rows.shape == (3, 3) and rows.known_rows == rows.n_columns == 3
    assert rows.is_sparse and rows.dtype == np.float32
    assert isinstance(rows.in_memory, sp.csr_array)
    assert rows.fold(kind_of_block) == (1, 0)


def kind_of_block(X):
    return int(isinstance(X, sp.csr_array)), int(isinstance(X, sp.csr_matrix))


def test_a_memory_map_comes_in_plain_arrays(tmp_path):
    np.save(tmp_path / "x.npy", np.ones((4, 2)))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert as_blocks(mapped).fold(lambda X: int(type(X) is np.ndarray)) == 1


def test_checked_rows_go_through_the_check_at_once():
    def refuse_zero(X, what):
        if (X == 0).any():
            raise ValueError(f"there is a {what}")

    rows = ArrayBlocks(np.array([[1.0], [0.0]]), block_rows=1)
    assert rows.checked(lambda X: None) is rows
    with pytest.raises(ValueError, match="there is a zero"):
        rows.checked(refuse_zero, "zero")


# Fingerprints


def test_the_fingerprint_tells_values_shapes_and_kinds_apart(rng):
    X = rng.normal(size=(40, 3))
    changed = X.copy()
    changed[39, 2] = np.nextafter(changed[39, 2], 1)
    matrices = [X, changed, X[:39], X[::-1], X.reshape(60, 2), X.astype(np.float32), -X]
    prints = [ArrayBlocks(matrix, block_rows=7).fingerprint() for matrix in matrices]
    assert len(set(prints)) == len(prints)
    assert prints[0] == ArrayBlocks(np.asfortranarray(X), block_rows=7).fingerprint()
    assert prints[0].startswith("40x3 float64 ")


def test_the_fingerprint_of_a_sparse_matrix_sees_where_its_values_are():
    one, other = np.zeros((2, 3, 4))
    one[0, 0], other[0, 1] = 1.0, 1.0
    assert (
        as_blocks(sp.csr_array(one)).fingerprint() != as_blocks(sp.csr_array(other)).fingerprint()
    )


# Memory, errors, nesting


def test_a_fold_needs_memory_for_blocks_only(rng):
    n, d, k = 200_000, 4, 64
    X, W = rng.normal(size=(n, d)), rng.normal(size=(d, k))

    def energy(X, W):
        return (X @ W).sum(axis=0)  # n x k numbers, were they ever there at once: 102 MB

    with config_context(threads=2, block_bytes=2**16):
        rows = as_blocks(X)
        rows.fold(energy, W)
        tracemalloc.start()
        rows.fold(energy, W)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    block_of_codes = 2**16 // (d * 8) * k * 8  # 1 MB
    assert peak < 4 * block_of_codes


def test_map_needs_memory_for_what_it_returns_and_a_few_blocks(rng):
    X = rng.normal(size=(200_000, 4))
    with config_context(threads=2, block_bytes=2**16):
        rows = as_blocks(X)
        tracemalloc.start()
        result = rows.map(np.square)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < result.nbytes + 8 * 2**16


@pytest.mark.parametrize("threads", [1, 3])
def test_an_error_in_a_function_comes_out_and_later_folds_work(threads):
    def fails_late(X):
        if X[0, 0] >= 50:
            raise KeyError("no such row")
        return X.sum()

    rows = ArrayBlocks(np.arange(100.0)[:, None], block_rows=1)
    with config_context(threads=threads):
        for work in (rows.fold, rows.map):
            with pytest.raises(KeyError, match="no such row"):
                work(fails_late if work == rows.fold else lambda X: fails_late(X) * X[:, 0])
        assert rows.fold(column_sums).tolist() == [4950.0]


@pytest.mark.parametrize("threads", [1, 2])
def test_a_fold_within_a_fold_finishes(threads):
    inner = ArrayBlocks(np.ones((30, 2)), block_rows=1)

    def outer(X):
        return inner.fold(column_sums) * len(X) + inner.map(np.square).sum()

    with config_context(threads=threads):
        total = ArrayBlocks(np.ones((40, 1)), block_rows=1).fold(outer)
    assert total.tolist() == [40 * (30 + 60)] * 2


def test_settings_reach_the_functions_on_other_threads():
    from lowdim.core.config import get_config

    with config_context(threads=2, block_bytes=12345):
        seen = ArrayBlocks(np.ones((8, 1)), block_rows=1).map(
            lambda X: np.full(len(X), get_config().block_bytes)
        )
    assert set(seen) == {12345}


def test_a_fold_leaves_no_garbage_cycles(rng):
    rows = ArrayBlocks(rng.normal(size=(100, 3)), block_rows=10)
    rows.fold(moments)
    gc.collect()
    gc.disable()
    try:
        for _ in range(3):
            rows.fold(moments)
            rows.map(np.square)
        assert gc.collect() < 30  # nothing that grows with the 60 blocks
    finally:
        gc.enable()


# ---- rows seen through a function ----------------------------------------------------------------


def two_columns(X, factor, dtype):
    """Another number of columns, and another dtype."""
    X = X.toarray() if sp.issparse(X) else X
    return (factor * X[:, :2]).astype(dtype)


def with_weight(X, factor, weight):
    return factor * X * weight[:, None]


def weighted_sums(X, weight):
    return weight @ X


def refuse_large(X, limit):
    if X.max() > limit:
        raise ValueError("too large")


@pytest.fixture(params=["memory", "sparse", "stream", "dask"])
def held(request, rng):
    """(whatever holds rows, the rows)"""
    X = rng.normal(size=(30, 3))
    if request.param == "sparse":
        return sp.csr_array(X), X
    if request.param == "stream":
        return lowdim.stream(lambda: iter(np.split(X, [1, 12]))), X
    if request.param == "dask":
        return pytest.importorskip("dask.array").from_array(X, chunks=(11, 3)), X
    return X, X


def test_rows_seen_through_a_function_are_blocks_like_any_others(held, rng):
    holder, X = held
    weight = rng.random(30)
    rows = as_blocks(holder).seen(two_columns, 3.0, np.float32)
    Z = two_columns(X, 3.0, np.float32)

    assert rows.n_columns == 2 and rows.dtype == np.float32 and not rows.is_sparse
    assert rows.shape == (30, 2)
    np.testing.assert_array_equal(
        np.asarray(rows.map(with_weight, 2.0, along=(weight,))), 2.0 * Z * weight[:, None]
    )
    # sums of at most 30 numbers in another order
    np.testing.assert_allclose(rows.fold(weighted_sums, along=(weight,)), weight @ Z, rtol=1e-12)
    np.testing.assert_array_equal(rows.take(np.array([4, 0, 29])), Z[[4, 0, 29]])
    batches = list(rows.batches(8, along=(weight,)))
    np.testing.assert_array_equal(np.vstack([Z for Z, _ in batches]), Z)
    np.testing.assert_array_equal(np.concatenate([w for _, w in batches]), weight)


def test_a_check_of_seen_rows_sees_what_functions_see(held):
    holder, X = held
    rows = as_blocks(holder).seen(two_columns, 3.0, np.float64)
    largest = 3.0 * X[:, :2].max()
    assert rows.checked(refuse_large, largest).fold(column_sums).shape == (2,)
    with pytest.raises(ValueError, match="too large"):
        rows.checked(refuse_large, largest * (1 - 1e-9)).fold(column_sums)


def test_a_view_of_a_view_is_a_view(held):
    holder, X = held
    rows = as_blocks(holder).seen(two_columns, 3.0, np.float64).seen(projection, np.eye(2)[:, :1])
    assert rows.shape == (30, 1)
    np.testing.assert_array_equal(rows.take(np.arange(30)), 3.0 * X[:, :1])


# ---- some of the rows ----------------------------------------------------------------------------


def positive(X, column):
    first = X[:, [column]].toarray() if sp.issparse(X) else X[:, column]
    return np.ravel(first) > 0


def every_row(X):
    return None


def all_true(X):
    return np.ones(X.shape[0], dtype=bool)


def no_row(X):
    return np.zeros(X.shape[0], dtype=bool)


def twice(X):
    return 2.0 * (X.toarray() if sp.issparse(X) else X)


def in_memory(rows):
    return np.asarray(rows.map(twice)) / 2.0


def test_chosen_rows_are_blocks_like_any_others(held, rng):
    holder, X = held
    weight, keep = rng.random(30), X[:, 1] > 0
    rows = as_blocks(holder).where(positive, 1)
    kept, its_weight = X[keep], weight[keep]

    np.testing.assert_array_equal(in_memory(rows), kept)
    np.testing.assert_array_equal(rows.part_of(weight), its_weight)
    # sums of at most 30 numbers in another order
    np.testing.assert_allclose(
        rows.seen(twice).fold(weighted_sums, along=(its_weight,)), 2 * its_weight @ kept, rtol=1e-12
    )
    assert rows.shape == kept.shape and rows.known_rows == len(kept)
    assert rows.n_left_out == 30 - len(kept)
    np.testing.assert_array_equal(twice(rows.take(np.array([4, 0]))), 2 * kept[[4, 0]])
    np.testing.assert_array_equal(
        twice(rows.sample(5, np.random.default_rng(1))),
        twice(as_blocks(kept).sample(5, np.random.default_rng(1))),
    )
    batches = list(rows.batches(4, along=(its_weight,)))
    np.testing.assert_array_equal(np.vstack([twice(X) / 2 for X, _ in batches]), kept)
    np.testing.assert_array_equal(np.concatenate([w for _, w in batches]), its_weight)


def test_chosen_rows_know_all_rows(held, rng):
    holder, X = held
    rows = as_blocks(holder).where(positive, 0)
    for all_rows in (rows.all_rows, rows.checked(refuse_large, X.max()).all_rows):
        np.testing.assert_array_equal(in_memory(all_rows), X)
    np.testing.assert_array_equal(rows.seen(twice).all_rows.map(np.negative), -2.0 * X)
    np.testing.assert_array_equal(
        as_blocks(holder).seen(twice).where(positive, 0).map(np.negative), -2.0 * X[X[:, 0] > 0]
    )
    weight = rng.random(30)
    np.testing.assert_array_equal(rows.seen(twice).part_of(weight), weight[X[:, 0] > 0])
    given = rows.as_given()
    assert given.all_rows.shape == given.shape == rows.shape and given.n_left_out == 0
    assert given.part_of(weight) is weight
    assert rows.seen(twice).as_given().n_left_out == 0
    assert rows.n_left_out > 0


def test_a_check_of_chosen_rows_comes_with_the_pass(held):
    holder, X = held
    rows = as_blocks(holder).where(positive, 0)
    with pytest.raises(ValueError, match="too large"):
        rows.checked(refuse_large, X[X[:, 0] > 0].max() * (1 - 1e-9)).fold(column_sums)


def test_rows_of_which_none_is_left_out_are_not_copied(rng):
    X = rng.normal(size=(9, 2))
    rows = as_blocks(X)
    assert rows.where(every_row) is rows and rows.where(all_true) is rows
    assert rows.all_rows is rows and rows.n_left_out == 0
    weight = np.ones(9)
    assert rows.part_of(weight) is weight and rows.part_of(None) is None


def test_no_row_at_all_left_is_an_error(held):
    rows = as_blocks(held[0]).where(no_row)
    with pytest.raises(ValueError, match="n_samples=0"):
        rows.fold(column_sums)
