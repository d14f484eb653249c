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


@pytest.fixture(autouse=True, scope="module")
def nothing_is_kept_on_disk():
    """What is loaded from disk is not compiled."""
    for one in (elements, in_space, loops, first_above, going_round):
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
    out, expected = np.zeros((2, 5), dtype=np.int64)
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


def test_the_passes_that_write_few_statements_are_used():
    in_space(np.zeros((1, 1, 1), dtype=np.int64), np.zeros((1, 1), dtype=np.int64))
    (one,) = in_space.compiled().overloads.values()
    assert any("lowering_of_loops" in name for name in one.metadata["pipeline_times"]["nopython"])
