"""Levels of columns: densities that add up to 1, values that come back, streams like arrays."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import integrate

import lowdim
from lowdim.core.opening import as_blocks
from lowdim.deep.chain.levels import (
    check_known,
    codes_of,
    drawn_values,
    learned_levels,
    level_stds,
    log_widths,
)


def learned(X, most=8, **how):
    return learned_levels(as_blocks(X), most, 0, **{"most_whole": 32, **how})


@pytest.fixture
def table(rng):
    X = np.column_stack(
        [
            rng.normal(size=400) * 100,
            rng.integers(0, 5, size=400),
            rng.exponential(size=400),
            np.full(400, 2.5),
            rng.integers(0, 2, size=400) * 7.0,
        ]
    )
    X[rng.random(X.shape) < 0.1] = np.nan
    X[:2] = X[:2] * 0 + [1.0, 4.0, 1.0, 2.5, 7.0]
    return X


def test_kinds_of_columns(table):
    found = learned(table)
    np.testing.assert_array_equal(found.whole, [False, True, False, True, True])
    np.testing.assert_array_equal(found.n_levels, [8, 5, 8, 1, 2])
    np.testing.assert_array_equal(found.values[4, :2], [0.0, 7.0])
    assert found.missing == 8


@pytest.mark.parametrize("column", [0, 2])
def test_the_density_of_a_number_adds_up_to_one(table, column):
    """Integrated over all numbers, with equal probabilities of levels."""
    found = learned(table)

    def density(x):
        X = np.full((1, 5), np.nan)
        X[0, column] = x
        codes = codes_of(X, found)
        return np.exp(log_widths(X, codes, found)[0, column]) / found.n_levels[column]

    edges = found.edges[column][: found.n_levels[column] - 1]
    pieces = [
        edges[0] - 60 * found.tails[column, 0],
        *edges,
        edges[-1] + 60 * found.tails[column, 1],
    ]
    total = sum(integrate.quad(density, a, b, epsabs=1e-12)[0] for a, b in pairwise(pieces))
    assert total == pytest.approx(1.0, abs=1e-8)


def test_levels_hold_as_many_values_each(table):
    x = table[:, [0]]
    counts = np.bincount(codes_of(x[~np.isnan(x)][:, None], learned(x)).ravel())
    assert counts.min() >= counts.max() - 2


def test_edges_of_bins_lie_midway_between_values(rng):
    """So whole numbers that are too many to be levels are drawn as often as they are there."""
    x = rng.integers(0, 60, size=(6000, 1)).astype(float)
    found = learned(x, most=20, most_whole=32)
    edges = found.edges[0, : found.n_levels[0] - 1]
    assert not found.whole[0]
    np.testing.assert_array_equal(edges % 1.0, 0.5)
    codes = np.repeat(codes_of(x, found), 20, axis=0)
    drawn = np.rint(drawn_values(codes, found, rng.random(codes.shape)))
    inside = (x > edges[0]) & (x < edges[-1])
    again = (drawn[:, 0] > edges[0]) & (drawn[:, 0] < edges[-1])
    # a number is drawn at most 3 from where it was, the width of a bin: 5 deviations of the mean
    assert abs(drawn[again].mean() - x[inside].mean()) < 5 * 3 / np.sqrt(6000)


def test_draws_are_in_their_level_with_its_mean_and_spread(table, rng):
    found = learned(table)
    codes = np.tile(np.arange(8)[:, None] % found.n_levels, (4000, 1))
    X = drawn_values(codes, found, rng.random(codes.shape))
    np.testing.assert_array_equal(codes_of(X, found), codes)
    for k in range(8):
        x = X[k::8, 0]
        sd = level_stds(found)[0, k]
        assert abs(x.mean() - found.values[0, k]) < 5 * sd / np.sqrt(4000)
        assert x.std() == pytest.approx(sd, rel=0.15)  # of an exponential: 5 * sqrt(8 / 4000) / 2


def test_missing_values_have_a_level_of_their_own(table):
    found = learned(table)
    codes = codes_of(table, found)
    np.testing.assert_array_equal(codes == found.missing, np.isnan(table))
    assert (log_widths(table, codes, found)[np.isnan(table)] == 0).all()


def test_scale_and_place_do_not_matter(table):
    at = learned(table[:, [0]])
    for factor, shift in ((1e150, 0.0), (1e-150, 0.0), (2.0, 64.0)):
        moved = learned(table[:, [0]] * factor + shift)
        np.testing.assert_allclose(moved.edges, at.edges * factor + shift, rtol=1e-12)
        np.testing.assert_allclose(moved.tails, at.tails * factor, rtol=1e-9)


def test_shared_levels_of_images():
    """A pixel that is always 0 has the levels of the others."""
    X = np.zeros((50, 3), dtype=np.uint8)
    X[:25, 1], X[:10, 2] = 3, 9
    found = learned(X, shared=True)
    np.testing.assert_array_equal(found.values, np.tile([0.0, 3.0, 9.0], (3, 1)))
    np.testing.assert_array_equal(codes_of(X, found), np.searchsorted([0, 3, 9], X))


def test_levels_are_shared_only_where_all_columns_have_them(rng):
    """Numbers beside whole ones, or many values together, leave each column its own levels."""
    X = np.column_stack([rng.integers(0, 2, size=400), rng.normal(size=400)])
    found = learned(X, shared=True)
    np.testing.assert_array_equal(found.whole, [True, False])
    np.testing.assert_array_equal(found.values[0, :2], [0.0, 1.0])
    X = np.column_stack([rng.integers(0, 2, size=400), np.arange(400) % 90])
    found = learned(X, shared=True)
    np.testing.assert_array_equal(found.whole, [True, False])


def test_a_value_that_the_sample_missed_is_found(monkeypatch, rng):
    monkeypatch.setattr("lowdim.deep.chain.levels.SAMPLE", 20)
    X = rng.integers(5, 8, size=(3000, 1)).astype(float)
    X[1717] = 2.0
    np.testing.assert_array_equal(learned(X).values, [[2.0, 5.0, 6.0, 7.0]])
    X[1717] = 2.5
    assert not learned(X).whole[0]


def test_streams_give_the_same_levels(table, tmp_path):
    np.save(tmp_path / "x.npy", table)
    streamed = learned_levels(as_blocks(lowdim.stream(tmp_path / "x.npy")), 8, 0, most_whole=32)
    for a, b in zip(learned(table), streamed, strict=True):
        np.testing.assert_array_equal(a, b)


def test_unknown_values_are_refused(table):
    found = learned(table)
    check_known(table, found)
    wrong = table[:3].copy()
    wrong[2, 1] = 5.0
    with pytest.raises(ValueError, match=r"Column 1 holds 5, which is none of the 5 values"):
        check_known(wrong, found)
