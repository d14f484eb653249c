"""What a network with exact probabilities can do, by enumeration of all rows."""

import numpy as np
import pytest

pytest.importorskip("torch")

from lowdim.deep.chain import asking
from lowdim.deep.chain.asking import (
    conditionals,
    drawn_codes,
    drawn_copies,
    filled,
    log_densities,
)
from tests.deep.chain.toy import Toy, all_rows, plain_levels

D, L = 4, 3
LEVELS = plain_levels(D, L)


def test_probabilities_of_all_rows_add_up_to_one(seed):
    p = np.exp(log_densities(all_rows(D, L), Toy(D, L, seed), LEVELS, 1))
    assert p.sum() == pytest.approx(1.0, abs=1e-12)


def test_a_row_is_the_product_of_its_conditionals(seed):
    X, module = all_rows(D, L), Toy(D, L, seed)
    P = conditionals(X, module, LEVELS)
    at = np.take_along_axis(P, X.astype(int)[:, :, None], axis=2)[:, :, 0]
    np.testing.assert_allclose(at.prod(axis=1), np.exp(log_densities(X, module, LEVELS, 1)))


def test_many_rows_are_read_in_pieces_that_memory_holds(seed, monkeypatch):
    X, module, sizes = all_rows(D, L), Toy(D, L, seed), []
    whole = log_densities(X, module, LEVELS, 1)
    monkeypatch.setattr(asking, "MOST_NUMBERS", 5 * (D * L + module.numbers_of_row))
    logits = module.logits
    module.logits = lambda codes, context=None: sizes.append(len(codes)) or logits(codes, context)
    monkeypatch.setattr(asking, "_ready", lambda module, X: module)
    np.testing.assert_allclose(log_densities(X, module, LEVELS, 1), whole, rtol=1e-12)
    assert max(sizes) == 5 and sum(sizes) == len(X)


def test_samples_have_the_moments_of_the_enumeration(seed, rng):
    X, module = all_rows(D, L), Toy(D, L, seed)
    p = np.exp(log_densities(X, module, LEVELS, 1))
    codes = drawn_codes(module, rng.random((4000, D)), LEVELS)
    mean = p @ X
    sd = np.sqrt(p @ (X - mean) ** 2)
    np.testing.assert_array_less(np.abs(codes.mean(axis=0) - mean), 5 * sd / 4000**0.5 + 1e-9)
    products = p @ (X[:, :1] * X)
    np.testing.assert_allclose(
        (codes[:, :1] * codes).mean(axis=0), products, atol=5 * 4 / 4000**0.5
    )


def test_filled_rows_are_conditional_expectations(seed):
    rows, module = all_rows(D, L), Toy(D, L, seed)
    X = np.array([[np.nan, 1.0, np.nan, 2.0], [0.0, 0.0, 0.0, 0.0]])
    mean, std = filled(X, module, LEVELS, 100, True)
    fits = (rows[:, 1] == 1) & (rows[:, 3] == 2)
    p = np.exp(log_densities(rows[fits], module, LEVELS, 1))
    p /= p.sum()
    np.testing.assert_allclose(mean[0], p @ rows[fits], rtol=1e-9)
    np.testing.assert_allclose(std[0], np.sqrt(p @ (rows[fits] - mean[0]) ** 2), atol=1e-7)
    np.testing.assert_array_equal(mean[1], X[1])
    assert (std[1] == 0).all()


def test_drawn_copies_have_the_conditional_moments(seed, rng):
    module = Toy(D, L, seed)
    X = np.array([[np.nan, 1.0, np.nan, 2.0], [0.0, 1.0, 2.0, 0.0]])
    n = 4000
    copies = drawn_copies(X, module, LEVELS, 100, n, rng.random((2, n * (D + 1) + D)))
    mean, std = filled(X, module, LEVELS, 100, True)
    assert copies.shape == (2, n, D)
    np.testing.assert_array_equal(copies[1], np.tile(X[1], (n, 1)))
    np.testing.assert_array_less(
        np.abs(copies[0].mean(axis=0) - mean[0]), 5 * std[0] / n**0.5 + 1e-9
    )


def test_a_row_without_anything_has_probability_one(seed):
    X = np.full((1, D), np.nan)
    assert log_densities(X, Toy(D, L, seed), LEVELS, 200)[0] == pytest.approx(0.0, abs=1e-9)
