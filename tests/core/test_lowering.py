"""Kernels are written in few statements, and compute what Python computes."""

import numpy as np
import pytest
from numba.core.caching import NullCache

from lowdim.core.kernel import kernel


@kernel
def elements(X, x, out, places, flags):
    """Indices from the end, of other types, of other kinds of arrays."""
    n = len(x)
    for i in range(n):
        flags[i] = x[i] > 0
        out[places[i]] += x[i - 1]  # before the first comes the last
        if flags[i]:
            out[np.uint8(i)] += 1
    out[-1] = X[-1, -2] + X[1, n - 3]


@kernel
def in_space(X, sums):
    for i in range(X.shape[0]):
        for j in range(X.shape[1]):
            for f in range(X.shape[2]):
                sums[i, f] += X[i, j, f]


@kernel
def loops(start, stop, out):
    """How often loops run, and with which numbers."""
    last = -100
    for i in range(start, stop):
        out[0] += 1
        last = i
    out[1] = last
    for i in range(stop):
        out[2] += i
    for i in range(start, stop, 3):
        out[3] += i
    for i in range(stop, start, -2):
        out[4] += i
    for i in range(stop - 1, -1, -1):
        out[5] += out[i % 3] - i


@kernel
def first_above(x, bound):
    """A variable that only some ways assign; a loop that is left early."""
    found = -1
    for i in range(len(x)):
        if x[i] < 0:
            continue
        if x[i] > bound:
            found = i
            break
    while found > 0 and x[found - 1] > 0:
        found -= 1
    return found


@kernel
def going_round(x, times):
    """Each name holds what another one held in the turn before."""
    a, b, before = x[0], x[1], 0.0
    for _ in range(times):
        kept = before
        a, b = b, a + kept
        before = a - b
        for i in range(3):
            before = before + x[i] * kept
    return a, b, before


@kernel
def rows_of_rows(X, Y, sums, sizes):
    """Rows and planes as arrays of their own: their lengths, elements and rows."""
    for i in range(-1, len(X) - 1):  # the last one first
        x, plane = X[i], Y[i]
        sums[i] = x[0] + x[-1] + Y[i, 1][2] + plane[-1, -2] + len(plane)
        sizes[i, 0], sizes[i, 1] = x.size, plane.size
        plane[0][1] = i


@kernel
def compared(a, b, out):
    """What two numbers are to each other, and what they make."""
    for i in range(len(a)):
        x, y = a[i], b[i]
        out[i, 0] = (x < y) + 2 * (x <= y) + 4 * (x > y) + 8 * (x >= y) + 16 * (x == y)
        out[i, 1] = x != y
        out[i, 2], out[i, 3], out[i, 4] = x + y, x - y, x * y
        out[i, 5] = x / y


@kernel(any_order=True)
def scaled(x, center, z):
    """Writes an array, and adds up what it writes."""
    square = 0.0
    for f in range(len(x)):
        z[f] = x[f] - center[f]
        square += z[f] * z[f]
    return square


@kernel(views=("x", "bits"))
def doubled(x, bits):
    """Reads through a view what was written a moment ago."""
    for i in range(len(x)):
        x[i] = 2 * x[0]
        bits[0] += 1
    return x[len(x) - 1]


KERNELS = (elements, in_space, loops, first_above, going_round)
KERNELS += (rows_of_rows, compared, scaled, doubled)


@pytest.fixture(autouse=True, scope="module")
def nothing_is_kept_on_disk():
    """What is loaded from disk is not compiled."""
    for one in KERNELS:
        one.compiled()._cache = NullCache()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_elements_are_found_by_indices_of_every_kind(rng, dtype):
    X, x = rng.normal(size=(4, 6)).astype(dtype), rng.normal(size=7).astype(dtype)
    places = rng.permutation(7).astype(np.int32)
    given = [[np.zeros(8, dtype), np.zeros(7, bool)] for _ in range(2)]
    for run, (out, flags) in zip((elements, elements.python), given, strict=True):
        run(X, x, out, places, flags)
    (ours, found), (theirs, expected) = given
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)
    assert found.tolist() == expected.tolist() == (x > 0).tolist()


