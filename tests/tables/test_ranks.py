"""How numbers are distributed, in bounded memory: the same in any cut, exact while they are few."""

from functools import reduce

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from lowdim.tables.ranks import MOST, merged, ranks_of, ranks_of_counts, steps_of

COLUMNS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "far from zero": lambda rng, n: 1e9 + rng.normal(size=n),
    "heavy tail": lambda rng, n: np.exp(3 * rng.normal(size=n)),
    "many zeros": lambda rng, n: np.where(rng.random(n) < 0.6, 0.0, rng.normal(size=n)),
    "huge": lambda rng, n: -1e150 * rng.random(n),
    "tiny": lambda rng, n: 1e-150 * rng.normal(size=n),
    "few": lambda rng, n: rng.poisson(3.0, size=n).astype(float),
    "dates": lambda rng, n: 1.6e15 + 86_400_000_000 * rng.integers(0, 20_000, size=n),
}


def test_places_of_a_few_numbers_are_exact():
    steps = steps_of(ranks_of(np.array([2.0, -1.0, np.nan, 2.0, 0.0, -0.0, np.inf, 2.0])))
    assert_array_equal(steps.values, [-1.0, 0.0, 2.0])
    assert_array_equal(steps.first, [0, 1, 3])
    assert_array_equal(steps.last, [0, 2, 5])


@pytest.mark.parametrize("column", COLUMNS)
def test_it_does_not_depend_on_the_cut(column, rng):
    x = COLUMNS[column](rng, 30_000)
    whole = ranks_of(x)
    for n_parts in (2, 7, 50):
        cuts = np.sort(rng.integers(0, len(x), size=n_parts - 1))
        parts = [ranks_of(part) for part in np.split(x, cuts)]
        for order in (parts, parts[::-1]):
            found = reduce(merged, order)
            for a, b in zip(found, whole, strict=True):
                assert_array_equal(a, b)


@pytest.mark.parametrize("column", COLUMNS)
def test_places_are_those_of_the_rows_in_order(column, rng):
    x = np.sort(COLUMNS[column](rng, 30_000))
    ranks, steps = ranks_of(x), steps_of(ranks_of(x))
    assert len(ranks.low) <= MOST and ranks.n_rows.sum() == len(x)
    assert_array_equal(steps.first, np.searchsorted(x, steps.values, side="left"))
    assert_array_equal(steps.last, np.searchsorted(x, steps.values, side="right") - 1)
    assert np.all(np.diff(steps.values) > 0)


@pytest.mark.parametrize("column", ["normal", "far from zero", "many zeros", "huge", "dates"])
def test_what_lies_between_two_kept_numbers_is_little(column, rng):
    """Of a column without gaps at most 1 % of the rows, beside equal ones."""
    steps = steps_of(ranks_of(COLUMNS[column](rng, 100_000)))
    assert (steps.first[1:] - steps.last[:-1]).max() < 1000


def test_counts_stand_for_rows(rng):
    x = rng.poisson(3.0, size=1000).astype(float)
    for a, b in zip(ranks_of_counts(*np.unique(x, return_counts=True)), ranks_of(x), strict=True):
        assert_array_equal(a, b)


def test_parts_without_numbers_change_nothing(rng):
    nothing = ranks_of(np.full(3, np.nan))
    some = ranks_of(rng.normal(size=10))
    for both in (merged(nothing, some), merged(some, nothing)):
        for a, b in zip(both, some, strict=True):
            assert_array_equal(a, b)
    assert len(merged(nothing, nothing).low) == 0