def test_arrays_of_three_dimensions_are_added_up(rng):
    X = rng.integers(0, 9, size=(2, 3, 5))
    sums = np.zeros((2, 5), dtype=np.int64)
    in_space(X, sums)
    assert (sums == X.sum(axis=1)).all()


@pytest.mark.parametrize("start, stop", [(0, 5), (2, 9), (-4, 3), (3, 3), (5, 2), (0, -7)])
def test_loops_run_over_the_numbers_of_a_range(start, stop):
    out, expected = np.zeros((2, 6), dtype=np.int64)
    loops(start, stop, out)
    loops.python(start, stop, expected)
    assert out.tolist() == expected.tolist()


@pytest.mark.parametrize("bound", [-1.0, 0.4, 1.5, 9.0])
def test_variables_that_only_some_ways_assign_have_their_values(bound):
    x = np.array([0.2, -1.0, 0.5, 0.3, -0.1, 0.6, 1.0, 2.0])
    assert first_above(x, bound) == first_above.python(x, bound)


@pytest.mark.parametrize("times", [0, 1, 2, 7])
def test_names_hold_the_values_of_the_turn_before(rng, times):
    x = rng.normal(size=3)
    np.testing.assert_allclose(going_round(x, times), going_round.python(x, times), rtol=1e-12)


def test_rows_are_arrays(rng):
    X, Y = rng.normal(size=(3, 5)), rng.normal(size=(3, 2, 4))
    given = [[Y.copy(), np.zeros(3), np.zeros((3, 2), np.int64)] for _ in range(2)]
    for run, (planes, sums, sizes) in zip((rows_of_rows, rows_of_rows.python), given, strict=True):
        run(X, planes, sums, sizes)
    for ours, theirs in zip(*given, strict=True):
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint64])
def test_numbers_are_compared_and_added_as_in_python(dtype):
    values = [0, 1, 3, 7] if dtype in (np.int64, np.uint64) else [0.0, -1.5, np.nan, np.inf, 2.25]
    a, b = (np.ravel(part).astype(dtype) for part in np.meshgrid(values, values))
    a, b = (a[b <= a], b[b <= a]) if dtype is np.uint64 else (a, b)  # differences are not negative
    ours, theirs = np.zeros((2, len(a), 6))
    compared(a, b, ours)
    with np.errstate(all="ignore"):
        compared.python(a, b, theirs)
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("d", [4, 8, 17, 40])
def test_sums_do_not_depend_on_where_arrays_lie(rng, d):
    """LLVM checked whether arrays lie within 256 bytes, and then added up in another order."""
    x, center = rng.normal(size=(2, d))
    found = set()
    for between in (0, 1, 2, 5, 31, 200):
        for after in (0, 1, 3, 31, 200):
            memory = np.empty(3 * d + between + after)
            first, second = memory[:d], memory[d + between : 2 * d + between]
            z = memory[2 * d + between + after :]
            first[:], second[:] = x, center
            found.add(scaled(first, second, z))
            found.add(scaled(second, first, z))
    assert len(found) == 1
    assert found.pop() == pytest.approx(np.sum((x - center) ** 2))


def test_views_of_each_other_are_read_anew():
    x, expected = np.ones((2, 9))
    assert doubled(x, x.view(np.int64)) == doubled.python(expected, expected.view(np.int64))


def test_the_passes_that_write_few_statements_are_used():
    in_space(np.zeros((1, 1, 1), dtype=np.int64), np.zeros((1, 1), dtype=np.int64))
    (one,) = in_space.compiled().overloads.values()
    assert list(one.metadata["pipeline_times"]) == ["kernel"]
